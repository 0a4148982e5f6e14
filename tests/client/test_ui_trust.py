"""The lowest lines: for whom the table waits, a lost link, and what was said, in 80 cells."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cli.net.transport import LinkState, Status, Trouble
from cli.sanitize import cells_of
from cli.screen.desk import Desk, Mode
from cli.screen.footer import chat_lines, trust_line
from cli.screen.layout import Layout
from cli.screen.ledgers import after_status
from cli.screen.model import heard
from p2p304.seats import Seat, place_name
from protocol.table.events import ChatReceived
from tests.client.open_hands import empty_table

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
