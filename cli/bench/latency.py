"""From a key press to all four screens: four clients in four processes, over loopback.

Every client draws real frames and gets real key presses, through a pipe instead of a terminal. A
press is timed from the moment its last key is in the pipe to the moment the slowest of the four
screens has drawn what it led to: signing, disk, broker, verification and drawing are all in it.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

from cli.children import environment, own_module
from cli.errors import UserError
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.seat.orders import Orders
from cli.seat.sitting import FOUNDER, new_table
from cli.store.paths import HOME_VARIABLE

SECONDS_A_HAND: Final = 120.0
PRESSES_A_HAND: Final = 80
THINK: Final = 0.25
"""Seconds between being asked and the press: less than any player takes, and the table is quiet."""


class Latency(NamedTuple):
    """What was measured, in milliseconds.

    `longest_frame_ms` is the longest that any of the four event loops was held up: no key and no
    frame could come in between. `longest_busy_ms` is the most processor time that a client itself
    used while its loop was held up, whatever else the machine was doing.
    """

    p50_ms: float
    p99_ms: float
    longest_frame_ms: float
    presses: int
    longest_busy_ms: float
    waits_ms: tuple[float, ...]
    """of all presses, from the shortest to the longest"""


async def measure(*, hands: int, think: float = THINK) -> Latency:
    """Play so many hands with four clients, and measure every press that one seat alone owed.

    Every press comes `think` seconds after its seat was asked.
    """
    with tempfile.TemporaryDirectory(prefix="p2p304-latency-") as place:
        async with EmbeddedBroker() as broker:
            address = BrokerAddress.parse(f"mqtt://127.0.0.1:{broker.port}")
            table = new_table(address, "304", "pagat")
            seats = [
                asyncio.create_task(
                    _seat(
                        f"{invite.format()}\n"
                        + Orders(table.founding if seat == FOUNDER else None).format(),
                        Path(place) / f"seat-{seat}",
                        f"{hands}",
                        f"{think}",
                    )
                )
                for seat, invite in enumerate(table.invites)
            ]
            try:
                async with asyncio.timeout((SECONDS_A_HAND + PRESSES_A_HAND * think) * hands):
                    marks = await asyncio.gather(*seats)
            except TimeoutError:
                raise UserError("The four clients did not finish their hands in time.") from None
            finally:
                for seat_task in seats:
                    seat_task.cancel()
                await asyncio.gather(*seats, return_exceptions=True)
    return latency_of(marks)


async def _seat(orders: str, home: Path, *arguments: str) -> list[dict[str, Any]]:
    """Run one client in a process of its own; what it marked down."""
    home.mkdir(mode=0o700)
    process = await asyncio.create_subprocess_exec(
        *own_module("cli.bench.latency_seat", *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(**{HOME_VARIABLE: str(home)}),
    )
    try:
        said, complaint = await process.communicate(orders.encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise UserError(f"A client ended early: {complaint.decode('utf-8', 'replace')[-300:]}")
    return [json.loads(line) for line in said.splitlines()]


def latency_of(seats: Iterable[Iterable[dict[str, Any]]]) -> Latency:
    """The figures from the marks of all seats. Raises UserError where nothing was measured."""
    pressed: dict[tuple[int, int], float] = {}
    drawn: list[list[tuple[int, int, float]]] = []
    longest = busiest = 0.0
    for marks in seats:
        frames: list[tuple[int, int, float]] = []
        for mark in marks:
            match mark:
                case {"pressed": [hand, step], "at": at}:
                    pressed[hand, step] = at
                case {"drawn": [hand, step], "at": at}:
                    frames.append((hand, step, at))
                case {"held": seconds, "busy": busy}:
                    longest, busiest = max(longest, seconds), max(busiest, busy)
        drawn.append(frames)
    waits = []
    for (hand, step), at in pressed.items():
        seen = [
            next((when for each, reached, when in frames if (each, reached) >= (hand, step)), None)
            for frames in drawn
        ]
        if None not in seen:
            waits.append(max(each for each in seen if each is not None) - at)
    if not waits:
        raise UserError("No key press was measured.")
    waits.sort()
    p99 = waits[min(len(waits) - 1, int(len(waits) * 0.99))]
    return Latency(
        1000 * statistics.median(waits),
        1000 * p99,
        1000 * longest,
        len(waits),
        1000 * busiest,
        tuple(1000 * each for each in waits),
    )
