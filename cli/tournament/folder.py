"""The folder of a tournament, what its transcripts bear out, and its way to the folders of others.

tournament.p304t   the record, for everybody
invitation         the key of the tournament and its charter: for those who take part
invitations/1      the same for one team, with a word without which it cannot enter
organiser/         the organiser's key, where the tournament was made
match-001/         transcripts of a match's tables, and a referee's rulings there
"""

from __future__ import annotations

import asyncio
import math
import os
import secrets
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import monotonic, sleep
from typing import Final, NamedTuple

from cli.auditing import FileAudit, audit_all
from cli.bounds import (
    BETWEEN_ANSWERS,
    CARRIER_LEAVES,
    CARRIER_LINGERS,
    GATHERED_FOR,
    HELLO_EVERY,
    HESITATION,
    RECORD_HELD,
    SENT_AGAIN_AFTER,
)
from cli.errors import UserError
from cli.input_files import pieces_of, read_bounded, transcripts_of
from cli.invite import Invite
from cli.local.sitting import transport_for
from cli.net.address import BrokerAddress, parse_nodes
from cli.net.credentials import NO_CREDENTIALS, Credentials
from cli.output_files import new_private_folder
from cli.sanitize import safe_text
from cli.seat.channel import SealedLine
from cli.seat.charter_text import game_of
from cli.store.disk import REAL_DISK, write_whole
from cli.store.identity import IdentityStore
from cli.store.paths import home, make_private_directory
from cli.tournament.telling import conviction_lines
from cli.wording import place_label
from p2p304.tournament.tournament import How, Match
from protocol.bounds import MAX_RECORD_BYTES
from protocol.encoding import decode, encode
from protocol.errors import LocalError, MalformedMessage
from protocol.tournament.carrying import Carrier, is_piece
from protocol.tournament.judge import JudgedRecord, judge, prune
from protocol.tournament.pieces import words_of
from protocol.tournament.races import Hands, check_result, hands_in
from protocol.tournament.record import TournamentRecord, match_key
from protocol.transcript.results import NotSigned
from protocol.wire.identity import FRAME_SIZES, KEY_BYTES, MAX_ENVELOPE_BYTES, PublicKey, SigningKey

RECORD: Final = "tournament.p304t"
INVITATION: Final = "invitation"
INVITATIONS: Final = "invitations"
ORGANISER: Final = "organiser"
#: The first field of an invitation, by which the file is known.
_INVITED: Final = "p2p304 tournament invitation"
# The signed charter; key, word and framing take less than 128 bytes.
_LONGEST_INVITATION: Final = MAX_ENVELOPE_BYTES + 128
#: Of so many answers we send any first, so that many who answer at once send different ones.
CHOICE: Final = 16
ELSEWHERE: Final = (
    "Your identity has signed in this tournament elsewhere: on another machine, or in a folder that"
    " is lost. Play on one machine alone; two that sign different things convict you."
)

Due = Callable[[JudgedRecord], tuple[bytes, ...]]
Done = Callable[[JudgedRecord], bool]
Told = Callable[[JudgedRecord], None]


class Invitation(NamedTuple):
    """An invitation to a tournament: its charter, as a record, its key, and perhaps a word."""

    record: TournamentRecord
    key: bytes
    word: str | None = None  #: None where none is asked for, empty where this one has none.

    @classmethod
    def read(cls, path: Path) -> Invitation:
        """Return the invitation in a file; raises UserError for any other file."""
        with explain_refusal(f"{path} is no invitation to a tournament"):
            data = read_bounded(path, _LONGEST_INVITATION)
            match decode(data, max_bytes=_LONGEST_INVITATION):
                # Version 1; a fifth field, the word, is there only where words are asked for.
                case (magic, 1, bytes(key), bytes(raw), *more) if (
                    magic == _INVITED
                    and len(key) == KEY_BYTES
                    and [*map(type, more)] in ([], [str])
                ):
                    # `str` changes no text: it tells mypy what the types above said.
                    return cls(TournamentRecord.start(raw), key, *map(str, more))
            raise MalformedMessage("record.format", "another file")

    def write(self, path: Path) -> None:
        """Write the invitation into a file; raises FileExistsError for an existing one."""
        words = () if self.word is None else (self.word,)
        # The first piece of every record is its charter.
        fields = (_INVITED, 1, self.key, self.record.raws[0], *words)
        write_whole(REAL_DISK, path, encode(fields, max_bytes=_LONGEST_INVITATION), replace=False)


