"""Seeded mutations of transcripts: mutation k of a seed is the same on every machine.

Bytes and records; and what only the tables' own keys can make: other bodies under good signatures,
records at other places with all digests after them made anew, hands that are played on with honest
proofs or with lies, and that end by agreement or by a ruling at any point, at every table.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final, cast

from cli.conformance.tables import (
    ANYWHERE,
    AROUND,
    SAVED,
    Draft,
    DraftRecord,
    Onward,
    OwnTable,
    begin_hand,
    body_of,
    encode_value,
    saved_hand,
    sign_body,
    table_of,
)
from cli.errors import UserError
from cli.seat.charter_text import game_of
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from protocol.encoding import Value, decode, encode
from protocol.errors import FailedCheck, LocalError, MalformedMessage
from protocol.places import EPOCH, Lane, LedgerName
from protocol.table.replica import AnyReplica
from protocol.table.standing import check_continued
from protocol.transcript.auditor import Auditor
from protocol.transcript.file import MAGIC
from protocol.wire.charter import Charter
from protocol.wire.identity import Purpose
from protocol.wire.messages import open_ruling

# --- our verdicts ---------------------------------------------------------------------------------

#: The check that fails, None if the file is valid, and the seat that is convicted, if any.
Verdict = tuple[str | None, int | None]


class ExpectedVerdicts:
    """Tells what an audit must find in variants of one valid file; each is audited only from its
    first difference on.
    """

    def __init__(self, whole: bytes, *, trusted: bool = False) -> None:
        """Audit the whole file `whole`, and keep a copy of the auditor after each record.

        With `trusted` the auditor takes keys, shuffles and what is said of hidden cards without
        checking their proofs, as for a file whose proofs are wrong on purpose.
        """
        self._whole, self._draft = whole, Draft.of(whole)
        self._ended: dict[bytes, LedgerName] = {}  #: Which ledger ended with a digest.
        auditor = Auditor(game_of, trusted=trusted)
        # After each record the audit is kept, so that a mutation is judged from its first
        # difference on.
        self._ends, self._standing = [0], [auditor.fork()]
        for piece in (MAGIC, *(each.to_bytes() for each in self._draft.records)):
            # The letters of records are those of specs 6.1: E ends a ledger.
            ledger = auditor.ledger
            if ledger is not None and piece[:1] == b"E":
                self._ended[ledger.head] = ledger.origin.ledger
            # Events are of no use here, but the auditor works as they are taken.
            list(auditor.feed(piece))
            self._ends.append(self._ends[-1] + len(piece))
            self._standing.append(auditor.fork())

    def ledger_before(self, record: int) -> AnyReplica | None:
        """Return the state of the ledger that is open in the whole file just before the record
        with index `record`; None if no ledger is open there.
        """
        # The first two places are before and behind MAGIC: record 0 begins at the second.
        return self._standing[record + 1].ledger

    def relink(self, draft: Draft, table: OwnTable) -> Draft:
        """Return the draft with all digests put right from its first difference on, and what names
        them signed again: heads of ledgers, what ledgers and messages continue, the points of
        agreements and rulings.

        It stops before a record that cannot be put right, and behind one in which the audit fails:
        the rest stays as it is. A draft without a difference is treated from its beginning.
        """
        # Not strict: a mutation may have more records, or fewer.
        pairs = enumerate(zip(draft.records, self._draft.records, strict=False))
        # Where nothing differs everything is linked again.
        same = next((at for at, (one, other) in pairs if one != other), 0)
        auditor, linked = self._standing[same + 1].fork(), list(draft.records[:same])
        heads: dict[LedgerName, bytes] = {}
        for record in draft.records[same:]:
            # As it stands before this record: E closes it, and then the auditor has none.
            ledger = auditor.ledger
            try:
                # What each old digest has become; digests of ledgers that did not change stay.
                after = {old: heads.get(name, old) for old, name in self._ended.items()}
                linked.append(_link(record, auditor, after, table))
                list(auditor.feed(linked[-1].to_bytes()))
            # A mutation that cannot be linked stays as it is from here on.
            except (UserError, MalformedMessage, LocalError, ValueError, TypeError, IndexError):
                break  # of whatever shape a mutation has given it
            # Behind a fault nothing is read, so nothing needs a right digest.
            if auditor.report.broken is not None:
                break
            if ledger is not None:
                heads[ledger.origin.ledger] = ledger.head
        # The rest as the mutation had it.
        return Draft((*linked, *draft.records[len(linked) :]))

    def verdict(self, data: bytes) -> Verdict:
        """Return the check that fails in an audit of the whole of `data`, and the seat that it
        convicts; each is None if there is none.

        The check is `transcript.format` for what is no transcript, and `charter.profile` for one of
        no game that we know.
        """
        whole = self._whole
        # The last kept place whose bytes are the same in both files: the key is False up to it and
        # True behind it, and 1 is True.
        last = bisect_left(self._ends, 1, key=lambda end: whole[:end] != data[:end]) - 1
        auditor = self._standing[last].fork()
        try:
            list(auditor.feed(data[self._ends[last] :]))
        except MalformedMessage as error:
            # Evidence is of a seat: what cannot be decoded convicts nobody.
            return error.check, None
        except UserError:
            # An agreement that no game here knows.
            return "charter.profile", None
        broken = auditor.finish().broken
        if broken is None:
            return None, None
        return broken.check, None if broken.seat is None else int(broken.seat)


@cache
def expected_verdicts(base: str) -> ExpectedVerdicts:
    """Return the `ExpectedVerdicts` for variants of the saved hand `base`; made once for each
    name.
    """
    return ExpectedVerdicts(saved_hand(base))


def _link(
    record: DraftRecord, auditor: Auditor, after: Mapping[bytes, bytes], table: OwnTable
) -> DraftRecord:
    """Return a record with right digests for the place that `auditor` has reached, signed again if
    records of its letter are signed.

    `after` has the new head for each old one. While no ledger is open, only a record that begins
    one is changed; all others are returned as they are.
    """
    letter, raw, charter = record.letter, record.payload, auditor.report.charter
    # L begins a ledger and names the digests that it continues.
    if letter == b"L":
        lane, number, continued, *rest = cast(Any, decode(raw))
        value = (lane, number, tuple(after.get(each, each) for each in continued), *rest)
        return DraftRecord(letter, encode(value))
    # Before the charter or outside a ledger there is nothing to link.
    if auditor.ledger is None or charter is None:
        return record
    ledger, tag = auditor.ledger.ledger, charter.tag
    body: Any = None
    match letter:
        # A message names its place and the digest before it.
        case b"M":
            _, lane, number, _, seat, kind, _, content = body_of(raw)
            body = (tag, lane, number, len(ledger.rounds), seat, kind, ledger.head, content)
        # U is an agreement to end, R a ruling: both name a point and its digest.
        case b"U" | b"R":
            _, *said, point = cast(Any, body_of(raw))
            number, closed, _, *rest = point
            body = (tag, *said, (number, closed, ledger.digests[closed], *rest))
        # E is the ledger's own digest; of other letters, such as X, nothing can be put right.
        case _:
            return DraftRecord(letter, ledger.head) if letter == b"E" else record
    purpose = _LETTERS[letter]
    # The third byte of an envelope is its seat (specs 3.3). Signed for the charter of this file,
    # which a mutation may have changed.
    return DraftRecord(letter, sign_body(table, body, raw[2], purpose=purpose, charter=charter))


# --- mutations ------------------------------------------------------------------------------------

#: How often each saved hand is the base.
WEIGHTS: Final = {name: weight for name, (_, weight) in SAVED.items() if weight}
# Choices, these and the weights: how mutations are shared out.
#: Every so many mutations the base is the hand of one of the other tables, each as often.
OTHER_TABLES: Final = 4

#: Every so many mutations a hand at one of the tables, each as often, is played on from a point or
#: ended there.
ONWARD: Final = 2

# The bounds of integers on the wire (specs 3.1).
_INT_BOUNDS: Final = (-(1 << 63), (1 << 64) - 1)
# Records that are signed, and for which purpose.
_LETTERS: Final = {b"M": Purpose.LEDGER, b"U": Purpose.NOTICE, b"R": Purpose.RULING}


@dataclass(frozen=True, slots=True)
class Mutation:
    """A file made from a saved hand, and how it differs, if it does."""

    number: int
    base: str
    about: str
    data: bytes


#: What was changed, and the file: as records, or as bytes where nothing is to be linked again.
Made = tuple[str, Draft | bytes]


class _Maker:
    """Makes one mutation."""

    def __init__(self, seed: int, number: int) -> None:
        """Draw the base: the name of the hand, saved or made for a table of the registry, that
        mutation `number` of `seed` changes.
        """
        # Two numbers make one: below number 1,000,003 no two seeds have a mutation in common.
        self.chance = SeededRandomness(seed * 1_000_003 + number)
        names = [name for name, weight in WEIGHTS.items() for _ in range(weight)]
        # Every fourth, in turn, so that a sample of consecutive numbers meets both. An even one:
        # odd ones are played on.
        if number % OTHER_TABLES == OTHER_TABLES - 2:
            names = [name for name in SAVED if name not in WEIGHTS]
        # Played on: half of all mutations.
        self.onward = number % ONWARD == ONWARD - 1
        if self.onward:
            names = list(AROUND)
        self.base: str = self.one_of(names)
        self.table = table_of(self.base)
        self.seats = len(self.table.keys)

    @cached_property
    def draft(self) -> Draft:
        """The records of the base hand, without the file's digest."""
        return Draft.of(saved_hand(self.base))

    @property
    def tag(self) -> bytes:
        """The tag of the base hand's table, by which its notices and rulings name it."""
        return self.table.charter.tag

    def _said(self, letter: bytes, body: tuple[Value, ...]) -> DraftRecord:
        """Return the record of a notice (letter U) or a ruling (R) with this body.

        The number behind the table's tag in `body` is its author: a notice is signed by that seat,
        a ruling by the referee.
        """
        author: Any = body[1]
        data, purpose = encode_value(body), _LETTERS[letter]
        return DraftRecord(letter, sign_body(self.table, data, author, purpose=purpose))

    def below(self, bound: int) -> int:
        """Draw a number from 0 to below `bound`."""
        return self.chance.randbelow(bound)

    def one_of(self, items: Sequence[Any]) -> Any:
        """Draw one of the items."""
        return items[self.below(len(items))]

    def make(self) -> tuple[str, bytes]:
        """Make the mutation; return a description of what was changed, and the bytes of the file.

        Half of those that are made of records are linked again, so that their digests are right.
        """
        if self.onward:
            # One in six, a choice, changes the term of the charter instead: it has few parts.
            about, made = self.play_on() if self.below(6) else self.change_continuation()
        else:
            families = [family for family, weight in _FAMILIES for _ in range(weight)]
            about, made = self.one_of(families)(self)
        # Some mutations are of bytes and have no records to link.
        if isinstance(made, bytes):
            return about, made
        # Half of them linked again, so that what fails is what was changed, not the digests.
        if self.below(2):
            linked = expected_verdicts(self.base).relink(made, self.table)
            about, made = f"{about}, linked anew", linked
        return about, made.to_bytes()

    # --- bytes and records ------------------------------------------------------------------------

    def flip(self, data: bytes) -> bytes:
        """Return the bytes with one drawn bit flipped."""
        changed = bytearray(data)
        # One bit of one byte.
        changed[self.below(len(data))] ^= 1 << self.below(8)
        return bytes(changed)

    def raw(self) -> Made:
        """Flip a bit of the file, cut it short, leave bytes out or put zeros in; which of these
        is drawn, and at which byte, with no regard to where records begin.
        """
        data = saved_hand(self.base)
        # At least one byte, so that something is left out.
        at, more = self.below(len(data)), 1 + self.below(40)
        # All four are made and one is taken: each costs nothing beside an audit.
        return (
            ("a bit of the file", self.flip(data)),
            ("cut short", data[:at]),
            ("bytes left out", data[:at] + data[at + more :]),
            ("bytes put in", data[:at] + bytes(more) + data[at:]),
        )[self.below(4)]

    def record(self) -> Made:
        """Leave out, repeat, move or exchange records, or change one's letter or bytes; which of
        these, and where, is drawn.
        """
        draft, count = self.draft, len(self.draft.records)
        place, other = self.below(count), self.below(count)
        # Near: an auditor must notice a message in a place that almost fits.
        chosen, near = draft.records[place], max(0, min(count - 1, place - 3 + self.below(7)))
        # Letters of specs 6.1, and one that is none.
        letter, changed = self.one_of(b"CLMUREZX"), self.changed(chosen.payload)
        # A text or a number may have come of it, which no record holds: an empty one instead.
        put = changed if isinstance(changed, bytes) else b""
        # All are made and one is taken, as in `raw`.
        return (
            # One to five in a row.
            ("some records left out", draft.without(place, place + 1 + self.below(5))),
            ("a record again elsewhere", draft.insert(other, chosen)),
            ("a record again nearby", draft.insert(near, chosen)),
            ("two far records exchanged", draft.swap(place, other)),
            ("two near records exchanged", draft.swap(place, near)),
            ("a record elsewhere", draft.without(place).insert(near, chosen)),
            ("another letter", draft.with_record(place, chosen.payload, bytes((letter,)))),
            ("a record's bytes", draft.with_record(place, put)),
        )[self.below(8)]

    def foreign(self) -> Made:
        """Replace a drawn record by one of another saved hand: one of the same letter, or a
        message if that hand has none.
        """
        other = Draft.of(saved_hand(self.one_of([name for name in SAVED if name != self.base])))
        place = self.below(len(self.draft.records))
        letter = self.draft.records[place].letter
        # A table without such a record lends a message.
        taken = other.records[self.one_of(other.places(letter) or other.places(b"M"))]
        changed = self.draft.with_record(place, taken.payload, taken.letter)
        return "a record of another table", changed

    def stated(self) -> Made:
        """Change a value in the charter, or in a record that begins a ledger; neither is signed,
        and what follows stays as it is.
        """
        # The charter and the origins: what all later records rest on.
        place = self.one_of([*self.draft.places(b"C"), *self.draft.places(b"L")])
        value = decode(self.draft.records[place].payload)
        # The charter is record 0.
        about = "an origin" if place else "the charter"
        return about, self.draft.with_record(place, encode_value(self.changed(value)))

    # --- what is signed ---------------------------------------------------------------------------

    def resign(self) -> Made:
        """Sign a drawn message, agreement or ruling again: with a change in its body, or with
        another seat's key or name. Mostly it replaces the original; now and then it stands
        before or behind it.
        """
        places = self.draft.places(b"M")
        # The content of another message, with the head of its own.
        lent = body_of(self.draft.records[self.one_of(places)].payload)
        # Sometimes an agreement or a ruling in place of a message.
        if not self.below(4):
            places = self.draft.places(b"U") or self.draft.places(b"R") or places
        place = self.one_of(places)
        letter, raw = self.draft.records[place].letter, self.draft.records[place].payload
        # The seat of the envelope (specs 3.3); the other is never the seat itself.
        seat = by = raw[2]
        other = (seat + 1 + self.below(self.seats - 1)) % self.seats
        *head, content = body_of(raw)
        body: Any = None
        # Of twelve draws seven change the content, which has most to change.
        match self.below(12):
            case 0:
                # Tag, lane, number, round, seat, kind or digest.
                at = self.below(len(head))
                head[at] = self.changed(head[at])
                about = "a body's head signed again"
            case 1:
                # 67 bytes of an envelope stand before its body (specs 3.3).
                about, body = "a body's bit signed again", self.flip(raw[67:])
            case 2:
                about, by = "signed by another seat", other
            case 3 if letter == b"M":
                # In the body as well as in the envelope; only a message has its seat, and its kind
                # below, at these places (specs 3.4).
                about, seat, by, head[4] = "said by another seat", other, other, other
            case 4 if letter == b"M":
                # Under the kind that the content has.
                about, head[5], content = "another message's content", lent[5], lent[-1]
            case _:
                about, content = "content signed again", self.changed(content)
        body = encode_value((*head, content)) if body is None else body
        payload = sign_body(self.table, body, seat, by=by, purpose=_LETTERS[letter])
        # Eleven times out of twelve in place of the right one.
        if self.below(12):
            return about, self.draft.with_record(place, payload)
        # Before or behind the right one: either may be taken for the first.
        second = self.draft.insert(place + self.below(2), DraftRecord(letter, payload))
        return "a second version", second

    # --- other courses of a hand ------------------------------------------------------------------

    def play_on(self) -> Made:
        """Play a hand on from a drawn point, honestly or with lies in the last round, and end the
        file there: as it is, by agreement, or by a ruling.

        Now and then a ledger begins behind it; if neither agreement nor ruling ended the hand, the
        whole saved file stands before that ledger.
        """
        # Mostly in the last ledger, where most of a hand lies; else in the deck or the opening,
        # which every saved hand has before it.
        start = self.draft.places(b"L")[-1 if self.below(9) else -2 - self.below(2)]
        messages = [place for place in self.draft.places(b"M") if place > start]
        # The earlier of two: a hand played on from early in it is longer.
        place = messages[min(self.below(len(messages)), self.below(len(messages)))]
        # The fourth part of a body is its round (specs 3.4).
        rounds_of = {each: body_of(self.draft.records[each].payload)[3] for each in messages}
        if self.below(3):  # else amid a round, perhaps
            place = next(each for each in messages if rounds_of[each] == rounds_of[place])
        hand = expected_verdicts(self.base).ledger_before(place)
        # A message stands inside a ledger.
        assert hand is not None
        onward = Onward(self.table, hand, self.chance, self.changed)
        # Nothing more if messages of an open round are there; else up to three rounds.
        onward.play(0 if hand.ledger.accepted else self.below(4), liars=self.below(3))
        about = ", ".join(["played on", *sorted(set(onward.lies))])
        hand, ending = onward.replica, []
        # By agreement, by a ruling, or as it is, which needs no case: a third each.
        match self.below(3):
            case 0:
                about, ending = f"{about}, ended by agreement", self.agreed(hand)
            case 1:
                about, ending = f"{about}, ruled", [self.ruled(hand)]
        records = [*self.draft.records[:place], *onward.records, *ending]
        records.append(DraftRecord(b"E", hand.ledger.head))
        # Now and then a ledger is put behind, which may or may not be due there.
        if not self.below(3):
            # Of a hand that is cut off its E is refused: nothing behind it would be read.
            if not ending:
                about, records = "a whole hand", list(self.draft.records)
            about += ", a ledger behind"
            records.append(self.next_ledger(hand, ending))
        # Bytes: what was played on has right digests already.
        return about, Draft(tuple(records)).to_bytes()

    def change_continuation(self) -> Made:
        """Change the charter's term about the match that goes on at the table: which seats stay,
        who deals, or the scores; now and then one more part of it.

        If such a term is possible, the file becomes a table and a deck that are played under the
        new charter, and the record that begins a hand; else only the charter's record is changed.
        """
        value: Any = decode(self.draft.records[0].payload)
        # The term by which a match goes on (specs 6.5).
        *agreed, ((name, term), *terms) = value
        before, point, present, dealer, scores, bots = term
        # One part is changed, so that one check fails.
        match self.below(4):
            case 0:
                # Any set of seats, also one without a seat of every side.
                present = self.below(1 << self.seats)
            case 1:
                dealer = self.below(self.seats)
            case 2:
                # Up to fifteen more or less: scores that a match may or may not have.
                scores = tuple(each + self.below(31) - 15 for each in scores)
            case _:
                scores = self.changed(scores)
        term = self.somewhat((before, point, present, dealer, scores, bots))
        data = encode_value((*agreed, ((name, term), *terms)))
        about, changed = "another match goes on", self.draft.with_record(0, data)
        try:
            charter = Charter.from_bytes(data)
            # A term that cannot be at all: then the rest of the file is as it was.
            check_continued(charter, self.table.game)
        except FailedCheck:
            return about, changed.to_bytes()
        # Another dealer than the term says is a fault of its own.
        leading = dealer if self.below(4) else self.below(self.seats)
        records = begin_hand(self.table, charter, Seat(leading), self.chance)
        heads = tuple(each.payload for each in records if each.letter == b"E")
        hand = self.somewhat((int(Lane.HAND), 0, heads, dealer, scores))
        return about, Draft((*records, DraftRecord(b"L", encode_value(hand)))).to_bytes()

    def somewhat(self, value: Value) -> Value:
        """Return the value as it is, or, one time in four, with one drawn part changed."""
        # Mostly as it is: of two faults in a file an audit finds the first alone.
        return value if self.below(4) else self.changed(value)

    def agreed(self, hand: AnyReplica) -> list[DraftRecord]:
        """Return records of agreements by seats to end the ledger `hand` where it stands; now
        and then some are missing, repeated, in another order, or about something else.
        """
        # All seats, without one: an end by agreement of the others.
        bits = ((1 << self.seats) - 1) ^ (1 << self.below(self.seats))
        if not self.below(3):
            # Any set of seats, its author among them or not.
            bits = self.below(1 << self.seats)
        content = (hand.origin.ledger.number, len(hand.ledger.rounds), hand.ledger.head, bits)
        value = self.somewhat(content)
        seats = [seat for seat in range(self.seats) if bits >> seat & 1]
        # One of them twice, or one that has not agreed.
        more = [*seats, self.below(self.seats)]
        # Too few, in another order, twice: or as they should be, five times out of eight.
        seats = self.one_of([seats[1:], seats[::-1], more, *[seats] * 5])
        # Type 2 of a notice is an agreement (specs 3.5.12); 0 is its serial: any would do.
        return [self._said(b"U", (self.tag, seat, 0, 2, value)) for seat in seats]

    def ruled(self, hand: AnyReplica) -> DraftRecord:
        """Return the record of a referee's ruling on the ledger `hand` where it stands, with a
        drawn verdict; now and then one that must be refused.
        """
        # A deck or a table has no scores: two sides are taken.
        verdict, sides = self.below(6), len(hand.origin.scores) or 2
        # Verdicts that are against nobody have no bits. By number (specs 3.5.18) these are: a
        # penalty, a disqualification, a walk-over.
        against = 1 << self.below(sides) if verdict in (2, 4, 5) else 0
        if not self.below(4):
            # Beyond the sides that there are.
            against = self.below(4 << sides)
        number = hand.origin.ledger.number
        point = (number, len(hand.ledger.rounds), hand.ledger.head)
        content = self.somewhat((*point, verdict, against, ""))
        # Referee 0, the only one of these tables; 1 is the kind of a ruling.
        return self._said(b"R", (self.tag, 0, 1, content))

    def next_ledger(self, hand: AnyReplica, ending: Sequence[DraftRecord]) -> DraftRecord:
        """Return a record that begins another ledger behind `hand`; its lane, its number and the
        heads that it continues are drawn, so that it is right only now and then.

        `ending` are the records that ended `hand`; a ruling among them changes the last head.
        """
        heads = [each.payload for each in self.draft.records if each.letter == b"E"]
        if ending and ending[0].letter == b"R":
            with suppress(MalformedMessage):  # else it rules nothing that could be continued
                ruling = open_ruling(ending[0].payload, self.table.charter)
                # A ruling changes what the ledger's head is.
                heads[-1] = hand._replace(ruling=ruling).head
        # Lanes 0, 1 and 2: the table's, the deck's, the hand's (specs 3.4).
        # Number 1 follows 0, EPOCH a ruling: twice as often as those that follow nothing.
        lane, number = self.below(3), self.one_of((1, 1, EPOCH, EPOCH, 0, 2, EPOCH + 1))
        # One of the last three digests, the third half as often as another; a hand continues two,
        # the others one (specs 3.4).
        after = tuple(heads[-1 - self.below(5) % 3] for _ in range((1, 1, 2)[lane]))
        scores = tuple(hand.origin.scores) if lane == 2 else ()
        # Only the table's ledger has nobody who leads.
        leading = self.below(self.seats) if lane else 0
        value = (lane, number, after, leading, scores)
        return DraftRecord(b"L", encode_value(self.somewhat(value)))

    # --- values -----------------------------------------------------------------------------------

    # One change, somewhere in the value: as small as can be.
    def changed(self, value: Any) -> Any:
        """Return the value with one drawn part of it edited, at any depth of arrays; now and then
        it comes out the same.

        An empty array gets 32 zero bytes; other empty values become a number.
        """
        match value:
            # An empty array has nothing to change, so something is put in.
            case ():
                # As long as a digest or a scalar.
                return (bytes(32),)
            # Deeper three times out of four: a single field says more than a lost array.
            case tuple() if self.below(4):
                at = self.below(len(value))
                return (*value[:at], self.changed(value[at]), *value[at + 1 :])
            case tuple() | bytes() | str() if value:
                # Empty bytes and texts fall to the last case.
                return self.one_of(self._edit(value, self.below(len(value))))
            case int():
                # Across the edges of integers, and by little.
                step = self.one_of((1, -1, 2, 255, 1 << 32))
                return min(max(value + step, _INT_BOUNDS[0]), _INT_BOUNDS[1])
            case _:
                # None and the like: a number in their place.
                return self.below(256)

    def _edit(self, value: Any, at: int) -> Sequence[Any]:
        """Return all the edited versions of a text, of bytes or of an array, of which the caller
        draws one; most are edits at the index `at`.
        """
        edited = (
            # Something less, something twice, cut, something of its own behind.
            value[:at] + value[at + 1 :],
            value[: at + 1] + value[at:],
            value[:at],
            # Up to 33 bytes: a point more.
            value + value[: 1 + self.below(33)],
        )
        match value:
            case tuple():
                return *edited, value[::-1], (*value[:at], bytes(32), *value[at:])
            case bytes():
                # A flipped bit four times as often as zeros, a text in place of bytes or two points
                # exchanged: proofs are bytes.
                flipped = (self.flip(value),) * 4
                return *edited, *flipped, bytes(len(value)), str(len(value)), self._points(value)
            case _:
                # Signs that notation is made of, so that another action may come out.
                put = value[:at] + self.one_of("0123456789 =CDHSJQKAT") + value[at + 1 :]
                # An action of another moment, one more word, bytes, a letter beyond ASCII.
                more = self.one_of(ANYWHERE), f"{value} 1", value.encode(), f"{value}é"
                return *edited, put, *more

    def _points(self, value: bytes) -> bytes:
        """Return the bytes, taken as points of 33 bytes, with two drawn ones exchanged; perhaps
        one with itself.
        """
        # 33 bytes are a point (specs 3.1).
        points = [value[at : at + 33] for at in range(0, len(value), 33)]
        # Two of them may be the same, and nothing is changed.
        one, other = self.below(len(points)), self.below(len(points))
        points[one], points[other] = points[other], points[one]
        return b"".join(points)


# The weights: most mutations are of signed contents, where most checks are.
_FAMILIES: Final[tuple[tuple[Callable[[_Maker], Made], int], ...]] = (
    (_Maker.raw, 2),
    (_Maker.record, 8),
    (_Maker.foreign, 1),
    (_Maker.stated, 5),
    (_Maker.resign, 19),
)


def base_of(seed: int, number: int) -> str:
    """Return the name of the hand that mutation `number` of a seed begins with."""
    return _Maker(seed, number).base


def mutation(seed: int, number: int) -> Mutation:
    """Return mutation `number` of a seed, always the same; now and then nothing has changed, and
    its file is valid.
    """
    maker = _Maker(seed, number)
    about, data = maker.make()
    return Mutation(number, maker.base, about, data)
