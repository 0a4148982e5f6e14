"""Play with hidden trump in its corners: what may be opened, waived, announced and led."""

from __future__ import annotations

import pytest

from p2p304.cards import Suit, parse_card
from p2p304.rules304.actions import (
    AnnounceNone,
    CallCaps,
    ContestCaps,
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


def test_trump_is_not_opened_once_a_card_has_been_led() -> None:
    table = Table("pagat", "W", VOID).given("E", 160, "KC").closed("E")
    table.ready()
    assert table.state.awaiting == (0,)
    table.play("S", "JH")
    said = table.refused("E", OpenTrump(parse_card("KC")))
    assert said == "trump can be opened before the first card is led, not now (rule 8)"


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


def test_after_contested_caps_cards_go_up_and_the_makers_limits_stay() -> None:
    table = Table("pagat", "W", VOID).given("E", 160, "KC").closed("E")
    hand = tuple((slot, table.table.face(slot)) for slot in table.state.hands[0])
    order = sorted(hand, key=lambda face: face[1] != parse_card("JH"))
    table.do("S", CallCaps(tuple(order)))
    table.ready()
    table.do("E", ContestCaps())
    table.do("W", ContestCaps())
    table.play("S", "JH")
    assert leads(table, "E") == {"KC", "AD", "TD", "KS", "QS", "8D"}
    with pytest.raises(FalseStatement):
        table.do("E", PlayCard(table.slot("E", "9C"), parse_card("9C")))
    table.do("E", PlayCard(table.slot("E", "8D"), parse_card("8D")))
    table.do("N", PlayCard(table.slot("N", "TC"), parse_card("TC")))
    table.do("W", PlayCard(table.slot("W", "7H"), parse_card("7H")))
    assert table.state.phase is Phase.INSPECT
    with pytest.raises(FalseStatement):
        table.do("E", AnnounceNone())
    table.do("E", table.legal("E")[0])
    assert table.state.trump is Suit.CLUBS
    assert table.state.tricks[-1].winner == 2


@pytest.mark.parametrize("follower", ["N", "W", "S"])
def test_trumps_are_not_exhausted_while_anybody_follows(follower: str) -> None:
    hands = {
        "E": "JC 9C AC TC KC JS 7S 7H",
        "N": "QS KS TS 8S JH 9H AH TH",
        "W": "KH QH 8H JD 9D AD TD KD",
        "S": "QD 8D 7D AS 9S",
    }
    hands["S"] += " QC 8C 7C"
    if follower != "S":
        other = hands[follower].split()
        hands["S"] = " ".join((*hands["S"].split()[:5], *other[5:]))
        hands[follower] = " ".join((*other[:5], "QC", "8C", "7C"))
    table = Table("pagat", "S", hands).given("E", 160, "JC")
    table.do("E", OpenTrump(parse_card("JC")))
    table.ready()
    table.play("E", "JC")
    while table.state.phase is Phase.TRICK:
        letter = "SENW"[table.state.awaiting[0]]
        table.do(letter, next(x for x in table.legal(letter) if isinstance(x, PlayCard)))
    assert table.state.unfollowed == ()
    table.ready()
    assert leads(table, "E") == {"9C", "AC", "TC", "KC", "JS", "7S", "7H"}


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
