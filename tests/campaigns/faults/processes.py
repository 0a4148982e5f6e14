"""Real kill -9 and SIGSTOP at a table of four bots in processes."""

from __future__ import annotations

import asyncio
import random
import signal
from collections import Counter
from pathlib import Path

from tests.campaigns.faults.allowance import left
from tests.campaigns.faults.real_table import LAST, Deed, RealTable
from tests.campaigns.faults.results import Result


async def _hand(place: Path, seed: int, points: list[int], deed: Deed, kind: str) -> Result:
    table = RealTable(place, seed)
    async with table.running():
        done = await table.play([(point, deed) for point in points])
    return Result.of(table.faults(), Counter({kind: done}))


def _points(seed: int, count: int) -> list[int]:
    chance = random.Random(f"points {seed}")
    return [1 + int((part + chance.random()) * LAST / count) for part in range(count)]


def brokers_killed(place: Path, seed: int, count: int) -> Result:
    """The broker dies so often in one hand."""
    deed = RealTable.kill_broker
    return asyncio.run(_hand(place, seed, _points(seed, count), deed, "kill -9 of the broker"))


def everything_killed(place: Path, seed: int, count: int) -> Result:
    """All seats and the broker die at once, so often in one hand."""
    deed = RealTable.kill_everything
    return asyncio.run(_hand(place, seed, _points(seed, count), deed, "kill -9 of everything"))


def paused(place: Path, seed: int, seconds: float, *, broker: bool = False) -> Result:
    """A seat, or the broker, is stopped for so long, longer than every timeout, and goes on
    (SIGSTOP, SIGCONT)."""
    return asyncio.run(_paused(place, seed, seconds, broker=broker))


async def _paused(place: Path, seed: int, seconds: float, *, broker: bool) -> Result:
    if left()[1] < seconds:
        return Result(0, 0, [], Counter())
    table = RealTable(place, seed)
    victim = 1 + seed % 3
    process = table.broker if broker else table.seats[victim]
    async with table.running():
        stopped = await table.until(lambda: table.published >= 40)
        process.signal(signal.SIGSTOP)
        await asyncio.sleep(seconds)
        before = table.published
        process.signal(signal.SIGCONT)
        await table.end()
    faults = table.faults()
    name = ("Amara", "Banu", "Chandra", "Dilini")[victim]
    for seat in table.seats:
        if not broker and seat is not process and "Waiting for" not in seat.said:
            faults.append(f"nobody was told that {name} is waited for: {seat.said[-300:]}")
    if not stopped or table.published <= before:
        faults.append("the hand was over before it could be paused")
    return Result.of(faults, f"SIGSTOP of {'the broker' if broker else 'a seat'}, {seconds:g} s")