class TournamentFolder:
    """The folder of one tournament on this machine. Reading a broken file raises UserError."""

    def __init__(self, path: Path) -> None:
        """Take the folder at this path, which is neither read nor made yet."""
        self.path = path
        self._organiser = IdentityStore(path / ORGANISER)
        #: The file of the record when it was read last, and the record in it.
        self._read: tuple[bytes, TournamentRecord] | None = None

    @classmethod
    def make(
        cls, path: Path, record: TournamentRecord, key: bytes, word: str | None = None
    ) -> TournamentFolder:
        """Make a new folder with this record and the key and word of an invitation."""
        folder = cls(new_private_folder(path))
        Invitation(record, key, word).write(folder.path / INVITATION)
        folder.unite(record)
        return folder

    @classmethod
    def accept(cls, path: Path, file: Path) -> TournamentFolder:
        """Make the folder of the tournament in an invitation, or open it if it was made before."""
        invitation = Invitation.read(file)
        if not (path / INVITATION).exists():
            return cls.make(path, *invitation)  # its record, key and word
        folder = cls(path)
        if folder.record.charter != invitation.record.charter:
            raise UserError(f"{path} is of another tournament: name another folder.")
        return folder

    def give_words(self, teams: int) -> None:
        """Write so many invitations, with a word each; from now on others' entries need one."""
        plain, place = self.invitation, make_private_directory(self.path / INVITATIONS)
        for number, word in enumerate(self.words[:teams], 1):
            plain._replace(word=word).write(place / f"{number}")

    @property
    def words(self) -> tuple[str, ...]:
        """All 32 words of the organiser, once it gave any; empty before, and without its key."""
        organiser = self.organiser
        if organiser is None or not (self.path / INVITATIONS).is_dir():
            return ()
        return words_of(self.record.charter, organiser)  # all: files may have been moved away

    @property
    def invitation(self) -> Invitation:
        """Our own invitation."""
        return Invitation.read(self.path / INVITATION)

    @property
    def nodes(self) -> tuple[BrokerAddress, ...]:
        """The addresses of the tournament's brokers; none where records go as files."""
        return tuple(node for text in self.record.charter.brokers for node in parse_nodes(text))

    def invite(self, table: bytes | None = None) -> Invite:
        """Return the invite with which one watches a table or, for None, follows the record."""
        if not self.nodes:
            raise UserError("This tournament's charter names no broker: carry files, with --take.")
        first, *others = self.nodes
        place, key = self.record.charter.id, self.invitation.key
        if table is not None:
            # Each table has a key of its own, so that its frames do not open elsewhere.
            place, key = table, match_key(key, table)
        return Invite(first, place, key, other_nodes=tuple(others))

    def command(self, name: str) -> str:
        """Return a command on this folder to copy, such as "p2p304 tournament play cup"."""
        return f"p2p304 tournament {name} {shlex.quote(str(self.path))}"

    def place_of(self, match: Match) -> Path:
        """Return the path of a match's transcripts in the folder."""
        return self.path / f"match-{match.number:03d}"

    @property
    def record(self) -> TournamentRecord:
        """The record as its file is now; raises UserError if there is none."""
        path = self.path / RECORD
        if not path.exists():
            makes = "'p2p304 tournament new' makes one, or 'status' with an --invitation"
            raise UserError(f"{self.path} is no folder of a tournament: {makes}.")
        data = read_bounded(path, MAX_RECORD_BYTES)
        # By content: another process may have written it, and judging is costly.
        if self._read is None or self._read[0] != data:
            mend = ". Put the copy of anybody who takes part in its place"
            self._read = (data, _record_in(path, data, mend))
        return self._read[1]

    @property
    def judged_record(self) -> JudgedRecord:
        """What follows from the record as it is now."""
        return self.judge(self.record)

    def judge(self, record: TournamentRecord) -> JudgedRecord:
        """Return the record judged with our keys, which choose its draw, and our transcripts."""
        judged = judge(record, *self.keys)
        if not judged.contrary:  # auditing files takes long: only where they decide something
            return judged
        hands = _hands(audit_all(self.transcripts))
        shown = frozenset(
            name
            for number, contrary in judged.contrary.items()
            for agreed in contrary
            for name in agreed.names
            if _fault(judged, number, (name,), hands) is None
        )
        return judge(record, *self.keys, shown=shown)

    @property
    def own_key(self) -> SigningKey:
        """The key of this machine's player, not of this folder alone; made where there is none."""
        return IdentityStore(home()).key(secrets.token_bytes)

    @property
    def organiser(self) -> SigningKey | None:
        """The organiser's key, None where the tournament was made elsewhere."""
        kept = self._organiser.public_key is not None  # asked first: `key` would make one
        return self._organiser.key(secrets.token_bytes) if kept else None

    def keep_organiser(self, seed: bytes) -> None:
        """Keep the organiser's key, made from this seed, in the folder."""
        make_private_directory(self.path / ORGANISER)
        self._organiser.key(lambda _: seed)  # in place of chance: the charter names the key already

    def as_organiser(self, what: str) -> SigningKey:
        """Return the organiser's key, or raise UserError: the organiser does `what` elsewhere."""
        if (organiser := self.organiser) is None:
            raise UserError(f"The organiser {what}, on the machine that made the tournament.")
        return organiser

    @property
    def keys(self) -> tuple[PublicKey, ...]:
        """Our public keys, the player's and the organiser's, where they are here; makes none."""
        found = (each.public_key for each in (IdentityStore(home()), self._organiser))
        return tuple(key for key in found if key is not None)

    @property
    def signing_keys(self) -> tuple[SigningKey, ...]:
        """Our signing keys: the player's, made if there is none, and the organiser's if here."""
        return tuple(filter(None, (self.own_key, self.organiser)))

    @property
    def referee(self) -> SigningKey | None:
        """The first of them that may rule in the tournament, if any."""
        rulers = self.record.charter.rulers
        return next((each for each in self.signing_keys if each.public in rulers), None)

    @property
    def transcripts(self) -> tuple[str, ...]:
        """The paths of all transcripts in the folder and in those below it."""
        # A folder without transcripts is yielded itself, for whoever would read it.
        return tuple(each for each in transcripts_of([str(self.path)]) if Path(each) != self.path)

    def unite(self, *others: TournamentRecord) -> TournamentRecord:
        """Unite our record, or the first for a new folder, with others; write and return it."""
        path = self.path / RECORD
        with self._lock():
            record = self.record if path.exists() else others[0]
            for other in others:
                mine, theirs = record.charter, other.charter
                # One id under one key: two charters that convict (13.2).
                if mine != theirs and (mine.id, mine.organiser) == (theirs.id, theirs.organiser):
                    said = "The organiser signed two charters of one tournament"
                    raise UserError(f"{said}: both files convict it.")
                if mine != theirs:
                    raise UserError("The records are of different tournaments.")
                said = "The records hold too much together"
                with explain_refusal(said, ": take one of them alone"):
                    # What is here stays, however much a stranger's record holds.
                    record = prune(record.with_pieces(*other.raws), record)
            data = record.to_bytes()
            if not path.exists() or path.read_bytes() != data:
                write_whole(REAL_DISK, path, data, replace=True)
                path.chmod(0o644)  # it is for everybody, unlike the folder's other files
            self._read = (data, record)
        return record

    def add(self, *raws: bytes) -> TournamentRecord:
        """Add pieces of ours to the record and write it; return the record."""
        return self.unite(self.record.with_pieces(*raws))

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Hold the record against other processes of ours, such as play and status."""
        # A file of its own, since the record is replaced; deleting it could leave two locks.
        path = self.path / "lock"
        try:
            descriptor = REAL_DISK.create(path)
        except FileExistsError:
            descriptor = REAL_DISK.open(path, writable=True)
        # Nothing is read: closing the file, however the block ends, gives up the lock.
        with os.fdopen(descriptor, "rb"):
            until = monotonic() + RECORD_HELD
            while not REAL_DISK.lock(descriptor):
                if monotonic() > until:
                    raise UserError(f"{self.path} is in use by another p2p304: try again.")
                sleep(0.05)  # a choice: asked often enough, and no load
            yield


def certain(judged: JudgedRecord) -> JudgedRecord:
    """Return the judged record, or raise UserError if we cannot tell which draw is ours."""
    if not judged.certain:
        raise UserError(
            "The organiser signed two lists or two draws, and your keys took part in none of"
            " them, or in both: 'p2p304 tournament status' shows all. Nothing is signed."
        )
    return judged


def read_record(path: Path) -> TournamentRecord:
    """Return the record in a file or in a tournament's folder; raises UserError for any other."""
    path = path / RECORD if path.is_dir() else path
    if not path.is_file():
        raise UserError(f"{path} is no file.")
    return _record_in(path, read_bounded(path, MAX_RECORD_BYTES))


