"""Hands in virtual time: seats die or are copied, disks and networks fail, journals are cut."""

from __future__ import annotations

import asyncio
import errno
import random
import re
import shutil
import time
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from cli.auditing import audit_file, check_evidence_file
from cli.errors import StoreError, verdict_on
from cli.local.sitting import FOUNDER, SeatOptions, kept_setup, new_setup, new_table, take_place
from cli.local.transcripts import JournalOnDisk, surroundings
from cli.net.address import BrokerAddress
from cli.seat.bots import BotSeat
from cli.seat.driver import SeatDriver
from cli.seat.sentences import narrator_for, told_in_line
from cli.seat.setup import JournalKind, Setup
from cli.store.identity import IdentityStore
from cli.store.journal import FILE_NAME, Journal, JournalLockedError
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
from tests.campaigns.faults.hub import Censor, Frame, Hub, SeatTransport, Weather
from tests.campaigns.faults.machine import (
    HEADING,
    OVERHEAD,
    Act,
    Death,
    Failure,
    Killed,
    Machine,
    Plan,
    Step,
    deaths_at,
    disks_of,
    nothing_happens,
)
from tests.campaigns.faults.results import Piece, Result, allowed, left_behind

# --- mortal table ---------------------------------------------------------------------------------

# Four seats at one table in virtual time: real drivers, real journals, and processes that die.
#
# A seat is what `p2p304 bot` is after its arguments were read: it takes its place with an invite,
# or goes on from its journal, and plays one hand. Whenever its machine kills it, it is abandoned in
# the middle of whatever it did, and started anew from what its disk has.

NAMES: Final = ("Amara", "Banu", "Chandra", "Dilini")
PATIENT: Final = 1e9  #: Seconds that a seat lingers that is to be there until the test ends it.

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
    outcome: str = ""  #: The sentence that the program ended with, or ENDED; empty while it plays.
    #: Every sentence with which a process of this seat stopped.
    sentences: list[str] = field(default_factory=list)
    lives: int = 0
    events: list[Event] = field(default_factory=list)
    driver: SeatDriver | None = None
    asleep: float = 3.0  #: Seconds at most until a dead process is started anew.
    retries: int = 0  #: How often the seat is started again after a sentence.
    #: Called before it is started again after a sentence: its user did what it says.
    mended: Callable[[], None] = lambda: None
    lost: list[str] = field(default_factory=list)
    allowed: tuple[type[Event], ...] = ()  #: Events that would otherwise be faults.
    #: For whom its program said that it waits, when, and the words of it.
    waits: list[Wait] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)  #: Set while its player may decide.
    free: asyncio.Event = field(default_factory=asyncio.Event)  #: Set while it may be started anew.
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
    ended_at: float = 0.0  #: When everybody had the transcript, in virtual seconds.

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


# --- trials ---------------------------------------------------------------------------------------

# --- kills ----------------------------------------------------------------------------------------

# Deaths of one seat at every durable write and every publish of a hand, in virtual time.

#: A broker over which messages come one by one, so that each is written by itself.
SPREAD: Final = Weather(slowest=0.15)


@dataclass
class Everywhere:
    """All that can go wrong in a piece of all points of a hand, each once."""

    piece: Piece
    decided: set[tuple[Step, Any]] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)

    def due(self, step: Step, wrongs: Iterable[Any], what: str) -> Any:
        """What goes wrong at this step that was not decided upon yet."""
        for wrong in wrongs:
            if (step, wrong) not in self.decided:
                self.decided.add((step, wrong))
                if self.piece.holds(f"{step}: {wrong}") and allowed():
                    self.kinds[f"{what}: {wrong}"] += 1
                    return wrong
        return None


class DiesEverywhere(Everywhere):
    """A plan: dies at every death that there is."""

    def __call__(self, step: Step) -> Death | None:
        """The next death at this step."""
        # Notices differ from life to life: one of them stands for all between two records.
        what = "publish" if step.act is Act.SEND else step.act.value
        return self.due(step, deaths_at(step), what)


