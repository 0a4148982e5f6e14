"""The end of a match: who won it, its score hand by hand, what decided it, and another one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from cli.commands.screen import invite_lines
from cli.front.match_history import deciding_hand, headline, match_rows
from cli.front.rematch import offers, seating_words, seatings, wanted_lines
from cli.front.writing import Writer
from cli.local.sitting import new_setup, new_table
from cli.net.address import BrokerAddress
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import Desk, Mode, PlainDeed
from cli.screen.input import press, settle
from cli.screen.model import Table
from cli.screen.preferences import PlaySettings
from cli.screen.render import render
from p2p304.games import create_game
from p2p304.seats import Seat
from protocol.table.events import MatchEnded, RematchAgreed, RematchWanted, Waiting
from protocol.topics.commands import WantRematch
from protocol.wire.contents import ANY_SEATING
from tests.client.ended_matches import match_41, match_304
from tests.client.highest_card import NAME
from tests.client.moments import MOMENTS
from tests.client.text_person import Terminal
from tests.table.bus import Table as Bus

NAMES = ("Amara", "Banu", "Chandra", "Dilini")
SOUTH, EAST, NORTH, WEST = map(Seat, range(4))


def ended() -> Table:
    """South's table at the end of a match of 304, its result not read yet."""
    return replace(MOMENTS["10-result"]().table, match=match_304())


def shown(table: Table, desk: Desk, columns: int = 80, rows: int = 40) -> str:
    return "\n".join(render(table, desk, columns, rows).text())


@pytest.fixture(scope="module")
def over(highest_card: None) -> Bus:
    """A real table of three at the end of its match."""
    bus = Bus(create_game(NAME), 3).begun()
    bus.run(lambda: all(session.won is not None for session in bus.sessions))
    return bus


def test_a_match_in_which_every_seat_has_a_score_is_told_seat_by_seat() -> None:
    game, history = create_game("41"), match_41()
    lines = [*match_rows(game, history, Writer(4))]
    assert lines[0].startswith("North-South win the match after 2 hands: South ")
    assert lines[1] == f"The last hand decided it: {history.hands[1].outcome.summary}"
    assert lines[2] == (
        "Bid: South made 2 of 2, East made 0 of 2, North made 1 of 2, West made 1 of 2."
    )
    assert lines[4].split() == ["Hand", "S", "E", "N", "W"]
    assert lines[5].split()[:5] == ["5", *map(str, history.hands[0].scores)]


def test_who_wants_what_is_told_and_who_has_said_nothing() -> None:
    wanted = {SOUTH: 0, EAST: ANY_SEATING, NORTH: 1}
    assert [*wanted_lines(create_game("304"), NAMES, wanted, SOUTH, Writer(4))] == [
        "You want another match as you sit.",
        "Chandra wants other partners: Amara and Dilini against Chandra and Banu.",
        "Banu wants another match, in any seats.",
        "Waiting for West; it begins when all want the same.",
    ]
    every = dict.fromkeys((SOUTH, EAST, NORTH, WEST), 0)
    first, *_ = wanted_lines(create_game("304"), NAMES, every, SOUTH, Writer(4))
    assert first == "You, Banu, Chandra and Dilini want another match as you sit."


def test_who_waits_for_another_match_does_not_leave_by_a_stray_enter() -> None:
    table, desk = replace(ended(), wanted={SOUTH: 0, EAST: 1}), Desk(mode=Mode.MATCH)
    assert press(desk, table, "enter") == (desk, None)
    assert press(desk, table, "escape")[1] is PlainDeed.CLOSE
    assert press(desk, table, "1")[1] == WantRematch(1)
    assert settle(desk, replace(table, match=None)).mode is Mode.TABLE
    watching = replace(table, seat=None)
    assert press(desk, watching, "r") == (desk, None)
    assert "again as you sit" not in shown(watching, desk)


def test_the_end_of_a_match_comes_back_after_talk_invites_and_help() -> None:
    table = ended()
    desk = Desk(mode=Mode.MATCH, talk=True, invites=("P2P304-ABC",))
    table = replace(table, state=None)
    for key, mode in (("i", Mode.INVITES), ("f1", Mode.HELP)):
        there, deed = press(desk, table, key)
        assert (there.mode, deed) == (mode, None)
        if mode is Mode.INVITES:
            assert "P2P304-ABC" in shown(table, there)
        assert press(there, table, "escape")[0].mode is Mode.MATCH
    writing = replace(desk, mode=Mode.TALK)
    assert press(writing, table, "escape")[0].mode is Mode.MATCH


