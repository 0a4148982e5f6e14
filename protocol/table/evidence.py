"""Portable evidence: a file that convinces a stranger that a seat or a referee cheated (specs 6.4).

Four kinds. A *conflict* is two validly signed messages of one seat that no honest seat signs both:
two bodies for one place, or one public key in two decks. It is checked here, with the charter
alone. A *fault* is one validly signed message that fails a check after an agreed prefix: charter,
origin and rounds of the ledgers that it rests on. The prefix is replayed by the same code that
judges live play (see `protocol.table.judge_again`). A *fork* is two messages of one key at two
tables, one of which goes on with the match of the other, or both with that of a third. *Two
rulings* of one referee that contradict each other convict the referee. The accuser signs nothing
and is not trusted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from p2p304.seats import Seat
from protocol.bounds import MAX_EVIDENCE_BYTES, MAX_SEATS
from protocol.encoding import Value, decode
from protocol.errors import MalformedMessage, PeerFault, ProofError
from protocol.places import Lane, Place
from protocol.table.ledger import Origin
from protocol.table.rulings import contradict
from protocol.wire.charter import Charter
from protocol.wire.contents import HandKeys
from protocol.wire.evidence_file import FORMAT, MAGIC, EvidenceKind, evidence_file
from protocol.wire.messages import SignedMessage, open_ledger_message, open_ruling

# Names of checks are part of the specification (specs 6.3); the vectors assert on them.
EQUIVOCATION: Final = "ledger.equivocation"
KEY_REUSE: Final = "keys.reused"
RULED_TWICE: Final = "ruling.twice"
GONE_ON_TWICE: Final = "continuation.twice"
OLD: Final = "continuation.old"
#: What two messages of a seat at one table show, each of which may be right by itself.
CONFLICTS: Final = frozenset({EQUIVOCATION, KEY_REUSE})


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two envelopes of one seat that contradict each other; raw, as a stranger checks signatures on
    the bytes that were signed.
    """

    charter: Charter
    first: bytes
    second: bytes

    def to_bytes(self) -> bytes:
        """Return the evidence file that `evidence_from_bytes` reads."""
        return evidence_file(
            EvidenceKind.CONFLICT, self.charter.to_bytes(), self.first, self.second
        )


@dataclass(frozen=True, slots=True)
class Prefix:
    """The origin of one ledger and its agreed messages, raw and in the order of places."""

    origin: Origin
    messages: tuple[bytes, ...]

    def to_value(self) -> Value:
        """Return the prefix as an evidence file holds it: the fields of its origin, then the
        array of messages.
        """
        origin = self.origin.to_value()
        # `Origin.to_value` always gives an array; `Value` is wider.
        assert isinstance(origin, tuple)
        return (*origin, self.messages)


@dataclass(frozen=True, slots=True)
class Fault:
    """One raw envelope that fails `check` after the agreed prefix of the ledgers that it rests
    on.
    """

    charter: Charter
    check: str
    prefix: tuple[Prefix, ...]
    message: bytes

    def to_bytes(self) -> bytes:
        """Return the evidence file that `evidence_from_bytes` reads."""
        ledgers: Value = tuple(each.to_value() for each in self.prefix)
        charter = self.charter.to_bytes()
        return evidence_file(EvidenceKind.FAULT, charter, self.check, ledgers, self.message)


@dataclass(frozen=True, slots=True)
class Fork:
    """Two raw envelopes of one key at two tables: `first` at the table of `charter`, `second` at
    that of `other`.

    The charter `other` goes on with an older table's match. `first` convicts if it is of a hand at
    that older table, behind the point from which the match went on, or at a third table that goes
    on with the same match.
    """

    charter: Charter
    first: bytes
    other: Charter
    second: bytes

    def to_bytes(self) -> bytes:
        """Return the evidence file that `evidence_from_bytes` reads."""
        charter, other = self.charter.to_bytes(), self.other.to_bytes()
        return evidence_file(EvidenceKind.FORK, charter, self.first, other, self.second)


@dataclass(frozen=True, slots=True)
class TwoRulings:
    """Two raw envelopes with contradicting rulings of one referee."""

    charter: Charter
    first: bytes
    second: bytes

    def to_bytes(self) -> bytes:
        """Return the evidence file that `evidence_from_bytes` reads."""
        return evidence_file(EvidenceKind.RULINGS, self.charter.to_bytes(), self.first, self.second)


Evidence = Conflict | Fault | Fork | TwoRulings


