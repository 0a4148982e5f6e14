"""The lowest lines: for whom the table waits, a lost link, and what was said, in 80 cells."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from cli.clock import on_the_wall
from cli.net.transport import LinkState, Status, Trouble
from cli.sanitize import cells_of
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import Desk, Mode
from cli.screen.footer import chat_lines, trust_line
from cli.screen.layout import Layout
from cli.screen.ledgers import after_status
from cli.screen.model import heard
from cli.screen.preferences import Habits
from cli.screen.prompts import keys_line
from cli.screen.render import render
from cli.screen.seatscreen import READING
from p2p304.seats import Seat, place_name
from protocol.table.events import ChatReceived, HandStarted
from tests.client.moments import MOMENTS
from tests.client.open_hands import empty_table
from tests.client.test_ui_awaited import at_the_window

SOUTH, EAST, NORTH, WEST = map(Seat, range(4))


@pytest.mark.parametrize("since", ["23:07", "12 Mar 23:07"])
@pytest.mark.parametrize("seats", [(EAST,), (EAST, WEST), (EAST, NORTH, WEST)])
@pytest.mark.parametrize(("rounds", "proofs"), [(26, 128), (412, 2_048)])
def test_a_wait_fits_with_all_that_was_proved(
    seats: tuple[Seat, ...], since: str, rounds: int, proofs: int
) -> None:
    table = replace(empty_table(), waiting=seats, since=since, rounds=rounds, proofs=proofs)
    line = trust_line(table, 80)[1]
    assert cells_of(line) <= 80
    assert f"{rounds} rounds" in line
    assert f"{proofs} proofs" in line
    assert since in line
    assert all(place_name(seat, 4)[0] in line for seat in seats)


def test_a_lost_link_is_tried_again_and_the_news_tell_why_once() -> None:
    why = "Nothing listens at mqtt://127.0.0.1:38879: check the port, and whether it runs."
    table = after_status(empty_table(), Status(LinkState.DISCONNECTED, "gone"), "23:07")
    for clock in ("23:07", "23:09"):
        waiting = Status(LinkState.WAITING, why, 1.0, Trouble.UNREACHABLE)
        table = after_status(table, waiting, clock)
        line = trust_line(table, 80)[1]
        assert line == "Connection lost since 23:07; trying again (the broker does not answer)."
        assert cells_of(line) <= 80
    assert table.news.count(why) == 1
    again = after_status(table, Status(LinkState.CONNECTED, "Connected."), "23:10")
    assert (again.link, again.lost_since, again.news[-1]) == ("", "", "Connected again.")
    refused = Status(LinkState.WAITING, "No.", 1.0, Trouble.CREDENTIALS)
    assert "the broker refuses" in after_status(empty_table(), refused, "23:07").link
    unheard = after_status(empty_table(), Status(LinkState.UNHEARD, "?"), "12 Mar 23:07").link
    assert cells_of(unheard) <= 80


def test_the_day_is_told_of_what_did_not_begin_today() -> None:
    now = time.monotonic()
    assert len(on_the_wall(now)) == 5
    assert len(on_the_wall(now - 48 * 3_600)) == len("12 Mar 23:07")


def test_what_is_told_of_the_next_hand_waits_until_the_result_was_read() -> None:
    ended = MOMENTS["10-result"]()
    newer = replace(ended.table, number=ended.table.number + 1, news=("Hand 2: East deals.",))
    assert "Hand 2: East deals." not in "\n".join(render(newer, ended.desk, 80, 24).text())
    assert "Hand 2: East deals." in "\n".join(render(newer, Desk(), 80, 24).text())


@pytest.mark.parametrize(("seconds", "waits"), [(READING / 2, 1), (READING, 0)])
async def test_a_message_that_was_read_is_not_counted_as_waiting(
    seconds: float, waits: int
) -> None:
    now = [100.0]
    seat = ClientSeat(Habits(), clock=lambda: now[0])
    session = at_the_window().chairs[0].session
    await seat.begin(session)
    seat._session = None  # which would show its own hand
    seat.table = heard(MOMENTS["10-result"]().table, ChatReceived(EAST, "well played"))
    seat.frame(80, 24)
    now[0] += seconds
    await seat.tell(HandStarted(1, EAST, (11, 11)), session)
    assert seat.table.unread == waits


def test_the_last_three_messages_are_shown_and_what_is_cut_says_so() -> None:
    table = empty_table()
    for seat, text in ((EAST, "one"), (NORTH, "two"), (WEST, "three"), (SOUTH, "four")):
        table = heard(table, ChatReceived(seat, text))
    lines = chat_lines(table, Desk(), Layout(80, 24))
    assert lines == (
        f"North ({table.names[2]}) says: two",
        f"West ({table.names[3]}) says: three",
        "You say: four",
    )
    for seat in (EAST, NORTH, WEST):
        table = heard(table, ChatReceived(seat, "word " * 40))
    lines = chat_lines(table, Desk(), Layout(80, 24))
    assert len(lines) <= 4
    assert all(cells_of(each) <= 80 for each in lines)
    assert [each.endswith("...") for each in lines] == [True, True, False, True]
    assert len(chat_lines(table, Desk(mode=Mode.SUMMARY), Layout(80, 40))) == 9
    assert chat_lines(table, Desk(mode=Mode.CHARTER), Layout(80, 24)) == ()


def test_a_summary_offers_talk_where_it_was_agreed() -> None:
    offered = ("[/] talk", "key /")
    assert offered in keys_line(empty_table(), Desk(mode=Mode.SUMMARY, talk=True))
    assert offered not in keys_line(empty_table(), Desk(mode=Mode.SUMMARY))
