"""The parts of the benchmark that need real processes and brokers: deals, key presses, memory."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import Final

from cli.errors import UserError
from cli.store.journal import Journal
from tests.bench import latency as bench_latency
from tests.bench.cards import shuffle_message
from tests.bench.counting import OperationCounter
from tests.bench.figures import MINUTES, Curve, Figure, Part, Points, Tell, TimeBox
from tests.bench.floors import OperationCosts
from tests.bench.statements import statement_messages
from tests.bench.tables import (
    BROKERS,
    SEATS,
    THINK,
    embedded,
    measure_deals,
    play,
    round_trip_ms,
    seats_of,
    told_by,
)

FIRST_GOAL_S: Final = 0.5
NEXT_GOAL_S: Final = 0.1
PRESS_GOAL_MS: Final = 60.0
FRAME_GOAL_MS: Final = 50.0
CARDS: Final = 32
WIDTH: Final = 2.0
"""Of an interval of the histogram, in milliseconds."""
MESSAGES_BEFORE_FIRST: Final = 7
"""One after the other, once all have confirmed: luck, keys, four shuffles, shares."""
MESSAGES_BEFORE_NEXT: Final = 1
"""Shares, once all have signed the result."""
QUICK_MATCH: Final = 8
QUICK_PRESSES: Final = 50
LONG_MATCH: Final = 100
MATCH_SECONDS: Final = 450.0
WAITS: Final = 50
RECORD: Final = bytes(1_024)


def deal_part(*, quick: bool, tell: Tell) -> Part:
    """Measure first and next deals among four processes, over each broker."""
    tables, hands = (1, 3) if quick else (6, 5)
    return asyncio.run(measure_deal(tuple(BROKERS), tables=tables, hands=hands, tell=tell))


async def measure_deal(names: Sequence[str], *, tables: int, hands: int, tell: Tell) -> Part:
    """Measure first and next deals of so many tables over each of the brokers."""
    shuffle, shares = _critical_operations_ms()
    figures: list[Figure] = []
    notes: list[str] = []
    for name in names:
        async with AsyncExitStack() as stack:
            try:
                address = await stack.enter_async_context(BROKERS[name]())
            except UserError as error:
                notes.append(f"{name} is skipped: {error}")
                continue
            bare = await round_trip_ms(address)
            first: list[float] = []
            following: list[float] = []
            box = TimeBox(60.0 * MINUTES / 2)
            for number in range(tables):
                if number and box.left < 0:
                    notes.append(f"{name}: {tables - number} tables are left out: no time")
                    break
                tell(f"table {number + 1} of {tables} at {name}")
                one, more = await measure_deals(address, hands=hands)
                first += one
                following += more
            tell(f"a table at {name} where somebody thinks")
            _, thought = await measure_deals(address, hands=hands, think=THINK)
        way = bare / 2
        figures += [
            Figure.of(
                f"{name}: first deal", "s", first,
                floor=(SEATS * shuffle + shares + MESSAGES_BEFORE_FIRST * way) / 1_000,
                floor_is="4 shuffles made and judged, shares, 7 messages at half a round trip",
                goal=FIRST_GOAL_S,
            ),
            Figure.of(
                f"{name}: next deal, somebody thought for {THINK:g} s", "s", thought,
                floor=(shares + MESSAGES_BEFORE_NEXT * way) / 1_000,
                floor_is="shares made and judged, 1 message at half a round trip",
                goal=NEXT_GOAL_S,
            ),
            Figure.of(
                f"{name}: next deal, nobody ever thinks", "s", following,
                floor=(shares + MESSAGES_BEFORE_NEXT * way) / 1_000,
                floor_is="shares made and judged, 1 message at half a round trip",
                goal=NEXT_GOAL_S,
            ),
            Figure.single(f"{name}: bare round trip of 1 KiB", "ms", bare),
        ]  # fmt: skip
    figures.append(Figure.of("one wait of a journal for the disk, 1 KiB", "ms", _disk_waits_ms()))
    notes.append("a message goes out when the journal has it: one wait for the disk each")
    notes.append(f"{tables} tables of {hands} hands at each broker, four processes each")
    return Part("deal", "Deals among four processes", tuple(figures), notes=tuple(notes))


def _disk_waits_ms() -> list[float]:
    waits = []
    with (
        tempfile.TemporaryDirectory(prefix="p2p304-bench-") as place,
        Journal.create(Path(place), bytes(16)) as journal,
    ):
        for _ in range(WAITS):
            begun = time.perf_counter()
            journal.append(0, RECORD)
            waits.append(1_000 * (time.perf_counter() - begun))
    return waits


def _critical_operations_ms() -> tuple[float, float]:
    """Return the operations of a shuffle that is made and judged, and of shares of 12 cards by
    three."""
    costs = OperationCosts.measured()
    found = []
    for message, judges in (
        (shuffle_message(CARDS), 1),
        (statement_messages()["shares, 12 cards"], SEATS - 1),
    ):
        with OperationCounter() as made:
            data = message.make()
        with OperationCounter() as judged:
            message.judge(data)
        found.append(costs.of(made) + judges * costs.of(judged))
    shuffle, shares = found
    return shuffle, shares


def latency_part(*, quick: bool, tell: Tell) -> Part:
    """Measure from a key press to all four screens."""
    return asyncio.run(_latency(quick=quick, tell=tell))


async def _latency(*, quick: bool, tell: Tell) -> Part:
    presses = QUICK_PRESSES if quick else bench_latency.PRESSES
    tell(f"{presses} key presses")
    found = await bench_latency.measure(presses=presses)
    async with embedded() as address:
        bare = await round_trip_ms(address)
    waits = list(found.waits_ms)
    figures = (
        Figure.of(
            "key press to all four screens", "ms", waits,
            floor=bare / 2, floor_is="half a bare round trip",
        ),
        Figure.single(
            "key press to all four screens, 99th percentile", "ms", found.p99_ms,
            floor=bare / 2, floor_is="half a bare round trip", goal=PRESS_GOAL_MS,
        ),
        Figure.single("the same, 99.9th percentile", "ms", found.p999_ms, floor=bare / 2,
                      floor_is="half a bare round trip"),
        Figure.single("a process that does nothing is held up meanwhile, 99th percentile", "ms",
                      found.machine_p99_ms),
        Figure.single("longest frame of the four clients", "ms", found.longest_frame_ms,
                      goal=FRAME_GOAL_MS),
    )  # fmt: skip
    curve = Curve(
        "latency",
        "milliseconds from a key press to the last of four screens",
        "presses",
        {"presses": _histogram(waits)},
        bars=True,
    )
    notes = (
        f"{len(waits)} presses, embedded broker on loopback",
        *(
            f"slow: {each.total:.0f} ms: proof {each.proof:.0f}, disk {each.disk:.0f}, broker"
            f" {each.broker:.0f}, verification {each.verification:.0f}, frame {each.frame:.0f};"
            f" one that does nothing {each.machine:.0f}"
            for each in found.slowest
        ),
    )
    return Part("latency", "Key presses, four clients", figures, (curve,), notes)


def _histogram(values: list[float]) -> Points:
    """Return how many values lie in each interval of WIDTH, by the interval's beginning."""
    counts = Counter(int(each // WIDTH) for each in values)
    return tuple((WIDTH * at, float(counts[at])) for at in range(min(counts), max(counts) + 1))


def sessions_part(*, quick: bool, tell: Tell) -> Part:
    """Measure what a match of many hands leaves in the memory of four sessions."""
    hands = QUICK_MATCH if quick else LONG_MATCH
    tell(f"a match of {hands} hands in one process")
    memory = asyncio.run(_sessions_memory(hands))
    return _memory_part("sessions", "Memory over a match, four sessions in a process", [memory])


def memory_part(*, quick: bool, tell: Tell) -> Part:
    """Measure what a match of many hands leaves in the memory of a seat's process."""
    hands = QUICK_MATCH if quick else LONG_MATCH
    tell(f"a match of {hands} hands in four processes")
    seats = asyncio.run(_seats_memory(hands))
    return _memory_part("memory", "Memory over a match, four processes", seats)


def _memory_part(name: str, title: str, values: list[list[float]]) -> Part:
    """Make the part of `values`, the megabytes of each process at the end of each hand."""
    if not all(values):
        return Part(name, title, skipped="This system does not tell how much memory there is.")
    hands = min(map(len, values))
    stops = sorted({max(1, hands // 10), hands // 2, hands})
    figures = tuple(
        Figure.of(
            f"resident memory of a process, hand {stop}", "MB",
            [each[stop - 1] for each in values],
            floor=median(each[stops[0] - 1] for each in values),
            floor_is=f"the same at hand {stops[0]}",
        )
        for stop in stops
    )  # fmt: skip
    late = median(each[hands - 1] - each[hands // 2 - 1] for each in values)
    notes = (
        f"from hand {hands // 2} to hand {hands} it grows by"
        f" {late * 1_000 / (hands - hands // 2):.0f} kB a hand (median of {len(values)} processes)",
    )
    lines = {
        f"process {number + 1}": tuple((float(hand), memory) for hand, memory in enumerate(each, 1))
        for number, each in enumerate(values)
    }
    curve = Curve(name, "hands played", "MB in memory", lines)
    return Part(name, title, figures, (curve,), notes)


async def _sessions_memory(hands: int) -> list[float]:
    found: list[float] = await told_by("The sessions", "sessions", f"{hands}")
    return found


async def _seats_memory(hands: int) -> list[list[float]]:
    async with embedded() as address:
        seats = [[each] for each in seats_of(address, "pagat")]
        told = await play(seats, hands=hands, deadline=MATCH_SECONDS)
    return [[mb for mb in each["seats"][0]["memory"] if mb is not None] for each in told]