def dying_hand(place: Path, seed: int, seat: int, piece: Piece) -> Result:
    """A hand in which one seat dies so often."""
    return _hand(place, seed, (seat,), piece, SPREAD)


def all_seats(place: Path, seed: int, piece: Piece, *, lossy: bool) -> Result:
    """A hand in which every seat dies now and then, over a good broker or one that loses much."""
    weather = Weather(loss=0.2, repeat=0.2, slowest=1.0) if lossy else SPREAD
    return _hand(place, seed, (0, 1, 2, 3), piece, weather)


def _hand(
    place: Path, seed: int, mortal: tuple[int, ...], piece: Piece, weather: Weather
) -> Result:
    table = MortalTable(place, seed, weather)
    plans = [DiesEverywhere(replace(piece, salt=f"{piece.salt} {seat}")) for seat in mortal]
    for seat, plan in zip(mortal, plans, strict=True):
        table.under(plan, seat)

    faults = table.run(together=len(mortal) > 1)
    kinds = sum((plan.kinds for plan in plans), Counter[str]())
    came = sum(len(each.machine.deaths) for each in table.seats)
    if came != kinds.total():
        faults.append(f"{kinds.total()} deaths were due, {came} came")
    return Result.of(faults, kinds)


# --- disks ----------------------------------------------------------------------------------------

# A disk that is full, read-only or broken at every write of a hand, in virtual time.

FAILURES: Final = {
    Act.CREATE: (Failure(errno.ENOSPC), Failure(errno.EROFS), Failure(errno.EACCES)),
    Act.WRITE: (
        Failure(errno.ENOSPC),
        Failure(errno.ENOSPC, share=0.5),
        Failure(errno.EDQUOT),
        Failure(errno.EROFS),
        Failure(errno.EIO),
        Failure(errno.EIO, share=0.5),
    ),
    Act.SYNC: (Failure(errno.EIO), Failure(errno.ENOSPC)),
    Act.RENAME: (Failure(errno.EROFS), Failure(errno.ENOSPC), Failure(errno.EACCES)),
    Act.SYNC_DIRECTORY: (Failure(errno.EIO),),
    Act.OPEN: (Failure(errno.EROFS), Failure(errno.EACCES)),
}

#: What does not work either while a disk is full or read-only.
CHANGING: Final = frozenset({Act.CREATE, Act.WRITE, Act.RENAME, Act.TRUNCATE})

SAYS: Final = {
    errno.ENOSPC: re.compile(r"disk is full|[Nn]o space left"),
    errno.EDQUOT: re.compile(r"disk is full|quota"),
    errno.EROFS: re.compile(r"[Rr]ead-only"),
    errno.EACCES: re.compile(r"[Pp]ermission"),
    errno.EIO: re.compile(r"[Ii]nput/output error"),
}
WHAT_TO_DO: Final = re.compile(r"make room|check the disk|mend the disk")


@dataclass
class FailsEverywhere(Everywhere):
    """A plan: every failure that there is; a disk that is full or read-only stays so until it is
    mended."""

    happened: list[Failure] = field(default_factory=list)
    stays: Failure | None = None

    def __call__(self, step: Step) -> Failure | None:
        """The failure of this step, if any."""
        if self.stays is not None:
            return self.stays if step.act in CHANGING else None
        failure = self.due(step, FAILURES.get(step.act, ()), f"{step.act.value} {step.what}")
        if failure is not None:
            self.happened.append(failure)
            if failure.number != errno.EIO:
                self.stays = failure
        return failure

    def mend(self) -> None:
        """There is room, and one may write."""
        self.stays = None


def failing_hand(place: Path, seed: int, seat: int, piece: Piece) -> Result:
    """A hand in which one seat's disk fails so often."""
    table = MortalTable(place, seed, SPREAD)
    plan = FailsEverywhere(piece)
    table.under(plan, seat)
    mortal = table.seats[seat]
    mortal.retries = 1_000_000
    mortal.mended = plan.mend

    faults = table.run()
    if len(mortal.sentences) != len(plan.happened):
        faults.append(
            f"{len(plan.happened)} failures and {len(mortal.sentences)} sentences:"
            f" {sorted(set(mortal.sentences))}"
        )
    for failure, said in zip(plan.happened, mortal.sentences, strict=False):
        if not SAYS[failure.number].search(said) or not WHAT_TO_DO.search(said):
            faults.append(f"after {failure} it said: {said}")
    return Result.of(faults, plan.kinds)