@contextmanager
def explain_refusal(what: str, how: str = "") -> Iterator[None]:
    """Turn a LocalError or MalformedMessage into a UserError: `what` failed, why, and `how`."""
    try:
        yield
    # A stranger's record may have put words into it.
    except (LocalError, MalformedMessage) as error:
        raise UserError(f"{what}: {safe_text(str(error))}{how}.") from None


def _record_in(path: Path, data: bytes, mend: str = "") -> TournamentRecord:
    """Return the record in the `data` of the file `path`; `mend` ends a refusal of other bytes."""
    try:
        return TournamentRecord.from_bytes(data)
    except MalformedMessage as error:
        why = f"is no record of a tournament: {safe_text(str(error))}{mend}"
        # An old record is no damage.
        if error.check == "record.version":
            why = "is a record of an earlier version of this program, read no more: make another"
        raise UserError(f"{path} {why}.") from None


@dataclass(frozen=True, slots=True)
class TournamentAudit:
    """The result of auditing a tournament."""

    judged: JudgedRecord
    matches: tuple[int, ...]  #: Whose results transcripts show.
    lacking: tuple[int, ...]  #: Of which transcripts are missing.
    files: int
    hands: int
    wrong: tuple[str, ...]  #: Everything that does not hold, also of what is lacking.


