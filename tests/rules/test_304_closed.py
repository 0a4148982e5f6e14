"""Play with hidden trump in its corners: what may be opened, waived, announced and led."""

from __future__ import annotations

import pytest

from p2p304.cards import parse_card
from p2p304.rules304.actions import (
    OpenHandedOver,
    OpenTrump,
    PlayCard,
)
from p2p304.rules304.state import Phase
from p2p304.simulator import FalseStatement
from p2p304.statements import AllOfSuit, NoneOfSuit
from tests.rules.matrix_bidding import DEAL
from tests.rules.matrix_situations import ALL_CLUBS
from tests.rules.table_304 import Table

VOID = {
    "S": "JH 9H AH TH KH QH 7S 8S",
    "E": "JC 9C KC AD TD KS QS 8D",
    "N": "TC AC QC JS 9S AS JD 9D",
    "W": "8H 7H 8C 7C KD QD 7D TS",
}


def leads(table: Table, letter: str) -> set[str]:
    return {str(each.card) for each in table.legal(letter) if isinstance(each, PlayCard)}


def test_the_waiver_of_the_first_lead_ban_needs_a_hand_of_trumps_alone() -> None:
    table = Table("card304-alpha", "S", DEAL).given("E", 160, "9C")
    table.ready()
    trump = table.slot("E", "JC")
    with pytest.raises(FalseStatement) as caught:
        table.do("E", PlayCard(trump, parse_card("JC"), all_trumps=True))
    assert isinstance(caught.value.statement, AllOfSuit)
    with pytest.raises(FalseStatement) as caught:
        table.do("E", PlayCard(trump, parse_card("JC")))
    assert isinstance(caught.value.statement, NoneOfSuit)
    table = Table("card304-alpha", "W", ALL_CLUBS).given("S", 160, "JC")
    table.ready()
    assert leads(table, "S") == {"9C", "AC", "TC", "KC", "QC", "8C", "7C"}
    with pytest.raises(FalseStatement):
        table.do("S", PlayCard(table.slot("S", "9C"), parse_card("9C")))
    table.do("S", PlayCard(table.slot("S", "9C"), parse_card("9C"), all_trumps=True))


def test_with_nothing_but_trumps_to_lead_the_maker_opens() -> None:
    table = Table("pagat", "W", ALL_CLUBS).given("S", 160, "JC").closed("S")
    table.ready()
    assert leads(table, "S") == set()
    assert OpenTrump(parse_card("JC")) in table.legal("S")
    lead = PlayCard(table.slot("S", "9C"), parse_card("9C"), all_trumps=True)
    assert "the maker opens trump" in table.refused("S", lead)


def test_the_maker_opens_its_own_cards_before_those_of_silent_owners() -> None:
    table = Table("pagat", "W", VOID).given("E", 160, "KC").closed("E")
    table.trick("S", "JH 8D JS 7H")
    down = table.state.tricks[-1].plays[2].slot
    table.table.state = table.state._replace(phase=Phase.COUNT, awaiting=(1, 2))
    opening = OpenHandedOver(((down, parse_card("JS")),))
    said = table.refused("E", opening)
    assert said == "the trump maker opens its own cards first (rule 15)"
    table.do("E", table.legal("E")[0])
    table.do("E", opening)
    assert table.state.phase is Phase.OVER
