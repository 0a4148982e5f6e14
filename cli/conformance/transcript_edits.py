"""A transcript taken apart: records that can be changed, signed again and put together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

from cli.conformance.tables import OwnTable
from p2p304.seats import Seat
from protocol import labels
from protocol.encoding import Value, decode, digest, encode
from protocol.errors import LocalError, MalformedMessage
from protocol.places import Lane, LedgerName
from protocol.table.ledger import Origin
from protocol.transcript.file import MAGIC
from protocol.wire.charter import Charter
from protocol.wire.envelope import Envelope, Purpose, sign
from protocol.wire.messages import table_tag

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
        return cls(tuple(records[:-1]))

    def to_bytes(self) -> bytes:
        """Return the file, with its right digest at the end."""
        body = MAGIC + b"".join(each.to_bytes() for each in self.records)
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

    def inserted(self, place: int, *records: DraftRecord) -> Draft:
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
    table: OwnTable,
    body: bytes | tuple[Value, ...],
    seat: int,
    *,
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


def encoded(value: Value) -> bytes:
    """Encode a value; one that is too long or too deep as an empty array."""
    try:
        return encode(value)
    except LocalError:
        return encode(())


def relinked(draft: Draft, table: OwnTable) -> Draft:
    """Return the draft with every digest that follows from what now stands before it, signed again:
    heads, what messages and ledgers continue, what agreements and rulings name.

    What cannot be read stays as it is, with all behind it.
    """
    records: list[DraftRecord] = []
    try:
        linker = _Linker(table, Charter.from_bytes(draft.records[0].payload))
        records += (linker.record(each) for each in draft.records)
    except (MalformedMessage, ValueError, TypeError, LocalError, OverflowError, IndexError):
        pass  # of whatever shape a mutation has given it
    return Draft((*records, *draft.records[len(records) :]))


class _Linker:
    def __init__(self, table: OwnTable, charter: Charter) -> None:
        self._table, self._charter = table, charter
        self._new: dict[Any, Any] = {}
        """What has become of each digest."""
        self._head, self._round = b"", 0
        self._said: list[tuple[int, bytes]] = []
        self._ruling: list[bytes] = []

    def record(self, record: DraftRecord) -> DraftRecord:
        match record.letter:
            case b"L":
                value: Any = decode(record.payload)
                lane, number, after, leading, scores = value
                continued = tuple(self._new.get(each, each) for each in after)
                name = LedgerName(Lane(lane), number)
                origin = Origin(name, continued, Seat(leading), scores)
                self._head, self._round = origin.root(self._charter.digest), 0
                self._said, self._ruling = [], []
                payload = encode(origin.to_value())
            case b"M":
                payload = self._message(record.payload)
            case b"U" | b"R":
                payload = self._stopping(record.payload, ruling=record.letter == b"R")
            case b"E":
                if record.payload not in self._new:
                    self._close(record.payload)
                payload = self._new[record.payload]
                if self._ruling:
                    old, new = self._ruling
                    before = digest(labels.LEDGER_RULED, record.payload, old)
                    self._new[before] = digest(labels.LEDGER_RULED, payload, new)
            case _:
                payload = record.payload
        return DraftRecord(record.letter, payload)

    def _message(self, raw: bytes) -> bytes:
        body: tuple[Any, ...] = body_of(raw)
        _, lane, number, of_round, seat, kind, previous, content = body
        if of_round != self._round or (self._said and seat <= self._said[-1][0]):
            self._close(previous)
        self._new.setdefault(previous, self._head)
        body = (self._tag, lane, number, self._round, seat, kind, self._head, content)
        again = signed(self._table, body, raw[2], charter=self._charter)
        self._said.append((raw[2], Envelope.from_bytes(again).message_id))
        return again

    def _close(self, old: Any) -> None:
        if self._said:
            entries = (bytes((seat,)) + name for seat, name in sorted(self._said))
            number = self._round.to_bytes(4, "big")
            self._head = digest(labels.LEDGER_ROUND, self._head, number, *entries)
            self._said, self._round = [], self._round + 1
        self._new[old] = self._head

    def _stopping(self, raw: bytes, *, ruling: bool) -> bytes:
        body: tuple[Any, ...] = body_of(raw)
        _, *head, (number, closed, before, *rest) = body
        if before not in self._new:
            self._close(before)
        told = (number, closed, self._new[before], *rest)
        purpose = Purpose.RULING if ruling else Purpose.NOTICE
        body = (self._tag, *head, told)
        again = signed(self._table, body, raw[2], purpose=purpose, charter=self._charter)
        if ruling:
            self._ruling = [Envelope.from_bytes(each).message_id for each in (raw, again)]
        return again

    @property
    def _tag(self) -> bytes:
        return table_tag(self._charter.digest)
