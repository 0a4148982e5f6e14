"""Transcripts: what a table's seats published, in one file that all of them write alike, but for
the signatures of a seat that signed one body more than once.

    "p2p304 transcript 1\n"            the format
    C charter                          once, first
    L origin                           a ledger begins
    M envelope                         its messages by round, then seat
    U envelope                         by seat, in a hand that those present ended unfinished
    R envelope                         the ruling by which a referee ended a hand there
    E digest                           it ends there, closed or not
    Z digest                           the end of the file; SHA-256 of all bytes before

A record is its letter, its payload's length (4 bytes, big-endian) and the payload. Nothing in the
file needs trust: the origin and the digests are checked against what the messages sign. The last
record only tells a file that was cut short from one that is complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final, NamedTuple

from protocol.bounds import MAX_RECORD, MAX_RESENT, TRANSCRIPTS_NEEDED
from protocol.encoding import decode, encode
from protocol.errors import MalformedMessage
from protocol.places import Lane, LedgerName
from protocol.table.ledger import BY_SEAT, Origin, lacks
from protocol.table.replica import AnyReplica
from protocol.table.table import TableState
from protocol.wire.charter import Charter
from protocol.wire.contents import Head
from protocol.wire.fields import HASH_BYTES
from protocol.wire.identity import SIGNATURE_BYTES, Envelope
from protocol.wire.messages import Agreement, Message, decode_body

# A line of text, so that a person who opens the file sees what it is (specs 6.1).
MAGIC: Final = b"p2p304 transcript 1\n"
# The places in an envelope of its seat and its signature, which follows (specs 3.3).
_SEAT: Final = 2
_SIGNATURE: Final = slice(3, 3 + SIGNATURE_BYTES)
# A letter, and a length of four bytes.
_HEAD: Final = 5


class FileRecord(NamedTuple):
    """A record of a file: its letter, and what its payload holds, decoded.

    A charter (C), the origin of a ledger (L), the raw envelope of a message (M), an agreement (U)
    or a ruling (R), the digest at the end of a ledger (E) or of the file (Z).
    """

    letter: bytes
    content: Charter | Origin | bytes


def write_transcript(
    charter: Charter, replicas: Iterable[AnyReplica], agreed: tuple[Agreement, ...] = ()
) -> Iterator[bytes]:
    """Yield the bytes of a transcript, piece by piece, with these ledgers in this order.

    An open ledger is written with its closed rounds and the messages of its open round; a hand that
    a referee ended with the ruling, too. A hand that `agreed` ended is written up to the agreed
    point, without the open round, of which the seats may have different messages.

    Args:
        charter: the table's.
        replicas: the ledgers, each after those that it continues: a setup, then decks and hands
            by number.
        agreed: the agreements that ended the last hand, in seat order; else empty.
    """
    hasher = sha256()
    for piece in _pieces(charter, replicas, agreed):
        hasher.update(piece)
        yield piece
    yield _record(b"Z", hasher.digest())


def hand_transcript(
    table_state: TableState, number: int, agreed: tuple[Agreement, ...] = ()
) -> bytes:
    """Return the whole file of hand number `number`: the ledgers of its match's setup, its deck and
    the hand, an open one as far as it has come; with `agreed` the hand up to the agreed point.

    Raises KeyError if the table does not have one of the three, or has forgotten it.
    """
    setup = table_state.setup_of(number)
    if setup is None:
        raise KeyError(number)
    ledgers = ((Lane.TABLE, setup), (Lane.DECK, number), (Lane.HAND, number))
    replicas = [table_state.replicas[LedgerName(*each)] for each in ledgers]
    return b"".join(write_transcript(table_state.charter, replicas, agreed))


def _pieces(
    charter: Charter, replicas: Iterable[AnyReplica], agreed: tuple[Agreement, ...]
) -> Iterator[bytes]:
    """Yield the line of the format, then all records of a transcript but the last, Z."""
    yield MAGIC
    yield _record(b"C", charter.to_bytes())
    for replica in replicas:
        origin = replica.origin
        yield _record(b"L", encode(origin.to_value()))
        ledger = replica.ledger
        # Agreements end a hand, never a setup or a deck.
        unfinished = agreed if origin.ledger.lane is Lane.HAND else ()
        # Rounds that closed behind the point are in no seat's file (specs 6.1).
        ends = unfinished[0].content.closed if unfinished else len(ledger.rounds)
        for closed in ledger.rounds[:ends]:
            for each in closed:
                yield _record(b"M", each.raw)
        for agreement in unfinished:
            yield _record(b"U", agreement.raw)
        # Seats may have different messages of an open round; the agreed history is the same.
        if not unfinished:
            # By seat, not by arrival: the order of a file (specs 6.1).
            for each in sorted(ledger.accepted, key=BY_SEAT):
                yield _record(b"M", each.raw)
        if replica.ruling is not None:
            yield _record(b"R", replica.ruling.raw)
        yield _record(b"E", ledger.digests[ends])


def _record(letter: bytes, payload: bytes) -> bytes:
    """Return a record: its letter, its payload's length in 4 bytes, the payload."""
    return letter + len(payload).to_bytes(4, "big") + payload


