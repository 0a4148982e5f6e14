"""What everybody can see of a window: whether anybody can have anything to claim or show in it.

Only the public state is asked: whether there is a window, and how long it stays open, by what is
told here says nothing of anybody's cards.
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


def claims_possible(state: State) -> bool:
    """Tell whether the rules allow some seat a claim in a window that opens now."""
    if why_no_spoilt(state) is None:
        return True
    return any(_may_claim(state, seat) for seat in state.everybody)


def nothing_to_claim(state: State, seat: Seat) -> bool:
    """Tell whether `seat` can only go on in the open window, by what everybody knows.

    A claim that the rules allow and that everybody knows to be false counts as none.
    """
    if _may_claim(state, seat):
        return False
    return why_no_spoilt(state) is not None or _not_spoilt(state)


def _may_claim(state: State, seat: Seat) -> bool:
    """Tell whether the rules allow `seat` a claim, spoilt trumps apart."""
    rules = (why_no_caps, why_no_showing, why_no_double, why_no_marriage)
    return any(why_not(state, seat) is None for why_not in rules)


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
