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
    """Raised when an action names other cards than the rules ask for: `slots` are the ones due, for
    a caller that can name their faces.
    """

    def __init__(self, rule: str, what: str, slots: tuple[Slot, ...]) -> None:
        """Keep `what` and `slots`; the message says that `what`, a plural noun phrase, are these
        slots, or none. `rule` names the section that asks for them.
        """
        super().__init__(rule, f"{what} are slots {', '.join(map(str, slots)) or 'none'}")
        self.what = what
        self.slots = slots


def face_statement(state: State, slot: Slot, card: Card) -> tuple[Statement, ...]:
    """Return the one statement that `slot` holds `card`, or () where everybody has seen that it
    does (S1).

    Raises RulesError for a card that is not in the pack, or that was seen elsewhere, and for a slot
    that was seen to hold another card.
    """
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


def face_statements(state: State, cards: tuple[Face, ...]) -> tuple[Statement, ...]:
    """Return the statements that the slots of `cards` hold these cards, in order, without those
    that everybody has seen; empty for no cards.

    Raises RulesError for a card that is named twice, is not in the pack or was seen elsewhere, and
    for a slot that was seen to hold another card.
    """
    if len({card for _, card in cards}) != len(cards):
        raise RulesError("S1", "no card is in two places")
    return tuple(each for slot, card in cards for each in face_statement(state, slot, card))


def _seen(state: State, slots: tuple[Slot, ...]) -> tuple[tuple[Slot, ...], list[Suit]]:
    """Return the slots among `slots` that are closed, and the suits of the open ones, in order."""
    faces = state.faces
    # By far the most frequent case, and the cheapest to find.
    if faces.keys().isdisjoint(slots):
        return slots, []
    closed = tuple(slot for slot in slots if slot not in faces)
    return closed, [faces[slot].suit for slot in slots if slot in faces]


def none_of_suit(
    state: State, slots: tuple[Slot, ...], suit: Suit, rule: str, why: str
) -> tuple[Statement, ...]:
    """Return the one statement that the closed slots among `slots` hold no card of `suit`; () where
    none is closed.

    Raises RulesError with `rule` and `why` where an open slot holds a card of it.
    """
    closed, suits = _seen(state, slots)
    if suit in suits:
        raise RulesError(rule, why)
    return (NoneOfSuit(closed, suit),) if closed else ()


def off_trump(state: State, slots: tuple[Slot, ...], rule: str, why: str) -> tuple[Statement, ...]:
    """Return the statements that no slot of `slots` holds a trump; () if nothing is left to prove
    (S4).

    While the indicator is closed, the closed slots are stated to differ from its suit, and for each
    open card the indicator is stated not to be of the card's suit. Once it is open the closed slots
    are stated to hold no trump; then an open trump among `slots` raises RulesError with `rule` and
    `why`.
    """
    indicator = state.the_trump_slot
    trump = state.faces.get(indicator)
    if trump is not None:
        return none_of_suit(state, slots, trump.suit, rule, why)
    closed, suits = _seen(state, slots)
    # Of an open card it is the closed indicator that must not be of its suit.
    open_ones = tuple(NoneOfSuit((indicator,), suit) for suit in suits)
    return (*open_ones, SuitsDiffer(closed, indicator)) if closed else open_ones


def indicator_not_of(state: State, suit: Suit, rule: str, why: str) -> tuple[Statement, ...]:
    """Return the one statement that the indicator is not of `suit`; () where the indicator is open
    and of another suit (S5, or S4 for a card that is shown).

    Raises RulesError with `rule` and `why` where the indicator is open and of `suit`.
    """
    return none_of_suit(state, (state.the_trump_slot,), suit, rule, why)


def exhausted_statement(state: State, hand: tuple[Slot, ...], suit: Suit) -> tuple[Statement, ...]:
    """Return the one statement that trump is not `suit` or the maker's `hand` holds none of it; ()
    where the open cards prove that (S7).

    Raises RulesError, naming 11.2, where open cards contradict it.
    """
    indicator = state.the_trump_slot
    trump = state.faces.get(indicator)
    why = "a maker that has led a trump that nobody followed goes on leading trumps"
    if trump is not None:
        # Once the indicator is open the disjunction is decided: only its own suit binds.
        return none_of_suit(state, hand, suit, "11.2", why) if trump.suit == suit else ()
    hidden, suits = _seen(state, hand)
    if suit in suits:
        # An open card of the suit in hand leaves one half of the disjunction.
        return (NoneOfSuit((indicator,), suit),)
    if not hidden:
        return ()
    return (AnyOf((NoneOfSuit((indicator,), suit), NoneOfSuit(hidden, suit))),)


def all_of_suit(
    state: State, slots: tuple[Slot, ...], suit: Suit, rule: str, why: str
) -> tuple[Statement, ...]:
    """Return the one statement that the closed slots among `slots` hold only cards of `suit`; ()
    where none is closed (S12).

    Raises RulesError with `rule` and `why` where an open slot holds another suit.
    """
    closed, suits = _seen(state, slots)
    if {*suits} - {suit}:
        raise RulesError(rule, why)
    return (AllOfSuit(closed, suit),) if closed else ()


def exactly(cards: tuple[Face, ...], slots: tuple[Slot, ...], rule: str, what: str) -> None:
    """Raise WrongCards with `rule` unless the slots named in `cards` are just `slots`, in this
    order; `what` names the cards in the error.
    """
    if tuple(slot for slot, _ in cards) != slots:
        raise WrongCards(rule, what, slots)
