"""Four seats at one table in virtual time: real drivers, real journals, and processes that die.

A seat is what `p2p304 bot` is after its arguments were read: it takes its place with an invite, or
goes on from its journal, and plays one hand. Whenever its machine kills it, it is abandoned in the
middle of whatever it did, and started anew from what its disk has.
"""

from __future__ import annotations

import asyncio
import random
import traceback
from collections.abc import Callable, Coroutine, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from cli.auditing import audit_file
from cli.errors import StoreError, verdict_on
from cli.local.sitting import FOUNDER, SeatOptions, kept_setup, new_setup, new_table, take_place
from cli.local.transcripts import JournalOnDisk, surroundings
from cli.net.address import BrokerAddress
from cli.seat.bots import BotSeat
from cli.seat.driver import SeatDriver
from cli.seat.sentences import narrator_for, told_in_line
from cli.seat.setup import JournalKind, Setup
from cli.store.identity import IdentityStore
from cli.store.journal import FILE_NAME, Journal
from cli.store.paths import table_directory, transcript_name
from p2p304.seats import FOUR_SEAT_NAMES
from protocol.cards.secrets import expand
from protocol.seat.session import Session
from protocol.table.events import (
    Event,
    SeatBlamed,
    SeatSuspected,
    SecondOpinionDiffered,
    SessionStopped,
    Waiting,
)
from protocol.topics.step import SessionStatus
from protocol.wire.identity import Seal
from tests.campaigns.faults.clockwork import WallClock, run_virtual, steady
from tests.campaigns.faults.hub import Hub, SeatTransport, Weather
from tests.campaigns.faults.machine import Killed, Machine, Plan, disks_of, nothing_happens
from tests.campaigns.faults.results import left_behind

NAMES: Final = ("Amara", "Banu", "Chandra", "Dilini")
PATIENT: Final = 1e9
"""Seconds that a seat lingers that is to be there until the test ends it."""

ENDED: Final = "ended"
_life: ContextVar[list[asyncio.Task[Any]] | None] = ContextVar("life", default=None)


def _tracked(
    loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any], **options: Any
) -> asyncio.Task[Any]:
    """A task that is known to belong to the life in which it was begun."""
    task = asyncio.Task(work, loop=loop, **options)
    mine = _life.get()
    if mine is not None:
        mine.append(task)
    return task


class Wait(NamedTuple):
    """A seat's word that it waits: when it was said, for whom, and how."""

    at: float
    seats: tuple[int, ...]
    words: str


class PacedBot(BotSeat):
    """A bot that takes its time, as people do."""

    feels_delay = True

    def __init__(self, seat: SimulatedSeat) -> None:
        super().__init__(seat.seed + seat.lives, seat.hear)
        self._seat = seat
        self._chance = random.Random(seat.seed + seat.lives)

    async def decide(self, session: Session) -> Any:
        """The same, later, and not while the table is held."""
        await asyncio.sleep(self._chance.uniform(0.0, self._seat.pace))
        await self._seat.gate.wait()
        return await super().decide(session)