def audit_tournament(
    judged: JudgedRecord, files: Sequence[str], jobs: int | None = None
) -> TournamentAudit:
    """Audit a tournament with these transcripts, `jobs` at a time as in `audit_all`."""
    audits = tuple(audit_all(files, jobs))
    hands, matches, lacking = _hands(audits), list[int](), list[int]()
    wrong = [
        *conviction_lines(judged),
        # Listed, and yet no draw: entries of the list are missing, or it does not hold.
        *([judged.waits] if judged.record.lists and judged.draw is None else []),
        *(_why_not(each) for each in audits if not each.valid),
        *(f"match {number} is disputed" for number in judged.disputed_results),
    ]
    for each in judged.matches:
        # Of a ruling or a withdrawal transcripts show nothing.
        if each.outcome is None or each.outcome.how is not How.PLAYED:
            continue
        fault = _fault(judged, each.number, judged.counted[each.number], hands)
        if fault is None:
            matches.append(each.number)
            continue
        words, tables = fault.detail, judged.tables(each)
        # No transcript of the table, or not all of them: copying more may mend both.
        if fault.check in {"result.missing", "result.race"}:
            lacking.append(each.number)
            failed = ((e.path, e.report) for e in audits if not e.valid)
            broken = [path for path, report in failed if report and report.charter in tables]
            # "No transcript is there" would be untrue of a file that is there and broken.
            words = f"its transcript does not hold: {', '.join(broken)}" if broken else words
        wrong.append(f"match {each.number}: {words} ({fault.check})")
    # Of valid files alone, as in `_hands`: one that failed proves nothing.
    count = sum(len(each.report.hands) for each in audits if each.valid and each.report)
    return TournamentAudit(judged, tuple(matches), tuple(lacking), len(audits), count, tuple(wrong))