# --- journals -------------------------------------------------------------------------------------

# Journals cut in their records, the last one at every byte, and older copies, in virtual time.

TAKEN: Final = "This seat is taken"
PATIENCE: Final = 120.0
#: Seconds that it plays, in which its player may decide, and differently than before.
PLAYS: Final = 1.0


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


async def try_all(
    victim: SimulatedSeat, whole: bytes, sizes: Iterable[int], kind: str, told: Callable[[int], str]
) -> Result:
    """Start the seat with so much of its journal, for each size that is allowed."""
    begins, faults, tried = ends_of(whole)[-2], [], 0
    for size in sizes:
        if not allowed():
            break
        tried += 1
        said = await try_with(victim, whole[:size])
        kept = (victim.directory / FILE_NAME).read_bytes()
        if not said and not whole.startswith(kept[: min(size, begins)]):
            said = "more was lost"
        if said:
            faults.append(f"{told(size)}: {said}")
    return Result(tried, 0, faults, Counter({kind: tried}))


def cut_at(place: Path, seed: int, seat: int, writes: int, *, most: int) -> Result:
    """The last record is cut, and each time the seat repairs its journal and catches up."""

    async def trial(_: MortalTable, victim: SimulatedSeat, whole: bytes) -> Result:
        begin, end = ends_of(whole)[-2:]
        cuts = cuts_of(begin, end, most)
        return await try_all(
            victim, whole, cuts, "last record cut", lambda cut: f"cut at byte {cut - begin}"
        )

    return held(place, seed, seat, writes, trial)


def rolled_back(place: Path, seed: int, seat: int, writes: int, *, stride: int = 1) -> Result:
    """Every older copy is restored, down to the one that knows nothing but its seat."""

    async def trial(_: MortalTable, victim: SimulatedSeat, whole: bytes) -> Result:
        ends = ends_of(whole)
        # The founder's first record is older than the charter, which only it can give anew.
        oldest = 2 if seat == 0 else 1
        victim.gate.set()
        found = await try_all(
            victim, whole, ends[oldest:-1][::stride], "older copy",
            lambda end: f"{ends.index(end)} records restored"
        )  # fmt: skip
        if seat != 0 and allowed():
            found.faults.extend(await _knows_nothing(victim, whole, ends))
            found.kinds["nothing left but the invite"] = 1
        restore(victim, whole)
        return found._replace(tried=found.kinds.total())

    return held(place, seed, seat, writes, trial)


async def _knows_nothing(victim: SimulatedSeat, whole: bytes, ends: list[int]) -> Iterable[str]:
    """Who has lost everything but the invite is somebody else, and its seat is taken."""
    known = victim.wanted
    victim.wanted = replace(known, nonce=bytes(32), seed=bytes(32))
    said = await try_with(victim, whole[: ends[0]])
    victim.wanted = known
    victim.sentences.clear()
    return () if said.startswith(TAKEN) else (f"with the invite alone: {said}",)


# --- networks -------------------------------------------------------------------------------------

# Brokers that lose, repeat, delay, part, censor and show different seats different things.

PERIOD: Final = 40.0
BEGINNING: Final = 1_003.0  #: When the bad time begins: the table is seated, the hand is not over.

LASTS: Final = 300.0
SOON: Final = 10.0  #: Seconds until it is told for whom one waits.

#: Seconds after the bad time until the hand is over; in weather without an end, a whole hand.
HEALS: Final = 180.0


def parted(groups: Callable[[int], int]) -> Censor:
    """Nothing passes between the groups, in every other period."""

    def censor(frame: Frame, reader: int) -> float | None:
        apart = frame.at % (2 * PERIOD) < PERIOD and groups(frame.sender) != groups(reader)
        return None if apart else 0.0

    return censor


