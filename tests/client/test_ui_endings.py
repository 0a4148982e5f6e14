"""How a hand's end is shown: the trick that ended it, the summary, an end by agreement."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from cli.commands.screen import result_lines
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import Desk, Mode, PlainDeed
from cli.screen.input import press
from cli.screen.model import (
    Table,
    after_notice,
    after_view,
    ends_with_a_trick,
)
from cli.screen.overlays import at_the_end
from cli.screen.preferences import PlaySettings
from cli.screen.prompts import keys_line
from cli.screen.render import render
from p2p304.games import create_game
from p2p304.seats import Seat
from p2p304.view import View
from protocol.table.events import EndProposed, HandEnded, HandUnfinished, MatchEnded, Waiting
from tests.client.moments import MOMENTS
from tests.client.moments_of_bots import hand_of_bots
from tests.client.open_hands import OpenHand, empty_table, hands, quiet
from tests.table.bus import Table as Bus

SOUTH, EAST, NORTH, WEST = map(Seat, range(4))
PRESENT = (SOUTH, EAST, NORTH)


def ended_hand() -> OpenHand:
    """A hand that ended with its last trick."""
    for hand in hands(8, empty_table()):
        while hand.state.awaiting:
            first = hand.state.awaiting[0]
            hand.act(quiet(hand.table, hand.legal(first), hand.chance))
        if ends_with_a_trick(hand.table):
            return hand
    raise AssertionError("no hand ended with a trick")


def played_to_its_end(name: str) -> Table:
    """South's table after a hand of bots."""
    return hand_of_bots(name, "", 4, seat=SOUTH, dealer=WEST, scores=(11, 11, 11, 11))[-1]


def screen(table: Table, desk: Desk, columns: int = 80, rows: int = 24) -> str:
    return "\n".join(render(table, desk, columns, rows).text())


def next_hand(table: Table) -> Table:
    """The same table when the next hand has begun."""
    view = OpenHand(replace(table, summary=None, state=None), seed=9).open.view(SOUTH)
    return after_view(table, table.number + 1, view)


@pytest.mark.parametrize("name", ["304", "41", "400"])
def test_the_last_trick_of_every_game_lies_there_until_enter_then_comes_the_summary(
    name: str,
) -> None:
    table = ended_hand().table if name == "304" else played_to_its_end(name)
    assert ends_with_a_trick(table)
    desk = at_the_end(Desk(), table)
    assert desk.mode is Mode.FINISH
    for shown in (table, replace(table, number=1, state=None, faces={})):
        text = screen(shown, desk)
        for each in table.telling.last_trick(View(SOUTH, table.state, table.faces)):
            assert table.writer.card(each.card) in text
        assert "wins" in text
    assert "This trick ended the hand." in screen(table, desk)
    for key in ("l", "x", "9"):
        assert press(desk, table, key)[0].mode is Mode.FINISH
    desk, deed = press(desk, table, "enter")
    assert (desk.mode, deed) == (Mode.SUMMARY, None)
    desk, deed = press(desk, table, "enter")
    assert (desk.mode, deed) == (Mode.TABLE, PlainDeed.CLOSE)


def test_a_hand_that_was_ended_shows_by_whom_and_what_comes_next() -> None:
    table = next_hand(ended_hand().table)
    table = after_notice(table, Waiting((WEST,), 0.0), clock="23:07")
    table = after_notice(table, EndProposed(EAST, 1, PRESENT))
    table = after_notice(table, HandUnfinished(1, PRESENT), transcript="000001.p304")
    desk = at_the_end(Desk(), table)
    assert desk.mode is Mode.SUMMARY
    shown = screen(table, desk)
    assert "Hand 2 was ended unfinished" in shown
    assert "South, East and North agreed to end the hand where it stood, without West." in shown
    assert "Nothing more is played at this table." in shown
    assert "p2p304 audit 000001.p304" in shown
    assert "Hand 1 is over" not in shown
    assert "Waiting for" not in shown
    for mode in (Mode.SUMMARY, Mode.TABLE):
        assert ("[e] end", "key e") not in keys_line(table, Desk(mode=mode))


async def test_the_shell_tells_how_the_last_hand_and_the_match_ended() -> None:
    bus = Bus(create_game("304", "pagat"), 1)
    bus.confirm()
    session = bus.chairs[0].session
    seat = ClientSeat(PlaySettings(agree=True))
    await seat.begin(lambda: session)
    assert [*result_lines(seat, session)] == []
    seat.table = MOMENTS["10-result"]().table
    outcome = seat.table.summary
    assert outcome is not None
    for number in (0, 1):
        await seat.tell(HandEnded(number, outcome.outcome, (12, 10)), session)
    await seat.tell(MatchEnded(1, (0, 22)), session)
    assert [*result_lines(seat, session)] == [
        "Hand 2:",
        outcome.outcome.summary,
        "The score now: North-South 12, East-West 10.",
        "East-West win the match: North-South 0, East-West 22.",
    ]
    await seat.tell(HandUnfinished(2, PRESENT), session)
    hand, ended = result_lines(seat, session)
    assert hand == "Hand 3:"
    assert "agreed to end the hand here, unfinished" in ended


async def test_the_trick_that_ends_a_hand_goes_by_itself_after_the_set_time_and_no_result() -> None:
    bus = Bus(create_game("304", "pagat"), 1)
    bus.confirm()
    session = bus.chairs[0].session
    hours = map(float, range(0, 1 << 20, 3_600))
    seat = ClientSeat(PlaySettings(agree=True, go_on=True), clock=lambda: next(hours))
    await seat.begin(lambda: session)
    seat.table = ended_hand().table
    assert seat.table.summary is not None
    outcome = seat.table.summary.outcome
    await seat.tell(HandEnded(0, outcome, (22, 0)), session)
    await seat.tell(MatchEnded(0, (22, 0)), session)
    assert seat.desk.mode is Mode.FINISH
    while seat.desk.mode is Mode.FINISH:
        await asyncio.sleep(0)
    seat.ended()
    for _ in range(100):
        await asyncio.sleep(0)
    assert seat.desk.mode is Mode.SUMMARY
    assert not seat.state.closed
    assert "win the match" in "\n".join(seat.frame(80, 24).text())
    seat.press("enter")
    assert seat.desk.mode is Mode.MATCH
    seat.press("enter")
    assert seat.state.closed
