"""Statements and disclosures as plain JSON, there and back; what is none is refused."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from p2p304.cards import Card, Rank, Slot, Suit
from p2p304.disclosures import Dealt, Disclosure, HandedOver, LaidDown, Opened, Remixed
from p2p304.seats import Seat
from p2p304.statements import (
    AllOfSuit,
    AnyOf,
    IsCard,
    NoneOfSuit,
    NotCard,
    PointsBelow,
    Statement,
    SuitsDiffer,
    holds,
    slots_of,
)
from tests.vectors.plain_json import disclosure_json, statement_json, statement_of, suit_of

JACK = Card(Suit.HEARTS, Rank.JACK)
SLOTS = (Slot(3), Slot(40))
NO_SPADE, DIFFERENT = NoneOfSuit(SLOTS, Suit.SPADES), SuitsDiffer(SLOTS, Slot(7))
STATEMENTS: tuple[Statement, ...] = (
    IsCard(Slot(3), JACK),
    NotCard(SLOTS, JACK),
    NO_SPADE,
    AllOfSuit(SLOTS, Suit.HEARTS),
    DIFFERENT,
    PointsBelow(SLOTS, 30),
    AnyOf((NO_SPADE, DIFFERENT)),
)


def test_every_kind_of_statement_is_the_same_after_its_json() -> None:
    assert {type(each) for each in STATEMENTS} == set(get_args(Statement))
    for each in STATEMENTS:
        assert statement_of(json.loads(json.dumps(statement_json(each)))) == each


def test_every_kind_of_disclosure_has_a_json_of_its_own() -> None:
    found = [
        disclosure_json(each)
        for each in (
            Dealt(Seat(1), SLOTS),
            LaidDown(Seat(1), Slot(3)),
            Opened(Slot(3), JACK),
            HandedOver(Slot(3), Seat(1), Seat(2)),
            HandedOver(Slot(3), Seat(1), Seat(2), moves=True),
            Remixed(Seat(1), SLOTS, (Slot(52), Slot(53))),
        )
    ]
    assert len({json.dumps(each, sort_keys=True) for each in found}) == len(found)
    assert len(get_args(Disclosure)) == len(found) - 1
    assert "moves" in found[4]


@pytest.mark.parametrize("letter", ["X", "h", "", "HD"])
def test_what_is_no_suit_is_refused(letter: str) -> None:
    with pytest.raises(ValueError, match="no suit"):
        suit_of(letter)
    with pytest.raises(ValueError, match="no suit"):
        statement_of({"none": [1], "suit": letter})


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"is": 3},
        {"maybe": [1], "suit": "H"},
        {"any": [{"none": [1], "suit": "H"}, {"is": 3, "card": "JH"}]},
    ],
)
def test_what_is_no_statement_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="no statement"):
        statement_of(given)


def test_every_kind_of_statement_is_looked_at_with_open_cards() -> None:
    faces = {
        Slot(3): JACK,
        Slot(40): Card(Suit.HEARTS, Rank.ACE),
        Slot(7): Card(Suit.CLUBS, Rank.ACE),
    }
    points = {JACK: 30, Card(Suit.HEARTS, Rank.ACE): 11, Card(Suit.CLUBS, Rank.ACE): 11}
    found = [holds(each, faces, points=points) for each in STATEMENTS]
    assert found == [True, False, True, True, True, False, True]
    assert [len(slots_of(each)) for each in STATEMENTS] == [1, 2, 2, 2, 3, 2, 5]
    assert holds(PointsBelow(SLOTS, 42), faces, points=points)
    assert not holds(AnyOf(()), faces)
    with pytest.raises(KeyError):
        holds(PointsBelow(SLOTS, 42), faces)
    with pytest.raises(KeyError):
        holds(IsCard(Slot(9), JACK), faces)
