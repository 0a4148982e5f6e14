"""Bots take their time, at a pace that a key changes; the screen says whom the table waits for."""

from __future__ import annotations

import asyncio
import io
import os
from functools import cache

from cli.commands.bot import until_host_gone
from cli.front.choosing import PACES, next_pace
from cli.lines.console import Console
from cli.local.bot_processes import pace_in, pace_line
from cli.screen.clientseat import ClientSeat
from cli.screen.preferences import PlaySettings
from cli.seat.bots import BotSeat
from cli.seat.pace import Pace
from p2p304.games import create_game
from p2p304.rules304.actions import Ready
from p2p304.seats import Seat
from protocol.table.events import ActionTaken, Event
from tests.table.bus import Table
from tests.table.bus import Table as Bus


def test_a_pace_is_told_in_a_line_and_nothing_else_is_one() -> None:
    for seconds in (0.0, 0.3, 1.0, 2.5, 60.0):
        assert pace_in(pace_line(seconds)) == seconds
    for line in ("", "pace", "pace x", "pace -1", "pace 61", "pace nan", "pace inf", "paces 1"):
        assert pace_in(line) is None


async def test_a_move_waits_until_the_one_before_has_lain_there() -> None:
    loop = asyncio.get_running_loop()
    pace = Pace(0.05)
    pace.moved()
    began = loop.time()
    await pace.pause()
    assert loop.time() - began >= 0.05


class Counting(Pace):
    """A pace that notes what it is asked for, and never waits."""

    def __init__(self) -> None:
        super().__init__(1.0)
        self.moves = self.pauses = 0

    def moved(self) -> None:
        self.moves += 1

    async def pause(self) -> None:
        self.pauses += 1


async def test_a_bot_pauses_before_a_move_and_lets_another_one_lie() -> None:
    bus = Bus(create_game("304", "pagat"), 1)
    bus.confirm()
    bus.run(lambda: any(each.session.legal_actions() for each in bus.chairs))
    pace = Counting()
    bot = BotSeat(1, pace=pace)
    seat = next(each for each in bus.chairs if each.session.legal_actions())
    await bot.decide(seat.session)
    assert pace.pauses == 1
    await bot.tell(ActionTaken(Seat(1), object()), seat.session)
    assert pace.moves == 1


async def test_a_host_changes_the_pace_of_its_bot_over_its_input() -> None:
    reader, writer = os.pipe()
    pace = Pace(1.0)
    until_gone = until_host_gone(Console(descriptor=reader, output=io.StringIO()), pace)
    os.write(writer, b"\npace 3\nnonsense\n")
    os.close(writer)
    await until_gone()
    assert pace.seconds == 3.0


# --- who is waited for ----------------------------------------------------------------------------


SOUTH, EAST, NORTH, WEST = map(Seat, range(4))


class Person:
    """South's screen at a table of real sessions; redraws are counted."""

    def __init__(self, table: Table) -> None:
        self.session = table.chairs[SOUTH].session
        self.events = table.chairs[SOUTH].events
        self.seat = ClientSeat(PlaySettings(agree=True))
        self.heard = 0
        self.redraws = 0
        self.seat.changed = self._redraw

    def _redraw(self) -> None:
        self.redraws += 1

    async def hear(self) -> None:
        """All that has happened since."""
        new, self.heard = self.events[self.heard :], len(self.events)
        for each in new:
            await self.seat.tell(each, self.session)

    async def tell(self, event: Event) -> None:
        await self.seat.tell(event, self.session)


def at_the_window() -> Table:
    """Four sessions where all may look at what lies there, and nobody has."""
    return _at_the_window().twin()


@cache
def _at_the_window() -> Table:
    table = Table(create_game("304", "pagat"), 1)
    table.confirm()

    def window() -> bool:
        return all(Ready() in each.session.legal_actions() for each in table.chairs)

    table.run(window)
    return table


def test_the_pace_goes_step_by_step_and_never_faster_than_the_eye() -> None:
    pace = 1.0
    for _ in range(20):
        pace = next_pace(pace, -1)
    assert pace == PACES[0] > 0.2
    for _ in range(20):
        pace = next_pace(pace, 1)
    assert pace == PACES[-1]
    assert next_pace(0.0, -1) == PACES[0]
