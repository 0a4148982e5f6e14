"""Journals cut in their records, the last one at every byte, and older copies, in virtual time."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from cli.store.journal import FILE_NAME
from tests.campaigns.faults.allowance import allowed
from tests.campaigns.faults.machine import HEADING, OVERHEAD
from tests.campaigns.faults.mortal_table import MortalTable, SimulatedSeat
from tests.campaigns.faults.plans import Act, Step
from tests.campaigns.faults.results import Result

TAKEN: Final = "This seat is taken"
PATIENCE: Final = 120.0
PLAYS: Final = 1.0
"""Seconds that it plays, in which its player may decide, and differently than before."""


def ends_of(content: bytes) -> list[int]:
    """Where the records of a journal end, the heading's end first."""
    ends = [HEADING]
    while ends[-1] < len(content):
        length = int.from_bytes(content[ends[-1] + 1 : ends[-1] + 5], "big")
        ends.append(ends[-1] + OVERHEAD + length)
    return ends


@dataclass
class Holds:
    """A plan without faults that holds the table once the seat has written so much."""

    table: MortalTable
    writes: int
    reached: bool = False

    def __call__(self, step: Step) -> None:
        """Look at a step."""
        if step.act is Act.WRITE and step.number >= self.writes and not self.reached:
            self.reached = True
            self.table.hold()


Trial = Callable[[MortalTable, SimulatedSeat, bytes], Awaitable[Result]]


def held(place: Path, seed: int, seat: int, writes: int, trial: Trial) -> Result:
    """A hand that is held when the seat has written so much; the trial is made with its journal,
    and the hand goes on."""
    table = MortalTable(place, seed)
    victim = table.seats[seat]
    plan = Holds(table, writes)
    table.under(plan, seat)
    result = Result(0, 0, [], Counter())

    async def beside() -> None:
        nonlocal result
        while not plan.reached:
            await asyncio.sleep(1.0)
        await asyncio.sleep(10.0)
        await victim.kill()
        result = await trial(table, victim, (victim.directory / FILE_NAME).read_bytes())
        table.go_on()
        victim.revive()

    faults = table.run(meanwhile=beside(), within=500_000.0)
    faults = result.faults + faults
    return result._replace(faults=faults, survived=0 if faults else result.tried)


def restore(victim: SimulatedSeat, content: bytes) -> None:
    """Let the dead seat have this journal; that it had another one is forgotten."""
    victim.machine.durable = b""
    (victim.directory / FILE_NAME).write_bytes(content)


async def try_with(victim: SimulatedSeat, content: bytes) -> str:
    """Start the seat with this journal; once it has played a while, "", or what it said."""
    restore(victim, content)
    victim.revive()
    loop = asyncio.get_running_loop()
    ends = loop.time() + PATIENCE
    while not victim.playing and not victim.outcome and loop.time() < ends:
        await asyncio.sleep(0.1)
    await asyncio.sleep(PLAYS)
    said = victim.outcome or ("" if victim.playing else "it never caught up")
    if not victim.outcome:
        await victim.kill()
    return said


def cuts_of(begin: int, end: int, most: int) -> list[int]:
    """Every byte of a record, or as many as `most` of them spread over it."""
    return sorted({begin, end - 1, *range(begin, end, -(-(end - begin) // most))})


def cut_at(place: Path, seed: int, seat: int, writes: int, *, most: int) -> Result:
    """The last record is cut, and each time the seat repairs its journal and catches up."""

    async def trial(table: MortalTable, victim: SimulatedSeat, whole: bytes) -> Result:
        ends = ends_of(whole)
        faults = []
        tried = 0
        for cut in cuts_of(ends[-2], ends[-1], most):
            if not allowed():
                break
            tried += 1
            said = await try_with(victim, whole[:cut])
            if said:
                faults.append(f"cut at byte {cut - ends[-2]}: {said}")
            elif not whole.startswith((victim.directory / FILE_NAME).read_bytes()[: ends[-2]]):
                faults.append(f"cut at byte {cut - ends[-2]}: more was lost")
        return Result(tried, 0, faults, Counter({"last record cut": tried}))

    return held(place, seed, seat, writes, trial)


def rolled_back(place: Path, seed: int, seat: int, writes: int, *, stride: int = 1) -> Result:
    """Every older copy is restored, down to the one that knows nothing but its seat."""

    async def trial(table: MortalTable, victim: SimulatedSeat, whole: bytes) -> Result:
        ends = ends_of(whole)
        # The founder's first record is older than the charter, which only it can give anew.
        oldest = 2 if seat == 0 else 1
        copies = ends[oldest:-1][::stride]
        victim.gate.set()
        faults = []
        tried = 0
        for end in copies:
            if not allowed():
                break
            tried += 1
            said = await try_with(victim, whole[:end])
            if said:
                faults.append(f"{ends.index(end)} records restored: {said}")
        kinds = Counter({"older copy": tried})
        if seat != 0 and allowed():
            faults += await _knows_nothing(victim, whole, ends)
            kinds["nothing left but the invite"] = 1
        restore(victim, whole)
        return Result(kinds.total(), 0, faults, kinds)

    return held(place, seed, seat, writes, trial)


async def _knows_nothing(victim: SimulatedSeat, whole: bytes, ends: list[int]) -> Iterable[str]:
    """Who has lost everything but the invite is somebody else, and its seat is taken."""
    known = victim.wanted
    victim.wanted = replace(known, nonce=bytes(32), seed=bytes(32))
    said = await try_with(victim, whole[: ends[0]])
    victim.wanted = known
    victim.sentences.clear()
    return () if said.startswith(TAKEN) else (f"with the invite alone: {said}",)
