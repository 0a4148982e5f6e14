"""From facts about slots to excluded suits: one hypothesis for each trump suit that can be.

Every fact about hidden cards in 304 speaks of suits alone. Once the trump suit is supposed, each
fact says which suits a slot cannot hold, so that a layout exists iff the unseen cards of each suit
find room: Hall's condition over sets of suits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from p2p304.cards import Slot, Suit
from p2p304.rules304.bits import SUITS
from p2p304.rules304.caps.information import InformationSet
from p2p304.statements import AllOfSuit, AnyOf, IsCard, NoneOfSuit, NotCard, Statement, SuitsDiffer

# One bit for each suit, spades lowest.
EVERY_SUIT = 0b1111


class Room(NamedTuple):
    """Unknown slots that may all hold the same suits; without slots it holds nothing."""

    slots: tuple[Slot, ...]
    allowed: int  #: The suits that they may hold, as a set of bits.


class Hypothesis(NamedTuple):
    """A trump suit that the known facts allow, and the suits that each unknown card may then
    have.
    """

    trump: Suit
    hands: tuple[Room, ...]  #: The unknown cards in the hand of each seat.
    indicator: Room  #: The indicator on the table, if it is unknown.
    trick: tuple[Room, ...]  #: Each unknown card of the trick in progress, in order of play.
    hidden: tuple[Room, ...]  #: Unknown cards of completed tricks.

    def rooms(self) -> tuple[Room, ...]:
        """Return all rooms of this hypothesis that have at least one slot: hands in seat order,
        indicator, trick, earlier tricks.
        """
        rooms = (*self.hands, self.indicator, *self.trick, *self.hidden)
        return tuple(room for room in rooms if room.slots)


def fits(counts: Iterable[int], rooms: Iterable[tuple[int, int]]) -> bool:
    """Tell whether the unseen cards can be laid into the rooms so that each room gets only suits
    that it allows.

    By Hall's condition: for every set of suits, the rooms that allow nothing else have no more
    slots than there are unseen cards of these suits. True without rooms.

    Args:
        counts: the number of unseen cards of each suit, in suit order; in all as many as slots.
        rooms: pairs of a number of slots and the allowed suits as a set of bits.
    """
    # There are as many cards as slots, so rooms that take any suit always fill; only narrow ones
    # can fail.
    narrow = [room for room in rooms if room[0] and room[1] != EVERY_SUIT]
    # Only unions of the rooms' own suits matter: any other set holds the same rooms and more cards.
    unions = {0}
    for _, allowed in narrow:
        unions |= {each | allowed for each in unions}
    # cards[suits] becomes the number of cards of each set of suits, indexed by its bits.
    cards = [0]
    for count in counts:
        cards += [each + count for each in cards]
    for suits in unions:
        left = cards[suits]
        for size, allowed in narrow:
            # The room may hold nothing outside this set, so it takes all its cards from it.
            if not allowed & ~suits:
                left -= size
        if left < 0:
            return False
    return True


def hypotheses(information: InformationSet) -> tuple[Hypothesis, ...]:
    """Return every hypothesis under which the unseen cards can be laid out, in the order of trump
    suits.

    Empty where the facts contradict each other. Several may have one trump suit: one for each way
    to satisfy the disjunctions among the facts. Raises ValueError for a fact that compares cards
    with an unknown one other than the indicator, for a fact about points, and for facts that tell
    unknown cards of one hand apart.
    """
    unseen = Counter(card.suit for card in information.unseen)
    counts = [unseen[suit] for suit in SUITS]
    suits = SUITS if information.trump is None else (information.trump,)
    found = []
    for trump in suits:
        allowed = dict.fromkeys(information.unknown_slots(), EVERY_SUIT)
        indicator = information.indicator
        if indicator is not None and indicator in allowed:
            # What makes the suit trump: whatever card lies there, it has this suit.
            allowed[indicator] = 1 << trump
        for branch in _worlds(information, trump, information.facts, allowed):
            hypothesis = _hypothesis(information, trump, branch)
            if fits(counts, [(len(room.slots), room.allowed) for room in hypothesis.rooms()]):
                found.append(hypothesis)
    return tuple(found)


Allowed = dict[Slot, int]


def _worlds(
    information: InformationSet, trump: Suit, facts: tuple[Statement, ...], allowed: Allowed
) -> Iterator[Allowed]:
    """Yield each way to satisfy all `facts` if `trump` is the trump suit, as a mapping from each
    unknown slot to the suits that it may still hold; `allowed` is that mapping before any fact.

    There are several ways where a fact is an AnyOf; none where the facts cannot be satisfied.
    """
    for place, fact in enumerate(facts):
        if isinstance(fact, AnyOf):
            outcomes = [_without(information, trump, each, allowed) for each in fact.alternatives]
            # An alternative that already holds excludes nothing, and one such is enough for the
            # disjunction.
            if allowed in outcomes:
                continue
            for outcome in outcomes:
                if outcome is not None:
                    # One branch for each alternative: what is sure must be so in all of them.
                    yield from _worlds(information, trump, facts[place + 1 :], outcome)
            return
        narrowed = _without(information, trump, fact, allowed)
        if narrowed is None:
            return
        allowed = narrowed
    yield allowed


def _without(
    information: InformationSet, trump: Suit, fact: Statement, allowed: Allowed
) -> Allowed | None:
    """Return `allowed` without the suits that one fact excludes; None if a slot is left without a
    suit, or if a known card contradicts the fact. A fact about a single card excludes nothing.

    Raises ValueError for any other fact that does not speak of suits, and for one that compares
    cards with an unknown one other than the indicator.
    """
    match fact:
        case NoneOfSuit(slots, suit):
            keeps = EVERY_SUIT & ~(1 << suit)
        case AllOfSuit(slots, suit):
            keeps = 1 << suit
        case SuitsDiffer(slots, other):
            keeps = EVERY_SUIT & ~(1 << _suit_of(information, trump, other))
        # Of a single card: that of an IsCard is among the faces, and a NotCard comes with a called
        # card, where no caps are judged.
        case IsCard() | NotCard():
            return allowed
        case _:
            raise ValueError(f"no fact about suits: {type(fact).__name__}")
    narrowed = dict(allowed)
    for slot in slots:
        if slot in allowed:
            narrowed[slot] &= keeps
            if not narrowed[slot]:
                return None
        # A known card that contradicts the fact: this trump suit, or this branch, is not possible.
        elif not keeps >> information.faces[slot].suit & 1:
            return None
    return narrowed


def _suit_of(information: InformationSet, trump: Suit, slot: Slot) -> Suit:
    """Return the suit of `slot`, with which a fact compares other cards: `trump` for the
    indicator, else the suit of the slot's known face; raises ValueError where that is unknown.
    """
    if slot == information.indicator:
        return trump
    face = information.faces.get(slot)
    if face is None:
        raise ValueError(f"slot {slot} is compared with, but is neither known nor the indicator")
    return face.suit


def _hypothesis(information: InformationSet, trump: Suit, allowed: Allowed) -> Hypothesis:
    """Return the hypothesis that `trump` is the trump suit and that each unknown slot holds one of
    its `allowed` suits.

    Raises ValueError where two unknown slots of one hand allow different suits: a hand is one room
    here.
    """
    hands = []
    for hand in information.hands:
        slots = tuple(slot for slot in hand if slot in allowed)
        # A hand without unknown cards is an empty room, which is free: it must not narrow anything.
        suits = {allowed[slot] for slot in slots} or {EVERY_SUIT}
        # A statement of 304 about a hand speaks of all closed cards in it, so no hand leads here.
        if len(suits) != 1:
            raise ValueError("facts tell the cards of one hand apart")
        hands.append(Room(slots, suits.pop()))
    indicator = information.indicator
    # A hidden indicator that was played lies in the trick, whose rooms count it already. (Not None:
    # for type checkers, as `on_table` implies it.)
    table = (indicator,) if indicator is not None and information.on_table else ()
    return Hypothesis(
        trump,
        tuple(hands),
        Room(tuple(slot for slot in table if slot in allowed), 1 << trump),
        tuple(_single(play.slot, allowed) for play in information.plays if play.slot in allowed),
        tuple(_single(slot, allowed) for slot in information.hidden if slot in allowed),
    )


def _single(slot: Slot, allowed: Allowed) -> Room:
    """Return a room of one unknown slot, with the suits that it may hold by `allowed`."""
    return Room((slot,), allowed[slot])
