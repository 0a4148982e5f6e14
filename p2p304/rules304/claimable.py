"""What everybody can see of a window: whether a seat can have anything to claim or show in it.

Only the public state is asked: how long a window stays open by what is told here says nothing of
anybody's cards.
"""

from __future__ import annotations

from p2p304.cards import Suit
from p2p304.rules304.calls import (
    why_no_caps,
    why_no_double,
    why_no_marriage,
    why_no_showing,
    why_no_spoilt,
)
from p2p304.rules304.state import State
from p2p304.seats import Seat
from p2p304.statements import NoneOfSuit


def nothing_to_claim(state: State, seat: Seat) -> bool:
    """Tell whether `seat` can only go on in the open window, by what everybody knows.

    A claim that the rules allow and that everybody knows to be false counts as none.
    """
    refused = (
        why_no_caps(state, seat),
        why_no_showing(state, seat),
        why_no_double(state, seat),
        why_no_marriage(state, seat),
    )
    return None not in refused and (why_no_spoilt(state) is not None or _not_spoilt(state))


def _not_spoilt(state: State) -> bool:
    """Tell whether everybody has seen a trump that a defender was dealt, whichever suit is
    trump."""
    maker = state.maker
    if maker is None:
        return False
    shown = {
        state.faces[slot].suit
        for defender in state.opponents(maker)
        for slot in state.dealt[defender]
        if slot in state.faces
    }
    return shown >= _possible_trumps(state)


def _possible_trumps(state: State) -> set[Suit]:
    if state.trump is not None:
        return {state.trump}
    excluded = {
        fact.suit
        for fact in state.facts
        if isinstance(fact, NoneOfSuit) and fact.slots == (state.trump_slot,)
    }
    return {*Suit} - excluded
