"""From a key press to all four screens: four clients in four processes, over loopback.

Every client draws real frames and gets real key presses, through a pipe instead of a terminal. A
press is timed from the moment its last key is in the pipe to the moment the slowest of the four
screens has drawn what it led to: signing, disk, broker, verification and drawing are all in it.
Beside them runs a process that does nothing, which says how long the machine held up anybody.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import tempfile
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise, repeat
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from cli.errors import UserError
from cli.seat.setup import Orders
from cli.seat.sitting import FOUNDER, new_table
from cli.store.paths import HOME_VARIABLE
from cli.tasks import first, together
from tests.bench.latency_seat import TOGETHER
from tests.bench.machine import TOP, own_process
from tests.bench.tables import embedded

PRESSES: Final = 1_000
SECONDS: Final = 600.0
THINK: Final = 0.1
"""Seconds between being asked and the press: less than any player takes, and the table is quiet."""
SLOWEST: Final = 5
"""Presses of which the stages are told."""
LATER: Final = 2 * TOGETHER
"""Seconds in which all clients have written down what the last press led to."""
PRESSED: Final = b'{"pressed"'
Place = tuple[int, int]
"""A hand, and how many actions were taken in it."""


class Slow(NamedTuple):
    """One press: the milliseconds that it took in all, and of its stages.

    `proof` is until the message is ready, `disk` until it is kept, `broker` until it is with the
    slowest seat, `verification` until that seat has verified and kept it, `frame` until it is drawn
    there. Where the slowest screen is that of whoever pressed, there is no broker between.
    `machine` is the longest that a process that does nothing was held up meanwhile.
    """

    total: float
    proof: float
    disk: float
    broker: float
    verification: float
    frame: float
    machine: float


class Latency(NamedTuple):
    """What was measured, in milliseconds.

    `longest_frame_ms` is the longest that any of the four event loops was held up: no key and no
    frame could come in between. `longest_busy_ms` is the most processor time that a client itself
    used while its loop was held up, whatever else the machine was doing. `machine_p99_ms` is the
    99th percentile, over all presses, of how long a process that does nothing was held up during
    one.
    """

    p50_ms: float
    p99_ms: float
    p999_ms: float
    machine_p99_ms: float
    longest_frame_ms: float
    presses: int
    longest_busy_ms: float
    slowest: tuple[Slow, ...]
    waits_ms: tuple[float, ...]
    """of all presses, from the shortest to the longest"""


async def measure(
    *, presses: int = PRESSES, seconds: float = SECONDS, think: float = THINK
) -> Latency:
    """Play with four clients until so many presses are there that one seat alone owed.

    Every press comes `think` seconds after its seat was asked. What there is after so many seconds
    is judged; raises UserError where that is nothing.
    """
    with tempfile.TemporaryDirectory(prefix="p2p304-latency-") as place:
        async with embedded() as address:
            table = new_table(address, "304", "pagat")
            clients = [
                await _started("latency_seat", f"{think}", home=Path(place) / f"{seat}")
                for seat in range(len(table.invites))
            ]
            clients.append(await _started("idle"))
            for seat, (invite, client) in enumerate(zip(table.invites, clients, strict=False)):
                orders = Orders(table.founding if seat == FOUNDER else None)
                assert client.stdin is not None
                client.stdin.write(f"{invite.format()}\n{orders.format()}\n".encode())
            seen: list[list[bytes]] = [[] for _ in clients]
            enough = _Enough(presses)
            try:
                with suppress(TimeoutError):
                    async with asyncio.timeout(seconds):
                        await first(enough.heard(), *map(_read, clients, seen, repeat(enough)))
            finally:
                for client in clients:
                    with suppress(ProcessLookupError):
                        client.kill()
                await together(*(client.wait() for client in clients))
    *marks, idle = seen
    return latency_of(
        [[json.loads(line) for line in lines] for lines in marks],
        [(float(now), float(late)) for now, late in map(bytes.split, idle)],
    )


class _Enough:
    """Counts presses, and says when there are so many."""

    def __init__(self, presses: int) -> None:
        self._left = presses
        self._reached = asyncio.Event()

    def count(self, line: bytes) -> None:
        self._left -= line.startswith(PRESSED)
        if self._left < 0:  # of the last one not everybody may have been heard
            self._reached.set()

    async def heard(self) -> None:
        """Wait until there are so many, and for what all clients write down of the last one."""
        await self._reached.wait()
        await asyncio.sleep(LATER)


async def _started(
    module: str, *arguments: str, home: Path | None = None
) -> asyncio.subprocess.Process:
    if home is not None:
        home.mkdir(mode=0o700)
    return await asyncio.create_subprocess_exec(
        *own_process(module, *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=TOP,
        env=os.environ | ({} if home is None else {HOME_VARIABLE: str(home)}),
    )


async def _read(
    client: asyncio.subprocess.Process, lines: list[bytes], enough: _Enough
) -> NoReturn:
    """Gather what a client writes, which ends with the measurement. Raises UserError before."""
    assert client.stdout is not None
    async for line in client.stdout:
        if line.endswith(b"\n"):  # else it was ended amid the line
            lines.append(line)
            enough.count(line)
    assert client.stderr is not None
    said = (await client.stderr.read()).decode("utf-8", "replace")[-300:]
    raise UserError(f"A client ended early: {said}")


class _Marks:
    """What one client noted, each kind in the order of time."""

    def __init__(self, marks: Iterable[Mapping[str, Any]]) -> None:
        self.pressed: list[tuple[Place, float]] = []
        self.asked: list[float] = []
        self.kept: list[float] = []
        self.heard: list[float] = []
        self.told: list[tuple[Place, float]] = []
        self.drawn: list[tuple[Place, float]] = []
        self.longest = self.busiest = 0.0
        for mark in marks:
            match mark:
                case {"pressed": [hand, step], "at": at}:
                    self.pressed.append(((hand, step), at))
                case {"told": [hand, step], "at": at}:
                    self.told.append(((hand, step), at))
                case {"drawn": [hand, step], "at": at}:
                    self.drawn.append(((hand, step), at))
                case {"kept": what, "at": at}:
                    (self.asked if what == "asked" else self.kept).append(at)
                case {"heard": _, "at": at}:
                    self.heard.append(at)
                case {"held": held, "busy": busy}:
                    self.longest, self.busiest = held, busy


def latency_of(
    seats: Sequence[Iterable[Mapping[str, Any]]], idle: Sequence[tuple[float, float]]
) -> Latency:
    """Return the figures from the marks of all seats; raises UserError where nothing was measured.

    `idle` tells when a process that does nothing woke, and how much too late.
    """
    marks = [_Marks(each) for each in seats]
    presses = []
    for presser in marks:
        for place, at in presser.pressed:
            seen = [_reached(each.drawn, place) for each in marks]
            if None not in seen:
                last = max(range(len(seen)), key=lambda seat: seen[seat] or 0.0)
                presses.append(_slow(place, at, presser, marks[last], idle))
    if not presses:
        raise UserError("No key press was measured.")
    presses.sort()
    waits = [each.total for each in presses]
    return Latency(
        statistics.median(waits),
        _percentile(waits, 0.99),
        _percentile(waits, 0.999),
        _percentile(sorted(each.machine for each in presses), 0.99),
        1000 * max(each.longest for each in marks),
        len(waits),
        1000 * max(each.busiest for each in marks),
        tuple(reversed(presses[-SLOWEST:])),
        tuple(waits),
    )


def _slow(
    place: Place,
    pressed: float,
    presser: _Marks,
    slowest: _Marks,
    idle: Sequence[tuple[float, float]],
) -> Slow:
    """Return the stages of a press.

    Whatever was not noted took no time: what follows has its part.
    """
    drawn = _reached(slowest.drawn, place)
    assert drawn is not None
    moments = [pressed]

    def then(found: float | None) -> None:
        moments.append(min(max(moments[-1], found or 0.0), drawn))

    then(_first(presser.asked, pressed))
    then(_first(presser.kept, moments[-1]))
    then(None if slowest is presser else _first(slowest.heard, moments[-1]))
    then(_reached(slowest.told, place))
    stages = [b - a for a, b in pairwise((*moments, drawn))]
    machine = 0.0
    for now, late in idle[bisect_left(idle, (pressed, 0.0)) :]:
        if now - late > drawn:
            break
        machine = max(machine, min(now, drawn) - max(now - late, pressed))
    return Slow(*(1000 * each for each in (drawn - pressed, *stages, machine)))


def _first(times: Sequence[float], since: float) -> float | None:
    at = bisect_left(times, since)
    return times[at] if at < len(times) else None


def _reached(reached: Sequence[tuple[Place, float]], place: Place) -> float | None:
    """Return when a client was first so far."""
    at = bisect_left(reached, place, key=lambda each: each[0])
    return reached[at][1] if at < len(reached) else None


def _percentile(values: Sequence[float], share: float) -> float:
    return values[min(len(values) - 1, int(len(values) * share))]
