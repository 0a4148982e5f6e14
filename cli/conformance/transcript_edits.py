"""A transcript taken apart: records that can be changed, signed again and put together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from cli.conformance.rehearsal import Rehearsal
from p2p304.seats import Seat
from protocol.audit.transcript import MAGIC
from protocol.encoding import Value, decode, encode
from protocol.wire.envelope import Envelope, Purpose, sign

_HEAD: Final = 5


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its letter and its payload."""

    letter: bytes
    payload: bytes

    def to_bytes(self) -> bytes:
        """Return the record as it lies in the file."""
        return self.letter + len(self.payload).to_bytes(4, "big") + self.payload


@dataclass(frozen=True, slots=True)
class Draft:
    """The records of a transcript, without its last one."""

    records: tuple[Record, ...]

    @classmethod
    def of(cls, data: bytes) -> Draft:
        """Return a draft with the records of a sound transcript."""
        place, records = len(MAGIC), []
        while place < len(data):
            length = int.from_bytes(data[place + 1 : place + _HEAD], "big")
            payload = data[place + _HEAD : place + _HEAD + length]
            records.append(Record(data[place : place + 1], payload))
            place += _HEAD + length
        return cls(tuple(records[:-1]))

    def to_bytes(self) -> bytes:
        """Return the file, with its right digest at the end."""
        body = MAGIC + b"".join(each.to_bytes() for each in self.records)
        return body + Record(b"Z", sha256(body).digest()).to_bytes()

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

    def inserted(self, place: int, *records: Record) -> Draft:
        """Return the draft with more records before the one at `place`."""
        return Draft((*self.records[:place], *records, *self.records[place:]))

    def swapped(self, one: int, other: int) -> Draft:
        """Return the draft with two records exchanged."""
        records = list(self.records)
        records[one], records[other] = records[other], records[one]
        return Draft(tuple(records))


def body_of(raw: bytes) -> tuple[Value, ...]:
    """Return the value of an envelope's body."""
    value = decode(Envelope.from_bytes(raw).body)
    assert isinstance(value, tuple)
    return value


def signed(
    table: Rehearsal,
    body: bytes | tuple[Value, ...],
    seat: int,
    *,
    by: int | None = None,
    purpose: Purpose = Purpose.LEDGER,
) -> bytes:
    """Return an envelope with this body, signed by its seat or by another one."""
    data = body if isinstance(body, bytes) else encode(body)
    envelope = sign(
        table.keys[seat if by is None else by],
        data,
        purpose=purpose,
        seat=Seat(seat),
        charter=table.charter.digest,
    )
    return envelope.to_bytes()
