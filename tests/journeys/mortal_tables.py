"""One hand of four bots in four processes over a broker in a fifth, and kill -9 at chosen points.

A seat or the broker dies when so many messages have been published. Whoever died is started again
at once, a seat by `p2p304 resume`; the others are told nothing and do nothing.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final

from cli.auditing import audit_file
from cli.local.bot_processes import AT_ONCE
from cli.local.sitting import FOUNDER, new_table, transport_for
from cli.net.address import BrokerAddress
from cli.net.credentials import NO_CREDENTIALS, credentials_from_file
from cli.seat.setup import Orders
from cli.store.journal import FILE_NAME
from cli.store.paths import HOME_VARIABLE, table_directory, transcript_name
from p2p304.seats import FOUR_SEAT_NAMES
from protocol.cards.secrets import SEED_BYTES, expand
from protocol.wire.identity import Seal
from tests.forked import close_pipes, start_program
from tests.journeys.table_brokers import (
    Broker,
    BrokerKilled,
    Death,
    NodeKilled,
    SeatKilled,
)
from tests.journeys.table_traffic import Traffic, accusations

ATTEMPTS: Final = 4
NEVER: Final = "600"
"""Seconds that a seat lingers: longer than any test, which ends it."""


class Seat:
    """The process in one seat. It is started again whenever it dies before it is told to end."""

    def __init__(self, number: int, home: Path, changed: asyncio.Event) -> None:
        self.number = number
        self.home = home
        self.said = ""
        self.unexpected = ""
        self.struck = False
        """Whether it was killed, and is not back yet."""
        self.back = asyncio.Event()
        """Set once the seat was started again after a death."""
        self._changed = changed
        self._process: asyncio.subprocess.Process | None = None
        self._life: asyncio.Task[None] | None = None
        self._ending = False

    async def start(self, text: str, *, seed: int, credentials: Path | None) -> None:
        """Sit down with an invite and orders."""
        self.home.mkdir(mode=0o700)
        self._options = (
            *(*AT_ONCE, "--tell", "--hands", "1", "--linger", NEVER),
            *("--ends-with-input", "--seed", f"{seed}"),
            *(() if credentials is None else ("--credentials", str(credentials))),
        )
        await self._run("bot", "--ordered", *self._options, typed=text)
        self._life = asyncio.create_task(self._live())

    async def _run(self, *arguments: str, typed: str = "") -> None:
        self._process = await start_program(
            *arguments,
            variables={**os.environ, HOME_VARIABLE: str(self.home), "PYTHONUNBUFFERED": "1"},
            stderr=asyncio.subprocess.STDOUT,
        )
        assert self._process.stdin is not None
        self._process.stdin.write(typed.encode())  # it stays open: its end ends it

    async def _live(self) -> None:
        while True:
            assert self._process is not None
            assert self._process.stdout is not None
            while piece := await self._process.stdout.readline():
                self.said += piece.decode("utf-8", "replace")
                self._changed.set()
            code = await self._process.wait()
            self._changed.set()
            if self._ending:
                return
            if not self.struck or code != -9:
                self.unexpected = f"ended with {code}"
                return
            self.struck = False
            await self._run("resume", "--bot", *self._options)
            self.back.set()

    async def kill(self) -> None:
        """kill -9; returns when it has been started again."""
        assert self._process is not None
        self.struck = True
        self.back.clear()
        self._process.kill()
        await self.back.wait()

    async def end(self) -> None:
        """The hand is over for everybody."""
        self._ending = True
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()
        if self._life is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._life, 10)
        close_pipes(self._process)


@dataclass
class Report:
    """What became of a hand."""

    deaths: tuple[Death, ...]
    seconds: float = 0.0
    published: int = 0
    happened: int = 0
    silence: float = 0.0
    """The longest time without a new message from the last death on, in seconds."""
    faults: list[str] = field(default_factory=list)
    """What is not as it must be; nothing at a survivor."""


class MortalTable:
    """One table with one hand. `play` lets it happen; whatever it finds wrong is in the report."""

    def __init__(self, place: Path, broker: Broker, *, seed: int) -> None:
        self._place = place
        self._broker = broker
        self._seed = seed
        self._changed = asyncio.Event()
        self._seats: list[Seat] = []
        address, *others = (BrokerAddress.parse(url) for url in self._broker.urls)
        self._entropy = expand(seed.to_bytes(32, "big"), b"demo")
        self._table = new_table(address, "304", "pagat", self._entropy, other_nodes=tuple(others))
        self._traffic = Traffic(self._table.watch.table, self._changed)

    async def play(self, deaths: tuple[Death, ...], *, within: float) -> Report:
        """Play a hand in which these deaths happen, each when its point is reached."""
        report = Report(deaths)
        began = time.monotonic()
        async with self._running(deaths):
            async with asyncio.TaskGroup() as group:
                for number, invite in enumerate(self._table.invites):
                    founding = self._table.founding if number == FOUNDER else None
                    orders = Orders(founding, self._entropy(SEED_BYTES)).format()
                    seat = Seat(number, self._place / FOUR_SEAT_NAMES[number], self._changed)
                    self._seats.append(seat)
                    text = f"{invite.format()}\n{orders}\n"
                    known = self._broker.credentials
                    group.create_task(seat.start(text, seed=number, credentials=known))
            last = began
            try:
                async with asyncio.timeout(within):
                    for death in sorted(deaths, key=lambda each: each.published):
                        if await self._reached(death.published):
                            await self._carry_out(death)
                            last = time.monotonic()
                            report.happened += 1
                    while not self._ended():
                        await self._news()
            except TimeoutError:
                unfinished = [each.number for each in self._seats if not self._transcript(each)]
                report.faults.append(f"no end within {within:g} s at seats {unfinished}")
            report.seconds = time.monotonic() - began
            after = [last, *(each for each in self._traffic.heard if each > last)]
            report.silence = max((later - sooner for sooner, later in pairwise(after)), default=0)
            await asyncio.gather(*(seat.end() for seat in self._seats))
        report.faults += await asyncio.to_thread(lambda: list(self._wrong()))
        report.published = self._traffic.published  # with what the journals have and nobody heard
        return report

    @asynccontextmanager
    async def _running(self, deaths: tuple[Death, ...]) -> AsyncIterator[None]:
        await self._broker.start()
        watch = self._table.watch
        # Whoever counts the messages does so at nodes that live, if there are any.
        struck = {each.node for each in deaths if isinstance(each, NodeKilled)}
        living = [each for node, each in enumerate(watch.nodes) if node not in struck]
        file = self._broker.credentials
        known = NO_CREDENTIALS if file is None else credentials_from_file(file)
        transport = transport_for(watch.at(living), known)
        try:
            seal = Seal(watch.table_key, watch.table)
            async with transport, self._traffic.listening(transport, seal):
                try:
                    yield
                finally:
                    await asyncio.gather(*(seat.end() for seat in self._seats))
        finally:
            await self._broker.kill()

    async def _news(self) -> None:
        """Returns when something was published or said, or after a second: files are quiet."""
        with suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await self._changed.wait()
        self._changed.clear()

    async def _reached(self, published: int) -> bool:
        """Whether so many messages were published before the hand ended."""
        while self._traffic.published < published:
            if self._ended():
                return False
            await self._news()
        return True

    async def _carry_out(self, death: Death) -> None:
        match death:
            case SeatKilled(seat):
                await self._seats[seat].kill()
            case BrokerKilled():
                await self._broker.kill()
                await self._broker.start()
            case NodeKilled():
                await self._broker.strike(death)

    def _ended(self) -> bool:
        return all(each.unexpected or self._transcript(each) for each in self._seats)

    def _directory(self, seat: Seat) -> Path:
        return table_directory(seat.home, self._table.watch.table)

    def _transcript(self, seat: Seat) -> Path | None:
        path = self._directory(seat) / transcript_name(self._table.watch.table, 0)
        return path if path.exists() else None

    # --- what must hold ---------------------------------------------------------------------------

    def _wrong(self) -> list[str]:
        found: list[str] = []
        files = {path.read_bytes() for seat in self._seats if (path := self._transcript(seat))}
        if len(files) > 1:
            found.append("transcripts differ")
        for seat in self._seats:
            name = FOUR_SEAT_NAMES[seat.number]
            path = self._transcript(seat)
            if path is None:
                found.append(f"{name} has no transcript: {seat.said[-400:]}")
            elif not audit_file(str(path)).valid:
                found.append(f"the transcript of {name} is not valid")
            if seat.unexpected:
                found.append(f"{name} {seat.unexpected}: {seat.said[-400:]}")
            found += accusations(name, seat.said)
            found += [f"{name} has {each.name}" for each in self._directory(seat).glob("evidence*")]
            self._traffic.read_journal(self._directory(seat))
            if not (self._directory(seat) / FILE_NAME).exists():
                found.append(f"{name} has no journal")
        return found + self._traffic.signed_twice()


async def hand_with(
    place: Path,
    broker: Callable[[Path], Broker],
    deaths: tuple[Death, ...],
    *,
    seed: int,
    within: float,
) -> Report:
    """A hand in which all of these deaths happened; another one if it was over before, as it is
    where the machine holds up this process alone."""
    report = Report(deaths)
    for attempt in range(ATTEMPTS):
        there = place / f"{attempt}"
        there.mkdir()
        table = MortalTable(there, broker(there), seed=seed + attempt * 1_000)
        report = await table.play(deaths, within=within)
        if report.happened == len(deaths) or report.faults:
            return report
    report.faults.append("every hand ended before its point was reached")
    return report


def spread(chance: random.Random, count: int, last: int) -> list[int]:
    """So many points up to the last, one in each of as many parts of it, in no order."""
    points = [1 + int((part + chance.random()) * last / count) for part in range(count)]
    chance.shuffle(points)
    return points


def say(line: str) -> None:
    """A line of a campaign's table, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def told(reports: list[Report]) -> str:
    """How many hands survived, and how long they took."""
    seconds = sorted(each.seconds for each in reports)
    well = sum(not each.faults for each in reports)
    return (
        f"{well} of {len(reports)} hands survived; a hand took {seconds[0]:.1f} to"
        f" {seconds[-1]:.1f} s, half of them up to {median(seconds):.1f} s"
    )
