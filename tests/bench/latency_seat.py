"""One of the four clients that are measured: a process with a screen, a pipe and quick fingers.

It plays on until it is ended, and writes down when what happened: a JSON object a line.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any, Final

from cli.errors import UserError
from cli.front.choosing import card_typed
from cli.invite import Invite
from cli.local.bot_processes import name_of
from cli.local.sitting import SeatOptions, keep_setup, new_setup, seated
from cli.screen.app import ENTER, ClientApp, Pipe, keys_for, piped
from cli.screen.clientseat import ClientSeat, leave_program_out
from cli.screen.desk import Mode
from cli.screen.model import Table
from cli.screen.preferences import PlaySettings
from cli.seat.setup import Orders
from cli.store.paths import home
from p2p304.telling import Choice

BEAT: Final = 0.002
LOOK: Final = 0.01
"""Seconds between two looks at whether there is something to press."""
TOGETHER: Final = 0.5
"""Seconds between two writings of what was noted, so that writing is not what is measured."""


class MarkedSeat(ClientSeat):
    """A player's seat that notes what was pressed and drawn, and how long its loop was held up."""

    def __init__(self) -> None:
        super().__init__(PlaySettings(agree=True))
        self._lines: list[str] = []
        self._furthest = (-1, -1)

    def note(self, **what: Any) -> None:
        """Note what happened now."""
        self._lines.append(json.dumps({**what, "at": time.monotonic()}))

    def drawn(self) -> None:
        """Note how far the hand on a frame was that was drawn, when that is news."""
        table = self.table
        reached = (-1, -1) if table is None or table.state is None else _place(table)
        if reached > self._furthest:
            self._furthest = reached
            self.note(drawn=reached)

    async def beat(self) -> None:
        """Note whenever the event loop was held up for longer than ever before; write everything
        down from time to time."""
        wrote, longest = time.monotonic(), 0.0
        while True:
            before = time.monotonic()
            await asyncio.sleep(BEAT)
            now = time.monotonic()
            if now - before - BEAT > longest:
                longest = now - before - BEAT
                self.note(held=longest)
            if now - wrote > TOGETHER:
                wrote, lines, self._lines = now, self._lines, []
                sys.stdout.write("".join(f"{line}\n" for line in lines))
                sys.stdout.flush()


def _place(table: Table) -> tuple[int, int]:
    """Return the hand on the table, and how many actions were taken in it."""
    assert table.state is not None
    return table.number, len(table.state.log)


def quiet(table: Table) -> Choice:
    """Choose quietly: the lowest bid of whoever speaks first, else what is neither costly nor a
    claim."""
    choices = [each for each in table.choices if not each.costly] or list(table.choices)
    numbers = [each for each in choices if each.numbers]
    scene = table.scene()
    silent = scene is not None and not any(place.leading for place in scene.places)
    if numbers and silent:
        return numbers[0]
    passes = [each for each in choices if each.default or not (each.numbers or each.slot)]
    return next(iter(passes), choices[0])


async def _type(seat: MarkedSeat, pipe: Pipe, think: float) -> None:
    """Press keys as long as there is something to decide, each after having thought so long."""
    asked: tuple[object, ...] = ()
    since = time.monotonic()
    while not seat.state.closed:
        await asyncio.sleep(LOOK)
        table = seat.table
        now: tuple[object, ...] = (
            () if table is None else (table.number, table.state, table.choices)
        )
        if now != asked:
            asked, since = now, time.monotonic()
        if time.monotonic() - since < think:
            continue
        if seat.desk.mode in (Mode.FINISH, Mode.SUMMARY, Mode.MATCH):
            pipe.type(ENTER)
        elif table is not None and table.choices:
            keys = keys_for(table, quiet(table).action)
            if keys is None:
                raise UserError("There is no key for what is to be done.")
            pipe.type(keys[:-1])
            if table.state is not None and table.state.awaiting == (table.seat,):
                hand, step = _place(table)
                seat.note(pressed=(hand, step + 1))
            pipe.type(keys[-1])
            if card_typed(keys) is not None:
                pipe.type(ENTER)  # as people do; an Enter for what comes next would be taken for it


async def _play(orders: str, think: float) -> None:
    text, _, rest = orders.partition("\n")
    invite, founding = Invite.parse(text), Orders.parse(rest).founding
    seat, root = MarkedSeat(), home()
    setup = new_setup(invite, name_of(invite.seat or 0), founding=founding)
    journal = await asyncio.to_thread(keep_setup, root, setup)
    options = SeatOptions(matches=None)
    async with (
        asyncio.TaskGroup() as tasks,
        seated(journal, setup, seat, root=root, options=options) as driver,
    ):
        with piped() as pipe:
            leave_program_out()
            playing = tasks.create_task(driver.run())
            await seat.comes_up()
            tasks.create_task(seat.beat())  # before, nothing is drawn: rules are imported
            app = ClientApp(seat, source=pipe.source, sink=pipe.sink, drawn=seat.drawn)
            tasks.create_task(app.run(seat.closes))
            tasks.create_task(_type(seat, pipe, think))
            await playing


if __name__ == "__main__":
    asyncio.run(_play("".join(sys.stdin.readline() for _ in range(2)), float(sys.argv[1])))
