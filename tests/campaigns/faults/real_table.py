"""A table of four bots in processes, over a broker in another one.

Whoever died is started again with its invite; the others are told nothing and do nothing.
"""

from __future__ import annotations

import asyncio
import os
import random
import secrets
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from cli.auditing import audit_file
from cli.local.bot_processes import AT_ONCE, drawn_setup
from cli.local.sitting import FOUNDER, new_table, transport_for
from cli.net.address import BrokerAddress
from cli.net.credentials import NO_CREDENTIALS, credentials_from_file
from cli.store.paths import HOME_VARIABLE, table_directory, transcript_name
from p2p304.seats import FOUR_SEAT_NAMES
from protocol.cards.secrets import SEED_BYTES, expand
from protocol.wire.identity import Seal
from tests.campaigns.faults.results import Result, allowed, left_behind
from tests.forked import ROOT, close_pipes, start_program
from tests.journeys.running_brokers import DEFAULT, MOSQUITTO, Traffic, accusations, free_port

# --- rough way ------------------------------------------------------------------------------------

# A bad way to a broker on loopback: connections that are slow, end early, stall and corrupt.
#
# Everything that chance decides is drawn for each connection from the seed and its number.

Chunk = tuple[float, bytes]  #: When it is due, and what it is.


@dataclass(frozen=True, slots=True)
class Roughness:
    """What a way does to each of its connections.

    Bytes are under way for `delay` seconds. A connection ends after a time within `life`, seconds,
    or after so many chunks within `chunks`, which a busy machine carries, too, before it is made
    anew. Of `corrupt` of all chunks one bit is turned over. `stalls` of all connections stand
    still for `stall` seconds once in their life, in both directions.
    """

    delay: float = 0.0
    life: tuple[float, float] = (3_600.0, 3_600.0)
    chunks: tuple[int, int] | None = None
    corrupt: float = 0.0
    stalls: float = 0.0
    stall: float = 0.0


class RoughWay:
    """Listens on loopback, and carries every connection to the port `onward`."""

    def __init__(self, onward: int, roughness: Roughness, seed: int) -> None:
        self._onward = onward
        self._roughness = roughness
        self._seed = seed
        self._visits: set[asyncio.Task[None]] = set()
        self.port = 0
        self.connections = 0
        self.corrupted = 0

    @asynccontextmanager
    async def open(self, port: int = 0) -> AsyncIterator[RoughWay]:
        """It is there inside; all of its connections end with it."""
        server = await asyncio.start_server(self._welcome, "127.0.0.1", port)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for visit in tuple(self._visits):
                visit.cancel()
            await asyncio.gather(*self._visits, return_exceptions=True)

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit = asyncio.current_task()
        assert visit is not None
        self._visits.add(visit)
        self.connections += 1
        chance = random.Random(f"{self._seed} {self.connections}")
        try:
            with suppress(OSError, TimeoutError, asyncio.CancelledError):
                await self._carry(reader, writer, chance)
        finally:
            writer.transport.abort()
            self._visits.discard(visit)

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, chance: random.Random
    ) -> None:
        rough = self._roughness
        life = chance.uniform(*rough.life)
        still = chance.uniform(0, life) if chance.random() < rough.stalls else None
        left = [None if rough.chunks is None else chance.randint(*rough.chunks)]
        to_broker, from_us = await asyncio.open_connection("127.0.0.1", self._onward)
        began = asyncio.get_running_loop().time()
        stalled = None if still is None else (began + still, began + still + rough.stall)
        try:
            async with asyncio.timeout(life):
                async with asyncio.TaskGroup() as ways:
                    for source, sink in ((reader, from_us), (to_broker, writer)):
                        due: asyncio.Queue[Chunk] = asyncio.Queue()
                        ways.create_task(self._take(source, due))
                        ways.create_task(self._give(sink, due, stalled, left, chance))
        except* OSError:
            pass  # one side has gone: so does the other
        finally:
            from_us.transport.abort()

    async def _take(self, source: asyncio.StreamReader, due: asyncio.Queue[Chunk]) -> None:
        loop = asyncio.get_running_loop()
        while data := await source.read(4_096):
            due.put_nowait((loop.time() + self._roughness.delay, data))
        raise ConnectionError("this side has gone")

    async def _give(
        self,
        sink: asyncio.StreamWriter,
        due: asyncio.Queue[Chunk],
        stalled: tuple[float, float] | None,
        left: list[int | None],
        chance: random.Random,
    ) -> None:
        loop = asyncio.get_running_loop()
        while True:
            moment, data = await due.get()
            if stalled is not None and stalled[0] <= max(moment, loop.time()) < stalled[1]:
                moment = stalled[1]
            await asyncio.sleep(max(0.0, moment - loop.time()))
            if chance.random() < self._roughness.corrupt:
                self.corrupted += 1
                spoilt = bytearray(data)
                spoilt[chance.randrange(len(spoilt))] ^= 1 << chance.randrange(8)
                data = bytes(spoilt)
            sink.write(data)
            await sink.drain()
            if left[0] is not None:
                left[0] -= 1
                if left[0] <= 0:
                    raise ConnectionError("it has carried enough")


# --- real table -----------------------------------------------------------------------------------

PROGRAM: Final = (sys.executable, "-P", "-m", "cli.main")
LAST: Final = 75  #: Messages that every hand has.

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
        for seat in range(len(self._table.invites)):
            await self._start(seat, self._entropy(SEED_BYTES))

    async def resume(self, seat: int) -> None:
        """Start a dead seat's program again, with its invite; it goes on by what it has kept."""
        await self._start(seat, secrets.token_bytes(SEED_BYTES))

    async def _start(self, seat: int, seed: bytes) -> None:
        invite = self._table.invites[seat]
        if self.way is not None:
            invite = invite.at((BrokerAddress.parse(f"mqtt://127.0.0.1:{self.way.port}"),))
        founding = self._table.founding if seat == FOUNDER else None
        setup = drawn_setup(invite, self.homes[seat], f"Bot {seat + 1}", seed, founding)
        await self.seats[seat].start(
            *(*PROGRAM, "bot", *self._options(seat)),
            typed=f"{setup.to_bytes().hex()}\n",
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


# --- connections ----------------------------------------------------------------------------------

# Hands over connections that do not last, at a table of four bots in processes.

WAYS: Final = {
    "cut after 1 to 3 s": Roughness(life=(1.0, 3.0)),
    "100 ms, cut after 2 to 6 s, 0.5 % corrupt, stalls of 3 s": Roughness(
        delay=0.1, life=(2.0, 6.0), corrupt=0.005, stalls=0.5, stall=3.0
    ),
}
LONGEST: Final = 600.0  #: Seconds for a hand: what hangs ends here, and what is slow does not.


def on_rough_ways(place: Path, seed: int, kind: str) -> Result:
    """A hand of four seats whose connections all end early."""
    return asyncio.run(_on_rough_ways(place, seed, kind))


async def _on_rough_ways(place: Path, seed: int, kind: str) -> Result:
    table = RealTable(place, seed, rough=WAYS[kind])
    began = time.monotonic()
    async with table.running():
        await table.end(within=LONGEST)
        took = time.monotonic() - began
    faults = table.faults()
    told = f"{kind}: {table.way.connections} connections, {took:.0f} s"
    return Result.of(faults, told)
