"""Two copies of one seat: the same directory twice, and a copied directory, in virtual time."""

from __future__ import annotations

import asyncio
import random
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Final

from cli.auditing import check_evidence_file
from cli.local.sitting import kept_setup
from cli.store.journal import JournalLockedError
from p2p304.seats import FOUR_SEAT_NAMES
from protocol.table.events import SeatBlamed, SeatSuspected, SessionStopped
from tests.campaigns.faults.hub import Frame
from tests.campaigns.faults.machine import Machine
from tests.campaigns.faults.mortal_table import ENDED, NAMES, MortalTable, SimulatedSeat
from tests.campaigns.faults.results import Result

NOTICED: Final = (
    "This seat signs nothing more: our own key signed what this seat did not (identity.elsewhere)."
    " Close the copy of it that plays elsewhere, then 'p2p304 resume'; if you know of none,"
    " somebody has your files."
)
LOCKED: Final = "Another p2p304 on this machine plays at this table: close that one first."


def copied(place: Path, seed: int) -> Result:
    """A seat's directory is copied in the middle of a hand, and played from on another machine.

    One of the two notices, whoever comes second, and is closed; the other goes on.
    """
    chance = random.Random(f"copies {seed}")
    table = MortalTable(place, seed)
    victim = table.seats[seed % 4]
    machine = Machine(place / "twin", chance=random.Random(f"twin {seed}"))
    # The other player decides otherwise, so that what it signs tells.
    twin = replace(victim, machine=machine, seed=victim.seed + 50, events=[], sentences=[], lost=[])
    victim.retries = 1_000
    victim.allowed = (SessionStopped,)
    writes = chance.randrange(5, 36)
    locked = ""

    async def beside() -> None:
        nonlocal locked
        while victim.machine.records < writes:
            await asyncio.sleep(chance.uniform(0.0, 0.3))
        try:
            kept_setup(victim.machine.home, victim.wanted.invite.table)
        except JournalLockedError as error:
            locked = str(error)
        shutil.copytree(victim.machine.home, machine.home)
        await _until_noticed(twin, victim)

    faults = table.run(machine, meanwhile=beside())
    said = [*twin.sentences, *victim.sentences]
    if any(each != NOTICED for each in said):
        faults.append(f"the two said {said}")
    if not said and not twin.transcript.exists():
        faults.append("nobody noticed, and the twin has no transcript")
    if locked != LOCKED:
        faults.append(f"the second one in one directory was told {locked!r}")
    who = "nobody, for they signed the same"
    if said:
        who = "the copy" if twin.sentences else "the original"
    kinds = Counter({f"copied directory: noticed by {who}": 1, "same directory: locked": 1})
    return Result.of(faults, kinds, name=f"{FOUR_SEAT_NAMES[victim.number]} twice")


def forked(place: Path, seed: int) -> Result:
    """Two copies of one seat, and a broker that shows each to other seats, so that neither hears
    of the other: who sees both histories convicts that seat, and nobody else is blamed."""
    number = 1 + seed % 3
    others = [seat for seat in range(4) if seat != number]
    sees_twin = others[seed // 3 % 3]
    table = MortalTable(place, seed)
    victim = table.seats[number]
    machine = Machine(place / "twin")
    twin = replace(victim, machine=machine, seed=victim.seed + 50, events=[], sentences=[], lost=[])
    blamed: list[int] = []

    async def beside() -> None:
        while not all(seat.playing for seat in table.seats):
            await asyncio.sleep(0.1)
        table.hold()
        await asyncio.sleep(2.0)
        shutil.copytree(victim.machine.home, machine.home)
        life = asyncio.create_task(twin.live())
        try:
            while (
                not twin.playing
            ):  # who returns needs everybody's answer, and then the fork begins
                await asyncio.sleep(0.1)
            table.weather.censor = lambda frame, reader: _shown(frame, reader, number, sees_twin)
            table.go_on()
            while not all(
                table.seats[seat].outcome or table.seats[seat].transcript.exists()
                for seat in others
            ):
                await asyncio.sleep(1.0)
        finally:
            life.cancel()
            await asyncio.gather(life, return_exceptions=True)
            await twin.abandon()

    faults, kind = table.run(machine, meanwhile=beside(), within=600.0), "copied directory and a"
    if not table.hub.signed_twice:
        return Result.of(faults, f"{kind} forking broker: they signed the same")
    faults = list(table.hub.wrong)
    for seat in others:
        seen = table.seats[seat].events
        blamed += [int(each.seat) for each in seen if isinstance(each, SeatBlamed | SeatSuspected)]
        for path in table.seats[seat].directory.glob("evidence-*"):
            said = check_evidence_file(str(path)).sentence
            if NAMES[number] not in said:
                faults.append(said)
    if set(blamed) != {number} or len(blamed) < len(others):
        faults.append(f"{blamed} were blamed, not {number} by all: {_outcomes(table)}")
    name = f"{FOUR_SEAT_NAMES[number]} forked"
    return Result.of(faults, f"{kind} forking broker: the copied seat convicted", name=name)


def _shown(frame: Frame, reader: int, number: int, sees_twin: int) -> float | None:
    """One seat sees the twin alone, the others the original alone; the copies never meet."""
    if frame.sender != number:
        return 0.0
    if reader == number or (frame.home == "twin") != (reader == sees_twin):
        return None
    return 0.0


def _outcomes(table: MortalTable) -> list[str]:
    return [seat.outcome or "it still played" for seat in table.seats]


async def _until_noticed(twin: SimulatedSeat, victim: SimulatedSeat) -> None:
    """The twin plays until one of the two stops, or the hand is over; then it is closed."""
    life = asyncio.create_task(twin.live())
    while not twin.outcome and not victim.sentences and not victim.transcript.exists():
        await asyncio.sleep(0.1)
    assert twin.outcome != ENDED
    life.cancel()
    await asyncio.gather(life, return_exceptions=True)
    await twin.abandon()
