"""What lies in files: transcripts, evidence, charters, journals."""

from __future__ import annotations

import os
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path

from cli.conformance.transcript_edits import Draft
from cli.conformance.vectors import DEFAULT, vectors_in
from cli.errors import UserError
from cli.seat.charter_text import game_of
from cli.store.disk import Disk
from cli.store.journal import MAGIC as JOURNAL
from cli.store.journal import Journal, JournalError
from cli.store.journal import JournalRecord as Kept
from p2p304.rules304.hand import Game304
from p2p304.rules304.profiles import PROFILES
from protocol import encoding
from protocol.encoding import encode
from protocol.errors import MalformedMessage
from protocol.table.evidence import evidence_from_bytes
from protocol.transcript.file import MAGIC, Entry, LedgerBegins, LedgerEnds, Said, TranscriptReader
from protocol.wire import charter, edwards, identity, messages, schema
from protocol.wire.charter import Charter
from protocol.wire.identity import PublicKey
from tests.campaigns.fuzz.target import Target, demand
from tests.table.colluders import Colluders

# Whether a signature is a key's takes a thousand times as long as the rest of a file, and the files
# here share nearly all of them: each is checked once.
_signed = lru_cache(maxsize=4_096)(identity.PublicKey.verify)
identity.PublicKey.verify = _signed  # type: ignore[method-assign]  # only faster

# --- transcripts ----------------------------------------------------------------------------------


