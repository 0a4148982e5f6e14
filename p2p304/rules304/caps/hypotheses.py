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

EVERY_SUIT = 0b1111


class Room(NamedTuple):
    """Unknown slots that may hold the same suits."""

    slots: tuple[Slot, ...]
    allowed: int
    """The suits that they may hold, as a set of bits."""


class Hypothesis(NamedTuple):
    """A trump suit that the facts allow, and what it leaves open."""

    trump: Suit
    hands: tuple[Room, ...]
    """The unknown cards in the hand of each seat."""
    indicator: Room
    """The indicator on the table, if it is unknown."""
    trick: tuple[Room, ...]
    """Each unknown card of the trick in progress, in order of play."""
    hidden: tuple[Room, ...]
    """Unknown cards of completed tricks."""

    def rooms(self) -> tuple[Room, ...]:
        """Return every room that has a slot."""
        rooms = (*self.hands, self.indicator, *self.trick, *self.hidden)
        return tuple(room for room in rooms if room.slots)


def fits(counts: Iterable[int], rooms: Iterable[tuple[int, int]]) -> bool:
    """Tell whether the cards find room: so many of each suit, rooms given as (size, suits allowed).

    There are as many cards as room, so Hall's condition may be said of the rooms: those that may
    hold nothing but some suits are no more than the cards of these. Only where suits are forbidden
    is there anything to ask.
    """
    narrow = [room for room in rooms if room[0] and room[1] != EVERY_SUIT]
    unions = {0}
    for _, allowed in narrow:
        unions |= {each | allowed for each in unions}
    cards = [0]
    for count in counts:
        cards += [each + count for each in cards]
    for suits in unions:
        left = cards[suits]
        for size, allowed in narrow:
            if not allowed & ~suits:
                left -= size
        if left < 0:
            return False
    return True


def hypotheses(information: InformationSet) -> tuple[Hypothesis, ...]:
    """Return every hypothesis under which at least one layout exists, in the order of suits.

    Layouts of different trump suits differ. Raises ValueError for a fact that compares a card
    with anything but the indicator, and for one that tells cards of one hand apart.
    """
    unseen = Counter(card.suit for card in information.unseen)
    counts = [unseen[suit] for suit in SUITS]
    suits = SUITS if information.trump is None else (information.trump,)
    found = []
    for trump in suits:
        allowed = dict.fromkeys(information.unknown_slots(), EVERY_SUIT)
        indicator = information.indicator
        if indicator is not None and indicator in allowed:
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
    """Yield the ways to satisfy the facts, each as the suits that every unknown slot may hold."""
    for place, fact in enumerate(facts):
        if isinstance(fact, AnyOf):
            outcomes = [_without(information, trump, each, allowed) for each in fact.alternatives]
            if allowed in outcomes:
                continue
            for outcome in outcomes:
                if outcome is not None:
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
    """Return `allowed` as the fact leaves it, or None if it leaves a slot nothing."""
    match fact:
        case NoneOfSuit(slots, suit):
            keeps = EVERY_SUIT & ~(1 << suit)
        case AllOfSuit(slots, suit):
            keeps = 1 << suit
        case SuitsDiffer(slots, other):
            keeps = EVERY_SUIT & ~(1 << _suit_of(information, trump, other))
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
        elif not keeps >> information.faces[slot].suit & 1:
            return None
    return narrowed


def _suit_of(information: InformationSet, trump: Suit, slot: Slot) -> Suit:
    if slot == information.indicator:
        return trump
    face = information.faces.get(slot)
    if face is None:
        raise ValueError(f"slot {slot} is compared with, but is neither known nor the indicator")
    return face.suit


def _hypothesis(information: InformationSet, trump: Suit, allowed: Allowed) -> Hypothesis:
    hands = []
    for hand in information.hands:
        slots = tuple(slot for slot in hand if slot in allowed)
        suits = {allowed[slot] for slot in slots} or {EVERY_SUIT}
        if len(suits) != 1:
            raise ValueError("facts tell the cards of one hand apart")
        hands.append(Room(slots, suits.pop()))
    table = (information.indicator,) if information.indicator is not None else ()
    table = table if information.on_table else ()
    return Hypothesis(
        trump,
        tuple(hands),
        Room(tuple(slot for slot in table if slot in allowed), 1 << trump),
        tuple(_single(play.slot, allowed) for play in information.plays if play.slot in allowed),
        tuple(_single(slot, allowed) for slot in information.hidden if slot in allowed),
    )


def _single(slot: Slot, allowed: Allowed) -> Room:
    return Room((slot,), allowed[slot])
