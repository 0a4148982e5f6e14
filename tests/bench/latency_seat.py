"""One of the four clients that are measured: a process with a screen, a pipe and quick fingers.

It plays on until it is ended, and writes down when what happened: a JSON object a line.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import time
from collections.abc import Iterable
from typing import Any, Final

from cli.errors import UserError
from cli.front.choosing import card_typed
from cli.invite import Invite
from cli.net.mqtt import MqttOptions, MqttTransport
from cli.screen.app import ENTER, ClientApp, Pipe, keys_for, piped
from cli.screen.clientseat import ClientSeat, leave_program_out
from cli.screen.desk import Mode
from cli.screen.model import Table
from cli.screen.preferences import Habits
from cli.seat.bot_processes import name_of
from cli.seat.driver import SeatDriver
from cli.seat.options import SeatOptions
from cli.seat.setup import Kept, Orders
from cli.seat.sitting import new_setup
from cli.store.identity import IdentityStore
from cli.store.journal import Journal
from cli.store.paths import home, make_table_directory
from p2p304.telling import Choice
from protocol.seat.view import SeatView
from protocol.table.events import Event
from protocol.wire.identity import FRAME_SIZES, Seal

BEAT: Final = 0.002
LOOK: Final = 0.01
"""Seconds between two looks at whether there is something to press."""
TOGETHER: Final = 0.5
"""Seconds between two writings of what was noted, so that writing is not what is measured."""


class Marks:
    """What this client notes down."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._drawn = self._told = (-1, -1)
        self._longest = self._busiest = 0.0

    def note(self, at: float | None = None, **what: Any) -> None:
        """Note what happened, now or at another time of the machine's clock. From any thread."""
        self._lines.append(json.dumps({**what, "at": time.monotonic() if at is None else at}))

    def drawn(self, reached: tuple[int, int]) -> None:
        """Note how far the hand on a frame was that was drawn, when that is news."""
        if reached > self._drawn:
            self._drawn = reached
            self.note(drawn=reached)

    def told(self, reached: tuple[int, int], at: float) -> None:
        """Note how far the hand is with what the player was told, which was verified by then."""
        if reached > self._told:
            self._told = reached
            self.note(at, told=reached)

    def heard(self, frame: bytes) -> bool:
        """Note that a frame came from the broker, and tell whether it has one of the table's
        sizes."""
        self.note(heard=len(frame))
        return len(frame) in FRAME_SIZES

    async def beat(self) -> None:
        """Note whenever the event loop was held up for longer than ever before, or this process
        computed more than ever while it was; write everything down from time to time."""
        wrote = time.monotonic()
        while True:
            before, used = time.monotonic(), time.process_time()
            await asyncio.sleep(BEAT)
            now = time.monotonic()
            held, busy = now - before - BEAT, time.process_time() - used
            longest, busiest = max(self._longest, held), max(self._busiest, min(held, busy))
            if (longest, busiest) != (self._longest, self._busiest):
                self._longest, self._busiest = longest, busiest
                self.note(held=longest, busy=busiest)
            if now - wrote > TOGETHER:
                wrote, lines, self._lines = now, self._lines, []
                sys.stdout.write("".join(f"{line}\n" for line in lines))
                sys.stdout.flush()


class MarkedJournal(Journal):
    """A journal that notes when it is asked to keep something, and when that is on the disk."""

    marks: Marks

    def append_all(self, kind: int, payloads: Iterable[bytes]) -> None:
        """See Journal."""
        self.marks.note(kept="asked")
        super().append_all(kind, payloads)
        self.marks.note(kept="done")


class MarkedSeat(ClientSeat):
    """A player's seat that notes when it is told of what was verified and kept."""

    def __init__(self, marks: Marks) -> None:
        super().__init__(Habits(agree=True))
        self.marks = marks

    @property
    def reached(self) -> tuple[int, int]:
        """The hand on the table, and how many actions were taken in it."""
        table = self.table
        return (-1, -1) if table is None or table.state is None else _place(table)

    async def tell(self, event: Event, session: SeatView) -> None:
        """See ClientSeat."""
        at = time.monotonic()
        await super().tell(event, session)
        self.marks.told(self.reached, at)

    def drawn(self) -> None:
        """Note that a frame was drawn."""
        self.marks.drawn(self.reached)


def _place(table: Table) -> tuple[int, int]:
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
        if seat.desk.mode in (Mode.FINISH, Mode.SUMMARY, Mode.MATCH):
            pipe.type(ENTER)
        elif table is not None and table.choices:
            keys = keys_for(table, quiet(table).action)
            if keys is None:
                raise UserError("There is no key for what is to be done.")
            pipe.type(keys[:-1])
            if table.state is not None and table.state.awaiting == (table.seat,):
                hand, step = _place(table)
                seat.marks.note(pressed=(hand, step + 1))
            pipe.type(keys[-1])
            if card_typed(keys) is not None:
                pipe.type(ENTER)  # as people do; an Enter for what comes next would be taken for it


async def _play(orders: str, think: float) -> None:
    first, _, rest = orders.partition("\n")
    invite, founding = Invite.parse(first), Orders.parse(rest).founding
    marks = Marks()
    seat = MarkedSeat(marks)
    root = home()
    setup = new_setup(invite, name_of(invite.seat or 0), founding=founding)
    directory = make_table_directory(root, invite.table)
    topic = Seal(invite.table_key, invite.table).topic
    options = MqttOptions(invite.nodes[0], topic, largest_frame=max(FRAME_SIZES))
    async with (
        asyncio.TaskGroup() as tasks,
        MqttTransport(options, accept=marks.heard) as transport,
    ):
        with MarkedJournal.create(directory, invite.table) as journal, piped() as pipe:
            journal.marks = marks
            journal.append(Kept.SETUP, setup.to_bytes())
            driver = SeatDriver(
                journal=journal,
                setup=setup,
                key=IdentityStore(root).key(secrets.token_bytes),
                transport=transport,
                player=seat,
                directory=directory,
                options=SeatOptions(matches=None),
            )
            leave_program_out()
            tasks.create_task(marks.beat())
            playing = tasks.create_task(driver.run())
            await seat.began.wait()
            app = ClientApp(seat, source=pipe.source, sink=pipe.sink, drawn=seat.drawn)
            tasks.create_task(app.run(seat.closed))
            tasks.create_task(_type(seat, pipe, think))
            await playing


if __name__ == "__main__":
    asyncio.run(_play("".join(sys.stdin.readline() for _ in range(2)), float(sys.argv[1])))
