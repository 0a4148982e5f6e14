"""Real kill -9, SIGSTOP, disks and clocks, at a table of four bots in processes."""

from __future__ import annotations

import asyncio
import random
import re
import signal
from collections import Counter
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import Any, Final

from tests.campaigns.faults.allowance import left
from tests.campaigns.faults.mortal_seat import CLOCK, DIES_AT, DISK
from tests.campaigns.faults.real_table import LAST, WITHIN, Deed, RealTable
from tests.campaigns.faults.results import Result


def in_a_loop(trial: Callable[..., Coroutine[Any, Any, Result]]) -> Callable[..., Result]:
    """A trial that runs by itself."""

    @wraps(trial)
    def run(*given: Any, **named: Any) -> Result:
        return asyncio.run(trial(*given, **named))

    return run


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


def seats_killed(place: Path, seed: int) -> Result:
    """Each seat's process kills itself at a step of its own, in the middle of whatever it does."""
    chance = random.Random(f"steps {seed}")
    return asyncio.run(_seats_killed(place, seed, [chance.randrange(1, 420) for _ in range(4)]))


async def _seats_killed(place: Path, seed: int, steps: list[int]) -> Result:
    table = RealTable(place, seed)
    died = 0

    async def nurse(seat: int) -> None:
        nonlocal died
        if await table.seats[seat].ended() == -9:
            died += 1
            await table.resume(seat)

    async with table.running(**{DIES_AT: {seat: str(step) for seat, step in enumerate(steps)}}):
        nurses = [asyncio.create_task(nurse(seat)) for seat in range(4)]
        await table.end()
        for task in nurses:
            task.cancel()
        await asyncio.gather(*nurses, return_exceptions=True)
    return Result.of(table.faults(), Counter({"kill -9 of a seat, by itself": died}))


@in_a_loop
async def paused(place: Path, seed: int, seconds: float, *, broker: bool = False) -> Result:
    """A seat, or the broker, is stopped for so long, longer than every timeout, and goes on
    (SIGSTOP, SIGCONT)."""
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


@in_a_loop
async def clocks(place: Path, seed: int, name: str) -> Result:
    """All four processes under a wrong wall clock."""
    table = RealTable(place, seed)
    async with table.running(**{CLOCK: dict.fromkeys(range(4), name)}):
        await table.end()
    return Result.of(table.faults(), f"processes, clock {name}")


FULL: Final = re.compile(r"The disk is full, so .*journal cannot be written: make room, then")


@in_a_loop
async def disk_full(place: Path, seed: int) -> Result:
    """A seat's disk is full from some write on: it ends with a sentence, and later resumes."""
    table = RealTable(place, seed)
    victim = seed % 4
    write = random.Random(f"full {seed}").randrange(5, 40)
    async with table.running(**{DISK: {victim: f"ENOSPC:{write}"}}):
        code = await asyncio.wait_for(table.seats[victim].ended(), WITHIN)
        await table.resume(victim)
        await table.end()
    faults = table.faults()
    if code != 2 or not FULL.search(table.seats[victim].said):
        faults.append(f"with a full disk it ended with {code}: {table.seats[victim].said[-300:]}")
    return Result.of(faults, "processes, disk full")
