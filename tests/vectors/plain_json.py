"""Suits, statements and disclosures as plain JSON values, and what an operation on them answers."""

from __future__ import annotations

from typing import Any, NamedTuple

from p2p304.cards import Slot, Suit, parse_card
from p2p304.disclosures import Dealt, Disclosure, HandedOver, LaidDown, Opened, Remixed
from p2p304.statements import (
    AllOfSuit,
    AnyOf,
    IsCard,
    NoneOfSuit,
    NotCard,
    PointsBelow,
    Statement,
    SuitsDiffer,
)

Json = dict[str, Any]
#: Intermediate values of an operation in order, each as a name and a value.
Steps = list[list[Any]]


class Answer(NamedTuple):
    """An operation's result as JSON, and intermediate values where it gives any."""

    output: Json
    steps: Steps | None = None


def suit_of(letter: str) -> Suit:
    """Return the suit of a capital letter S, H, D or C; raises ValueError for any other text."""
    for suit in Suit:
        if suit.letter == letter:
            return suit
    raise ValueError(f"no suit: {letter!a}")


def statement_of(given: Json) -> Statement:
    """Return a statement from its JSON object, as `statement_json` writes it; raises ValueError
    for another object, and NotationError for a text in it that is no card.
    """
    match given:
        case {"is": slot, "card": card}:
            return IsCard(Slot(slot), parse_card(card))
        case {"none": slots, "card": card}:
            return NotCard(tuple(map(Slot, slots)), parse_card(card))
        case {"none": slots, "suit": suit}:
            return NoneOfSuit(tuple(map(Slot, slots)), suit_of(suit))
        case {"all": slots, "suit": suit}:
            return AllOfSuit(tuple(map(Slot, slots)), suit_of(suit))
        case {"differ": slots, "other": other}:
            return SuitsDiffer(tuple(map(Slot, slots)), Slot(other))
        case {"any": alternatives}:
            found = [statement_of(each) for each in alternatives]
            lists = tuple(each for each in found if isinstance(each, NoneOfSuit | SuitsDiffer))
            # Only these are proved as one of several (specs/04-cards.md, 4.9).
            if len(lists) != len(found):
                raise ValueError(f"no statement: {given}")
            return AnyOf(lists)
        case {"below": slots, "limit": limit}:
            return PointsBelow(tuple(map(Slot, slots)), limit)
        case _:
            raise ValueError(f"no statement: {given}")


def statement_json(statement: Statement) -> Json:
    """Return a statement as a JSON object that `statement_of` reads: IsCard(3, 9C) -> {"is": 3,
    "card": "9C"}.
    """
    match statement:
        case IsCard(slot, card):
            return {"is": slot, "card": str(card)}
        case NotCard(slots, card):
            return {"none": list(slots), "card": str(card)}
        case NoneOfSuit(slots, suit):
            return {"none": list(slots), "suit": suit.letter}
        case AllOfSuit(slots, suit):
            return {"all": list(slots), "suit": suit.letter}
        case SuitsDiffer(slots, other):
            return {"differ": list(slots), "other": other}
        case AnyOf(alternatives):
            return {"any": [statement_json(each) for each in alternatives]}
        case PointsBelow(slots, limit):
            return {"below": list(slots), "limit": limit}


def disclosure_json(disclosure: Disclosure) -> Json:
    """Return a disclosure as a JSON object: Opened(3, 9C) -> {"opened": 3, "card": "9C"}."""
    match disclosure:
        case Dealt(seat, slots):
            return {"dealt": seat, "slots": list(slots)}
        case LaidDown(seat, slot):
            return {"laid": slot, "seat": seat}
        case Opened(slot, card):
            return {"opened": slot, "card": str(card)}
        case HandedOver(slot, owner, reader, moves):
            handed: Json = {"handed": slot, "owner": owner, "reader": reader}
            # Left out where false: most cards that are shown do not move.
            return {**handed, "moves": True} if moves else handed
        case Remixed(seat, before, after):
            return {"remixed": seat, "before": list(before), "after": list(after)}
