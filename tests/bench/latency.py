"""From a key press to all four screens: four clients in four processes, over loopback.

Every client draws real frames and gets real key presses, through a pipe instead of a terminal. A
press is timed from the moment its last key is in the pipe to the moment the slowest of the four
screens has drawn what it led to: signing, disk, broker, verification and drawing are all in it.
Beside them runs a process that does nothing, which says how long the machine held up anybody. As a
program this is one of the clients, with a screen, a pipe and quick fingers: it plays on until it is
ended, and writes down when what happened, a JSON object a line.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from itertools import islice, takewhile
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from cli.errors import UserError
from cli.front.writing import read_card
from cli.local.sitting import SeatOptions, new_table
from cli.screen.app import ENTER, ClientApp
from cli.screen.clientseat import ClientSeat, leave_program_out
from cli.screen.desk import Mode
from cli.screen.model import Table
from cli.screen.preferences import PlaySettings
from cli.tasks import first
from p2p304.telling import Choice
from tests.bench.deal import embedded, orders_of, round_trip_ms, sat_down
from tests.bench.figures import Figure, Part, Tell, percentile
from tests.bench.machine import started
from tests.screen_keys import Pipe, keys_for, pipe_terminal

PRESS_GOAL_MS: Final = 60.0
FRAME_GOAL_MS: Final = 50.0
SECONDS: Final = 600.0
#: Seconds between being asked and the press: less than any player takes, and the table is quiet.
THINK: Final = 0.1
BEAT: Final = 0.002
LOOK: Final = 0.01  #: Seconds between two looks at whether there is something to press.
#: Seconds between two writings of what was noted, so that writing is not what is measured.
TOGETHER: Final = 0.5


class Latency(NamedTuple):
    """What was measured, in milliseconds, from the shortest to the longest."""

    waits: tuple[float, ...]  #: of all presses
    #: the longest that a process that does nothing was held up during each
    machine: tuple[float, ...]
    #: the longest that any of the four event loops was held up: no key and no frame could come in
    #: between
    longest_frame: float


def latency_part(*, quick: bool, tell: Tell) -> Part:
    """Measure from a key press to all four screens."""
    return asyncio.run(_latency(50 if quick else 1_000, tell))


async def _latency(presses: int, tell: Tell) -> Part:
    tell(f"{presses} key presses")
    found = await measure(presses=presses)
    async with embedded() as address:
        half = await round_trip_ms(address) / 2
    floor: dict[str, Any] = {"floor": half, "floor_is": "half a bare round trip"}
    name, p99 = "key press to all four screens", percentile(found.waits, 0.99)
    idle = "a process that does nothing is held up meanwhile, 99th percentile"
    figures = (
        Figure.of(name, "ms", found.waits, **floor),
        Figure.of(f"{name}, 99th percentile", "ms", [p99], goal=PRESS_GOAL_MS, **floor),
        Figure.of("the same, 99.9th percentile", "ms", [percentile(found.waits, 0.999)], **floor),
        Figure.of(idle, "ms", [percentile(found.machine, 0.99)]),
        Figure.of(
            "longest frame of the four clients", "ms", [found.longest_frame], goal=FRAME_GOAL_MS
        ),
    )
    notes = (f"{len(found.waits)} presses, embedded broker on loopback",)
    return Part("latency", "Key presses, four clients", figures, notes)


async def measure(*, presses: int, think: float = THINK) -> Latency:
    """Play with four clients until so many presses are there that one seat alone owed.

    Every press comes `think` seconds after its seat was asked. What there is after SECONDS is
    judged; raises UserError where that is nothing.
    """
    with tempfile.TemporaryDirectory(prefix="p2p304-latency-") as place:
        async with embedded() as address, AsyncExitStack() as stack:
            table = new_table(address, "304", "pagat")
            starts = [
                started("latency", f"{think}", home=Path(place, each), said=orders_of(table, seat))
                for seat, each in enumerate("abcd")
            ]
            starts.append(started("machine", home=Path(place, "idle")))
            clients = [await stack.enter_async_context(each) for each in starts]
            seen = [list[Any]() for _ in clients]
            with suppress(TimeoutError):
                async with asyncio.timeout(SECONDS):
                    await first(_pressed(seen[:-1], presses), *map(_read, clients, seen))
    *marks, idle = seen
    return latency_of(marks, idle)


async def _pressed(seats: Sequence[Sequence[Any]], presses: int) -> None:
    """Wait until there are more presses, and for what all clients write down of the last one."""
    while sum("pressed" in mark for marks in seats for mark in marks) <= presses:
        await asyncio.sleep(TOGETHER)
    await asyncio.sleep(2 * TOGETHER)  # by then they all have


async def _read(client: asyncio.subprocess.Process, marks: list[Any]) -> NoReturn:
    """Gather what a client writes, which ends with the measurement. Raises UserError before."""
    async for line in client.stdout:
        if line.endswith(b"\n"):  # else it was ended amid the line
            marks.append(json.loads(line))
    said = (await client.stderr.read()).decode("utf-8", "replace")[-300:]
    raise UserError(f"A client ended early: {said}")


def latency_of(seats: Sequence[Sequence[Any]], idle: Sequence[list[float]]) -> Latency:
    """Return the figures from the marks of all seats; raises UserError where nothing was measured.

    `idle` tells when a process that does nothing woke, and how much too late.
    """
    drawn = [[(each["drawn"], each["at"]) for each in marks if "drawn" in each] for marks in seats]
    found = list[tuple[float, float]]()
    for press in (each for marks in seats for each in marks if "pressed" in each):
        place, at = press["pressed"], press["at"]
        reached = [bisect_left(each, place, key=itemgetter(0)) for each in drawn]
        shown = [each[to][1] for each, to in zip(drawn, reached, strict=True) if to < len(each)]
        if len(shown) == len(seats):
            last = max(shown)
            found.append((1_000 * (last - at), 1_000 * _held_up(idle, at, last)))
    if not found:
        raise UserError("No key press was measured.")
    waits, machine = (tuple(sorted(each)) for each in zip(*found, strict=True))
    return Latency(waits, machine, 1_000 * max(e.get("held", 0.0) for m in seats for e in m))


def _held_up(idle: Sequence[list[float]], begun: float, ended: float) -> float:
    """Return how long a process that does nothing was held up at a time between these."""
    later = islice(idle, bisect_left(idle, [begun, 0.0]), None)
    held = takewhile(lambda nap: nap[0] - nap[1] <= ended, later)
    return max((min(now, ended) - max(now - late, begun) for now, late in held), default=0.0)


# --- one of the clients ---------------------------------------------------------------------------


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
        now = () if table is None else (table.number, table.state, table.choices)
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
            if read_card(keys) is not None:
                pipe.type(ENTER)  # as people do; an Enter for what comes next would be taken for it


async def _play(think: float) -> None:
    seat = MarkedSeat()
    async with (
        asyncio.TaskGroup() as tasks,
        sat_down(seat, SeatOptions(matches=None)) as driver,
    ):
        with pipe_terminal() as pipe:
            leave_program_out()
            playing = tasks.create_task(driver.run())
            await seat.up.wait()
            tasks.create_task(seat.beat())  # before, nothing is drawn: rules are imported
            app = ClientApp(seat, source=pipe.source, sink=pipe.sink, drawn=seat.drawn)
            tasks.create_task(app.run(seat.closed.wait))
            tasks.create_task(_type(seat, pipe, think))
            await playing


if __name__ == "__main__":
    asyncio.run(_play(float(sys.argv[1])))