def contents_of(data: bytes) -> bytes:
    """Return the digest (32 bytes) of a transcript's contents, equal for all honest seats (specs
    6.1).

    Only the format is judged. Raises MalformedMessage `transcript.*`, `encoding.*`, `key.*` or
    `charter.*` unless it is a whole transcript.
    """
    reader = TranscriptReader()
    # It reads as it is asked for entries.
    for _ in reader.feed(data):
        pass
    reader.finish()
    return reader.contents


class TranscriptReader:
    """Reads a file in pieces of any size and yields its entries; holds at most one record."""

    def __init__(self) -> None:
        """Begin before the first byte of a file."""
        self._buffer = bytearray()
        self._hasher = sha256()
        self._contents = sha256()
        self._ended = False
        #: The digest, 32 bytes, of the contents once the file has ended (specs 6.1): of every
        #: record but Z, an M or R without its signature, of a U the seat alone.
        self.contents = b""
        self.began = False  #: Whether the first 20 bytes were read, and are those of a transcript.

    def feed(self, data: bytes) -> Iterator[FileRecord]:
        """Yield the entries that `data`, the next bytes of the file, completes; the rest waits for
        the next call. Nothing is read before the entries are asked for.

        Raises MalformedMessage `transcript.format`, `.record`, `.size`, `.origin`, `.digest`,
        `.after-end`, `encoding.*`, `key.*` or `charter.*`.
        """
        self._buffer += data
        if not self.began:
            # At the first wrong byte, also of a piece that is shorter than the format.
            if not MAGIC.startswith(bytes(self._buffer[: len(MAGIC)])):
                raise MalformedMessage("transcript.format", "this is no transcript of p2p304")
            if len(self._buffer) < len(MAGIC):
                return
            self._hasher.update(MAGIC)
            del self._buffer[: len(MAGIC)]
            self.began = True
        while len(self._buffer) >= _HEAD:
            # Before the length is read (specs 6.2, reading, no. 2).
            if self._ended:
                raise MalformedMessage("transcript.after-end", "bytes after the last record")
            length = int.from_bytes(self._buffer[1:_HEAD], "big")
            # Before the payload is awaited: a declared length must not fill memory.
            if length > MAX_RECORD:
                raise MalformedMessage("transcript.size", f"a record of {length} bytes")
            if len(self._buffer) < _HEAD + length:
                return
            letter = bytes(self._buffer[:1])
            payload = bytes(self._buffer[_HEAD : _HEAD + length])
            entry = self._entry(letter, payload)
            if letter != b"Z":
                noted = payload
                if letter in (b"M", b"R"):
                    # Its owner may have signed one body twice; contents are equal all the same
                    # (CH9).
                    noted = payload[: _SIGNATURE.start] + payload[_SIGNATURE.stop :]
                elif letter == b"U":
                    # The seat alone: the serial of an agreement may differ as well.
                    noted = payload[_SEAT : _SEAT + 1]
                self._contents.update(_record(letter, noted))
            # After the entry: the digest of record Z is of the bytes before it.
            self._hasher.update(self._buffer[: _HEAD + length])
            del self._buffer[: _HEAD + length]
            yield entry

    def fork(self) -> TranscriptReader:
        """Return an independent copy of the reader, which can be fed further by itself."""
        other = TranscriptReader()
        other._buffer = bytearray(self._buffer)
        other._hasher, other._contents = self._hasher.copy(), self._contents.copy()
        other.began, other._ended, other.contents = self.began, self._ended, self.contents
        return other

    def finish(self) -> None:
        """Return if the file was complete; else raise MalformedMessage `transcript.incomplete`,
        or `transcript.after-end` for bytes after its end.
        """
        # Fewer bytes than a record's head, which `feed` does not look at.
        if self._ended and self._buffer:
            raise MalformedMessage("transcript.after-end", "bytes after the last record")
        if not self._ended:
            raise MalformedMessage("transcript.incomplete", "the file is cut short")

    def _entry(self, letter: bytes, payload: bytes) -> FileRecord:
        """Return the entry of the record with this letter and payload; a record Z ends the file.

        Raises MalformedMessage for an unknown or malformed record, and for a Z whose digest is not
        that of the bytes before it.
        """
        match letter:
            case b"C":
                return FileRecord(letter, Charter.from_bytes(payload))
            case b"L":
                # Of a transcript both have one name; evidence has two.
                check = "transcript.origin"
                origin = Origin.from_value(decode(payload), shape=check, place=check)
                # Form first, then what `after` has to be (specs 6.2).
                if not origin.follows_digests:
                    raise MalformedMessage(check)
                return FileRecord(letter, origin)
            case b"M" | b"U" | b"R":
                return FileRecord(letter, payload)
            # One of another length falls to the last case, as an unknown record.
            case b"E" if len(payload) == HASH_BYTES:
                return FileRecord(letter, payload)
            case b"Z":
                if payload != self._hasher.digest():
                    raise MalformedMessage("transcript.digest", "the file was changed")
                self._ended, self.contents = True, self._contents.digest()
                return FileRecord(letter, payload)
            case _:
                raise MalformedMessage("transcript.record", "an unknown record")


