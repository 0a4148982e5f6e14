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
    """Tell whether the public record allows any seat a claim, or to show a card, in a window."""
    if why_no_spoilt(state) is None:
        return True
    return any(_may_claim(state, seat) for seat in state.everybody)


def nothing_to_claim(state: State, seat: Seat) -> bool:
    """Tell whether by the public record `seat` can only go on in the open window, with nothing to
    claim or show.

    A call of spoilt trumps counts as nothing where everybody can see that it would be false.
    """
    if _may_claim(state, seat):
        return False
    # Only the public record is read, so that the length of a window says nothing of anybody's
    # cards.
    return why_no_spoilt(state) is not None or _not_spoilt(state)


def _may_claim(state: State, seat: Seat) -> bool:
    """Tell whether the rules allow `seat` caps, double, a marriage or the showing of a card now."""
    rules = (why_no_caps, why_no_showing, why_no_double, why_no_marriage)
    return any(why_not(state, seat) is None for why_not in rules)


def _not_spoilt(state: State) -> bool:
    """Tell whether everybody can see that a call of spoilt trumps would be false: of each suit
    that may be trump a card dealt to a defender has been seen.
    """
    maker = state.maker
    # Without a maker nobody defends.
    if maker is None:
        return False
    shown = {
        state.faces[slot].suit
        for defender in state.opponents(maker)
        for slot in state.dealt[defender]
        if slot in state.faces
    }
    # Whichever of the possible suits is trump, a defender was seen with one of it.
    return shown >= _possible_trumps(state)


def _possible_trumps(state: State) -> set[Suit]:
    """Return the suits that may be trump by the public record: the one suit once trump is open,
    else all but those that the indicator was proved not to have.
    """
    if state.trump is not None:
        return {state.trump}
    excluded = {
        fact.suit
        for fact in state.facts
        # Only what was proved of the indicator alone excludes a suit from being trump.
        if isinstance(fact, NoneOfSuit) and fact.slots == (state.trump_slot,)
    }
    return {*Suit} - excluded
