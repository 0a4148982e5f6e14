"""One of the four clients that are measured: a process with a screen, a pipe and quick fingers."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any, Final

from cli.errors import UserError
from cli.invite import Invite
from cli.screen.app import ClientApp, Pipe, piped
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import Mode
from cli.screen.key_encoder import ENTER, keys_for
from cli.screen.model import Table
from cli.screen.preferences import Habits
from cli.seat.bot_processes import name_of
from cli.seat.orders import Orders
from cli.seat.sitting import keep_setup, new_setup, seated
from cli.store.paths import home
from p2p304.telling import Choice

BEAT: Final = 0.002
LOOK: Final = 0.01
"""Seconds between two looks at whether there is something to press."""


class Marks:
    """What this client notes down, to be printed at the end."""

    def __init__(self, seat: ClientSeat) -> None:
        self.lines: list[dict[str, Any]] = []
        self._seat = seat
        self._drawn = (-1, -1)

    def drawn(self) -> None:
        """A frame was drawn: note how far the hand on it was, when that is news."""
        table = self._seat.table
        if table is None or table.state is None:
            return
        reached = (table.number, len(table.state.log))
        if reached > self._drawn:
            self._drawn = reached
            self.lines.append({"drawn": reached, "at": time.monotonic()})

    def pressed(self, table: Table) -> None:
        """A key is about to be pressed that decides something."""
        assert table.state is not None
        if table.state.awaiting == (table.seat,):
            place = (table.number, len(table.state.log) + 1)
            self.lines.append({"pressed": place, "at": time.monotonic()})

    async def beat(self) -> None:
        """Note the longest time that the event loop was held up, and the most that this process
        computed meanwhile, until cancelled."""
        longest = busiest = 0.0
        try:
            while True:
                before, used = time.monotonic(), time.process_time()
                await asyncio.sleep(BEAT)
                held, busy = time.monotonic() - before - BEAT, time.process_time() - used
                longest, busiest = max(longest, held), max(busiest, min(held, busy))
        finally:
            self.lines.append({"held": longest, "busy": busiest})


def quiet(table: Table) -> Choice:
    """A quiet choice: the lowest number of whoever speaks first, else what is neither costly nor
    a claim: passes and first cards."""
    choices = [each for each in table.choices if not each.costly] or list(table.choices)
    numbers = [each for each in choices if each.numbers]
    scene = table.scene()
    silent = scene is not None and not any(place.leading for place in scene.places)
    if numbers and silent:
        return numbers[0]
    passes = [each for each in choices if each.default or not (each.numbers or each.slot)]
    return next(iter(passes), choices[0])


async def _type(seat: ClientSeat, marks: Marks, pipe: Pipe, think: float) -> None:
    """Press keys as long as there is something to decide, each after having thought so long."""
    asked: tuple[object, ...] = ()
    since = time.monotonic()
    while not seat.closed.is_set():
        await asyncio.sleep(LOOK)
        table = seat.table
        now: tuple[object, ...] = (
            () if table is None else (table.number, table.state, table.choices)
        )
        if now != asked:
            asked, since = now, time.monotonic()
        if time.monotonic() - since < think:
            continue
        if seat.desk.mode in (Mode.FINISH, Mode.SUMMARY):
            pipe.type(ENTER)
        elif table is not None and table.choices:
            keys = keys_for(table, quiet(table).action)
            if keys is None:
                raise UserError("There is no key for what is to be done.")
            pipe.type(keys[:-1])
            marks.pressed(table)
            pipe.type(keys[-1])


async def _play(orders: str, hands: int, think: float) -> list[dict[str, Any]]:
    first, _, rest = orders.partition("\n")
    invite, founding = Invite.parse(first), Orders.parse(rest).founding
    seat = ClientSeat(Habits(agree=True))
    marks = Marks(seat)
    root = home()
    setup = new_setup(invite, name_of(invite.seat or 0), founding=founding)
    async with seated(keep_setup(root, setup), setup, seat, root=root, hands=hands) as driver:
        driving = asyncio.create_task(driver.run())
        beginning = asyncio.create_task(seat.began.wait())
        await asyncio.wait({driving, beginning}, return_when=asyncio.FIRST_COMPLETED)
        with piped() as pipe:
            app = ClientApp(seat, source=pipe.source, sink=pipe.sink, drawn=marks.drawn)
            shown = asyncio.create_task(app.run())
            beating = asyncio.create_task(marks.beat())
            typing = asyncio.create_task(_type(seat, marks, pipe, think))
            try:
                await asyncio.wait({driving, typing}, return_when=asyncio.FIRST_COMPLETED)
                if typing.done():
                    typing.result()
            finally:
                app.close()
                for task in (beating, typing):
                    task.cancel()
                await asyncio.gather(shown, beating, typing, return_exceptions=True)
        await driving
    return marks.lines


if __name__ == "__main__":
    for line in asyncio.run(_play(sys.stdin.read(), int(sys.argv[1]), float(sys.argv[2]))):
        print(json.dumps(line))