@dataclass
class SimulatedSeat:
    """One seat: its machine, how it goes on after a death, and what became of it."""

    number: int
    machine: Machine
    wanted: Setup
    hub: Hub
    seed: int
    linger: float = 1.0
    pace: float = 0.3
    outcome: str = ""
    """The sentence that the program ended with, or ENDED; empty while it plays."""
    sentences: list[str] = field(default_factory=list)
    """Every sentence with which a process of this seat stopped."""
    lives: int = 0
    events: list[Event] = field(default_factory=list)
    driver: SeatDriver | None = None
    asleep: float = 3.0
    """Seconds at most until a dead process is started anew."""
    retries: int = 0
    """How often the seat is started again after a sentence."""
    mended: Callable[[], None] = lambda: None
    """Called before it is started again after a sentence: its user did what it says."""
    lost: list[str] = field(default_factory=list)
    allowed: tuple[type[Event], ...] = ()
    """Events that would otherwise be faults."""
    waits: list[Wait] = field(default_factory=list)
    """For whom its program said that it waits, when, and the words of it."""
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while its player may decide."""
    free: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while it may be started anew."""
    _tasks: list[asyncio.Task[Any]] = field(default_factory=list)
    _transport: SeatTransport | None = None
    _journal: Journal | None = None
    _setup: Setup | None = None

    @property
    def directory(self) -> Path:
        """Where its table's files are."""
        return table_directory(self.machine.home, self.wanted.invite.table)

    @property
    def transcript(self) -> Path:
        """Where the transcript of the first hand is, or will be."""
        return self.directory / transcript_name(self.wanted.invite.table, 0)

    @property
    def playing(self) -> bool:
        """Whether it has caught up with the others."""
        session = None if self.driver is None else self.driver.session
        return session is not None and session.status is SessionStatus.PLAYING

    def __post_init__(self) -> None:
        self.gate.set()
        self.free.set()

    async def kill(self) -> None:
        """kill -9 from outside; it stays dead until `revive`."""
        self.free.clear()
        self.machine.dead = True
        self.machine.died()
        while self.driver is not None or self._journal is not None:
            await asyncio.sleep(0.01)

    def revive(self) -> None:
        """Let it be started anew, whatever it said before."""
        self.outcome = ""
        self.free.set()

    async def live(self) -> None:
        """Life after life, until the program ends by itself for good."""
        while True:
            await self.free.wait()
            said = await self.one_life()
            if said is None:
                await asyncio.sleep(self.machine.chance.uniform(0.0, self.asleep))
                continue
            if said != ENDED:
                self.sentences.append(said)
            if said != ENDED and self.retries > 0:
                self.retries -= 1
                await asyncio.sleep(1.0)
                self.mended()
                continue
            self.outcome = said
            self.free.clear()

    async def one_life(self) -> str | None:
        """The program runs until it ends (what it says is returned) or dies (None)."""
        self.lives += 1
        died = asyncio.Event()
        self.machine.restart()
        self.machine.died = died.set
        self._tasks = []
        before = _life.set(self._tasks)
        program = asyncio.create_task(self._program())
        death = asyncio.create_task(died.wait())
        _life.reset(before)
        await asyncio.wait({program, death}, return_when=asyncio.FIRST_COMPLETED)
        said = program.result() if program.done() and not self.machine.dead else None
        await self.abandon()
        return said

    async def abandon(self) -> None:
        """Whatever it still does, it does no more."""
        self.machine.dead = True
        while left := [task for task in self._tasks if not task.done()]:
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
        for task in self._tasks:
            if not task.cancelled():
                task.exception()
        if self._transport is not None:
            self._transport.drop()
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        self.driver = None

    async def _program(self) -> str | None:
        try:
            await self._play()
        except Killed:
            return None
        except Exception as error:  # noqa: BLE001 - judged as the program's end judges it
            verdict = verdict_on(error)
            return f"DEFECT {traceback.format_exc()}" if verdict is None else verdict.sentence
        return ENDED

    async def _play(self) -> None:
        root = self.machine.home
        key = IdentityStore(root).key(expand(self.number.to_bytes(32, "big"), b"demo"))
        self._sit_down(root)
        assert self._journal is not None
        assert self._setup is not None
        self._transport = self.hub.transport(self.machine, self.number)
        async with self._transport as transport:
            self.driver = SeatDriver(
                journal=JournalOnDisk(self._journal),
                setup=self._setup,
                key=key,
                transport=transport,
                player=PacedBot(self),
                around=surroundings(self.directory),
                options=SeatOptions(hands=1, linger=self.linger),
            )
            await self.driver.run()

    def _sit_down(self, root: Path) -> None:
        durable = self.machine.durable
        try:
            self._journal, self._setup = kept_setup(root, self.wanted.invite.table)
        except StoreError as error:
            if "join" not in str(error):
                raise
            self._journal, self._setup = take_place(root, self.wanted)
        if not (self.directory / FILE_NAME).read_bytes().startswith(durable):
            self.lost.append("the journal has lost what was on the disk")

    def hear(self, event: Event, session: Session) -> None:
        """Told by the driver of everything that happens."""
        self.events.append(event)
        if isinstance(event, Waiting) and event.seats:
            words = told_in_line(narrator_for(session.charter, session.game), event)
            seats = tuple(int(seat) for seat in event.seats)
            self.waits.append(Wait(asyncio.get_running_loop().time(), seats, words))


