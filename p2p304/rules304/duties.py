"""What an action must prove: statements about hidden cards, reduced by what everybody sees.

A duty about a face that is public is judged on the spot; what remains hidden becomes a statement.
"""

from __future__ import annotations

from p2p304.cards import Card, Slot, Suit
from p2p304.errors import RulesError
from p2p304.rules304.actions import Face
from p2p304.rules304.state import State
from p2p304.statements import AllOfSuit, AnyOf, IsCard, NoneOfSuit, Statement, SuitsDiffer


class WrongCards(RulesError):
    """Other cards are named than the rules ask for; who sees their faces can say which."""

    def __init__(self, rule: str, what: str, slots: tuple[Slot, ...]) -> None:
        super().__init__(rule, f"{what} are slots {', '.join(map(str, slots)) or 'none'}")
        self.what = what
        self.slots = slots


def face_shown(state: State, slot: Slot, card: Card) -> tuple[Statement, ...]:
    """State that `slot` holds `card`, unless everybody knows it already (S1)."""
    known = state.faces.get(slot)
    if known is not None:
        if known != card:
            raise RulesError("S1", f"that slot holds {known}, not {card}")
        return ()
    if card not in state.profile.deck.card_set:
        raise RulesError("1", f"{card} is not in the pack")
    if card in state.faces.values():
        raise RulesError("S1", f"{card} has been seen in another place")
    return (IsCard(slot, card),)


def faces_shown(state: State, cards: tuple[Face, ...]) -> tuple[Statement, ...]:
    """State what several slots hold (S1); no card may be named twice."""
    if len({card for _, card in cards}) != len(cards):
        raise RulesError("S1", "no card is in two places")
    return tuple(each for slot, card in cards for each in face_shown(state, slot, card))


def none_of_suit(
    state: State, slots: tuple[Slot, ...], suit: Suit, rule: str, why: str
) -> tuple[Statement, ...]:
    """State that none of `slots` holds a card of `suit`.

    Raises RulesError if one can be seen to hold one.
    """
    faces = state.faces
    if faces.keys().isdisjoint(slots):
        return (NoneOfSuit(slots, suit),) if slots else ()
    hidden = []
    for slot in slots:
        face = faces.get(slot)
        if face is None:
            hidden.append(slot)
        elif face.suit == suit:
            raise RulesError(rule, why)
    return (NoneOfSuit(tuple(hidden), suit),) if hidden else ()


def off_trump(state: State, slots: tuple[Slot, ...], rule: str, why: str) -> tuple[Statement, ...]:
    """State that none of `slots` holds a card of the indicator's suit (S4)."""
    indicator = _indicator(state)
    trump = state.faces.get(indicator)
    if trump is not None:
        return none_of_suit(state, slots, trump.suit, rule, why)
    statements: list[Statement] = []
    hidden = []
    for slot in slots:
        face = state.faces.get(slot)
        if face is None:
            hidden.append(slot)
        else:
            statements.append(NoneOfSuit((indicator,), face.suit))
    if hidden:
        statements.append(SuitsDiffer(tuple(hidden), indicator))
    return tuple(statements)


def indicator_not_of(state: State, suit: Suit, rule: str, why: str) -> tuple[Statement, ...]:
    """State that the indicator's suit is not `suit` (S5, or S4 for a card that is shown)."""
    return none_of_suit(state, (_indicator(state),), suit, rule, why)


def exhausted(state: State, hand: tuple[Slot, ...], suit: Suit) -> tuple[Statement, ...]:
    """State that the indicator's suit is not `suit`, or that the maker's `hand` holds none of it
    (S7)."""
    indicator = _indicator(state)
    trump = state.faces.get(indicator)
    why = "a maker that has led a trump that nobody followed goes on leading trumps"
    if trump is not None:
        return none_of_suit(state, hand, suit, "11.2", why) if trump.suit == suit else ()
    hidden = tuple(slot for slot in hand if slot not in state.faces)
    if any(state.faces[slot].suit == suit for slot in hand if slot in state.faces):
        return (NoneOfSuit((indicator,), suit),)
    if not hidden:
        return ()
    return (AnyOf((NoneOfSuit((indicator,), suit), NoneOfSuit(hidden, suit))),)


def all_of_suit(
    state: State, slots: tuple[Slot, ...], suit: Suit, rule: str, why: str
) -> tuple[Statement, ...]:
    """State that every one of `slots` holds a card of `suit` (S12)."""
    hidden = []
    for slot in slots:
        face = state.faces.get(slot)
        if face is None:
            hidden.append(slot)
        elif face.suit != suit:
            raise RulesError(rule, why)
    return (AllOfSuit(tuple(hidden), suit),) if hidden else ()


def exactly(cards: tuple[Face, ...], slots: tuple[Slot, ...], rule: str, what: str) -> None:
    """Raise RulesError unless `cards` names just these `slots`, in this order."""
    if tuple(slot for slot, _ in cards) != slots:
        raise WrongCards(rule, what, slots)


def _indicator(state: State) -> Slot:
    assert state.trump_slot is not None, "trump is chosen before anything depends on it"
    return state.trump_slot
