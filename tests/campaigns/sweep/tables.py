"""Hands of real seats in one process, each with an error forced at a seeded point."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import traceback
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Final, NamedTuple

import pytest

from cli.local.bot_processes import AT_ONCE
from cli.local.sitting import NewTable, SeatOptions, keep_setup, kept_setup, new_setup, new_table
from cli.net.address import BrokerAddress
from cli.net.memory import MemoryTransport
from cli.seat.bots import BotSeat
from cli.seat.sentences import TableStopped
from cli.seat.setup import JournalKind, Setup
from cli.store.disk import Disk
from cli.store.identity import KEY_FILE, IdentityStore
from cli.store.journal import FILE_NAME, Journal
from p2p304.bots.players import RandomPlayer304
from protocol import labels
from protocol.cards import commitments, shares
from protocol.cards import secrets as expansion
from protocol.cards.secrets import Secrets
from protocol.entropy import Entropy
from protocol.group.scalar import ORDER, WIDE_BYTES
from protocol.proofs import shuffle, sigma
from protocol.proofs.nonces import HedgedSource
from protocol.seat.session import Session
from protocol.seat.view import SeatView
from protocol.table.events import Event, Send
from protocol.transcript.file import TranscriptReader
from protocol.wire import identity
from protocol.wire.identity import Envelope, Purpose, SigningKey, sign
from protocol.wire.messages import Message, decode_body
from tests.journeys.text_processes import LASTING, Room
from tests.loopback import Wire, driver_on
from tests.table.bus import seeded

# --- forms ----------------------------------------------------------------------------------------

# The forms in which a secret may lie somewhere, and the search for all of them at once.

KEY: Final = 12  #: Bytes of a form by which it is looked up; then the whole form is compared.
#: A secret of twice as many bytes is looked for by halves: a part of it is found as well.
HALF: Final = 16


class Hit(NamedTuple):
    """A secret that lies where none may: whose, which, in what form, and at which byte."""

    owner: str
    secret: str
    form: str
    at: int


class Needle(NamedTuple):
    """The bytes to look for."""

    data: bytes
    owner: str
    secret: str
    form: str


def spellings(secret: bytes) -> Iterator[tuple[str, bytes]]:
    """Every form of a secret's bytes, with its name: raw, text of bytes, hex, base64, integers."""
    parts = [secret]
    if len(secret) >= 2 * HALF:
        parts = [secret[at : at + HALF] for at in range(0, len(secret) - HALF + 1, HALF)]
    for part in parts:
        yield "raw", part
        yield "raw, reversed", part[::-1]
        yield "repr", repr(part)[2:-1].encode()
        yield "repr", repr(b"'\"" + part)[6:-1].encode()  # where a quote in the rest changes it
        yield "hex", part.hex().encode()
        yield "HEX", part.hex().upper().encode()
        yield "hex, spaced", part.hex(" ").encode()
        yield "list", ", ".join(map(str, part)).encode()
    for aligned in range(3):
        text = b64encode(bytes(aligned) + secret).rstrip(b"=")
        whole = text[-(-aligned * 8 // 6) : (aligned + len(secret)) * 8 // 6]
        yield "base64", whole
        yield "base64 for addresses", whole.translate(bytes.maketrans(b"+/", b"-_"))
    yield from integers(int.from_bytes(secret, "big"))
    yield "integer, reversed", str(int.from_bytes(secret, "little")).encode()


def integers(number: int) -> Iterator[tuple[str, bytes]]:
    """An integer as text: decimal, and hexadecimal without leading zeros."""
    yield "integer", str(number).encode()
    yield "hex", f"{number:x}".encode()


class Haystacks:
    """All needles, and the search for them in whatever was written."""

    def __init__(self) -> None:
        self._needles: dict[bytes, list[Needle]] = {}
        self.secrets: set[tuple[str, str, bytes]] = set()
        self.searched = 0

    @property
    def counts(self) -> Counter[str]:
        """How many secrets there are, in how many forms, and the bytes that were searched."""
        forms = sum(map(len, self._needles.values()))
        return Counter(secrets=len(self.secrets), forms=forms, searched=self.searched)

    def hide(self, owner: str, name: str, secret: bytes) -> None:
        """Look for this secret, in every form, from now on."""
        if (owner, name, secret) not in self.secrets:
            self.secrets.add((owner, name, secret))
            for form, data in spellings(secret):
                self._add(Needle(data, owner, name, form))

    def hide_text(self, owner: str, name: str, text: str) -> None:
        """Look for this text as it is."""
        if (owner, name, text.encode()) not in self.secrets:
            self.secrets.add((owner, name, text.encode()))
            self._add(Needle(text.encode(), owner, name, "text"))

    def _add(self, needle: Needle) -> None:
        if len(needle.data) < KEY:
            raise ValueError(f"{needle.secret} is too short to be looked for")
        rows = self._needles.setdefault(needle.data[:KEY], [])
        if all(each.data != needle.data for each in rows):
            rows.append(needle)

    def search(self, data: bytes) -> list[Hit]:
        """Every secret in these bytes."""
        self.searched += len(data)
        needles = self._needles
        places = [at for at in range(len(data) - KEY + 1) if data[at : at + KEY] in needles]
        return [
            Hit(each.owner, each.secret, each.form, at)
            for at in places
            for each in needles[data[at : at + KEY]]
            if data.startswith(each.data, at)
        ]


# --- witness --------------------------------------------------------------------------------------

# Knows every secret that seats draw: looks on as they are drawn, and changes nothing.

PERMUTED = 12  #: Places of a permutation that are looked for.

#: Names for what most secrets are made of; what has a name of its own is told by that.
_GENERAL = ("mask or blinding", "draw")


class Witness:
    """What was drawn since it began to look on."""

    def __init__(self) -> None:
        self.drawn: dict[str, set[bytes]] = {}
        self.permutations: set[tuple[int, ...]] = set()
        self.salts: set[bytes] = set()

    def look_on(self, patch: pytest.MonkeyPatch) -> None:
        """See every draw until the patch is undone."""
        expand, derive_key = expansion.expand, identity.derive_key

        def seen_expand(seed: bytes, *purpose: bytes) -> Entropy:
            draw = expand(seed, *purpose)

            def seen(length: int) -> bytes:
                drawn = draw(length)
                if length >= 16:
                    self._note("draw", drawn)
                if length == WIDE_BYTES:
                    self._note("mask or blinding", int.from_bytes(drawn, "big") % ORDER)
                return drawn

            return seen

        def seen_key(secret: bytes, label: bytes, *fields: bytes, length: int = 32) -> bytes:
            key = derive_key(secret, label, *fields, length=length)
            if length >= 16 and label != labels.TOPIC:
                self._note("sealing key", key)
            return key

        patch.setattr(expansion, "expand", seen_expand)
        patch.setattr(identity, "derive_key", seen_key)
        spies: tuple[tuple[Any, str, Callable[[Any], object]], ...] = (
            (expansion, "derive_salt", self.salts.add),
            (shuffle, "uniform_permutation", self.permutations.add),
            (expansion.Secrets, "deal_seed", lambda seed: self._note("seed of a deal", seed)),
            (
                expansion, "draw_hand_secret",
                lambda keys: self._note("key of a deal", keys.card.value, keys.suit.value),
            ),
            (shuffle, "_hedged_nonces", lambda drawn: self._note("nonce of a shuffle", *drawn)),
            (HedgedSource, "next_scalar", lambda nonce: self._note("nonce", nonce)),
        )  # fmt: skip
        for place, name, tell in spies:
            patch.setattr(place, name, _telling(getattr(place, name), tell))

    def _note(self, name: str, *secrets: bytes | int) -> None:
        plain = (each.to_bytes(32, "big") if isinstance(each, int) else each for each in secrets)
        self.drawn.setdefault(name, set()).update(plain)

    def tell(self, haystacks: Haystacks, published: set[bytes]) -> None:
        """Have all be looked for: of the salts, those that no message published as a salt."""
        for name in sorted(self.drawn, key=_GENERAL.__contains__):
            for secret in self.drawn[name]:
                haystacks.hide("a seat", name, secret)
        for salt in self.salts - published:
            haystacks.hide("a seat", "salt of an unopened card", salt)
        for permutation in self.permutations:
            if len(permutation) >= PERMUTED:
                places = ", ".join(map(str, permutation[:PERMUTED]))
                haystacks.hide_text("a seat", "permutation", places)


def _telling(call: Any, tell: Callable[[Any], object]) -> Any:
    """The call, whose result is told of."""

    def seen(*given: Any, **named: Any) -> Any:
        result = call(*given, **named)
        tell(result)
        return result

    return seen


# --- tables ---------------------------------------------------------------------------------------

#: Where an error is forced: in the session's three doors, in the transport, in the disk's two
#: steps, in the player; and deep in the protocol, while a proof is made, cards are shuffled, a
#: card's share is computed, a card is committed to, a peer's proof is judged, a frame is sealed. A
#: cheat is another seat's error: it signs what is no message, and is convicted by evidence.
POINTS = (
    *("receive", "act", "tick", "send", "write", "sync", "decide"),
    *("prove", "shuffle", "share", "commit", "verify", "seal", "cheat"),
)
#: Calls that about every hand has of them.
MOST = {
    **{"receive": 90, "act": 12, "tick": 3, "send": 30, "write": 30, "sync": 30, "decide": 12},
    **{"prove": 40, "shuffle": 8, "share": 100, "commit": 3, "verify": 200, "seal": 100},
    "cheat": 60,
}
TESTS = f"{Path(__file__).parents[2]}/"
WITHIN = 300.0


class ForcedError(Exception):
    """The error that was forced."""


@dataclass
class Fault:
    """One error: where, in which seat, at which call of it."""

    point: str
    seat: int
    at: int
    calls: int = 0
    happened: bool = False

    def due(self, seat: int | None = None) -> bool:
        """Whether it is to happen now, once."""
        if seat not in (None, self.seat) or self.happened:
            return False
        self.calls += 1
        self.happened = self.calls == self.at
        return self.happened


def fault_of(seed: int) -> Fault:
    """The error of a hand, by seed: every point in turn."""
    chance = Random(f"fault {seed}")
    point = POINTS[seed % len(POINTS)]
    return Fault(point, chance.randrange(4), 1 + chance.randrange(MOST[point]))


class FailingDisk(Disk):
    """The real disk, which is full or fails once."""

    def __init__(self, fault: Fault) -> None:
        self._fault = fault

    def write(self, descriptor: int, data: bytes, *, at: int) -> None:
        """See Disk.write."""
        if self._fault.point == "write" and self._fault.due():
            raise OSError(errno.ENOSPC, "No space left on device")
        super().write(descriptor, data, at=at)

    def sync(self, descriptor: int) -> None:
        """See Disk.sync."""
        if self._fault.point == "sync" and self._fault.due():
            raise OSError(errno.EIO, "Input/output error")
        super().sync(descriptor)


class QuickSeat(BotSeat):
    """A bot that thinks about nothing, and fails where it is told to."""

    def __init__(self, seed: int, seat: int, fault: Fault) -> None:
        super().__init__(seed)
        self._fault, self._number = fault, seat

    async def begin(self, look: Callable[[], SeatView]) -> None:
        """See BotSeat.begin."""
        self._chooser = RandomPlayer304(self._seed)

    async def decide(self, session: Session) -> Any:
        """See BotSeat.decide."""
        if self._fault.point == "decide" and self._fault.due(self._number):
            raise ForcedError(f"while {session!r} was asked")
        return await super().decide(session)


class FailingTransport(MemoryTransport):
    """A transport that fails once, with the frame in its hands."""

    fault: Fault
    seat: int

    async def send(self, frame: bytes) -> None:
        """See Transport.send."""
        if self.fault.point == "send" and self.fault.due(self.seat):
            raise ForcedError("while a frame was sent")
        await super().send(frame)


def fail_in_sessions(patch: pytest.MonkeyPatch, fault: Fault, keys: list[bytes]) -> None:
    """Have sessions, and the proofs they make, fail where the fault says."""
    for door in ("receive", "act", "tick"):
        if fault.point == door:
            patch.setattr(Session, door, _failing_after(getattr(Session, door), fault))
    deep = {
        "prove": (sigma, "respond"),
        "shuffle": (shuffle, "draw_weights"),
        "share": (shares, "blinded_multiply"),
        "commit": (commitments, "commit"),
        "verify": (sigma, "recompute_commitment"),
        "seal": (identity.Seal, "_cipher"),
    }
    if fault.point == "cheat":
        patch.setattr(Session, "receive", _cheating(Session.receive, fault, keys))
    if fault.point in deep:
        place, name = deep[fault.point]
        patch.setattr(place, name, _failing_after(getattr(place, name), fault))


def _failing_after(call: Any, fault: Fault) -> Any:
    """The call, and once an error after it, with all that it was given and gave in the frame."""

    def called(*given: Any, **named: Any) -> Any:
        result = call(*given, **named)
        first = given[0] if given else None
        seat = int(first.seat) if isinstance(first, Session) else None
        if fault.due(seat):
            raise ForcedError(f"after {call.__name__} gave {result!r:.2000}")
        return result

    return called


def _cheating(receive: Any, fault: Fault, keys: list[bytes]) -> Any:
    """The session's door, and once a signed message that does not decode among what is sent."""

    def cheated(session: Session, raw: bytes, **how: Any) -> list[Event]:
        events: list[Event] = receive(session, raw, **how)
        if fault.due(int(session.seat)):
            key, charter = SigningKey(keys[session.seat]), session.charter.digest
            bad = sign(key, b"\xc1", purpose=Purpose.LEDGER, seat=session.seat, charter=charter)
            events.append(Send(bad.to_bytes()))
        return events

    return cheated


# --- what is written ------------------------------------------------------------------------------


class Log(logging.Handler):
    """Every record of every logger, as text with its arguments and its traceback."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s %(message)s"))
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep it."""
        self.lines.append(f"{self.format(record)} {record.args!r}")


@dataclass
class Local:
    """A variable of a frame of a traceback that shows a secret to whoever prints locals."""

    function: str
    variable: str
    kind: str
    hit: Hit
    ours: bool  #: Whether an object of ours shows it, rather than plain bytes, integers or text.


@dataclass
class Swept:
    """What was found of the secrets of one or more hands."""

    #: Of hands, errors, secrets, their forms, bytes searched and bytes of logs at debug level; of
    #: files kept where secrets belong, with the right permissions; and of invites intended, which a
    #: host printed for its player to pass on.
    counts: Counter[str] = field(default_factory=Counter)
    leaks: list[tuple[str, Hit]] = field(default_factory=list)
    locals: list[Local] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def add(self, other: Swept) -> None:
        """Count the other in."""
        self.counts += other.counts
        self.leaks += other.leaks
        self.locals += other.locals
        self.faults += other.faults

    @property
    def clean(self) -> bool:
        """Whether no secret was anywhere, and no object of ours shows one."""
        return not (self.leaks or self.faults or any(each.ours for each in self.locals))


@dataclass
class SweptTable:
    """One table of four seats, played by one hand with one error."""

    place: Path
    seed: int
    fault: Fault
    errors: list[BaseException] = field(default_factory=list)
    invites: NewTable | None = None
    keys: list[bytes] = field(default_factory=list)
    setups: list[Setup] = field(default_factory=list)

    async def play(self) -> None:
        """Sit down, play, fail, come back from the journal, and play to the end of the hand."""
        loop = asyncio.get_running_loop()
        loop.set_debug(True)
        loop.slow_callback_duration = 0.0  # so that it tells of every callback
        broker = BrokerAddress.parse("mqtt://127.0.0.1")
        table = new_table(broker, "304", "pagat; redeal_below = 0", seeded(f"table {self.seed}"))
        self.invites = table
        wire = Wire()
        for seat, invite in enumerate(table.invites):
            entropy = seeded(f"seat {self.seed} {seat}")
            founding = table.founding if seat == 0 else None
            self.setups.append(new_setup(invite, f"P{seat}", founding=founding, entropy=entropy))
            self.keys.append(IdentityStore(self.root(seat)).key(entropy).revealed_seed())
        async with asyncio.timeout(WITHIN):
            seats = [asyncio.create_task(self._live(seat, wire)) for seat in range(4)]
            cheater = seats.pop(self.fault.seat) if self.fault.point == "cheat" else None
            await asyncio.gather(*seats)
            if cheater is not None:  # nobody plays with it any more
                cheater.cancel()
                await asyncio.wait({cheater})

    def root(self, seat: int) -> Path:
        """Where a seat keeps everything."""
        return self.place / f"seat-{seat}"

    async def _live(self, seat: int, wire: Wire) -> None:
        setup = self.setups[seat]
        journal = keep_setup(self.root(seat), setup)
        if self.fault.seat == seat:
            journal._disk = FailingDisk(self.fault)
        while True:
            try:
                await self._sit(seat, wire, journal, setup)
                return
            except Exception as error:
                self.errors.append(error)
                if isinstance(error, TableStopped):
                    return
                if len(self.errors) > 8:
                    raise
            journal, setup = await self._back(seat)

    async def _back(self, seat: int) -> tuple[Journal, Setup]:
        return await asyncio.to_thread(kept_setup, self.root(seat), self.invites.watch.table)

    async def _sit(self, seat: int, wire: Wire, journal: Journal, setup: Setup) -> None:
        transport = wire.transport()
        transport.__class__ = FailingTransport
        assert isinstance(transport, FailingTransport)
        transport.fault, transport.seat = self.fault, seat
        player = QuickSeat(self.seed * 4 + seat, seat, self.fault)
        options = SeatOptions(hands=1, linger=0.5)
        with journal:
            async with transport:
                driver = driver_on(transport, self.root(seat), journal, setup, player, options)
                await driver.run()


def sweep_hand(place: Path, seed: int, fault: Fault | None = None) -> Swept:
    """Play one hand with an error in it, and look for its secrets in all that was written."""
    fault = fault or fault_of(seed)
    table, witness, log = SweptTable(place, seed, fault), Witness(), Log()
    root = logging.getLogger()
    level = root.level
    with pytest.MonkeyPatch.context() as patch:
        (place / "tmp").mkdir(parents=True)
        patch.setattr("tempfile.tempdir", str(place / "tmp"))
        # asyncio in its debug mode asks for each frame of each call whether its file has changed.
        patch.setattr("linecache.checkcache", lambda *_: None)
        witness.look_on(patch)
        fail_in_sessions(patch, fault, table.keys)
        root.addHandler(log)
        root.setLevel(logging.DEBUG)
        logging.captureWarnings(True)
        try:
            asyncio.run(table.play())
        finally:
            root.removeHandler(log)
            root.setLevel(level)
            logging.captureWarnings(False)
    return _searched(table, witness, log)


def _searched(table: SweptTable, witness: Witness, log: Log) -> Swept:
    haystacks = Haystacks()
    assert table.invites is not None
    told = table.invites
    haystacks.hide("the table", "table key", told.watch.table_key)
    for invite in (*told.invites, told.watch):
        haystacks.hide_text("the table", "invite", invite.format()[40:72])
        if invite.token is not None:
            haystacks.hide("the table", "claim token", invite.token)
    for seat, (key, setup) in enumerate(zip(table.keys, table.setups, strict=True)):
        haystacks.hide(f"seat {seat}", "identity key", key)
        haystacks.hide(f"seat {seat}", "seed", setup.seed)
    witness.tell(haystacks, published_salts(table.place))
    text = "\n".join(log.lines).encode()
    swept = Swept(Counter(hands=1, errors=len(table.errors), logs=len(text)))
    swept.leaks += [("log", hit) for hit in haystacks.search(text)]
    for error in table.errors:
        said = "".join(traceback.format_exception(error)) + repr(error)
        swept.leaks += [("traceback", hit) for hit in haystacks.search(said.encode())]
        swept.locals += _locals_of(error, haystacks)
    search_files(table.place, haystacks, swept)
    swept.counts += haystacks.counts
    return swept


def published_salts(place: Path) -> set[bytes]:
    """The salts that messages published, in all transcripts under `place`."""
    found: set[bytes] = set()
    for path in place.rglob("*.p304"):
        for entry in TranscriptReader().feed(path.read_bytes()):
            if entry.letter == b"M" and isinstance(entry.content, bytes):
                body = decode_body(Envelope.from_bytes(entry.content))
                if isinstance(body, Message):
                    found.update(getattr(body.content, "salts", ()))
    return found


SECRET_FILES = frozenset({"journal", "identity"})


def search_files(place: Path, haystacks: Haystacks, swept: Swept) -> None:
    """Look into every file but those where secrets belong, which must be closed to others."""
    for path in sorted(place.rglob("*")):
        mode = path.stat().st_mode & 0o777
        inside = path.relative_to(place).parts
        if path.is_dir():
            if mode & 0o077 and "tables" in inside:
                swept.faults.append(f"{path.name}: directory {mode:o}")
        elif path.name in SECRET_FILES:
            swept.counts["kept"] += 1
            if mode != 0o600:
                swept.faults.append(f"{path.name}: {mode:o}, not 600")
        else:
            name = path.suffix or path.name
            swept.leaks += [(f"file {name}", hit) for hit in haystacks.search(path.read_bytes())]
            swept.leaks += [("file name", hit) for hit in haystacks.search(str(path).encode())]


# --- locals ---------------------------------------------------------------------------------------


def _locals_of(error: BaseException, haystacks: Haystacks) -> Iterator[Local]:
    """What whoever prints the locals of the error's frames would see of secrets."""
    chained: BaseException | None = error
    while chained is not None:
        yield from _in_frames(chained.__traceback__, haystacks)
        chained = chained.__cause__ or chained.__context__


def _in_frames(trace: TracebackType | None, haystacks: Haystacks) -> Iterator[Local]:
    while trace is not None:
        frame, trace = trace.tb_frame, trace.tb_next
        if frame.f_code.co_filename.startswith(TESTS):
            continue  # our own spies know everything
        for name, value in frame.f_locals.items():
            for hit in haystacks.search(shown(value)):
                kind = _culprit(value, hit, haystacks)
                ours = kind not in _PLAIN
                yield Local(frame.f_code.co_qualname, name, kind, hit, ours)


_PLAIN = frozenset({"bytes", "bytearray", "int", "str", "dict", "list", "tuple", "set"})


def shown(value: Any) -> bytes:
    """What a debugger would print of a value."""
    try:
        return repr(value).encode("utf-8", "replace")
    except Exception:  # noqa: BLE001 - a value that cannot be shown shows nothing
        return b""


def _culprit(value: Any, hit: Hit, haystacks: Haystacks) -> str:
    """The type of the innermost value that shows the secret."""
    inner: list[Any] = []
    if isinstance(value, dict):
        inner = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple | set | frozenset):
        inner = list(value)
    for each in inner:
        if any(found[:2] == hit[:2] for found in haystacks.search(shown(each))):
            return _culprit(each, hit, haystacks)
    return type(value).__name__


# --- processes ------------------------------------------------------------------------------------

# Tables of real processes, and what the system shows of them while they play.

GLANCE = 0.02  #: Seconds between two looks at the processes.
DEALS = 3
LOG = "report.log"  #: What all seats, and the host's bot, write for a report of a bug.

ENDS = ("--hands", "1", "--linger", "2")

#: What every process runs before the program: the root logger at DEBUG, and one error if wanted.
DEBUGGING = """
import logging, os
logging.basicConfig(
    level=logging.DEBUG, filename=os.path.join(os.environ["SWEEP_LOGS"], f"{os.getpid()}.log")
)
logging.captureWarnings(True)
from asyncio.base_events import BaseEventLoop
begin = BaseEventLoop.__init__
def beginning(loop):
    begin(loop)
    loop.slow_callback_duration = 0.0
BaseEventLoop.__init__ = beginning
if os.environ.get("SWEEP_FAULT"):
    from protocol.seat.session import Session
    act, calls = Session.act, []
    def failing(session, choice, **how):
        events = act(session, choice, **how)
        calls.append(choice)
        if len(calls) == int(os.environ["SWEEP_FAULT"]):
            raise RuntimeError(f"forced: {events!r}")
        return events
    Session.act = failing
"""


class Onlooker:
    """Anybody on this machine: sees the arguments and the environment of our processes."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, bytes]] = set()

    def look(self) -> None:
        """Remember what the processes below this one show now."""
        parents: dict[int, int] = {}
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                with suppress(OSError):
                    fields = Path(entry.path, "stat").read_text("utf-8", "replace")
                    parents[int(entry.name)] = int(fields.rpartition(")")[2].split()[1])
        for process in parents:
            if process != os.getpid() and _is_below(process, os.getpid(), parents):
                for name in ("cmdline", "environ"):
                    with suppress(OSError):
                        self.seen.add((name, Path(f"/proc/{process}/{name}").read_bytes()))

    async def watch(self) -> None:
        """Look again and again."""
        while True:
            self.look()
            await asyncio.sleep(GLANCE)

    def search(self, haystacks: Haystacks) -> list[tuple[str, Hit]]:
        """Every secret that anybody could have seen."""
        return [(name, hit) for name, data in self.seen for hit in haystacks.search(data)]


def _is_below(process: int, top: int, parents: dict[int, int]) -> bool:
    while process in parents:
        process = parents[process]
        if process == top:
            return True
    return False


def secrets_under(place: Path) -> Haystacks:
    """What the journals and identities under `place` hold, and what follows from them."""
    haystacks = Haystacks()
    for path in place.rglob(KEY_FILE):
        seed = path.read_bytes()[-41:-9]
        SigningKey(seed)
        haystacks.hide(path.parent.name, "identity key", seed)
    for path in place.rglob(FILE_NAME):
        owner = path.parents[2].name
        with Journal.open(path.parent, bytes.fromhex(path.parent.name)) as journal:
            for record in journal.records():
                if record.kind == JournalKind.SETUP:
                    _hide_setup(haystacks, owner, Setup.from_bytes(record.payload))
    return haystacks


def _hide_setup(haystacks: Haystacks, owner: str, setup: Setup) -> None:
    haystacks.hide(owner, "seed", setup.seed)
    haystacks.hide("the table", "table key", setup.invite.table_key)
    tokens = [setup.invite.token, *(setup.founding.tokens if setup.founding else ())]
    for token in tokens:
        if token is not None:
            haystacks.hide("the table", "claim token", token)
    haystacks.hide_text("the table", "invite", setup.invite.format()[40:72])
    secrets = Secrets(setup.seed)
    for deal in range(DEALS):
        haystacks.hide(owner, "seed of a deal", secrets.deal_seed(deal))
        keys = secrets.hand_secret(deal)
        for each in keys.card, keys.suit:
            haystacks.hide(owner, "key of a deal", each.value.to_bytes(32, "big"))


async def _play(
    place: Path, fault: int, patch: pytest.MonkeyPatch
) -> tuple[dict[str, str], list[str]]:
    """A host, a bot of its own, another one, and a guest who fails and comes back: what they
    printed, and what was wrong."""
    log = ("--log", str(place / LOG))
    async with Room(place) as room:
        host = await room.run(
            "host", *log, "host", "--name", "Amara", "--bots", "1", *LASTING, *ENDS
        )
        invite, other = await host.invites(2)
        # Bots of the host's take no part in debugging: their environment is kept from them.
        bot = await room.run(
            "bot", *log, "bot", "--name", "Chandra", *ENDS, *AT_ONCE, typed=(other,)
        )
        patch.setenv("SWEEP_FAULT", str(fault))
        guest = await room.run("guest", *log, "join", "--name", "Banu", *ENDS, typed=(invite,))
        code = await guest.ended()
        patch.delenv("SWEEP_FAULT")
        back = await room.run("guest", *log, "resume", *ENDS)
        codes = [code, *[await each.ended() for each in (host, back, bot)]]
    people = {"host": host, "bot": bot, "guest": guest, "guest, back": back}
    printed = {f"{name}: output": person.text for name, person in people.items()}
    printed |= {f"{name}: errors": person.errors for name, person in people.items()}
    if codes != [70, 0, 0, 0]:
        return printed, [f"exit codes {codes}: {guest.errors[-300:]} {host.errors[-300:]}"]
    if "forced: " not in guest.errors:
        return printed, ["the forced error was not told"]
    logged = (place / LOG).read_text("utf-8")
    if "RuntimeError: forced: " not in logged or logged.count(" ends with 0") < len(people) - 1:
        return printed, [f"the log lacks the forced error, or how a seat ended: {logged[-300:]}"]
    return printed, []


def sweep_processes(place: Path, seed: int) -> Swept:
    """One hand of processes at debug level, one of which fails and comes back."""
    swept, onlooker = Swept(Counter(hands=1, errors=1)), Onlooker()
    site, logs, temporary = (place / name for name in ("site", "logs", "tmp"))
    for each in site, logs, temporary:
        each.mkdir(parents=True)
    (site / "sitecustomize.py").write_text(DEBUGGING, "utf-8")

    async def play(patch: pytest.MonkeyPatch) -> tuple[dict[str, str], list[str]]:
        watching = asyncio.create_task(onlooker.watch())
        try:
            return await _play(place, 1 + seed % 5, patch)
        finally:
            watching.cancel()

    with pytest.MonkeyPatch.context() as patch:
        for name, value in (
            ("PYTHONPATH", str(site)),
            ("PYTHONASYNCIODEBUG", "1"),
            ("PYTHONDEVMODE", "1"),
            ("SWEEP_LOGS", str(logs)),
            ("TMPDIR", str(temporary)),
        ):
            patch.setenv(name, value)
        printed, wrong = asyncio.run(play(patch))
    swept.faults += wrong
    haystacks = secrets_under(place)
    for name, text in printed.items():
        for hit in haystacks.search(text.encode()):
            if (name, hit.secret) == ("host: output", "invite"):
                swept.counts["intended"] += 1  # the host's player passes them on
            else:
                swept.leaks.append((name, hit))
    swept.leaks += onlooker.search(haystacks)
    search_files(place, haystacks, swept)
    swept.counts["logs"] = sum(path.stat().st_size for path in logs.iterdir())
    swept.counts += haystacks.counts
    return swept
