"""What lies in files: transcripts, evidence, charters."""

from __future__ import annotations

from functools import cache, lru_cache
from hashlib import sha256

from cli.conformance.tables import Draft
from cli.conformance.trials import DEFAULT, vectors_in
from cli.errors import UserError
from cli.seat.charter_text import game_of
from p2p304.rules304.hand import Game304
from p2p304.rules304.profile import PROFILES
from protocol import encoding
from protocol.encoding import encode
from protocol.errors import MalformedMessage
from protocol.table.evidence import evidence_from_bytes
from protocol.table.ledger import Origin
from protocol.transcript.file import (
    MAGIC,
    FileRecord,
    TranscriptReader,
)
from protocol.wire import charter, edwards, identity, messages, schema
from protocol.wire.charter import Charter
from protocol.wire.identity import PublicKey
from tests.campaigns.fuzz.target import Target, demand
from tests.table.bus import Colluders

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


def _read(file: bytes, size: int) -> tuple[list[FileRecord], str | None]:
    reader = TranscriptReader()
    entries: list[FileRecord] = []
    try:
        for at in range(0, len(file), size):
            entries.extend(reader.feed(file[at : at + size]))
        reader.finish()
    except MalformedMessage as error:
        demand(error.check.split(".")[0] in _REFUSALS, f"refused by {error.check}")
        return entries, error.check
    return entries, None


_REFUSALS = ("transcript", "encoding", "charter", "key")


def _written(letter: bytes, entry: FileRecord) -> bytes:
    demand(letter == entry.letter, "an entry has its record's letter")
    match entry.content:
        case Charter() as charter:
            return charter.to_bytes()
        case Origin() as origin:
            (lane, number), links = origin.ledger, origin.after
            return encode((int(lane), number, links, int(origin.leading), origin.scores))
        case raw:
            return raw


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


READ = (charter, edwards, encoding, identity, messages, schema)
_DECODERS = tuple(each.__name__ for each in READ)

TARGETS = (
    Target("transcript", check_transcript, _transcripts, 4_096, plain=_DECODERS),
    Target("evidence", check_evidence, _evidences, 4_096),
)
