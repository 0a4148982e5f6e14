"""What a seat of 304 may do although it is not awaited: claims in another's turn."""

from __future__ import annotations

from p2p304.rules304 import actions as act
from p2p304.rules304.actions import Action
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.count import handed_over
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
        handed = tuple((slot, view.faces[slot]) for slot in handed_over(state))
        return [act.OpenHandedOver(handed)] if handed else []
    if state.phase is not Phase.TRICK:
        return []
    in_turn = View(seat, state._replace(awaiting=(seat,)), view.faces, view.proved, view.scores)
    kinds = act.CallCaps | act.CallSpoilt
    claims = [each for each in legal_actions(in_turn) if isinstance(each, kinds)]
    slot = state.indicator
    if seat == state.maker and slot is not None and may_open(state):
        claims.append(act.OpenTrump(view.faces[slot]))
    return claims
