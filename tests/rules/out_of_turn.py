"""What a seat of 304 may do although it is not awaited: claims in another's turn."""

from __future__ import annotations

from p2p304.rules304 import actions as act
from p2p304.rules304.actions import Action
from p2p304.rules304.calls import caps_slots, why_no_caps, why_no_spoilt
from p2p304.rules304.count import slots_handed_over
from p2p304.rules304.dealing import may_open
from p2p304.rules304.state import Phase, State
from p2p304.view import View


def calls_out_of_turn(view: View[State]) -> list[Action]:
    """Return what the seat of the view may do although it is not awaited: claims in another's turn.

    At the count it is the maker's opening of everything that silent owners still have to open,
    although any part of it is legal.
    """
    state, seat = view.state, view.seat
    if seat is None or seat in state.awaiting:
        return []
    if state.phase is Phase.COUNT and seat == state.maker:
        handed = tuple((slot, view.faces[slot]) for slot in slots_handed_over(state))
        return [act.OpenHandedOver(handed)] if handed else []
    if state.phase is not Phase.TRICK:
        return []
    claims: list[Action] = []
    if why_no_caps(state, seat) is None:
        shown = caps_slots(state, seat) if state.profile.caps_expose else ()
        claims.append(act.CallCaps(tuple((slot, view.faces[slot]) for slot in shown)))
    if why_no_spoilt(state) is None:
        claims.append(act.CallSpoilt())
    indicator = state.indicator
    if seat == state.maker and indicator is not None and may_open(state):
        claims.append(act.OpenTrump(view.faces[indicator]))
    return claims
