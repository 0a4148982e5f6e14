"""Seeded mutations of transcripts: mutation k of a seed is the same on every machine.

Bytes and records; and what only the tables' own keys can make: other bodies under good signatures,
records at other places with all digests after them made anew, hands that are played on with honest
proofs or with lies, and that end by agreement or by a ruling at any point, at every table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeVar

from cli.conformance.expected_verdicts import expected_verdicts
from cli.conformance.onward import ANYWHERE, Begun, Onward, kept
from cli.conformance.tables import AROUND, SAVED, OwnTable, table_of
from cli.conformance.transcript_edits import Draft, DraftRecord, body_of, encoded, relinked, signed
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from protocol import labels
from protocol.encoding import Value, decode, digest
from protocol.errors import MalformedMessage, ProofError
from protocol.places import EPOCH, Lane
from protocol.table.replica import AnyReplica
from protocol.table.standing import check_continued
from protocol.wire.charter import Charter
from protocol.wire.envelope import Envelope, Purpose
from protocol.wire.messages import table_tag

WEIGHTS: Final = {name: weight for name, (_, weight) in SAVED.items() if weight}
"""How often each saved hand is the base."""
OTHER_TABLES: Final = 4
"""Every so many mutations the base is the hand of one of the other tables, each as often."""

ONWARD: Final = 2
"""Every so many mutations a hand at one of the tables, each as often, is played on from a point or
ended there."""

_INT_BOUNDS: Final = (-(1 << 63), (1 << 64) - 1)
_LETTERS: Final = {b"M": Purpose.LEDGER, b"U": Purpose.NOTICE, b"R": Purpose.RULING}


@dataclass(frozen=True, slots=True)
class Mutation:
    """A file that differs from a saved hand, and how."""

    number: int
    base: str
    about: str
    data: bytes


Made = tuple[str, Draft | bytes]
Chosen = TypeVar("Chosen")


class _Maker:
    """Makes one mutation."""

    def __init__(self, seed: int, number: int) -> None:
        self.chance = SeededRandomness(seed * 1_000_003 + number)
        names = [name for name, weight in WEIGHTS.items() for _ in range(weight)]
        if number % OTHER_TABLES == OTHER_TABLES - 2:
            names = [name for name in SAVED if name not in WEIGHTS]
        self.onward = number % ONWARD == ONWARD - 1
        if self.onward:
            names = list(AROUND)
        self.base = names[self.below(len(names))]

    @property
    def table(self) -> OwnTable:
        return table_of(self.base)

    @property
    def whole(self) -> bytes:
        return kept(self.base)

    @cached_property
    def draft(self) -> Draft:
        return Draft.of(self.whole)

    def below(self, bound: int) -> int:
        return self.chance.randbelow(bound)

    def one_of(self, items: Sequence[int]) -> int:
        return items[self.below(len(items))]

    def pick(self, *ways: Callable[[], Chosen]) -> Chosen:
        """Return what one of these gives."""
        return ways[self.below(len(ways))]()

    def make(self) -> tuple[str, bytes]:
        if self.onward:
            about, made = self.played_on() if self.below(6) else self.continuing()
        else:
            families = [family for family, weight in _FAMILIES for _ in range(weight)]
            about, made = families[self.below(len(families))](self)
        if isinstance(made, bytes):
            return about, made
        if self.below(2):
            about, made = f"{about}, linked anew", relinked(made, self.table)
        return about, made.to_bytes()

    # --- bytes ------------------------------------------------------------------------------------

    def flip(self, data: bytes) -> bytes:
        changed = bytearray(data)
        changed[self.below(len(data))] ^= 1 << self.below(8)
        return bytes(changed)

    def raw(self) -> Made:
        data, at, more = self.whole, self.below(len(self.whole)), 1 + self.below(40)
        return self.pick(
            lambda: ("a bit of the file", self.flip(data)),
            lambda: ("cut short", data[:at]),
            lambda: ("bytes left out", data[:at] + data[at + more :]),
            lambda: ("bytes put in", data[:at] + bytes(more) + data[at:]),
        )

    # --- records ----------------------------------------------------------------------------------

    def record(self) -> Made:
        draft = self.draft
        place, other = (self.below(len(draft.records)) for _ in range(2))
        chosen = draft.records[place]
        near = max(0, min(len(draft.records) - 1, place - 3 + self.below(7)))
        after, letter = place + 1 + self.below(5), b"CLMUREZX"[self.below(8) :][:1]
        changed = self._bytes(chosen.payload)
        payload = changed if isinstance(changed, bytes) else b""
        return self.pick(
            lambda: ("some records left out", draft.without(place, after)),
            lambda: ("a record again elsewhere", draft.inserted(other, chosen)),
            lambda: ("a record again nearby", draft.inserted(near, chosen)),
            lambda: ("two far records exchanged", draft.swapped(place, other)),
            lambda: ("two near records exchanged", draft.swapped(place, near)),
            lambda: ("a record elsewhere", draft.without(place).inserted(near, chosen)),
            lambda: ("another letter", draft.with_record(place, chosen.payload, letter)),
            lambda: ("a record's bytes", draft.with_record(place, payload)),
        )

    def foreign(self) -> Made:
        names = [name for name in SAVED if name != self.base]
        other = Draft.of(kept(names[self.below(len(names))]))
        place = self.below(len(self.draft.records))
        letter = self.draft.records[place].letter
        taken = other.records[self.one_of(other.places(letter) or other.places(b"M"))]
        return "a record of another table", self.draft.with_record(
            place, taken.payload, taken.letter
        )

    def origin(self) -> Made:
        place = self.one_of(self.draft.places(b"L"))
        value = decode(self.draft.records[place].payload)
        return "an origin", self.draft.with_record(place, encoded(self.changed(value)))

    def charter(self) -> Made:
        value = decode(self.draft.records[0].payload)
        return "the charter", self.draft.with_record(0, encoded(self.changed(value)))

    # --- what is signed ---------------------------------------------------------------------------

    def signed_record(self) -> tuple[int, DraftRecord]:
        places = self.draft.places(b"M")
        if not self.below(4):
            places = self.draft.places(b"U") or self.draft.places(b"R") or places
        place = self.one_of(places)
        return place, self.draft.records[place]

    def sign(self, record: DraftRecord, body: bytes | tuple[Value, ...], seat: int) -> bytes:
        data = body if isinstance(body, bytes) else encoded(body)
        return signed(self.table, data, seat, purpose=_LETTERS[record.letter])

    def resigned(self) -> Made:
        """Sign a body in which something is different."""
        place, record = self.signed_record()
        raw = record.payload
        *head, content = body_of(raw)
        body: bytes | tuple[Value, ...]
        match self.below(8):
            case 0:
                at = self.below(len(head))
                head[at] = self.changed(head[at])
                about, body = "a body's head signed again", (*head, content)
            case 1:
                about, body = "a body's bit signed again", self.flip(raw[67:])
            case _:
                about, body = "content signed again", (*head, self.changed(content))
        return about, self.draft.with_record(place, self.sign(record, body, raw[2]))

    def second(self) -> Made:
        """Add a second message of a seat for one place."""
        place, record = self.signed_record()
        *head, content = body_of(record.payload)
        more = self.sign(record, (*head, self.changed(content)), record.payload[2])
        at = place + self.below(2)
        return "a second version", self.draft.inserted(at, DraftRecord(record.letter, more))

    def by_another(self) -> Made:
        """Make a seat sign what another seat said, in that one's name or in its own."""
        place, record = self.signed_record()
        raw = record.payload
        seats = len(self.table.keys)
        other = (raw[2] + 1 + self.below(seats - 1)) % seats
        if self.below(2) or record.letter != b"M":
            payload = signed(
                self.table, raw[67:], raw[2], by=other, purpose=_LETTERS[record.letter]
            )
            return "signed by another seat", self.draft.with_record(place, payload)
        body = list(body_of(raw))
        body[4] = other
        payload = self.sign(record, tuple(body), other)
        return "said by another seat", self.draft.with_record(place, payload)

    def borrowed(self) -> Made:
        """Sign the content of another message of the file as this one's."""
        (place, lent), messages = self.signed_record(), self.draft.places(b"M")
        place = self.one_of(messages)
        record = self.draft.records[place]
        body, other = body_of(record.payload), body_of(lent.payload)
        mixed = (*body[:5], other[-3], body[6], other[-1])
        payload = self.sign(record, mixed, record.payload[2])
        return "another message's content", self.draft.with_record(place, payload)

    # --- other courses of a hand ------------------------------------------------------------------

    def played_on(self) -> Made:
        """Play a hand on from a point, honestly or with lies in the last round, and end it there:
        as it is, by agreement, or by a ruling; perhaps with a ledger behind it."""
        start = self.draft.places(b"L")[-1 if self.below(9) else -2 - self.below(2)]
        messages = [place for place in self.draft.places(b"M") if place > start]
        place = messages[min(self.below(len(messages)), self.below(len(messages)))]
        rounds_of = {each: body_of(self.draft.records[each].payload)[3] for each in messages}
        if self.below(3):  # else amid a round, perhaps
            place = next(each for each in messages if rounds_of[each] == rounds_of[place])
        hand = expected_verdicts(self.base).ledger_before(place)
        assert hand is not None
        whole = not hand.ledger.accepted
        onward = Onward(self.table, hand, self.chance, self.changed)
        rounds, liars = self.below(4) if whole else 0, self.below(3)
        onward.play(rounds, liars=liars)
        about = ", ".join(["played on", *sorted(set(onward.lies))])
        hand = onward.replica
        match self.below(3):
            case 0:
                ending = []
            case 1:
                about, ending = f"{about}, ended by agreement", self.agreed(hand)
            case _:
                about, ending = f"{about}, ruled", [self.ruled(hand)]
        records = [*self.draft.records[:place], *onward.records, *ending]
        records.append(DraftRecord(b"E", hand.ledger.head))
        if not self.below(3):
            if not ending:
                about, records = "a whole hand", list(self.draft.records)
            about += ", a ledger behind"
            records.append(self.next_ledger(hand, ending))
        return about, Draft(tuple(records)).to_bytes()

    def continuing(self) -> Made:
        """Change with which match a table goes on: who stays, who deals, at which scores."""
        value: Any = decode(self.draft.records[0].payload)
        *agreed, ((name, term), *terms) = value
        before, point, present, dealer, scores, bots = term
        match self.below(4):
            case 0:
                present = self.below(1 << len(self.table.keys))
            case 1:
                dealer = self.below(len(self.table.keys))
            case 2:
                scores = tuple(each + self.below(31) - 15 for each in scores)
            case _:
                scores = self.changed(scores)
        term = self.somewhat((before, point, present, dealer, scores, bots))
        data = encoded((*agreed, ((name, term), *terms)))
        about, changed = "another match goes on", self.draft.with_record(0, data)
        try:
            charter = Charter.from_bytes(data)
            check_continued(charter, self.table.game)
        except (MalformedMessage, ProofError):
            return about, changed.to_bytes()
        leading = dealer if self.below(4) else self.below(len(self.table.keys))
        begun = Begun(self.table, charter, Seat(leading), self.chance)
        hand = self.somewhat((int(Lane.HAND), 0, begun.heads, dealer, scores))
        return about, Draft((*begun.records, DraftRecord(b"L", encoded(hand)))).to_bytes()

    def somewhat(self, value: Value) -> Value:
        """Return the value, now and then with one of its parts changed."""
        return value if self.below(4) else self.changed(value)

    def agreed(self, hand: AnyReplica) -> list[DraftRecord]:
        """Return agreements to end a hand where it stands, most of them in order."""
        every = range(len(self.table.keys))
        bits = (1 << len(every)) - 1 ^ 1 << self.below(len(every))
        if not self.below(3):
            bits = self.below(1 << len(every))
        content = (hand.origin.ledger.number, len(hand.ledger.rounds), hand.ledger.head, bits)
        value = self.somewhat(content)
        seats = [seat for seat in every if bits >> seat & 1]
        match self.below(8):
            case 0:
                seats = seats[1:]
            case 1:
                seats = seats[::-1]
            case 2:
                seats.append(self.below(len(every)))
        tag = table_tag(self.table.charter.digest)
        bodies = ((seat, encoded((tag, seat, 0, 2, value))) for seat in seats)
        notice = Purpose.NOTICE
        return [
            DraftRecord(b"U", signed(self.table, b, seat, purpose=notice)) for seat, b in bodies
        ]

    def ruled(self, hand: AnyReplica) -> DraftRecord:
        """Return a ruling on a hand where it stands."""
        verdict, sides = self.below(6), len(hand.origin.scores) or 2
        against = 1 << self.below(sides) if verdict in (2, 4, 5) else 0
        if not self.below(4):
            against = self.below(4 << sides)
        number = hand.origin.ledger.number
        point = (number, len(hand.ledger.rounds), hand.ledger.head)
        content = self.somewhat((*point, verdict, against, ""))
        body = encoded((table_tag(self.table.charter.digest), 0, 1, content))
        return DraftRecord(b"R", signed(self.table, body, 0, purpose=Purpose.RULING))

    def next_ledger(self, hand: AnyReplica, ending: Sequence[DraftRecord]) -> DraftRecord:
        """Return the beginning of a ledger behind a hand, as it may be due there."""
        heads = [each.payload for each in self.draft.records if each.letter == b"E"]
        if ending and ending[0].letter == b"R":
            ruling = Envelope.from_bytes(ending[0].payload).message_id
            heads[-1] = digest(labels.LEDGER_RULED, hand.ledger.head, ruling)
        lane, number = self.below(3), (1, 1, EPOCH, EPOCH, 0, 2, EPOCH + 1)[self.below(7)]
        after = tuple(heads[-1 - self.below(5) % 3] for _ in range((1, 1, 2)[lane]))
        scores = tuple(hand.origin.scores) if lane == 2 else ()
        leading = self.below(len(self.table.keys)) if lane else 0
        value = (lane, number, after, leading, scores)
        return DraftRecord(b"L", encoded(self.somewhat(value)))

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
        lists: tuple[tuple[Value, ...], ...] = (
            value[:at] + value[at + 1 :],
            (*value[:at], *value[at : at + 1], *value[at:]),
            value[::-1],
            (*value[:at], bytes(32), *value[at:]),
        )
        return lists[self.below(len(lists))]

    def _bytes(self, value: bytes) -> Value:
        at = self.below(len(value))
        flipped: tuple[Value, ...] = (self.flip(value),) * 3
        others: tuple[Value, ...] = (
            value[:at],
            value + bytes(1 + self.below(33)),
            bytes(len(value)),
            self._points(value) if len(value) >= 66 else flipped[0],
            str(len(value)),
        )
        ways = (*others, *flipped)
        return ways[self.below(len(ways))]

    def _points(self, value: bytes) -> bytes:
        """Return the bytes with two points among them exchanged."""
        points = [value[at : at + 33] for at in range(0, len(value), 33)]
        one, other = (self.below(len(value) // 33) for _ in range(2))
        points[one], points[other] = points[other], points[one]
        return b"".join(points)

    def _text(self, value: str) -> Value:
        at, letter = self.below(len(value)), "0123456789 =CDHSJQKAT"[self.below(21)]
        texts: tuple[Value, ...] = (
            value[:at] + value[at + 1 :],
            value[:at] + letter + value[at + 1 :],
            ANYWHERE[self.below(len(ANYWHERE))],
            value + " 1",
            value.encode("utf-8"),
            value[:at] + "é" + value[at:],
        )
        return texts[self.below(len(texts))]


_FAMILIES: Final[tuple[tuple[Callable[[_Maker], Made], int], ...]] = (
    (_Maker.raw, 2),
    (_Maker.record, 8),
    (_Maker.foreign, 1),
    (_Maker.origin, 3),
    (_Maker.charter, 2),
    (_Maker.resigned, 14),
    (_Maker.second, 1),
    (_Maker.by_another, 2),
    (_Maker.borrowed, 2),
)


def base_of(seed: int, number: int) -> str:
    """Return the name of the hand that mutation `number` of a seed begins with."""
    return _Maker(seed, number).base


def mutation(seed: int, number: int) -> Mutation:
    """Return mutation `number` of a seed; now and then it changes nothing, and the file is
    valid."""
    maker = _Maker(seed, number)
    about, data = maker.make()
    return Mutation(number, maker.base, about, data)