def cut_pair(frame: Frame, reader: int) -> float | None:
    """Two seats never hear each other; only the others, the host among them, hear both."""
    return None if {frame.sender, reader} == {1, 2} else 0.0


def away(frame: Frame, _reader: int) -> float | None:
    """Nothing at all passes for a while."""
    return None if BEGINNING <= frame.at < BEGINNING + LASTS else 0.0


def forking(frame: Frame, reader: int) -> float | None:
    """Each seat is shown another half of the frames, some of them much later and out of order."""
    shown = sha256(frame.sealed + bytes((reader,))).digest()
    if shown[0] % 2:
        return None
    return shown[1] / 16 if shown[2] % 3 == 0 else 0.0


def censored(seat: int, *, held: bool) -> Censor:
    """All frames of a seat are lost for a while, or kept back and then let through at once."""

    def censor(frame: Frame, _reader: int) -> float | None:
        if frame.sender != seat or not BEGINNING <= frame.at < BEGINNING + LASTS:
            return 0.0
        return BEGINNING + LASTS - frame.at if held else None

    return censor


WEATHERS: Final = {
    "30 % loss": Weather(loss=0.3),
    "repetition": Weather(repeat=0.5),
    "reordering": Weather(fastest=0.0, slowest=3.0),
    "loss, repetition and reordering": Weather(loss=0.3, repeat=0.3, fastest=0.0, slowest=3.0),
    "2 + 2 parted": Weather(censor=parted(lambda seat: seat % 2)),
    "1 + 3 parted": Weather(censor=parted(lambda seat: int(seat == 1))),
    "all parted": Weather(censor=parted(lambda seat: seat)),
    "two never hear each other": Weather(censor=cut_pair),
    "away for five minutes": Weather(censor=away),
    "old frames again": Weather(repeat=0.7, again=60.0),
    "different frames to different seats": Weather(censor=forking),
}


def in_weather(place: Path, seed: int, kind: str) -> Result:
    """A hand in bad weather."""
    table = MortalTable(place, seed, WEATHERS[kind])
    return Result.of(_played(table), kind, name=kind)


def censoring(place: Path, seed: int, *, held: bool) -> Result:
    """A hand in which a broker censors one seat; the others wait for it and for nobody else."""
    victim = seed % 4
    table = MortalTable(place, seed, Weather(censor=censored(victim, held=held)))
    faults = _played(table)
    kind = f"one seat {'kept back' if held else 'censored'}"
    began = time.strftime("%H:%M", time.localtime(steady(BEGINNING)))
    name = f"{FOUR_SEAT_NAMES[victim]} ({NAMES[victim]})"
    words = {f"Waiting for {name} since {began}."}
    for seat in table.seats:
        said = {each.words for each in seat.waits}
        if seat.number != victim and said != words:
            faults.append(f"{FOUR_SEAT_NAMES[seat.number]} said {said}, not {words}")
        elif seat.number != victim and seat.waits[0].at > BEGINNING + SOON:
            faults.append(f"{FOUR_SEAT_NAMES[seat.number]} said it at {seat.waits[0].at} only")
    return Result.of(faults, kind, name=kind)


#: Wall clocks: what each says at a moment of the monotonic one.
CLOCKS: Final[dict[str, WallClock]] = {
    "1970": lambda now: now - 1_000.0,
    "before 1970": lambda now: now - 90_000.0,
    "2106": lambda now: 2.0**32 - 2.0 + now - 1_000.0,
    "running backwards": lambda now: steady(-now),
    "jumping": lambda now: random.Random(now).uniform(0.0, 2.0**33),
    "an hour on, an hour back": lambda now: steady(now) + 3_600.0 * (int(now) % 2),
}


def clock(place: Path, seed: int, kind: str) -> Result:
    """A hand under a wall clock that is wrong, in which somebody has to be waited for."""
    victim = seed % 4
    table = MortalTable(place, seed, Weather(censor=censored(victim, held=False)))
    faults = _played(table, wall=CLOCKS[kind])
    for seat in table.seats:
        for wait in seat.waits:
            if seat.number != victim and wait.seats != (victim,):
                faults.append(f"{FOUR_SEAT_NAMES[seat.number]} waited for {wait.seats}")
            if not _WORDS.fullmatch(wait.words):
                faults.append(f"{FOUR_SEAT_NAMES[seat.number]} said {wait.words}")
    if not any(seat.waits for seat in table.seats):
        faults.append("nobody had to wait")
    kind = f"clock: {kind}"
    return Result.of(faults, kind, name=kind)


