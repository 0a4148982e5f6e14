"""Claims and promises: windows in which several seats speak, shown cards, caps of three kinds."""

from __future__ import annotations

from typing import Any

import pytest

from p2p304.cards import parse_card
from p2p304.rules304 import actions as act
from p2p304.rules304.count import slots_handed_over
from p2p304.rules304.state import End, Phase, Play, Trick
from p2p304.seats import Seat
from tests.rules.out_of_turn import calls_out_of_turn
from tests.rules.scenario_table import seat
from tests.rules.table_304 import Table

S, E, N, W = map(Seat, range(4))
LONG = {
    "S": "JC 9C AC TC KC QC 8C 7S",
    "E": "7C 8S JD 9D AD TD KD QD",
    "N": "7H 8D JS 9S AS TS KS QS",
    "W": "8H 7D JH 9H AH TH KH QH",
}


def opened(profile: str = "pagat", **more: Any) -> Table:
    """South has opened clubs, of which it holds all but the seven, and leads."""
    table = Table(profile, "W", LONG, **more).contract("S", 160, "JC")
    table.do("S", act.OpenTrump(parse_card("JC")))
    return table


def caps(table: Table, letter: str, names: str = "") -> act.CallCaps:
    held = names or " ".join(str(table.table.face(s)) for s in table.state.hands[seat(letter)])
    return act.CallCaps(table.faces(letter, held))


@pytest.mark.parametrize(
    ("leader", "callers", "heard"),
    [("S", "EW", E), ("S", "NW", N), ("S", "SE", S), ("E", "NS", N), ("E", "SW", W)],
)
def test_of_two_calls_of_caps_the_one_nearest_to_the_next_leader_counts(
    leader: str, callers: str, heard: Seat
) -> None:
    dealer = {"S": "W", "E": "S"}[leader]
    table = Table("pagat", dealer, LONG).contract("S", 160, "JC")
    table.do("S", act.KeepClosed())
    for letter in "SENW":
        names = " ".join(str(table.table.face(s)) for s in table.state.hands[seat(letter)])
        call = act.CallCaps(table.faces(letter, names + (" JC" if letter == "S" else "")))
        table.do(letter, call if letter in callers else act.Ready())
    assert table.state.caps is not None
    assert table.state.caps.seat == heard
    assert table.state.caps.log_index == len(table.state.log) - 4, "as the window opened"
    assert table.state.awaiting == tuple(sorted({(heard + 1) % 4, (heard + 3) % 4}))


# ----------------------------------------------------------------------------------- shown cards


def test_a_stated_caps_order_goes_before_a_shown_card() -> None:
    table = opened(toggles=["pre_show"])
    table.do("S", act.ShowCard(table.slot("S", "7S"), parse_card("7S")))
    table.ready()
    table.do("S", caps(table, "S", "JC 9C AC TC KC QC 8C 7S"))
    table.do("E", act.ContestCaps())
    table.do("W", act.ContestCaps())
    table.play("S", "JC")


# ------------------------------------------------------------------------------------- the count


UNCUT = {
    "S": "9S AH TH 7D KC QC 8C 7C",
    "E": "JS 9H 7H JD 9D AC TC JC",
    "N": "AS TS KS QS 8S 7S JH 9C",
    "W": "KH QH 8H AD TD KD QD 8D",
}


def test_the_maker_opens_what_was_handed_over_for_a_silent_owner_and_no_more() -> None:
    table = Table("pagat", "W", UNCUT).contract("N", 160, "KS")
    table.do("N", act.KeepClosed())
    table.trick("S", "KC AC 9C QD")
    assert table.state.tricks[-1].winner == N
    slots = slots_handed_over(table.state)
    assert [str(table.table.face(slot)) for slot in slots] == ["QD"]
    table.table.state = table.state._replace(phase=Phase.COUNT, awaiting=(W,))
    (offered,) = calls_out_of_turn(table.table.view(N))
    assert isinstance(offered, act.OpenHandedOver)
    assert calls_out_of_turn(table.table.view(S)) == []
    assert "only the trump maker" in table.refused("S", offered)
    assert "at least one card" in table.refused("N", act.OpenHandedOver(()))
    table.do("N", offered)
    assert table.state.phase is Phase.OVER
    assert not isinstance(offered, act.OpenCards)


def test_a_last_trick_in_which_trump_was_led_is_not_inspected_and_not_handed_over() -> None:
    table = Table("pagat", "W", UNCUT).contract("N", 160, "KS")
    table.do("N", act.KeepClosed())
    table.ready()
    last = {"S": "9S", "E": "9H", "N": "", "W": "KH"}
    hands = [tuple(table.slot(each, last[each]) for _ in last[each][:1]) for each in "SENW"]
    past = Trick((), W, False)
    table.table.state = table.state._replace(
        hands=tuple(hands), tricks=(past,) * 7, leader=S, awaiting=(S,)
    )
    for letter, name in zip("SENW", ("9S", "9H", "KS", "KH"), strict=True):
        table.play(letter, name)
    assert [play.down for play in table.state.tricks[-1].plays] == [False, True, False, False]
    assert table.state.phase is Phase.COUNT
    assert table.state.awaiting == (E,)
    assert slots_handed_over(table.state) == ()
    assert calls_out_of_turn(table.table.view(N)) == []


def test_opening_for_others_begins_no_new_round_of_the_count() -> None:
    table = Table("pagat", "W", UNCUT).contract("N", 160, "KS")
    table.do("N", act.KeepClosed())
    one, two = table.slot("W", "AD"), table.slot("W", "TD")
    three = table.slot("E", "JD")
    plays = (Play(S, table.slot("S", "KC"), False), Play(E, three, True))
    west = (Play(W, one, True), Play(W, two, True))
    faces = {plays[0].slot: parse_card("KC")}
    start = table.state._replace(
        phase=Phase.COUNT,
        awaiting=(E, W),
        tricks=(Trick((*plays, *west), S, False),),
        faces=faces,
        round_start=len(table.state.log),
        end=End.PLAYED,
    )
    opened_for = act.OpenHandedOver(((one, parse_card("AD")),))
    opened = act.OpenCards(((three, parse_card("JD")),))
    ways = []
    for order in (((N, opened_for), (E, opened)), ((E, opened), (N, opened_for))):
        state = start
        for who, action in order:
            state = table.game.apply(state, who, action).state
        ways.append(state)
    assert ways[0] == ways[1]
    assert ways[0].awaiting == (W,)
