"""The screens between two moves: what is read, written and clicked there, and what comes late."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from cli.net.transport import LinkState, LinkStatus
from cli.screen.desk import Desk, Mode, TableStage
from cli.screen.input import click, press
from cli.screen.model import Table, after_notice
from cli.screen.prompts import keys_line
from cli.screen.replay import ReplayScreen
from cli.screen.watching import WatchedTable
from p2p304.games import create_game
from p2p304.seats import Seat
from protocol.table.events import (
    RefereeBlamed,
    RematchAgreed,
    SecondOpinionDiffered,
    Waiting,
)
from protocol.topics.commands import EndUnfinished
from protocol.wire.contents import Ruling
from tests.client.moments import MOMENTS
from tests.client.recorded_commands import RecordedCommands
from tests.client.test_pace import Person, at_the_window
from tests.table.seating import charter

SOUTH, EAST = Seat(0), Seat(1)


def auction() -> Table:
    return MOMENTS["02-auction"]().table


# --- keys -----------------------------------------------------------------------------------------


def test_what_is_written_loses_its_last_letter_and_takes_no_other_key() -> None:
    desk = Desk(mode=Mode.TALK, talk=True, typed="hallo")
    assert press(desk, auction(), "backspace")[0].typed == "hall"
    assert press(desk, auction(), "left") == (desk, None)
    challenge = Desk(mode=Mode.CHALLENGE)
    assert keys_line(auction(), challenge)[0] == ("[Enter] send it", "key enter")


# --- what happens ---------------------------------------------------------------------------------


def test_news_of_a_referee_and_of_a_defect_are_told() -> None:
    ruled = [SimpleNamespace(referee=0, content=Ruling(0, 3, bytes(32), 1, 0, "")) for _ in "12"]
    blame: Any = RefereeBlamed((ruled[0], ruled[1]), b"")  # type: ignore[arg-type]
    table = after_notice(auction(), blame)
    assert table.stopped.startswith("Referee 1 ruled twice where a referee rules once")
    assert table.choices == ()
    table = after_notice(auction(), SecondOpinionDiffered(EAST, 3, "no heart"))
    assert "With the cards open, no heart is false" in table.news[-1]


# --- the screen of a seat -------------------------------------------------------------------------


@pytest.fixture
def person() -> Person:
    return Person(at_the_window())


async def test_a_click_is_the_same_as_its_key_and_none_before_the_table(person: Person) -> None:
    person.seat.click("key ?")
    assert person.seat.desk.mode is Desk().mode
    await person.seat.begin(lambda: person.session)
    person.seat.frame(80, 24)
    person.seat.click("key ?")
    assert person.seat.desk.mode is Mode.RULES


async def test_the_seat_hears_of_refusals_the_link_and_of_another_match(person: Person) -> None:
    seat = person.seat
    await seat.link(LinkStatus(LinkState.WAITING, "The broker is away.", 1.0))
    await seat.tell(RematchAgreed(0), person.session)  # before it began: it is looked at now
    assert seat.table is not None
    await seat.link(LinkStatus(LinkState.WAITING, "The broker is away.", 1.0))
    assert "away" in "\n".join(seat.frame(80, 24).text())
    await seat.refused("That is not yours.")
    assert seat.desk.notice == "That is not yours."
    assert seat.state.stage is not TableStage.READ
    await seat.tell(RematchAgreed(1), person.session)
    assert seat.state.stage is TableStage.READ


async def test_an_error_stands_on_the_screen_until_it_was_read(person: Person) -> None:
    await person.seat.begin(lambda: person.session)
    person.seat.ended(ValueError("The broker has gone for good."))
    assert person.seat.table is not None
    assert person.seat.table.stopped == "The broker has gone for good."
    assert person.seat.desk.mode is Mode.SUMMARY
    assert not person.seat.state.closed


async def test_who_agrees_to_end_a_hand_is_told_who_must_agree_too(person: Person) -> None:
    commands = RecordedCommands()
    person.seat.bind(commands.do)
    await person.seat.begin(lambda: person.session)
    await person.tell(Waiting((Seat(3),), 0.0))
    for key in "ey":
        person.seat.frame(80, 24)
        person.seat.press(key)
    assert person.seat.table is not None
    assert any("You agree to end the hand" in line for line in person.seat.table.news)
    await asyncio.sleep(0)
    assert commands == [EndUnfinished((SOUTH, EAST, Seat(2)))]


# --- the other screens ----------------------------------------------------------------------------


async def test_a_spectator_clicks_leaves_and_is_told_the_end() -> None:
    watched = WatchedTable()
    watched.click("key ?")
    watched.press("?")
    watched.ended()
    assert (watched.table, watched.desk.mode) == (None, Mode.TABLE)
    await watched.show(create_game("304"), charter(game="304"))
    assert watched.title() == "p2p304: looking on"
    assert watched.calls() == ""
    watched.click("key ?")
    assert watched.desk.mode is Mode.RULES
    await watched.show(create_game("304"), charter(table="another", game="304"))
    assert watched.table is not None
    assert "Somebody shows another charter" in " ".join(watched.table.news)
    watched.ended(ValueError("The connection was closed."))
    assert watched.table.stopped == "The connection was closed; Ctrl-C leaves."
    watched.ended()
    assert watched.table.stopped.startswith("The connection was closed")
    assert not watched.closed
    watched.press("c-c")
    assert watched.closed


def test_a_replay_takes_clicks_on_its_keys() -> None:
    table = auction()
    replay: Any = SimpleNamespace(
        steps=[SimpleNamespace(table=table)] * 3,
        at=lambda _step, all_cards: table,
        trick_after=lambda step: step,
        trick_before=lambda step: step,
    )
    screen = ReplayScreen(replay)
    assert (screen.title(), screen.calls()) == ("p2p304 replay", "")
    screen.click("key right")
    screen.click("card 3")
    assert screen.step == 1


def test_a_card_that_is_in_the_order_already_is_picked_no_second_time() -> None:
    moment = MOMENTS["08-caps-order"]()
    picked = moment.desk.picked or moment.desk.pending.order[:1]  # type: ignore[union-attr]
    desk = replace(moment.desk, mode=Mode.ORDER, picked=picked)
    assert click(desk, moment.table, f"card {int(picked[0])}") == (desk, None)
