"""From a key press to all four screens: four clients in four processes, over loopback.

Every client draws real frames and gets real key presses, through a pipe instead of a terminal. A
press is timed from the moment its last key is in the pipe to the moment the slowest of the four
screens has drawn what it led to: signing, disk, broker, verification and drawing are all in it.
Beside them runs a process that does nothing, which says how long the machine held up anybody.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from cli.errors import UserError
from cli.local.sitting import FOUNDER, new_table
from cli.seat.setup import Orders
from cli.tasks import first, together
from tests.bench.deal import embedded, round_trip_ms
from tests.bench.figures import Figure, Part, Tell, percentile
from tests.bench.latency_seat import TOGETHER
from tests.bench.machine import started

PRESS_GOAL_MS: Final = 60.0
FRAME_GOAL_MS: Final = 50.0
PRESSES: Final = 1_000
QUICK_PRESSES: Final = 50
SECONDS: Final = 600.0
THINK: Final = 0.1
"""Seconds between being asked and the press: less than any player takes, and the table is quiet."""
LATER: Final = 2 * TOGETHER
"""Seconds in which all clients have written down what the last press led to."""
PRESSED: Final = b'{"pressed"'
Place = tuple[int, int]
"""A hand, and how many actions were taken in it."""


class Latency(NamedTuple):
    """What was measured, in milliseconds, from the shortest to the longest."""

    waits: tuple[float, ...]
    """of all presses"""
    machine: tuple[float, ...]
    """the longest that a process that does nothing was held up during each"""
    longest_frame: float
    """the longest that any of the four event loops was held up: no key and no frame could come in
    between"""


def latency_part(*, quick: bool, tell: Tell) -> Part:
    """Measure from a key press to all four screens."""
    return asyncio.run(_latency(QUICK_PRESSES if quick else PRESSES, tell))


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
        Figure.single(f"{name}, 99th percentile", "ms", p99, goal=PRESS_GOAL_MS, **floor),
        Figure.single("the same, 99.9th percentile", "ms", percentile(found.waits, 0.999), **floor),
        Figure.single(idle, "ms", percentile(found.machine, 0.99)),
        Figure.single(
            "longest frame of the four clients", "ms", found.longest_frame, goal=FRAME_GOAL_MS
        ),
    )
    notes = (f"{len(found.waits)} presses, embedded broker on loopback",)
    return Part("latency", "Key presses, four clients", figures, notes)


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
                await started("latency_seat", f"{think}", home=Path(place) / f"{seat}")
                for seat in range(len(table.invites))
            ]
            clients.append(await started("idle"))
            for seat, (invite, client) in enumerate(zip(table.invites, clients, strict=False)):
                orders = Orders(table.founding if seat == FOUNDER else None)
                assert client.stdin is not None
                client.stdin.write(f"{invite.format()}\n{orders.format()}\n".encode())
            seen: list[list[bytes]] = [[] for _ in clients]
            try:
                with suppress(TimeoutError):
                    async with asyncio.timeout(seconds):
                        await first(_pressed(seen, presses), *map(_read, clients, seen))
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


async def _pressed(seen: Sequence[Sequence[bytes]], presses: int) -> None:
    """Wait until there are more presses, and for what all clients write down of the last one."""
    while sum(line.startswith(PRESSED) for lines in seen for line in lines) <= presses:
        await asyncio.sleep(TOGETHER)
    await asyncio.sleep(LATER)


async def _read(client: asyncio.subprocess.Process, lines: list[bytes]) -> NoReturn:
    """Gather what a client writes, which ends with the measurement. Raises UserError before."""
    assert client.stdout is not None
    async for line in client.stdout:
        if line.endswith(b"\n"):  # else it was ended amid the line
            lines.append(line)
    assert client.stderr is not None
    said = (await client.stderr.read()).decode("utf-8", "replace")[-300:]
    raise UserError(f"A client ended early: {said}")


def latency_of(
    seats: Sequence[Iterable[Mapping[str, Any]]], idle: Sequence[tuple[float, float]]
) -> Latency:
    """Return the figures from the marks of all seats; raises UserError where nothing was measured.

    `idle` tells when a process that does nothing woke, and how much too late.
    """
    pressed, drawn = list[tuple[Place, float]](), [list[tuple[Place, float]]() for _ in seats]
    longest = 0.0
    for marks, reached in zip(seats, drawn, strict=True):
        for mark in marks:
            match mark:
                case {"pressed": [hand, step], "at": at}:
                    pressed.append(((hand, step), at))
                case {"drawn": [hand, step], "at": at}:
                    reached.append(((hand, step), at))
                case {"held": held}:
                    longest = max(longest, held)
    found = list[tuple[float, float]]()
    for place, at in pressed:
        shown = [_reached(each, place) for each in drawn]
        if None not in shown:
            last = max(each for each in shown if each is not None)
            found.append((1_000 * (last - at), 1_000 * _held_up(idle, at, last)))
    if not found:
        raise UserError("No key press was measured.")
    waits, machine = (tuple(sorted(each)) for each in zip(*found, strict=True))
    return Latency(waits, machine, 1_000 * longest)


def _held_up(idle: Sequence[tuple[float, float]], begun: float, ended: float) -> float:
    """Return how long a process that does nothing was held up at a time between these."""
    most = 0.0
    for now, late in idle[bisect_left(idle, (begun, 0.0)) :]:
        if now - late > ended:
            break
        most = max(most, min(now, ended) - max(now - late, begun))
    return most


def _reached(reached: Sequence[tuple[Place, float]], place: Place) -> float | None:
    """Return when a client was first so far."""
    at = bisect_left(reached, place, key=lambda each: each[0])
    return reached[at][1] if at < len(reached) else None