_WORDS: Final = re.compile(r"Waiting for \w+ \(\w+\)((,| and) \w+ \(\w+\))* since \d\d:\d\d\.")


def _played(table: MortalTable, *, wall: WallClock = steady) -> list[str]:
    faults = table.run(wall=wall)
    if table.ended_at > BEGINNING + LASTS + HEALS:
        faults.append(f"it took until {table.ended_at:.0f} to heal")
    return faults


# --- copies ---------------------------------------------------------------------------------------

# Two copies of one seat: the same directory twice, and a copied directory, in virtual time.

NOTICED: Final = (
    "This seat signs nothing more: our own key signed what this seat did not (identity.elsewhere)."
    " Close the copy of it that plays elsewhere, then 'p2p304 resume'; if you know of none,"
    " somebody has your files."
)
LOCKED: Final = "Another p2p304 on this machine plays at this table: close that one first."


def twin_of(victim: SimulatedSeat, machine: Machine) -> SimulatedSeat:
    """The seat once more on another machine; its player decides otherwise, so that what it signs
    tells."""
    seed = victim.seed + 50
    return replace(victim, machine=machine, seed=seed, events=[], sentences=[], lost=[])


@asynccontextmanager
async def living(twin: SimulatedSeat, victim: SimulatedSeat) -> AsyncIterator[None]:
    """The twin plays meanwhile from a copy of what the seat has; then it is closed."""
    shutil.copytree(victim.machine.home, twin.machine.home)
    life = asyncio.create_task(twin.live())
    try:
        yield
    finally:
        life.cancel()
        await asyncio.gather(life, return_exceptions=True)
        await twin.abandon()


def copied(place: Path, seed: int) -> Result:
    """A seat's directory is copied in the middle of a hand, and played from on another machine.

    One of the two notices, whoever comes second, and is closed; the other goes on.
    """
    chance = random.Random(f"copies {seed}")
    table = MortalTable(place, seed)
    victim = table.seats[seed % 4]
    twin = twin_of(victim, Machine(place / "twin", chance=random.Random(f"twin {seed}")))
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
        async with living(twin, victim):
            while not twin.outcome and not victim.sentences and not victim.transcript.exists():
                await asyncio.sleep(0.1)
            assert twin.outcome != ENDED

    faults = table.run(twin.machine, meanwhile=beside())
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
    twin = twin_of(victim, Machine(place / "twin"))
    blamed: list[int] = []

    async def beside() -> None:
        while not all(seat.playing for seat in table.seats):
            await asyncio.sleep(0.1)
        table.hold()
        await asyncio.sleep(2.0)
        async with living(twin, victim):
            while not twin.playing:  # it needs everybody's answer, and then the fork begins
                await asyncio.sleep(0.1)
            table.weather.censor = lambda frame, reader: _shown(frame, reader, number, sees_twin)
            table.go_on()
            while not all(
                table.seats[seat].outcome or table.seats[seat].transcript.exists()
                for seat in others
            ):
                await asyncio.sleep(1.0)

    faults = table.run(twin.machine, meanwhile=beside(), within=600.0)
    kind = "copied directory and a forking broker"
    if not table.hub.signed_twice:
        return Result.of(faults, f"{kind}: they signed the same")
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
    return Result.of(faults, f"{kind}: the copied seat convicted", name=name)


def _shown(frame: Frame, reader: int, number: int, sees_twin: int) -> float | None:
    """One seat sees the twin alone, the others the original alone; the copies never meet."""
    if frame.sender != number:
        return 0.0
    if reader == number or (frame.home == "twin") != (reader == sees_twin):
        return None
    return 0.0


def _outcomes(table: MortalTable) -> list[str]:
    return [seat.outcome or "it still played" for seat in table.seats]
