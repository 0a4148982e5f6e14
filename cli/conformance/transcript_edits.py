"""A transcript taken apart: records that can be changed, signed again and put together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from cli.conformance.tables import OwnTable
from p2p304.seats import Seat
from protocol.encoding import Value, decode, encode
from protocol.errors import LocalError
from protocol.transcript.file import MAGIC
from protocol.wire.charter import Charter
from protocol.wire.envelope import Envelope, Purpose, sign

# A letter and a length of four bytes (specs 6.1).
_HEAD: Final = 5


@dataclass(frozen=True, slots=True)
class DraftRecord:
    """One record: its letter and its payload."""

    letter: bytes
    payload: bytes

    def to_bytes(self) -> bytes:
        """Return the record as it lies in the file."""
        return self.letter + len(self.payload).to_bytes(4, "big") + self.payload


@dataclass(frozen=True, slots=True)
class Draft:
    """The records of a transcript, without its last one."""

    records: tuple[DraftRecord, ...]

    @classmethod
    def of(cls, data: bytes) -> Draft:
        """Return a draft with the records of a sound transcript."""
        place, records = len(MAGIC), []
        while place < len(data):
            length = int.from_bytes(data[place + 1 : place + _HEAD], "big")
            payload = data[place + _HEAD : place + _HEAD + length]
            records.append(DraftRecord(data[place : place + 1], payload))
            place += _HEAD + length
        # The last record is the digest of all others, which is made anew.
        return cls(tuple(records[:-1]))

    def to_bytes(self) -> bytes:
        """Return the file, with its right digest at the end."""
        body = MAGIC + b"".join(each.to_bytes() for each in self.records)
        # Z is the digest; a changed file has a right one, so that what was changed is what fails.
        return body + DraftRecord(b"Z", sha256(body).digest()).to_bytes()

    def places(self, letter: bytes) -> list[int]:
        """Return where records of a kind stand."""
        return [place for place, each in enumerate(self.records) if each.letter == letter]

    def with_record(self, place: int, payload: bytes, letter: bytes | None = None) -> Draft:
        """Return the draft with another payload in one record."""
        record = replace(self.records[place], payload=payload)
        if letter is not None:
            record = replace(record, letter=letter)
        return Draft((*self.records[:place], record, *self.records[place + 1 :]))

    def without(self, first: int, last: int | None = None) -> Draft:
        """Return the draft without the records from `first` to before `last` (one, if it is
        None)."""
        end = first + 1 if last is None else last
        return Draft((*self.records[:first], *self.records[end:]))

    def insert(self, place: int, *records: DraftRecord) -> Draft:
        """Return the draft with more records before the one at `place`."""
        return Draft((*self.records[:place], *records, *self.records[place:]))

    def swap(self, one: int, other: int) -> Draft:
        """Return the draft with two records exchanged."""
        records = list(self.records)
        records[one], records[other] = records[other], records[one]
        return Draft(tuple(records))


def body_of(raw: bytes) -> tuple[Value, ...]:
    """Return the value of an envelope's body."""
    value = decode(Envelope.from_bytes(raw).body)
    # A sound body is an array (specs 3.4).
    assert isinstance(value, tuple)
    return value


def sign_body(
    table: OwnTable,
    body: bytes | tuple[Value, ...],
    seat: int,
    *,
    # By another: a message under a key that is not its seat's.
    by: int | None = None,
    purpose: Purpose = Purpose.LEDGER,
    charter: Charter | None = None,
) -> bytes:
    """Return an envelope with this body, signed by its seat or by another one; a ruling by the
    referee. It is for the table's charter, or for another one of the same seats."""
    data = body if isinstance(body, bytes) else encode(body)
    key = table.referee if purpose is Purpose.RULING else table.keys[seat if by is None else by]
    agreed = charter or table.charter
    return sign(key, data, purpose=purpose, seat=Seat(seat), charter=agreed.digest).to_bytes()


def encode_value(value: Value) -> bytes:
    """Encode a value; one that is too long or too deep as an empty array."""
    try:
        return encode(value)
    # What cannot be encoded becomes an empty array: the file is written, and an auditor must refuse
    # it.
    except LocalError:
        return encode(())