def test_a_founder_s_invites_are_those_of_seats_without_a_bot_and_one_to_watch(
    tmp_path: Path,
) -> None:
    table = new_table(BrokerAddress.parse("mqtt://127.0.0.1"), "304", "pagat")
    founder = new_setup(table.invites[0], "Amara", founding=table.founding)
    (tmp_path / "bot-1").mkdir()
    text = [*invite_lines(founder, tmp_path)]
    assert table.watch.format() in text
    assert [each.format() in text for each in table.invites] == [False, False, True, True]
    others = [*invite_lines(new_setup(table.invites[2], "Chandra"), tmp_path)]
    assert table.watch.format() in others
    assert not any(each.format() in others for each in table.invites)


async def test_what_others_want_is_told_on_the_screen(over: Bus) -> None:
    seat = ClientSeat(PlaySettings(agree=True))
    session = over.sessions[2]
    await seat.begin(lambda: session)
    before = seat.table
    await seat.tell(RematchWanted(Seat(1), ANY_SEATING), session)  # a bot's: nobody need know
    await seat.tell(Waiting((Seat(0), Seat(1)), 0.0), session)
    assert before is not None
    assert seat.table is not None
    assert (seat.table.news, seat.table.waiting) == (before.news, ())
    await seat.tell(RematchWanted(Seat(1), 0), session)
    assert seat.table.news[-1].endswith("wants another match as you sit.")
    assert seat.desk.mode is Mode.MATCH
    assert seat.considers()
    await seat.tell(RematchAgreed(None), session)
    frame = shown(seat.table, seat.desk, 80, 24)
    assert "so often that no other match" in frame
    assert press(seat.desk, seat.table, "r")[1] is None
    assert not seat.considers()


@pytest.fixture
async def terminal(tmp_path: Path) -> AsyncIterator[Terminal]:
    there = Terminal(tmp_path)
    leaving = asyncio.create_task(there.seat.leaving())
    yield there
    there.hang_up()
    async with asyncio.timeout(300):
        await leaving


async def test_at_the_end_of_a_match_whoever_types_is_offered_another_one(
    over: Bus, terminal: Terminal
) -> None:
    session = over.chairs[0].session
    await terminal.seat.begin(lambda: session)
    (won,) = [each for each in over.chairs[0].events if isinstance(each, MatchEnded)]
    await terminal.seat.tell(won, session)
    said = await terminal.said("quit       leave")
    assert "Another match, with the same people? Type\n  rematch    " in said
    await terminal.seat.tell(RematchWanted(EAST, 0), session)
    await terminal.said("want")
    terminal.type("what?")
    await terminal.said("It is not your turn; help shows what you can look at.")
    terminal.type("rematch 9")
    await terminal.said("That is: rematch, or rematch and a number that was listed.")
    assert terminal.commands == []
    terminal.type("rematch")
    async with asyncio.timeout(300):
        while not terminal.commands:
            await asyncio.sleep(0.005)
    assert terminal.commands == [WantRematch(0)]
    await terminal.seat.tell(RematchAgreed(None), session)
    await terminal.said("You all named different seats so often")


def test_the_deciding_hand_is_the_one_that_brought_the_winners_most() -> None:
    game, history = create_game("304"), match_304()
    assert deciding_hand(game, history._replace(hands=history.hands[:4])) == history.hands[2]
    assert deciding_hand(game, history._replace(hands=history.hands[1:2])) is None
    told = headline(game, history._replace(hands=()), Writer(4))
    assert told == "East-West win the match: North-South 0, East-West 22."


def test_partners_change_where_there_are_any_and_never_to_the_same_ones() -> None:
    assert seatings(create_game("304")) == (1, 2)
    assert seatings(create_game("41")) == (1, 2)
    assert seatings(create_game("304", "six36")) == (1, 2, 3, 4)
    assert seatings(create_game("304", "maharashtra")) == ()
    assert [seating_words(create_game("304"), NAMES, seating) for seating in (0, 1, 2)] == [
        "Amara and Chandra against Banu and Dilini",
        "Amara and Dilini against Chandra and Banu",
        "Amara and Banu against Dilini and Chandra",
    ]
    assert [key for key, _, _ in offers(create_game("304"), NAMES)] == ["r", "1", "2"]