def evidence_from_bytes(data: bytes) -> Evidence:
    """Return the evidence in a file, not yet checked.

    Raises MalformedMessage `encoding.*`, `evidence.*`, `key.*` or `charter.*`.
    """
    match decode(data, max_bytes=MAX_EVIDENCE_BYTES):
        # Another text or version first: its fields may be others, which is no error of shape (specs
        # 6.4).
        case (str(magic), int(version), *_) if (magic, version) != (MAGIC, FORMAT):
            raise MalformedMessage("evidence.format")
        case (str(), int(), int(kind), bytes(charter), *fields):
            pass
        case _:
            raise MalformedMessage("evidence.shape")
    match (kind, *fields):
        case (EvidenceKind.CONFLICT, bytes(first), bytes(second)):
            return Conflict(Charter.from_bytes(charter), first, second)
        case (EvidenceKind.FAULT, str(check), tuple(ledgers), bytes(message)):
            prefix = tuple(_prefix(each) for each in ledgers)
            return Fault(Charter.from_bytes(charter), check, prefix, message)
        case (EvidenceKind.FORK, bytes(first), bytes(other), bytes(second)):
            return Fork(Charter.from_bytes(charter), first, Charter.from_bytes(other), second)
        case (EvidenceKind.RULINGS, bytes(first), bytes(second)):
            return TwoRulings(Charter.from_bytes(charter), first, second)
        case _:
            raise MalformedMessage("evidence.shape")


def _prefix(value: Value) -> Prefix:
    """Return the prefix that a value of an evidence file holds; its messages are not opened.

    Raises MalformedMessage `evidence.shape` or `evidence.ledger`.
    """
    match value:
        # The fields of the origin, whose number and types `Origin.from_value` judges.
        case (*start, tuple(messages)):
            pass
        case _:
            raise MalformedMessage("evidence.shape")
    origin = Origin.from_value(tuple(start), shape="evidence.shape", place="evidence.ledger")
    # In this order: a file with several errors has one name in every implementation (specs 6.4).
    raws = tuple(each for each in messages if type(each) is bytes)
    if len(raws) != len(messages):
        raise MalformedMessage("evidence.shape")
    # Each score is of a side, and a side has a seat at least.
    if not origin.follows_digests or len(origin.scores) > MAX_SEATS:
        raise MalformedMessage("evidence.ledger")
    return Prefix(origin, raws)


def _opened(*given: tuple[bytes, Charter], check: str) -> list[SignedMessage]:
    """Return the messages in these envelopes, each given with its charter; raises ProofError
    `check` for a body that does not decode.
    """
    try:
        return [open_ledger_message(raw, charter) for raw, charter in given]
    except PeerFault as fault:  # it may convict by itself, but not of this
        raise ProofError(check, f"a body does not decode: {fault.check}") from None


def check_conflict(conflict: Conflict) -> tuple[Seat, str]:
    """Check a conflict; return the convicted seat and the check, `ledger.equivocation` or
    `keys.reused`.

    Raises MalformedMessage for envelopes that are not validly signed ledger messages of the
    charter, and ProofError `evidence.conflict` if a body does not decode or the two do not
    contradict each other.
    """
    charter = conflict.charter
    first, second = _opened(
        (conflict.first, charter), (conflict.second, charter), check="evidence.conflict"
    )
    seat = first.place.seat
    # Ids, not bytes: two signatures under one body are one message (attacks CH9).
    if second.place.seat == seat and first.id != second.id:
        if first.place == second.place:
            return seat, EQUIVOCATION
        if reuses_key(first, second):
            return seat, KEY_REUSE
    raise ProofError("evidence.conflict", "an honest seat may have signed both")


def check_fork(fork: Fork) -> tuple[Seat, str]:
    """Check a fork; return the convicted seat, numbered as in its first charter, and the check,
    `continuation.twice` or `continuation.old`.

    Raises MalformedMessage for envelopes that are not validly signed ledger messages of their
    charters, and ProofError `evidence.fork` if a body does not decode or an honest seat may have
    signed both.
    """
    first, second = _opened(
        (fork.first, fork.charter), (fork.second, fork.other), check="evidence.fork"
    )
    seat = first.place.seat
    # By key: one person may have another seat at the other table.
    if fork.charter.key_of(seat) == fork.other.key_of(second.place.seat):
        check = contradiction((fork.charter, first.place), (fork.other, second.place))
        if check is not None:
            return seat, check
    raise ProofError("evidence.fork", "an honest seat may have signed both")


