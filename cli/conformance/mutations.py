"""Seeded mutations of transcripts: mutation k of a seed is the same on every machine.

Bytes, records, origins, digests; and messages whose bodies are changed and signed again by the
seat's own key, which reach every check behind the signature.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from cli.conformance.deviations import deviation
from cli.conformance.hands import SAVED_HANDS, TABLES
from cli.conformance.rehearsal import Rehearsal
from cli.conformance.transcript_edits import Draft, Record, body_of, signed
from p2p304.randomness import SeededRandomness
from protocol.encoding import Value, decode, encode
from protocol.errors import LocalError
from protocol.wire.envelope import Purpose

WEIGHTS: Final = {
    "passed-out": 6,
    "redeal": 3,
    "spoilt": 3,
    "eight-card": 2,
    "closed": 3,
    "two-hands": 1,
    "unfinished": 2,
    "deal-of-41": 1,
    "deals-of-400": 1,
}
"""How often each saved hand is the base; long ones take long."""
OTHER_TABLES: Final = 4
"""Every so many mutations the base is the hand of one of the other tables, each as often."""

DEVIATIONS: Final = 8
"""Every so many mutations a seat does something else than it did, in any of the hands."""

_INT_BOUNDS: Final = (-(1 << 63), (1 << 64) - 1)


@dataclass(frozen=True, slots=True)
class Mutation:
    """A file that differs from a saved hand, and how."""

    number: int
    base: str
    about: str
    data: bytes


class _Maker:
    """Makes one mutation."""

    def __init__(self, seed: int, number: int) -> None:
        self.chance = SeededRandomness(seed * 1_000_003 + number)
        names = [name for name, weight in WEIGHTS.items() for _ in range(weight)]
        if number % OTHER_TABLES == OTHER_TABLES - 1:
            names = list(TABLES)
        self.deviates = number % DEVIATIONS == DEVIATIONS - 1
        if self.deviates:
            names = [*WEIGHTS, *TABLES]
        self.base = names[self.chance.randbelow(len(names))]
        self.table = _table(self.base)
        self.whole = _transcript(self.base)
        self.draft = Draft.of(self.whole)

    def below(self, bound: int) -> int:
        return self.chance.randbelow(bound)

    def one_of(self, items: Sequence[int]) -> int:
        return items[self.below(len(items))]

    def make(self) -> tuple[str, bytes]:
        if self.deviates:
            return self.deviation()
        families = [family for family, weight in _FAMILIES for _ in range(weight)]
        return families[self.below(len(families))](self)

    # --- bytes ------------------------------------------------------------------------------------

    def flip(self, data: bytes) -> bytes:
        changed = bytearray(data)
        changed[self.below(len(data))] ^= 1 << self.below(8)
        return bytes(changed)

    def raw(self) -> tuple[str, bytes]:
        data, at = self.whole, self.below(len(self.whole))
        match self.below(4):
            case 0:
                return "a bit of the file", self.flip(data)
            case 1:
                return "cut short", data[:at]
            case 2:
                return "bytes left out", data[:at] + data[at + 1 + self.below(40) :]
            case _:
                return "bytes put in", data[:at] + bytes(1 + self.below(40)) + data[at:]

    # --- records ----------------------------------------------------------------------------------

    def record(self) -> tuple[str, bytes]:
        draft = self.draft
        place = self.below(len(draft.records))
        chosen = draft.records[place]
        match self.below(9):
            case 0:
                return "a record left out", draft.without(place).to_bytes()
            case 1:
                return "a record twice", draft.inserted(place, chosen).to_bytes()
            case 2:
                other = min(place + 1, len(draft.records) - 1)
                return "two records exchanged", draft.swapped(place, other).to_bytes()
            case 3:
                other = self.below(len(draft.records))
                return "two far records exchanged", draft.swapped(place, other).to_bytes()
            case 4:
                letter = b"CLMUEZX"[self.below(7) :][:1]
                return "another letter", draft.with_record(place, chosen.payload, letter).to_bytes()
            case 5:
                payload = self.flip(chosen.payload)
                return "a bit of a record", draft.with_record(place, payload).to_bytes()
            case 6:
                payload = chosen.payload[: self.below(len(chosen.payload))]
                return "a record cut short", draft.with_record(place, payload).to_bytes()
            case 7:
                last = place + 1 + self.below(5)
                return "some records left out", draft.without(place, last).to_bytes()
            case _:
                payload = chosen.payload + bytes(1 + self.below(3))
                return "a longer record", draft.with_record(place, payload).to_bytes()

    def foreign(self) -> tuple[str, bytes]:
        names = [name for name in SAVED_HANDS if name != self.base]
        other = Draft.of(_transcript(names[self.below(len(names))]))
        place = self.below(len(self.draft.records))
        letter = self.draft.records[place].letter
        candidates = other.places(letter) or other.places(b"M")
        taken = other.records[self.one_of(candidates)]
        draft = self.draft.with_record(place, taken.payload, taken.letter)
        return "a record of another table", draft.to_bytes()

    def origin(self) -> tuple[str, bytes]:
        place = self.one_of(self.draft.places(b"L"))
        value = decode(self.draft.records[place].payload)
        changed = self.changed(value)
        return "an origin", self.draft.with_record(place, encoded(changed)).to_bytes()

    def charter(self) -> tuple[str, bytes]:
        value = decode(self.draft.records[0].payload)
        return "the charter", self.draft.with_record(0, encoded(self.changed(value))).to_bytes()

    # --- messages ---------------------------------------------------------------------------------

    def message(self) -> tuple[int, bytes]:
        place = self.one_of(self.draft.places(b"M"))
        return place, self.draft.records[place].payload

    def put(self, place: int, raw: bytes) -> bytes:
        return self.draft.with_record(place, raw).to_bytes()

    def content(self) -> tuple[str, bytes]:
        place, raw = self.message()
        *head, content = body_of(raw)
        body = (*head, self.changed(content))
        return "content signed again", self.put(place, self.sign(body, raw[2]))

    def head(self) -> tuple[str, bytes]:
        place, raw = self.message()
        body = list(body_of(raw))
        at = self.below(len(body) - 1)
        body[at] = self.changed(body[at])
        return "a body's head signed again", self.put(place, self.sign(tuple(body), raw[2]))

    def body(self) -> tuple[str, bytes]:
        place, raw = self.message()
        return "a body's bit signed again", self.put(
            place, signed(self.table, self.flip(raw[67:]), raw[2])
        )

    def by_another(self) -> tuple[str, bytes]:
        place, raw = self.message()
        other = self.another(raw[2])
        return "signed by another seat", self.put(
            place, signed(self.table, raw[67:], raw[2], by=other)
        )

    def another(self, seat: int) -> int:
        """Return another seat than this one."""
        seats = len(self.table.keys)
        return (seat + 1 + self.below(seats - 1)) % seats

    def said_by_another(self) -> tuple[str, bytes]:
        """Make a seat say what another seat said in the same place."""
        place, raw = self.message()
        body = list(body_of(raw))
        seat = self.another(raw[2])
        body[4] = seat
        return "said by another seat", self.put(place, self.sign(tuple(body), seat))

    def borrowed(self) -> tuple[str, bytes]:
        """Sign the content of another message of the file as this one's."""
        place, raw = self.message()
        _, other = self.message()
        body, lent = body_of(raw), body_of(other)
        mixed = (*body[:5], lent[5], body[6], lent[7])
        return "another message's content", self.put(place, self.sign(mixed, raw[2]))

    def deviation(self) -> tuple[str, bytes]:
        """Make a seat act in another way, with honest proofs where there are such."""
        place, body, proved = deviation(self.base, self.draft, self.table, self.chance)
        about = "another action, proved" if proved else "another action"
        return about, self.put(place, self.sign(body, self.draft.records[place].payload[2]))

    def agreement(self) -> tuple[str, bytes]:
        """Change what a seat that agreed to end the hand agreed to; without one, change content."""
        places = self.draft.places(b"U")
        if not places:
            return self.content()
        place = self.one_of(places)
        raw = self.draft.records[place].payload
        *head, content = body_of(raw)
        body = encoded((*head, self.changed(content)))
        return "an agreement signed again", self.put(
            place, signed(self.table, body, raw[2], purpose=Purpose.NOTICE)
        )

    def second(self) -> tuple[str, bytes]:
        """Add a second message of a seat for one place."""
        place, raw = self.message()
        *head, content = body_of(raw)
        more = self.sign((*head, self.changed(content)), raw[2])
        at = place + self.below(2)
        return "a second version", self.draft.inserted(at, Record(b"M", more)).to_bytes()

    def sign(self, body: tuple[Value, ...], seat: int) -> bytes:
        return signed(self.table, encoded(body), seat)

    # --- values -----------------------------------------------------------------------------------

    def changed(self, value: Value) -> Value:
        """Return the value with one of its parts changed."""
        match value:
            case tuple() if value and self.below(4):
                at = self.below(len(value))
                return (*value[:at], self.changed(value[at]), *value[at + 1 :])
            case tuple():
                return self._list(value)
            case bytes() if value:
                return self._bytes(value)
            case str() if value:
                return self._text(value)
            case int():
                step = (1, -1, 2, 255, 1 << 32)[self.below(5)]
                return min(max(value + step, _INT_BOUNDS[0]), _INT_BOUNDS[1])
            case _:
                return self.below(256)

    def _list(self, value: tuple[Value, ...]) -> Value:
        at = self.below(len(value) + 1)
        match self.below(4):
            case 0:
                return value[:at] + value[at + 1 :]
            case 1:
                return (*value[:at], *value[at : at + 1], *value[at:])
            case 2:
                return value[::-1]
            case _:
                return (*value[:at], bytes(32), *value[at:])

    def _bytes(self, value: bytes) -> Value:
        at = self.below(len(value))
        match self.below(8):
            case 0:
                return value[:at]
            case 1:
                return value + bytes(1 + self.below(33))
            case 2:
                return bytes(len(value))
            case 3 if len(value) >= 66:
                points = len(value) // 33
                one, other = self.below(points) * 33, self.below(points) * 33
                moved = bytearray(value)
                moved[one : one + 33], moved[other : other + 33] = (
                    value[other : other + 33],
                    value[one : one + 33],
                )
                return bytes(moved)
            case 4:
                return str(len(value))
            case _:
                return self.flip(value)

    def _text(self, value: str) -> Value:
        at = self.below(len(value))
        match self.below(6):
            case 0:
                return value[:at] + value[at + 1 :]
            case 1:
                letter = "0123456789 =CDHSJQKAT"[self.below(21)]
                return value[:at] + letter + value[at + 1 :]
            case 2:
                return _TEXTS[self.below(len(_TEXTS))]
            case 3:
                return value + " 1"
            case 4:
                return value.encode("utf-8")
            case _:
                return value[:at] + "é" + value[at:]