def wanted_hands(heads: tuple[Head, ...]) -> tuple[int, ...]:
    """Return the numbers of the hands whose transcripts a peer with these heads needs first: its
    newest hand and the next one; only hand 0 if the heads name no hand.
    """
    # -1: it has no hand, so that the first it lacks is hand 0.
    newest = max((head.number for head in heads if head.lane == Lane.HAND), default=-1)
    return tuple(number for number in range(newest, newest + TRANSCRIPTS_NEEDED) if number >= 0)


def envelopes_for(transcripts: Iterator[bytes], heads: tuple[Head, ...]) -> tuple[bytes, ...]:
    """Return the envelopes of ledger messages in these files that a peer lacks, in the files'
    order, each once, at most MAX_RESENT.

    No signature is verified: the peer does that. Raises MalformedMessage for a file that is no
    whole transcript, and for an envelope in it that does not decode.

    Args:
        transcripts: of `wanted_hands(heads)`, in this order.
        heads: the peer's; of a ledger without a head the peer lacks all.
    """
    told = {head.ledger: head for head in heads}
    found: dict[bytes, None] = {}
    for data in transcripts:
        reader = TranscriptReader()
        head: Head | None = None
        for entry in reader.feed(data):
            match entry:
                case (b"L", Origin() as origin):
                    head = told.get(origin.ledger)
                case (b"M", bytes(raw)):
                    body = decode_body(Envelope.from_bytes(raw))
                    # In a valid file M holds nothing else, but only an audit tells whether it is
                    # valid; no peer lacks what is in no ledger.
                    if not isinstance(body, Message):
                        continue
                    if head is None or lacks(head, body.place):
                        # A dict as an ordered set: the files share their setup.
                        found[raw] = None
                # Agreements and rulings too: they are no ledger messages.
                case _:
                    pass
        reader.finish()
    return tuple(found)[:MAX_RESENT]
