"""A table of four bots in processes, over a broker in another one.

Whoever died is started again by `p2p304 resume`; the others are told nothing and do nothing.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, Final, Protocol

from cli.auditing import audit_file
from cli.local.bot_processes import AT_ONCE
from cli.local.sitting import FOUNDER, new_table, transport_for
from cli.net.address import BrokerAddress
from cli.net.credentials import NO_CREDENTIALS, credentials_from_file
from cli.seat.setup import Orders
from cli.store.paths import HOME_VARIABLE, table_directory, transcript_name
from p2p304.seats import FOUR_SEAT_NAMES
from protocol.cards.secrets import SEED_BYTES, expand
from protocol.wire.identity import Seal
from tests.campaigns.faults.results import allowed, left_behind
from tests.campaigns.faults.rough_way import Roughness, RoughWay
from tests.forked import ROOT, close_pipes, start_program
from tests.journeys.running_brokers import DEFAULT, MOSQUITTO, free_port
from tests.journeys.table_traffic import Traffic, accusations

PROGRAM: Final = (sys.executable, "-P", "-m", "cli.main")
LAST: Final = 75
"""Messages that every hand has."""

WITHIN: Final = 150.0
ATTEMPTS: Final = 4


class Nodes(Protocol):
    """A broker of several addresses."""

    @property
    def urls(self) -> tuple[str, ...]:
        """Its addresses."""
        ...

    @property
    def credentials(self) -> Path | None:
        """The file with what it asks of us."""
        ...

    async def start(self) -> None:
        """Return once all of it listens."""

    async def kill(self) -> None:
        """End what a hand has left of it."""


class Program:
    """One process that can be ended, stopped and started again; what it says goes to a file."""

    def __init__(self, output: Path, environment: dict[str, str]) -> None:
        self._output = output
        self._environment = environment
        self._process: Any = None

    async def start(self, *command: str, typed: str = "") -> None:
        """Start it, with what it reads from its input."""
        close_pipes(self._process)
        there = {**os.environ, "PYTHONUNBUFFERED": "1", **self._environment}
        with self._output.open("ab") as output:
            if command[: len(PROGRAM)] == PROGRAM:
                words = command[len(PROGRAM) :]
                self._process = await start_program(
                    *words, variables=there, stdout=output, stderr=output
                )
            else:
                self._process = await asyncio.create_subprocess_exec(
                    *command,
                    cwd=ROOT,
                    env=there,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=output,
                    stderr=output,
                )
        self._process.stdin.write(typed.encode())  # it stays open: its end ends it

    @property
    def said(self) -> str:
        """All that it said in all its lives."""
        return self._output.read_text("utf-8", "replace") if self._output.exists() else ""

    @property
    def code(self) -> int | None:
        """The code with which it ended, if it has."""
        return None if self._process is None else self._process.returncode

    async def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
            close_pipes(self._process)


class RealTable:
    """One table in processes. Use `running`, then `faults`."""

    def __init__(
        self,
        place: Path,
        seed: int,
        *,
        rough: Roughness | None = None,
        nodes: Nodes | None = None,
        struck: int | None = None,
    ) -> None:
        """Over these nodes, of which one may be struck; else over mosquitto, where it is installed,
        for odd seeds, or over the embedded broker; the seats come to it on a `rough` way, if there
        is one."""
        self._place = place
        self._seed = seed
        self._nodes = nodes
        self._struck = struck
        self._credentials = None if nodes is None else nodes.credentials
        self.port = free_port()
        self.way = RoughWay(self.port, rough, seed) if rough is not None else None
        self._entropy = expand(seed.to_bytes(32, "big"), b"demo")
        urls = (f"mqtt://127.0.0.1:{self.port}",) if nodes is None else nodes.urls
        address, *others = map(BrokerAddress.parse, urls)
        self._table = new_table(address, "304", "pagat", self._entropy, other_nodes=tuple(others))
        temporary = place / "tmp"
        temporary.mkdir()
        self._temporary = temporary
        common = {"TMPDIR": str(temporary)}
        self.broker = Program(place / "broker.txt", common)
        self.homes = [place / name for name in FOUR_SEAT_NAMES]
        self.seats = [
            Program(place / f"{home.name}.txt", {HOME_VARIABLE: str(home), **common})
            for home in self.homes
        ]
        self._changed = asyncio.Event()
        self._traffic = Traffic(self._table.watch.table, self._changed)
        self.unexpected: list[str] = []

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """The broker and the seats run inside."""
        await (self.start_broker() if self._nodes is None else self._nodes.start())
        watch = self._table.watch
        # Whoever counts the messages does so at nodes that live.
        living = [each for node, each in enumerate(watch.nodes) if node != self._struck]
        file = self._credentials
        known = NO_CREDENTIALS if file is None else credentials_from_file(file)
        try:
            seal = Seal(watch.table_key, watch.table)
            async with (
                self.way.open() if self.way is not None else nullcontext(),
                transport_for(watch.at(living), known) as transport,
                self._traffic.listening(transport, seal),
            ):
                await self._sit_down()
                yield
        finally:
            for each in (*self.seats, self.broker):
                await each.kill()
            if self._nodes is not None:
                await self._nodes.kill()

    async def start_broker(self) -> None:
        """Start the broker, and wait until it listens."""
        if MOSQUITTO is not None and self._seed % 2:
            settings = self._place / "mosquitto.conf"
            settings.write_text(f"listener {self.port} 127.0.0.1\n{DEFAULT}")
            await self.broker.start(MOSQUITTO, "-c", str(settings))
        else:
            await self.broker.start(*PROGRAM, "broker", "--port", str(self.port))
        async with asyncio.timeout(300):
            while not await self._listens():
                await asyncio.sleep(0.02)

    async def _listens(self) -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            assert self.broker.code is None, self.broker.said
            return False
        writer.close()
        return True

    async def _sit_down(self) -> None:
        for number, invite in enumerate(self._table.invites):
            if self.way is not None:
                there = BrokerAddress.parse(f"mqtt://127.0.0.1:{self.way.port}")
                invite = invite.at((there,))
            founding = self._table.founding if number == FOUNDER else None
            orders = Orders(founding, self._entropy(SEED_BYTES)).format()
            await self.seats[number].start(
                *(*PROGRAM, "bot", "--ordered", *self._options(number)),
                typed=f"{invite.format()}\n{orders}\n",
            )

    async def resume(self, seat: int) -> None:
        """Start a dead seat's program again; with its invite where it has kept nothing yet."""
        journal = table_directory(self.homes[seat], self._table.watch.table) / "journal"
        if journal.exists() and journal.stat().st_size > 60:
            await self.seats[seat].start(*PROGRAM, "resume", "--bot", *self._options(seat))
            return
        orders = Orders(self._table.founding if seat == FOUNDER else None).format()
        await self.seats[seat].start(
            *(*PROGRAM, "bot", "--ordered", *self._options(seat)),
            typed=f"{self._table.invites[seat].format()}\n{orders}\n",
        )

    def _options(self, seat: int) -> tuple[str, ...]:
        told = ("--tell", "--hands", "1", "--linger", "600", "--ends-with-input", "--seed")
        file = self._credentials
        return (*told, f"{seat}", *AT_ONCE, *(("--credentials", str(file)) if file else ()))

    async def kill_seat(self, seat: int) -> None:
        """A seat dies, and is started again."""
        await self.seats[seat].kill()
        await self.resume(seat)

    async def kill_broker(self) -> None:
        """The broker dies, and is started again."""
        await self.broker.kill()
        await self.start_broker()

    @property
    def published(self) -> int:
        """How many messages were published so far."""
        return self._traffic.published

    @property
    def heard(self) -> list[float]:
        """When each message was heard for the first time."""
        return self._traffic.heard

    def transcript(self, seat: int) -> Path:
        """Where a seat's transcript is, or will be."""
        table = self._table.watch.table
        return table_directory(self.homes[seat], table) / transcript_name(table, 0)

    @property
    def over(self) -> bool:
        """Whether all have the hand's transcript."""
        return all(self.transcript(seat).exists() for seat in range(4))

    async def until(self, condition: Callable[[], bool], *, within: float = WITHIN) -> bool:
        """Wait for something; false where the hand is over, or the time, before it is so."""
        try:
            async with asyncio.timeout(within):
                while not condition():
                    if self.over:
                        return False
                    self._changed.clear()
                    with suppress(TimeoutError):
                        async with asyncio.timeout(0.25):
                            await self._changed.wait()
        except TimeoutError:
            return False
        return True

    async def end(self, *, within: float = WITHIN) -> None:
        """Wait until the hand is over for all."""
        await self.until(lambda: False, within=within)
        if not self.over:
            lacking = [seat for seat in range(4) if not self.transcript(seat).exists()]
            self.unexpected.append(
                f"no end within {within:g} s at seats {lacking}: "
                + " | ".join(self.seats[seat].said[-300:] for seat in lacking)
            )

    async def play(self, deeds: Sequence[tuple[int, Deed]]) -> int:
        """Do each deed once so many messages were published, as long as the hand and the campaign
        go on; how many were done when all have the hand."""
        done = 0
        for point, deed in sorted(deeds, key=lambda each: each[0]):
            if not allowed() or not await self.until(lambda point=point: self.published >= point):  # type: ignore[misc]
                break
            await deed(self)
            done += 1
        await self.end()
        return done

    def faults(self) -> list[str]:
        """What is not as it must be."""
        found = list(self.unexpected)
        files = {self.transcript(seat).read_bytes() for seat in range(4)
                 if self.transcript(seat).exists()}  # fmt: skip
        if len(files) > 1:
            found.append("transcripts differ")
        for number, (seat, home) in enumerate(zip(self.seats, self.homes, strict=True)):
            if (
                self.transcript(number).exists()
                and not audit_file(str(self.transcript(number))).valid
            ):
                found.append(f"the transcript of {home.name} is not valid")
            found += accusations(home.name, seat.said)
            if seat.code not in (None, 0, -9):
                found.append(f"{home.name} ended with {seat.code}: {seat.said[-300:]}")
            found += left_behind(home)
            self._traffic.read_journal(table_directory(home, self._table.watch.table))
        found += [f"{path} was left behind" for path in self._temporary.iterdir()]
        return found + self._traffic.signed_twice()


Deed = Callable[[RealTable], Awaitable[None]]


async def hand_with(
    place: Path,
    seed: int,
    deeds: Sequence[tuple[int, Deed]],
    *,
    nodes: Nodes | None = None,
    struck: int | None = None,
) -> tuple[RealTable, list[str]]:
    """The table of a hand in which all of these deeds were done, and its faults; of another hand if
    it was over before, as it is where the machine holds up this process alone."""
    for attempt in range(ATTEMPTS):
        there = place / f"{attempt}"
        there.mkdir()
        table = RealTable(there, seed + attempt * 1_000, nodes=nodes, struck=struck)
        async with table.running():
            done = await table.play(deeds)
        faults = table.faults()
        if faults or done == len(deeds):
            return table, faults
    raise AssertionError("every hand ended before its point was reached")