_TEXTS: Final = (
    "pass",
    "ready",
    "sort",
    "ask",
    "closed",
    "none",
    "spoilt",
    "bid 160",
    "bid 200",
    "bid 300",
    "bid pcc",
    "cut 0",
    "cut 31",
    "cut 32",
    "cut 52",
    "bid 2",
    "bid 13",
    "bid 14",
    "play 60=2H",
    "redeal",
    "down 40",
    "play 40=9C",
    "open 9C",
    "caps",
    "no-trump",
    "count 40=9C",
    "indicator 0",
    "indicator 4",
)

_FAMILIES: Final[tuple[tuple[Callable[[_Maker], tuple[str, bytes]], int], ...]] = (
    (_Maker.raw, 3),
    (_Maker.record, 6),
    (_Maker.foreign, 1),
    (_Maker.origin, 2),
    (_Maker.charter, 1),
    (_Maker.content, 12),
    (_Maker.head, 3),
    (_Maker.body, 3),
    (_Maker.by_another, 1),
    (_Maker.said_by_another, 1),
    (_Maker.borrowed, 2),
    (_Maker.second, 1),
    (_Maker.agreement, 1),
)


@cache
def _transcript(name: str) -> bytes:
    return SAVED_HANDS[name].kept()


@cache
def _table(name: str) -> Rehearsal:
    return SAVED_HANDS[name].table_of()


def encoded(value: Value) -> bytes:
    """Encode a value; one that is too long or too deep as an empty array."""
    try:
        return encode(value)
    except LocalError:
        return encode(())


def mutation(seed: int, number: int) -> Mutation:
    """Return mutation `number` of a seed; now and then it changes nothing, and the file is
    valid."""
    maker = _Maker(seed, number)
    about, data = maker.make()
    return Mutation(number, maker.base, about, data)
