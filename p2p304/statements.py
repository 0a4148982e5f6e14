"""Statements about hidden cards: what must be true for an action to stand.

The rules say which statements an action needs. With open cards a simulator looks whether they
hold; among peers each is proved in zero knowledge by the seat that acts; afterwards an auditor
verifies the proofs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from p2p304.cards import Card, Faces, Slot, Suit


@dataclass(frozen=True, slots=True)
class IsCard:
    """This slot holds this card, which everybody now knows."""

    slot: Slot
    card: Card


@dataclass(frozen=True, slots=True)
class NoneOfSuit:
    """No slot of these holds a card of `suit`. True when there are no slots."""

    slots: tuple[Slot, ...]
    suit: Suit


@dataclass(frozen=True, slots=True)
class NotCard:
    """No slot of these holds this card. True when there are no slots."""

    slots: tuple[Slot, ...]
    card: Card


@dataclass(frozen=True, slots=True)
class AllOfSuit:
    """Every slot of these holds a card of `suit`. True when there are no slots."""

    slots: tuple[Slot, ...]
    suit: Suit


@dataclass(frozen=True, slots=True)
class SuitsDiffer:
    """No slot of `slots` holds a card of the suit that the slot `other` holds."""

    slots: tuple[Slot, ...]
    other: Slot


@dataclass(frozen=True, slots=True)
class PointsBelow:
    """The cards of `slots` count fewer than `limit` points together, as `Game.points_of` counts.

    Without slots it is true if `limit` is above 0.
    """

    slots: tuple[Slot, ...]
    limit: int


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of the alternatives holds; which one stays unknown. False without any."""

    # Statements about suits alone: one proof hides which of them holds (specs/04-cards.md, 4.10).
    alternatives: tuple[NoneOfSuit | SuitsDiffer, ...]


Statement = IsCard | NotCard | NoneOfSuit | AllOfSuit | SuitsDiffer | PointsBelow | AnyOf


def holds(statement: Statement, faces: Faces, *, points: Mapping[Card, int] | None = None) -> bool:
    """Tell whether `statement` is true of open cards.

    Raises KeyError for a slot without a face that it must look at, and in PointsBelow for a card
    without points.

    Args:
        faces: at least the card of every slot that the statement names.
        points: the points of each card, 0 or more; only PointsBelow needs them.
    """
    match statement:
        case IsCard(slot, card):
            return faces[slot] == card
        case NotCard(slots, card):
            return all(faces[slot] != card for slot in slots)
        case NoneOfSuit(slots, suit):
            return all(faces[slot].suit != suit for slot in slots)
        case AllOfSuit(slots, suit):
            return all(faces[slot].suit == suit for slot in slots)
        case SuitsDiffer(slots, other):
            suit = faces[other].suit
            return all(faces[slot].suit != suit for slot in slots)
        case PointsBelow(slots, limit):
            # Without points every card raises the KeyError promised above.
            values = points or {}
            return sum(values[faces[slot]] for slot in slots) < limit
        case AnyOf(alternatives):
            return any(holds(each, faces, points=points) for each in alternatives)
        case _:
            assert_never(statement)


def slots_of(statement: Statement) -> tuple[Slot, ...]:
    """Return every slot that `statement` names, in its order; a slot that several alternatives
    of AnyOf name comes several times.
    """
    match statement:
        case IsCard(slot, _):
            return (slot,)
        case NotCard(slots) | NoneOfSuit(slots) | AllOfSuit(slots) | PointsBelow(slots):
            return slots
        case SuitsDiffer(slots, other):
            return (*slots, other)
        case AnyOf(alternatives):
            return tuple(slot for each in alternatives for slot in slots_of(each))
        case _:
            assert_never(statement)