def _hands(audits: Iterable[FileAudit]) -> Hands:
    """Return the hands in those files whose audit is valid: others prove nothing."""
    paths = (each.path for each in audits if each.valid)
    try:
        return hands_in((b"".join(pieces_of(path)) for path in paths), game_of)
    except NotSigned as error:
        # All have passed an audit a moment ago.
        raise UserError(f"A transcript changed while it was read: {error}.") from None


def _fault(
    judged: JudgedRecord, number: int, names: Sequence[bytes], hands: Hands
) -> MalformedMessage | None:
    """Return why the transcripts bear out no result in these pieces; None if they bear one out."""
    fault: MalformedMessage | None = None
    for name in names:  # several pieces may say one result: one that is borne out is enough
        result = judged.record.pieces[name].content
        try:
            check_result(judged, judged.matches[number - 1], result, hands)
        except MalformedMessage as error:
            fault = fault or error
        else:
            return None
    return fault


def _why_not(audit: FileAudit) -> str:
    """Return why a file that is not valid was not judged, or which check failed in it and where."""
    broken = None if audit.report is None else audit.report.broken
    if broken is None:
        return f"{audit.path}: not judged: {audit.unreadable}"
    return f"{audit.path}: {broken.check} failed at {place_label(broken.place)}"


def over(judged: JudgedRecord) -> bool:
    """Tell whether every match is decided; False before the draw."""
    return judged.tournament is not None and judged.tournament.finished


async def exchange(
    folder: TournamentFolder,
    *,
    due: Due = lambda _: (),
    done: Done = lambda _: False,
    quiet: float | None = None,
    every: float = HELLO_EVERY,
    credentials: Credentials | None = None,
    told: Told = lambda _: None,
    alone: Callable[[], None] = lambda: None,
    elsewhere: Callable[[str], None] = lambda _: None,
) -> JudgedRecord:
    """Exchange pieces over the tournament's brokers until `done`, and CARRIER_LINGERS quiet seconds
    more, or until `quiet` seconds without news (None: to stay); return the judged record.

    What is heard, and what is `due` from us, is in the folder before it is `told`. `every` so many
    seconds we say what we have. `alone` is called if nobody else has sent anything, `elsewhere`
    when others send a piece of our key that we lack. Raises TransportError, or UserError."""
    invite, clock = folder.invite(), asyncio.get_running_loop().time
    async with transport_for(invite, credentials or NO_CREDENTIALS) as transport:
        line = _Line(folder, SealedLine(invite, transport), due)
        # Pieces are no messages of a table. Before a frame is queued: strangers publish, too.
        transport.admit(lambda frame: len(frame) in FRAME_SIZES)
        await line.speak()
        # Answered also by who lacks nothing, so that we learn whether anybody is there.
        await line.hello(asks=True)
        told(line.judged_record)
        until = math.inf
        while True:
            # Done: only so long as others may still lack what we have.
            patience = CARRIER_LINGERS if done(line.judged_record) else quiet
            if patience is not None:
                # Counted from the first moment at which we could leave: it never moves on.
                until = min(until, clock() + CARRIER_LEAVES)
                if clock() >= min(until, line.busy + patience):
                    break
            # No longer than the patience: at its end we may leave.
            if await line.listen(every if patience is None else min(every, patience)):
                if await line.speak():
                    elsewhere(ELSEWHERE)
                told(line.judged_record)
            else:
                await line.hello()  # nothing came, perhaps because frames were lost
    if not line.heard:
        alone()
    return line.judged_record