def check_transcript(data: bytes) -> None:
    """A file tells the same entries whatever its pieces, written as they were read, or is refused.

    The first byte chooses: the file as it is, or its records with the right beginning and end.
    """
    if len(data) < 2:
        return
    file = data[2:]
    if data[0] % 2:
        body = MAGIC + _records(data[2:])
        file = body + b"Z\0\0\0\x20" + sha256(body).digest()
    whole, pieces = _read(file, len(file) or 1), _read(file, max(1 + data[1], len(file) // 64))
    demand(whole[0] == pieces[0] and whole[1] == pieces[1], "the pieces decide nothing")
    records = Draft.of(file).records if whole[1] is None else ()
    for record, entry in zip(records, whole[0], strict=False):
        written = _written(record.letter, entry)
        demand(written == record.payload, "an entry is written as it was read")


def _records(data: bytes) -> bytes:
    """Records out of any bytes: a letter, a length, and what follows."""
    found, at = b"", 0
    while at + 2 < len(data):
        letter = b"CLMEZLLL"[data[at] % 8 : data[at] % 8 + 1]
        length = int.from_bytes(data[at + 1 : at + 3], "big")
        payload = data[at + 3 : at + 3 + length]
        found += letter + len(payload).to_bytes(4, "big") + payload
        at += 3 + length
    return found


def _read(file: bytes, size: int) -> tuple[list[Entry], str | None]:
    reader = TranscriptReader()
    entries: list[Entry] = []
    try:
        for at in range(0, len(file), size):
            entries.extend(reader.feed(file[at : at + size]))
        reader.finish()
    except MalformedMessage as error:
        demand(error.check.split(".")[0] in _REFUSALS, f"refused by {error.check}")
        return entries, error.check
    return entries, None


_REFUSALS = ("transcript", "encoding", "charter", "key")


def _written(letter: bytes, entry: Entry) -> bytes:
    match entry:
        case Charter():
            return entry.to_bytes()
        case LedgerBegins(origin):
            (lane, number), links = origin.ledger, origin.after
            return encode((int(lane), number, links, int(origin.leading), origin.scores))
        case Said(raw):
            return raw
        case LedgerEnds(digest):
            return digest
        case _:
            demand(letter == b"Z", "the end is the end")
            return b""


def _transcripts() -> list[bytes]:
    spelt = [
        b"CLMEZ".index(each.letter).to_bytes(1, "big")
        + len(each.payload).to_bytes(2, "big")
        + each.payload
        for each in Draft.of(_opening()).records
    ]
    return [
        b"\x00\x20" + _opening(),
        b"\x01\x03" + b"".join(spelt),
        b"\x01\x40" + b"".join(spelt[:4]),
    ]


GAME = Game304(PROFILES["pagat"])


@cache
def _opening() -> bytes:
    """The file of a table with the agreement on its charter, whose deck begins."""
    table = Colluders(GAME)
    table.opening()
    return table.file()


# --- evidence and charters ------------------------------------------------------------------------


def check_evidence(data: bytes) -> None:
    """Evidence and charters are written as they were read, or refused by name."""
    for read, known in (
        (evidence_from_bytes, ("evidence", "encoding", "charter", "key")),
        (Charter.from_bytes, ("charter", "encoding", "key")),
    ):
        try:
            found = read(data)
        except MalformedMessage as error:
            demand(error.check.split(".")[0] in known, f"refused by {error.check}")
            continue
        demand(found.to_bytes() == data, "it is written as it was read")
        agreed = found if isinstance(found, Charter) else found.charter
        try:
            game_of(agreed)
        except UserError as error:
            demand("\n" not in str(error), "one sentence")
    if len(data) == 32:
        try:
            demand(PublicKey(data).to_bytes() == data, "a key is written as it was read")
        except MalformedMessage as error:
            demand(error.check.startswith("key."), f"refused by {error.check}")


def _evidences() -> list[bytes]:
    charters = [
        bytes.fromhex(each.input["bytes"])
        for each in vectors_in(DEFAULT, ("charter",))
        if isinstance(each.input["bytes"], str)
    ]
    files = sorted((DEFAULT / "evidence").glob("*.p304e"), key=lambda path: path.stat().st_size)
    return [*charters, *(path.read_bytes() for path in files[:2])]


# --- journals -------------------------------------------------------------------------------------

TABLE = bytes(range(16))


class Memory(Disk):
    """A disk of one file in memory."""

    def __init__(self, data: bytes) -> None:
        self.file = os.memfd_create("journal")
        os.write(self.file, data)

    def open(self, path: Path, *, writable: bool = False, secret: bool = True) -> int:
        """The file."""
        return os.dup(self.file)

    def create(self, path: Path) -> int:
        """The file, which is empty."""
        return os.dup(self.file)

    def publish(self, temporary: Path, path: Path, *, replace: bool) -> None:
        """It has no name."""

    def remove(self, path: Path) -> None:
        """It has no name."""

    def lock(self, descriptor: int) -> bool:
        """Nobody else has it."""
        return True

    def sync(self, descriptor: int) -> None:
        """It is as safe as it gets."""

    def sync_directory(self, path: Path) -> None:
        """Its name as well."""


def check_journal(data: bytes) -> None:
    """A journal with a changed end opens to the records before it, or is refused in one sentence.

    The first byte chooses: the bytes are the file, or they are records and a change to the file.
    """
    if not data:
        return
    if data[0] % 2:
        _open_journal(data[1:], None)
        return
    records = [
        Kept(data[at] % 6, data[at + 1 : at + 1 + data[at]]) for at in range(6, len(data), 37)
    ][:8]
    file, ends = _file_of(records)
    file, whole = _damaged(file, data[1:6], ends)
    _open_journal(file, (records, whole))


def _file_of(records: list[Kept]) -> tuple[bytes, list[int]]:
    """A journal with these records, and where each of them ends."""
    disk = Memory(b"")
    try:
        with Journal.create(Path("/none"), TABLE, disk=disk) as journal:
            ends = [os.fstat(disk.file).st_size]
            for kind, payload in records:
                journal.append(kind, payload)
                ends.append(os.fstat(disk.file).st_size)
        return os.pread(disk.file, ends[-1], 0), ends
    finally:
        os.close(disk.file)


def _damaged(file: bytes, how: bytes, ends: list[int]) -> tuple[bytes, bool]:
    """The file with a change; whether that is one that a crash explains (a lost tail)."""
    how += bytes(5 - len(how))
    at = int.from_bytes(how[1:3], "big") * (len(file) + 1) >> 16
    match how[0] % 4:
        case 0:
            return file[:at], True
        case 1:
            return file[:at] + bytes(len(file) - at), False
        case 2 if at < len(file):
            return file[:at] + bytes((file[at] ^ (how[3] or 1),)) + file[at + 1 :], False
        case _:
            return file[:at] + how[3:] * 3 + file[at:], False


def _open_journal(file: bytes, built: tuple[list[Kept], bool] | None) -> None:
    disk = Memory(file)
    try:
        try:
            journal = Journal.open(Path("/none"), TABLE, disk=disk)
        except JournalError as error:
            demand("\n" not in str(error), "one sentence")
            demand(built is None or not built[1], "a lost tail is repaired")
            return
        with journal:
            found = list(journal.records())
            if built is not None:
                demand(found == built[0][: len(found)], "what is read was written")
            journal.append(7, b"more")
            demand(list(journal.records()) == [*found, Kept(7, b"more")], "it goes on")
        with Journal.open(Path("/none"), TABLE, disk=disk) as again:
            demand(again.repaired == 0, "it is repaired once")
            demand(list(again.records()) == [*found, Kept(7, b"more")], "it is kept")
    finally:
        os.close(disk.file)


def _journals() -> list[bytes]:
    body = bytes(range(200))
    file, _ = _file_of([Kept(1, b"setup"), Kept(3, bytes(90))])
    built = [b"\x00" + bytes((how, at, 0, 1)) + body for how in range(4) for at in (0, 128, 255)]
    return [*built, b"\x01" + file, b"\x01" + JOURNAL + TABLE]


READ = (charter, edwards, encoding, identity, messages, schema)
_DECODERS = tuple(each.__name__ for each in READ)

TARGETS = (
    Target("transcript", check_transcript, _transcripts, 4_096, plain=_DECODERS),
    Target("evidence", check_evidence, _evidences, 4_096),
    Target("journal", check_journal, _journals, 512),
)
