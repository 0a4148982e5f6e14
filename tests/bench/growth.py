"""How time and memory grow with the tables of one broker: four bots each, on this machine.

Two hundred processes would measure the memory of Python. The seats are drivers with transport,
journal and session of their own, as in the program, but as tasks of one process a core; the seats
of a table are spread over these. The broker runs apart from them.
"""

from __future__ import annotations

import asyncio
import time
from statistics import median
from typing import NamedTuple

from cli.errors import UserError
from cli.net.address import BrokerAddress
from tests.bench.figures import MINUTES, Curve, Figure, Part, Points, Tell, TimeBox
from tests.bench.machine import cores
from tests.bench.tables import BROKERS, Seated, play, seats_of


class Growth(NamedTuple):
    """So many tables that played at the same time."""

    tables: int
    hands: int
    seconds: float
    """from the first card to the end of the last hand"""
    cpu: float
    """of all seats, sitting down included"""
    broker_cpu: float
    """of this process, which runs the embedded broker"""
    memory: float | None
    """megabytes of all seats together, beyond the processes without a table"""

    @property
    def played(self) -> int:
        """Hands of all tables."""
        return self.tables * self.hands

    @property
    def seconds_a_hand(self) -> float:
        """By the clock, divided by the tables that share the machine."""
        return self.seconds / self.played

    @property
    def cpu_a_hand(self) -> float:
        """Of four seats."""
        return self.cpu / self.played


async def measure_growth(
    address: BrokerAddress, *, tables: int, hands: int, deadline: float
) -> Growth:
    """Play so many hands at so many tables. Raises UserError if they do not end in time."""
    orders: list[list[Seated]] = [[] for _ in range(cores())]
    for _ in range(tables):
        for seat, each in enumerate(seats_of(address, "pagat")):
            orders[seat % len(orders)].append(each)
    mine = time.process_time()
    told = await play(orders, hands=hands, deadline=deadline)
    seats = [seat for each in told for seat in each["seats"]]
    memories = [each["memory"] for each in told]
    return Growth(
        tables,
        hands,
        max(each["ended"][-1] for each in seats) - min(each["started"][0] for each in seats),
        sum(each["cpu"] for each in told),
        time.process_time() - mine,
        None if None in memories else sum(memories),
    )


def growth_part(*, quick: bool, tell: Tell) -> Part:
    """Measure 1, 5, 20 and 50 tables at each broker."""
    return asyncio.run(_growth(quick=quick, tell=tell))


async def _growth(*, quick: bool, tell: Tell) -> Part:
    sizes, hands, enough = ((1, 5, 10), 1, 2) if quick else ((1, 5, 20, 50), 2, 10)
    figures: list[Figure] = []
    notes = [
        f"{hands} hands a table, all tables at once; seats are tasks of {cores()} processes, not"
        " processes of their own; one table leaves a core idle while its seats wait for each other",
    ]
    times: dict[str, Points] = {}
    memories: dict[str, Points] = {}
    for name, opener in BROKERS.items():
        grown: list[list[Growth]] = []
        box = TimeBox(45.0 * MINUTES)
        for tables in sizes:
            tell(f"{tables} tables at {name}")
            try:
                async with opener() as address:
                    grown.append(
                        [
                            await measure_growth(
                                address, tables=tables, hands=hands, deadline=max(1.0, box.left)
                            )
                            for _ in range(max(1, enough // (tables * hands)))
                        ]
                    )
            except UserError as error:
                notes.append(f"{name}, {tables} tables: {error}")
                break
        figures += [figure for runs in grown for figure in _figures(name, runs, grown)]
        times[name] = tuple(
            (float(runs[0].tables), median(each.seconds_a_hand for each in runs)) for runs in grown
        )
        memories[name] = tuple(
            (float(runs[0].tables), median(_memory(runs))) for runs in grown if _memory(runs)
        )
    curves = (
        Curve("growth-time", "tables", "seconds a hand and table", times),
        Curve("growth-memory", "tables", "MB of four seats", memories),
    )
    return Part("growth", "Tables of four bots at one broker", tuple(figures), curves, tuple(notes))


def _memory(runs: list[Growth]) -> list[float]:
    return [each.memory / each.tables for each in runs if each.memory is not None]


def _figures(name: str, runs: list[Growth], grown: list[list[Growth]]) -> list[Figure]:
    tables = runs[0].tables
    where = f"{name}, {tables} table{'s' if tables > 1 else ''}"
    base = grown[min(1, len(grown) - 1)]
    work = median(each.cpu_a_hand for each in base)
    found = [
        Figure.of(
            f"{where}: time of a hand / tables", "s", [each.seconds_a_hand for each in runs]
        ),
        Figure.of(
            f"{where}: processor time of a hand", "s", [each.cpu_a_hand for each in runs],
            floor=work, floor_is=f"the same at {base[0].tables} tables",
        ),
    ]  # fmt: skip
    if name == "embedded":
        shares = [each.broker_cpu / each.played for each in runs]
        found.append(Figure.of(f"{where}: broker's part of a hand", "s", shares))
    if _memory(runs):
        found.append(Figure.of(f"{where}: memory of a table", "MB", _memory(runs)))
    return found