class _Line:
    """Our end of the tournament's topic."""

    def __init__(self, folder: TournamentFolder, line: SealedLine, due: Due) -> None:
        self._folder, self._line, self._due = folder, line, due
        self._clock = asyncio.get_running_loop().time
        self._carrier = Carrier(folder.record, folder.words)
        self._answers: dict[bytes, None] = {}  # a dict in place of a set, since it keeps the order
        self._answers_at = math.inf  #: When the next answer is sent; never while there is none.
        #: Payloads that were just sent, by us or by others, and when.
        self._said: dict[bytes, float] = {}
        #: When others brought something new, or were answered, the last time; at first now.
        self.busy = self._clock()
        self.heard = False  # whether anybody else has said anything

    @property
    def judged_record(self) -> JudgedRecord:
        """The record as it is united so far, judged."""
        return self._folder.judge(self._carrier.record)

    async def hello(self, *, asks: bool = False) -> None:
        """Send the names of our pieces, if it `asks` for answers or nobody has just sent them."""
        payload = self._carrier.hello(asks=asks)
        if asks or not self._just_said(payload):
            await self._send(payload)

    async def speak(self) -> bool:
        """Write what we heard into the folder, then write and send our pieces that are due. Tell
        whether others showed a piece of our keys that this folder lacked."""
        heard, kept = self._carrier.record, self._folder.record
        # Our other processes keep what they sign before they say it.
        new = (heard.pieces[name] for name in heard.pieces.keys() - kept.pieces.keys())
        twin = any(piece.key in self._folder.keys for piece in new)
        # On the disk before anything is said of it.
        self._carrier.record = self._folder.unite(heard)
        # Again after each: what we said may make the next thing due.
        while raws := self._due(self.judged_record):
            payloads = self._carrier.add(*raws)
            self._carrier.record = self._folder.unite(self._carrier.record)
            for payload in payloads:
                await self._send(payload)
        return twin

    async def listen(self, seconds: float) -> bool:
        """Take in and answer what others send so long; tell at once if the record changed."""
        before, changed, until = self._carrier.record, False, self._clock() + seconds
        while (now := self._clock()) < until:
            # 0: the time of an answer has passed already.
            wait = max(0.0, min(until, self._answers_at) - now)
            closed = "The connection was closed: give the command again."
            payload = await self._line.next_payload(within=wait, closed=closed)
            if payload is not None:
                self._take(payload)
            # The carrier keeps the same object if nothing has changed.
            if not changed and self._carrier.record is not before:
                self.busy, changed = self._clock(), True
                # Pieces come in bursts, and judging is costly: once for all of them.
                until = self.busy + GATHERED_FOR
            if self._clock() >= self._answers_at:
                # Near the front, since pieces rest on earlier ones.
                answer = secrets.choice([*islice(self._answers, CHOICE)])
                del self._answers[answer]
                await self._send(answer)
                self.busy = self._clock()
                self._answers_at = self.busy + BETWEEN_ANSWERS if self._answers else math.inf
        return changed

    def _take(self, payload: bytes) -> None:
        """Take in what somebody else sent, and put the answers to it in the queue."""
        self.heard = True
        self._answers.pop(payload, None)  # somebody else has answered so
        self._note(payload)
        for answer in self._carrier.receive(payload):
            # A piece that was sent just now is under way to whoever lacks it.
            if not (is_piece(answer) and self._just_said(answer)):
                self._answers[answer] = None
        if not self._answers:
            self._answers_at = math.inf
        elif self._answers_at == math.inf:
            # At random: of many who have it one should answer.
            self._answers_at = self._clock() + secrets.randbelow(HESITATION) / 1_000

    def _note(self, payload: bytes) -> None:
        """Keep that a payload was sent just now; forget those that may be sent again."""
        now = self._clock()
        self._said = {each: at for each, at in self._said.items() if now - at < SENT_AGAIN_AFTER}
        self._said[payload] = now

    def _just_said(self, payload: bytes) -> bool:
        """Tell whether anybody has sent this payload in the last SENT_AGAIN_AFTER seconds."""
        return self._clock() - self._said.get(payload, -math.inf) < SENT_AGAIN_AFTER

    async def _send(self, payload: bytes) -> None:
        self._note(payload)
        await self._line.send(payload)
