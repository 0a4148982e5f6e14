"""The key for a substitute: there whenever somebody is waited for, and what is said of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from cli.front.doors import Substitute
from cli.front.substitutes import news_of
from cli.front.writing import Writer
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import Desk, Mode
from cli.screen.input import press
from cli.screen.model import Table, heard
from cli.screen.preferences import Habits
from cli.screen.prompts import keys_line, prompt_lines
from p2p304.seats import Seat
from protocol.ledger.events import (
    ContinuationAgreed,
    ContinuationProposed,
    ContinuationReady,
    ContinuationRefused,
    Waiting,
)
from protocol.wire.contents import Continuation
from tests.client.moments import MOMENTS
from tests.client.recorded_doors import RecordedDoors
from tests.table.seating import charter

WEST, EAST = Seat(3), Seat(1)
KEY = ("[+] substitute", "key +")
ANSWER = ("[+] answer", "key +")
WORD = Continuation(1, bytes(16), 1, 0b0111, ((3, 1),), 1, bytes(32))


def playing() -> Table:
    return MOMENTS["02-auction"]().table


def waiting() -> Table:
    return heard(playing(), Waiting((WEST,), 0.0), clock="14:02")


def test_the_key_is_in_the_key_bar_while_somebody_is_waited_for() -> None:
    assert KEY not in keys_line(playing(), Desk())
    assert KEY in keys_line(waiting(), Desk())
    again = heard(waiting(), Waiting((), 0.0), clock="")
    assert KEY not in keys_line(again, Desk())
    desk, deed = press(Desk(), playing(), "+")
    assert (desk.notice, deed) == ("Nobody is waited for: the hand can go on.", None)


@pytest.mark.parametrize(("key", "how"), [("b", Substitute.BOT), ("f", Substitute.FRIEND)])
def test_a_bot_or_a_friend_is_proposed(key: str, how: Substitute) -> None:
    desk, deed = press(Desk(), waiting(), "+")
    assert (desk.mode, deed) == (Mode.SUBSTITUTE, None)
    assert desk.notice.startswith("Go on without West, if all agree?")
    assert [words for words, _ in keys_line(waiting(), desk)] == [
        "[b] a bot",
        "[f] a friend",
        "[n] no",
    ]
    after, deed = press(desk, waiting(), key)
    assert (after.mode, deed) == (Mode.TABLE, how)
    assert press(desk, waiting(), "n")[1] is None
    assert press(desk, waiting(), "y")[1] is None


@pytest.mark.parametrize(("key", "how"), [("y", Substitute.AGREE), ("n", Substitute.REFUSE)])
def test_what_another_player_proposes_is_answered(key: str, how: Substitute) -> None:
    words = news_of(Writer(4), ContinuationProposed(EAST, WORD))
    table = replace(playing(), asked_to_go_on=words)
    assert ANSWER in keys_line(table, Desk())
    desk, _ = press(Desk(), table, "+")
    assert desk.notice.startswith("East wants to go on without West: a bot of East's sits down")
    assert press(desk, table, key)[1] is how
    assert press(desk, table, "escape") == (replace(desk, mode=Mode.TABLE, notice=""), None)


def test_who_is_asked_to_go_on_is_told_which_key_answers() -> None:
    others = replace(playing(), choices=(), asked_to_go_on="East wants to go on without West.")
    assert prompt_lines(others, Desk(), 60)[1] == (
        "You are asked whether to go on without a seat: + answers.",
    )
    assert ANSWER in keys_line(others, Desk())


def test_everybody_reads_who_refuses_and_that_all_agree() -> None:
    writer = Writer(4)
    gone = news_of(writer, ContinuationRefused(WEST, WORD))
    assert gone == "West is there, so that nobody goes on without West."
    other = news_of(writer, ContinuationRefused(Seat(2), WORD))
    assert other == "North does not want to go on at another table."
    assert "once the bot sits there" in news_of(writer, ContinuationAgreed(WORD))
    friend = replace(WORD, bots=())
    assert "East invites a friend" in news_of(writer, ContinuationAgreed(friend))
    assert "a friend of East's" in news_of(writer, ContinuationProposed(EAST, friend))
    assert news_of(writer, ContinuationReady(charter())) == "Here is the charter of the new table."
    assert news_of(writer, Waiting((), 0.0)) == ""


async def test_the_screen_hands_the_word_on_and_shows_an_invite_whole() -> None:
    client, doors = ClientSeat(Habits()), RecordedDoors()
    client.bind(doors)
    client.table = waiting()
    for key in ("+", "b"):
        client.frame(80, 24)
        client.press(key)
    await asyncio.sleep(0)
    assert doors.substitutes == [Substitute.BOT]
    invite = "P2P304-" + "0123456789ABCDEFGHJK" * 8
    parts = tuple(invite[at : at + 40] for at in range(0, len(invite), 40))
    client.show(("The invite for West:", *parts))
    shown = "\n".join(client.frame(80, 24).text())
    assert all(part in shown for part in parts)
