"""Single faults in transcripts: bytes, fields, order, omissions, splices; signed again or not."""

from __future__ import annotations

import random
from hashlib import sha256
from typing import Any

from protocol.audit.transcript import MAGIC
from protocol.encoding import decode, encode
from protocol.errors import LocalError, MalformedMessage
from protocol.wire.charter import Charter
from protocol.wire.envelope import Envelope, Purpose, sign
from protocol.wire.identity import SigningKey

Row = tuple[bytes, bytes]


def rows_of(data: bytes) -> list[Row]:
    """The records of a transcript, without the last one that only hashes the others."""
    rows, place = [], len(MAGIC)
    while place < len(data):
        length = int.from_bytes(data[place + 1 : place + 5], "big")
        rows.append((data[place : place + 1], data[place + 5 : place + 5 + length]))
        place += 5 + length
    return rows[:-1]


def file_of(rows: list[Row]) -> bytes:
    """A transcript of these records, complete with the right last one."""
    body = MAGIC + b"".join(
        letter + len(payload).to_bytes(4, "big") + payload for letter, payload in rows
    )
    digest = sha256(body).digest()
    return body + b"Z" + len(digest).to_bytes(4, "big") + digest


class Tamperer:
    """Makes faulty files of good ones, by seed; `keys` sign changed messages again."""

    def __init__(
        self, files: list[bytes], charters: list[Charter], keys: list[SigningKey], seed: int
    ) -> None:
        self._files = [rows_of(each) for each in files]
        self._charters = charters
        self._keys = keys
        self._chance = random.Random(seed)

    def fault(self) -> tuple[str, int, bytes]:
        """The kind of fault, the number of the file it was made in, and the faulty file."""
        while True:
            number = self._chance.randrange(len(self._files))
            rows = list(self._files[number])
            kind = self._chance.choice(
                ("bit", "drop", "swap", "double", "splice", "origin", "end", "signed", "signed")
            )
            changed: list[Row] | None = getattr(self, f"_{kind}")(rows, number)
            if changed is not None and changed != self._files[number]:
                return kind, number, file_of(changed)

    def _some(self, rows: list[Row], letters: bytes = b"M") -> int:
        places = [place for place, (letter, _) in enumerate(rows) if letter in letters]
        return self._chance.choice(places)

    def _bit(self, rows: list[Row], number: int) -> list[Row]:
        place = self._some(rows, b"CLME")
        letter, payload = rows[place]
        changed = bytearray(payload)
        changed[self._chance.randrange(len(changed))] ^= 1 << self._chance.randrange(8)
        rows[place] = (letter, bytes(changed))
        return rows

    def _drop(self, rows: list[Row], number: int) -> list[Row]:
        del rows[self._some(rows, b"CLME")]
        return rows

    def _swap(self, rows: list[Row], number: int) -> list[Row]:
        one, other = self._some(rows), self._some(rows)
        rows[one], rows[other] = rows[other], rows[one]
        return rows

    def _double(self, rows: list[Row], number: int) -> list[Row]:
        rows.insert(self._some(rows), rows[self._some(rows)])
        return rows

    def _splice(self, rows: list[Row], number: int) -> list[Row]:
        donor = self._chance.choice(self._files)
        rows[self._some(rows)] = donor[self._some(donor)]
        return rows

    def _origin(self, rows: list[Row], number: int) -> list[Row] | None:
        place = self._some(rows, b"L")
        return self._edited(rows, place, rows[place][1])

    def _end(self, rows: list[Row], number: int) -> list[Row]:
        cut = self._chance.randrange(1, len(rows))
        return rows[:cut]

    def _edited(self, rows: list[Row], place: int, data: bytes) -> list[Row] | None:
        try:
            rows[place] = (rows[place][0], encode(self._other(decode(data))))
        except (LocalError, MalformedMessage):
            return None
        return rows

    def _signed(self, rows: list[Row], number: int) -> list[Row] | None:
        """One field of a body changed, and the body signed again by its own seat."""
        place = self._some(rows)
        envelope = Envelope.from_bytes(rows[place][1])
        try:
            body = encode(self._other(decode(envelope.body)))
        except (LocalError, MalformedMessage):
            return None
        again = sign(
            self._keys[envelope.seat],
            body,
            purpose=Purpose.LEDGER,
            seat=envelope.seat,
            charter=self._charters[number].digest,
        )
        rows[place] = (b"M", again.to_bytes())
        return rows

    def _other(self, value: Any) -> Any:
        """The value with one leaf of it changed."""
        chance = self._chance
        match value:
            case tuple() if value:
                place = chance.randrange(len(value))
                if chance.random() < 0.1:
                    return value[:place] + value[place + 1 :]
                return (*value[:place], self._other(value[place]), *value[place + 1 :])
            case tuple():
                return (0,)
            case int():
                return max(0, value + chance.choice((-1, 1, 7)))
            case bytes() if value:
                changed = bytearray(value)
                changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
                return bytes(changed)
            case bytes():
                return b"\x00"
            case str() if value:
                place = chance.randrange(len(value))
                return value[:place] + chance.choice("0123456789=CSHDTJQKA ") + value[place + 1 :]
            case _:
                return "x"