def contradiction(one: tuple[Charter, Place], other: tuple[Charter, Place]) -> str | None:
    """Return the check by which two messages of one key, at two tables, convict their signer; None
    if an honest seat may sign both.

    Each is given by its table's charter and its place; the order matters. None unless both are of
    hands, the charters differ, and that of `other` goes on with a match. `continuation.twice`: the
    charter of `one` goes on with the same match. `continuation.old`: that match is of the table of
    `one`, whose message is behind the point from which `other` goes on.
    """
    (first, place), (second, later) = one, other
    term = second.continues
    # Without the term the two tables have nothing to do with each other.
    if term is None or first.digest == second.digest:
        return None
    # A message of a hand alone commits its seat to its table: before a hand no card is seen, and a
    # seat that confirmed a charter to which others did not come may go on elsewhere (specs 6.5).
    if {place.ledger.lane, later.ledger.lane} != {Lane.HAND}:
        return None
    # Before the next: step 3 of specs 6.4 comes before step 4.
    twin = first.continues
    if twin is not None and twin.charter == term.charter:
        return GONE_ON_TWICE
    # Round `closed` itself was open at the point: a message in it breaks no promise (attacks GO6).
    behind = (place.ledger.number, place.round) > (term.point.hand, term.point.closed)
    return OLD if term.charter == first.digest and behind else None


def check_rulings(rulings: TwoRulings) -> tuple[int, str]:
    """Check two rulings; return the number of the convicted referee and the check `ruling.twice`.

    Raises MalformedMessage for envelopes that are no rulings of the charter's referees, and
    ProofError `evidence.rulings` if they do not contradict each other.
    """
    first = open_ruling(rulings.first, rulings.charter)
    second = open_ruling(rulings.second, rulings.charter)
    if first.referee != second.referee or not contradict(first, second):
        raise ProofError("evidence.rulings", "an honest referee may have signed both")
    return first.referee, RULED_TWICE


def reuses_key(first: SignedMessage, second: SignedMessage) -> bool:
    """Return whether two messages are HandKeys of two different decks with a public key in
    common. Their seats are not compared.
    """
    match first.content, second.content:
        # Not within one deck: two bodies for one place are an equivocation.
        case HandKeys(keys=one), HandKeys(keys=other) if first.place.ledger != second.place.ledger:
            return bool(set(key_points(one)) & set(key_points(other)))
        case _:
            return False


def key_points(keys: bytes) -> tuple[bytes, ...]:
    """Return the public keys, 33 bytes each, in `keys`, the field of a HandKeys message."""
    # 33: a compressed point.
    return tuple(keys[start : start + 33] for start in range(0, len(keys), 33))


@dataclass(frozen=True, slots=True)
class KeyHistory:
    """The hand keys that the seats have published, to detect a key that serves two decks.
    Immutable.

    Tables and audits forget old hands but no key, unless a ruling makes its deck void.
    """

    #: Envelopes by what they show, the seat in one byte, then the point: evidence if a key comes
    #: again.
    keys: Mapping[bytes, bytes] = field(default_factory=dict, repr=False)

    def note(self, signed: SignedMessage, charter: Charter) -> KeyHistory:
        """Return the history with the keys of an accepted message; unchanged if it holds no new
        key.

        Raises PeerFault `keys.reused`, with both messages as evidence, for a key that the same seat
        published for another deck.
        """
        content = signed.content
        if not isinstance(content, HandKeys):
            return self
        seat = signed.place.seat
        new: dict[bytes, bytes] = {}
        for point in key_points(content.keys):
            # Of its own seat only: another's key that was copied fails its proof (attacks G9).
            key = bytes((seat,)) + point
            earlier = self.keys.get(key)
            if earlier is None:
                new[key] = signed.raw
            # The earlier envelope is opened again: what convicts must be two messages that a
            # stranger opens.
            elif reuses_key(open_ledger_message(earlier, charter), signed):
                evidence = Conflict(charter, earlier, signed.raw)
                raise PeerFault(seat, KEY_REUSE, (evidence.to_bytes(),))
        return KeyHistory({**self.keys, **new}) if new else self

    def without(self, raws: Collection[bytes]) -> KeyHistory:
        """Return the history without the keys of the messages `raws`, whose decks a ruling made
        void.
        """
        return KeyHistory({key: raw for key, raw in self.keys.items() if raw not in raws})
