"""Ending a hand without a player who is gone: what is told and asked, in lines and on a screen."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from cli.screen.desk import Desk, Mode
from cli.screen.input import press
from cli.screen.model import Table, after_notice
from cli.screen.prompts import prompt_lines
from cli.seat.bots import BotSeat
from cli.seat.ending import FIRST_SHOWN, EndDialogue, missing_agreements
from cli.seat.sentences import narrator_for, told_in_line
from p2p304.seats import Seat
from protocol.seat.session import Session
from protocol.table.events import EndProposed, EndUndone, Event, Waiting
from protocol.topics.commands import EndUnfinished, PlayOn
from protocol.topics.step import SessionStatus
from tests.client.moments import MOMENTS
from tests.client.recorded_commands import RecordedCommands
from tests.table.bus import Table as Bus
from tests.table.test_agreed_ends import PRESENT, abandoned, ended, one_has_not_signed
from tests.table.tiny_game import TinyGame

SOUTH, EAST, NORTH, WEST = map(Seat, range(4))


def told(event: Event, session: Session) -> str:
    narrator = narrator_for(session.charter, session.game, seat=session.seat, how_to_end="Type end")
    return told_in_line(narrator, event, session)


@pytest.fixture(scope="session")
def left() -> Bus:
    """Seat 3, West, is gone."""
    return abandoned()


def test_what_was_shown_is_not_agreed_to_after_the_hand_has_gone_on(left: Bus) -> None:
    bus, ending = left.twin(), EndDialogue(SOUTH)
    ending.asked("end without west", bus.chairs[0].session)
    stood = _rounds(bus)
    bus.heal()
    bus.tick()
    bus.run(lambda: _rounds(bus) > stood)
    assert ending.asked("end now", bus.chairs[0].session) == (FIRST_SHOWN, ())


def _rounds(bus: Bus) -> int:
    hand = bus.chairs[0].session.table_state.hand
    return 0 if hand is None else len(hand.ledger.rounds)


def away(*seats: Seat) -> Table:
    """The screen of an auction in which these are waited for."""
    return after_notice(playing(), Waiting(seats, 0.0), clock="14:02")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("end without south", "Name the places"),
        ("end without nowhere", "Name the places"),
        ("end without", "That is: end, or end without"),
        ("end it", "That is: end, or end without"),
        ("end without east north west", "Nobody ends a hand alone"),
    ],
)
def test_what_cannot_be_meant_is_said(left: Bus, said: str, told: str) -> None:
    ending = EndDialogue(SOUTH)
    assert told in ending.asked(said, left.chairs[0].session).sentence
    assert ending.asked("end now", left.chairs[0].session).present == ()


def test_where_only_a_signature_is_missing_it_is_said_why_nothing_can_be_ended() -> None:
    bus = one_has_not_signed()
    session, ending = bus.chairs[0].session, EndDialogue(SOUTH)
    said = ending.asked("end", session).sentence
    assert "only a signature is missing" in said
    assert "unconfirmed by West (Devi)" in said
    assert ending.asked("end now", session) == (FIRST_SHOWN, ())
    awaited = tuple(session.others_awaited())
    line = told(Waiting(awaited, 0.0), session)
    assert line.endswith("Owed: a signature of the result.")


def test_a_proposal_of_another_goes_first_and_one_without_us_is_told_as_such(left: Bus) -> None:
    session, ending = left.chairs[0].session, EndDialogue(SOUTH)
    without = EndProposed(EAST, 0, (EAST, NORTH))
    ending.proposed(without, session)
    assert told(without, session).endswith("West (Devi), and so without you.")
    both = EndProposed(EAST, 0, (SOUTH, EAST))
    ending.proposed(both, session)
    line = told(both, session)
    assert "East (Bimal) agrees to end this hand unfinished, without North (Chitra) and" in line
    assert "Type end to agree" in line
    ending.asked("end", session)
    assert ending.asked("end now", session).present == (SOUTH, EAST)


def test_that_others_must_agree_too_is_told_once_we_have() -> None:
    table = abandoned()
    session = table.chairs[0].session
    assert missing_agreements(session) == ""
    table.act(0, EndUnfinished(PRESENT))
    assert "when East (Bimal) and North (Chitra) agree" in missing_agreements(session)
    table.act(1, EndUnfinished(PRESENT))
    table.run(lambda: not table.flying)
    assert "when North (Chitra) agree" in EndDialogue(SOUTH).asked("end", session).sentence
    table.act(0, PlayOn())
    assert missing_agreements(session) == ""


@pytest.fixture
def bot(monkeypatch: pytest.MonkeyPatch) -> BotSeat:
    monkeypatch.setattr("cli.seat.bots.PATIENCE", 0.0)
    monkeypatch.setattr("cli.seat.bots.LOOK_INTERVAL", 0.0)
    return BotSeat(1)


async def answers(bot: BotSeat, session: Session, *proposed: tuple[Seat, ...]) -> list[object]:
    """What a bot wants of the table when East proposes to end a hand with these present."""
    commands = RecordedCommands()
    bot.bind(commands.do)
    await bot.begin(lambda: session)
    for present in proposed:
        await bot.tell(EndProposed(EAST, 0, present), session)
        await errands()
    return [*commands]


async def errands() -> None:
    """Wait until nothing is done any more beside the turns."""
    await asyncio.gather(*(each for each in asyncio.all_tasks() if each.get_name() == "errand"))


async def test_a_bot_ends_no_hand_without_a_seat_that_nobody_waits_for_nor_one_that_has_ended(
    left: Bus, bot: BotSeat
) -> None:
    session, all_four = left.chairs[0].session, (SOUTH, EAST, NORTH, WEST)
    proposed = ((SOUTH, EAST), (SOUTH, WEST), (EAST, WEST), all_four, PRESENT)
    assert await answers(bot, session, *proposed) == [EndUnfinished(PRESENT)]
    assert await answers(bot, ended(left.twin()).chairs[1].session, PRESENT) == []


async def test_a_bot_that_agreed_plays_on_once_nobody_is_missing_who_was_gone(
    left: Bus, bot: BotSeat
) -> None:
    table, commands = left.twin(), RecordedCommands()
    table.act(1, EndUnfinished(PRESENT))
    session = table.chairs[1].session
    bot.bind(commands.do)
    await bot.begin(lambda: session)
    looks = asyncio.create_task(bot.leaving())
    for _ in range(20):
        await asyncio.sleep(0)
    assert commands == []
    table.heal()
    table.run(lambda: session.awaited == (EAST,))
    assert session.status is SessionStatus.AGREEING
    async with asyncio.timeout(60):
        while not commands:
            await asyncio.sleep(0)
    looks.cancel()
    assert commands[0] == PlayOn()
    table.act(1, commands[0])
    table.run(table.all_played(1))


@pytest.mark.parametrize(("present", "agrees"), [((SOUTH, NORTH), False), ((SOUTH, WEST), True)])
async def test_a_bot_ends_no_hand_with_its_partner_alone_although_both_others_are_away(
    present: tuple[Seat, ...], *, agrees: bool, bot: BotSeat
) -> None:
    gone = {SOUTH, EAST, NORTH, WEST} - {*present}
    table = Bus(TinyGame(4, target=100), 3).begun()
    table.run(lambda: _rounds(table) >= 3)  # all are to sort their cards
    table.part(*gone)
    table.wait(60)
    assert {*table.hand().ledger.missing} == gone
    found = await answers(bot, table.chairs[0].session, present)
    assert found == ([EndUnfinished(present)] if agrees else [])


# --- the screen -----------------------------------------------------------------------------------


def playing() -> Table:
    return MOMENTS["02-auction"]().table


def test_the_key_asks_first_and_only_y_agrees_to_what_was_asked() -> None:
    table = away(WEST)
    desk, deed = press(Desk(), table, "e")
    assert (desk.mode, deed) == (Mode.END, None)
    asked = "End the hand for good, without West and a result, if all agree? (y/n)"
    assert asked in " ".join(prompt_lines(table, desk, 78)[1])
    assert press(desk, table, "y")[1] == EndUnfinished(tuple(table.could_end))
    assert set(table.could_end) == {SOUTH, EAST, NORTH}
    for key in ("n", "enter", "escape"):
        after, deed = press(desk, table, key)
        assert (after.mode, deed) == (Mode.TABLE, None)
    assert press(desk, replace(table, waiting=()), "y")[1] is None
    desk, deed = press(Desk(), playing(), "e")
    assert (desk.mode, deed) == (Mode.TABLE, None)
    assert desk.notice == "Nobody is missing: the hand can go on."


def test_nobody_agrees_to_more_than_was_asked() -> None:
    agreed = replace(away(WEST), agreed=(SOUTH, EAST, NORTH))
    for before, changed, asks, deed in (
        (
            away(WEST),
            after_notice(away(WEST), EndProposed(EAST, 0, (SOUTH, EAST))),
            "That has changed meanwhile. End the hand for good, without",
            EndUnfinished((SOUTH, EAST)),
        ),
        (replace(agreed, agreed=(SOUTH, EAST)), agreed, "if East and North do", PlayOn()),
    ):
        desk, _ = press(Desk(), before, "e")
        after, nothing = press(desk, changed, "y")
        assert (after.mode, nothing) == (Mode.END, None)
        assert asks in after.notice
        assert press(after, changed, "y")[1] == deed
    desk, _ = press(Desk(), agreed, "e")
    assert "if East and North do. Play on all the same?" in desk.notice
    assert press(desk, after_notice(agreed, EndUndone(0)), "y")[1] is None