@dataclass
class MortalTable:
    """One table and its hand. Use `play` within `run_virtual`, then `faults`."""

    place: Path
    seed: int
    weather: Weather = field(default_factory=Weather)
    ended_at: float = 0.0
    """When everybody had the transcript, in virtual seconds."""

    def __post_init__(self) -> None:
        entropy = expand(self.seed.to_bytes(32, "big"), b"demo")
        address = BrokerAddress.parse("mqtt://127.0.0.1:1883")
        self.table = new_table(address, "304", "pagat", entropy)
        self.chance = random.Random(f"table {self.seed}")
        seal = Seal(self.table.watch.table_key, self.table.watch.table)
        self.hub = Hub(seal, self.chance, self.weather)
        self.seats: list[SimulatedSeat] = []
        for number, invite in enumerate(self.table.invites):
            founding = self.table.founding if number == FOUNDER else None
            setup = new_setup(invite, NAMES[number], founding=founding, entropy=entropy)
            machine = Machine(self.place / FOUR_SEAT_NAMES[number])
            machine.chance = random.Random(f"machine {self.seed} {number}")
            self.seats.append(
                SimulatedSeat(number, machine, setup, self.hub, seed=self.seed * 100 + number)
            )

    def under(self, plan: Plan, *seats: int) -> None:
        """Let these seats have the plan."""
        for seat in seats:
            self.seats[seat].machine.plan = plan

    def hold(self) -> None:
        """Nobody decides anything until `go_on`."""
        for seat in self.seats:
            seat.gate.clear()

    def go_on(self) -> None:
        """Everybody decides again."""
        for seat in self.seats:
            seat.gate.set()

    def run(self, *others: Machine, wall: WallClock = steady, **how: Any) -> list[str]:
        """Play the hand in virtual time, as `play` is told, with the disks of other machines beside
        those of the seats; return what is not as it must be."""

        async def play() -> None:
            with disks_of(*(each.machine for each in self.seats), *others):
                await self.play(**how)

        run_virtual(play, seed=self.seed, wall=wall)
        return self.faults()

    async def play(
        self,
        *,
        within: float = 4_000.0,
        meanwhile: Coroutine[Any, Any, None] | None = None,
        together: bool = False,
    ) -> None:
        """Play the hand; all stay until everybody has its transcript, and the mortal ones until
        they have ended by themselves, unless `together`. `meanwhile` is done beside it."""
        asyncio.get_running_loop().set_task_factory(_tracked)  # type: ignore[arg-type]
        mortal = [
            seat for seat in self.seats if not together and seat.machine.plan is not nothing_happens
        ]
        for seat in self.seats:
            seat.linger = seat.linger if seat in mortal else PATIENT
        lives = [asyncio.create_task(seat.live()) for seat in self.seats]
        beside = asyncio.create_task(meanwhile) if meanwhile is not None else None
        try:
            async with asyncio.timeout(within):
                if beside is not None:
                    await beside
                while not self._finished(mortal):
                    await asyncio.sleep(0.5)
        except TimeoutError:
            return
        finally:
            for task in (*lives, *([beside] if beside is not None else [])):
                task.cancel()
            await asyncio.gather(*lives, return_exceptions=True)
            for seat in self.seats:
                await seat.abandon()

    def _finished(self, mortal: list[SimulatedSeat]) -> bool:
        if any(seat.outcome not in ("", ENDED) for seat in self.seats):
            return True
        there = all(seat.transcript.exists() for seat in self.seats)
        if there and not self.ended_at:
            self.ended_at = asyncio.get_running_loop().time()
        return there and all(seat.outcome == ENDED for seat in mortal)

    # --- what must hold ---------------------------------------------------------------------------

    def faults(self) -> list[str]:
        """What is not as it must be; nothing if all is well."""
        found = list(self.hub.wrong)
        files = {seat.transcript.read_bytes() for seat in self.seats if seat.transcript.exists()}
        if len(files) > 1:
            found.append("transcripts differ")
        for seat in self.seats:
            name = FOUR_SEAT_NAMES[seat.number]
            found += [f"{name}: {each}" for each in seat.lost]
            accusing = [each for each in seat.events if isinstance(each, _ACCUSING)]
            found += [f"{name}: {each}"[:300] for each in accusing
                      if not isinstance(each, seat.allowed)]  # fmt: skip
            found += [f"{name}: {each}" for each in left_behind(seat.machine.home)]
            found += [f"{name} ended with: {said}" for said in seat.sentences if "DEFECT" in said]
            if not seat.transcript.exists():
                found.append(f"{name} has no transcript; {seat.outcome or 'it still played'}")
            elif not audit_file(str(seat.transcript)).valid:
                found.append(f"the transcript of {name} is not valid")
            if seat.outcome not in ("", ENDED):
                found.append(f"{name} stopped: {seat.outcome}")
            found += [f"{name}: {each}" for each in self._note_journal(seat)]
        found += [f"two messages were signed for {place}" for place in self.hub.signed_twice]
        return found

    def _note_journal(self, seat: SimulatedSeat) -> Iterator[str]:
        """Take what a journal holds for signed; why it cannot be read, if so."""
        try:
            with Journal.open(seat.directory, seat.wanted.invite.table) as journal:
                for record in journal.records():
                    if record.kind == JournalKind.MESSAGE:
                        self.hub.note(record.payload)
        except StoreError as error:
            yield str(error)


_ACCUSING: Final = (SeatBlamed, SeatSuspected, SecondOpinionDiffered, SessionStopped)
