"""The optional terms of a charter: what a table agreed on that most tables do without.

A term is a name and a value, any value of our encoding. A charter lists them by name, each once, so
that equal agreements have equal bytes; a seat that does not know a term cannot keep to it, and
refuses the charter.

`continues` lets a table go on with the match of another one: somebody has left for good, and those
present go on without it. `referee` lists the keys whose rulings count at the table; `tournament`
says which match of which tournament is played there. Specified in specs/06-files.md, 6.5,
specs/05-hand.md, 5.8, and specs/03-encodings.md, 3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from p2p304.seats import Seat
from protocol.bounds import (
    MAX_NUMBER,
    MAX_REFEREES,
    MAX_SEATS,
    MOST_CLOSED,
    MOST_MATCHES,
    MOST_SCORES,
)
from protocol.encoding import Value
from protocol.errors import MalformedMessage
from protocol.wire.identity import KEY_BYTES, PublicKey
from protocol.wire.schema import FieldType, Integer, Items, Made, Sequence, exactly, from_value

REFEREE: Final = "referee"
TOURNAMENT: Final = "tournament"
TOURNAMENT_BYTES: Final = 32  # SHA-256

# Not `SEAT` of `fields`, which imports the charter, and the charter this module.
_SEAT: Final = Integer(0, MAX_SEATS - 1)
_TOURNAMENT_MATCH: Final = Items((exactly(TOURNAMENT_BYTES), Integer(1, MOST_MATCHES)))
_REFEREES: Final = Sequence(Made(exactly(KEY_BYTES), PublicKey, PublicKey.to_bytes), MAX_REFEREES)


def _wrong(name: str, why: str) -> MalformedMessage:
    """Return the error for a wrong value of the term `name`; `why` is the reason."""
    return MalformedMessage("charter.term", f"{name!a}: {why}")


def _read(name: str, kind: FieldType, value: Value) -> Any:
    """Return what the value of the term `name`, of the type `kind`, holds; raises MalformedMessage
    `charter.term` for a value that does not fit.
    """
    try:
        return from_value(kind, value)
    # Every error of a term has one name (specs 3.2); its own goes into the detail.
    except MalformedMessage as error:
        raise _wrong(name, str(error)) from None


class TournamentMatch(NamedTuple):
    """The match of a tournament that is played at a table."""

    tournament: bytes  #: The digest of the tournament's charter, 32 bytes.
    match: int  #: The match's number, from 1.

    def to_value(self) -> Value:
        """Return the term's value, as a charter encodes it."""
        return (self.tournament, self.match)

    @staticmethod
    # `_seats`: every term is read so (`KnownTerm`), and this one does not depend on it.
    def from_value(value: Value, _seats: int) -> TournamentMatch:
        """Return the match that the term's value names, at a table of any number of seats;
        raises MalformedMessage `charter.term` for another value.
        """
        return TournamentMatch(*_read(TOURNAMENT, _TOURNAMENT_MATCH, value))


def referees_to_value(keys: tuple[PublicKey, ...]) -> Value:
    """Return the term's value: the referees' keys in the order of their numbers."""
    return tuple(key.to_bytes() for key in keys)


# `_seats`: every term is read so (`KnownTerm`), and this one does not depend on it.
def referees_from_value(value: Value, _seats: int) -> tuple[PublicKey, ...]:
    """Return the referees' keys from the term's value, at a table of any number of seats; raises
    MalformedMessage `charter.term` unless they are 1 to MAX_REFEREES different, good keys.
    """
    keys: tuple[PublicKey, ...] = _read(REFEREE, _REFEREES, value)
    if not keys or len({*keys}) != len(keys):
        raise _wrong(REFEREE, f"1 to {MAX_REFEREES} keys, each once")
    return keys


# --- going on with the match of another table -----------------------------------------------------

CONTINUES: Final = "continues"
FEWEST_STAY: Final = 2  #: As many as can end a hand by agreement.

# 32 bytes of SHA-256; numbers as in the fields of messages (specs/03-encodings.md, 3.6).
_DIGEST: Final = exactly(32)
_CONTINUES: Final = Items(
    (
        _DIGEST,
        Items((Integer(0, MAX_NUMBER), Integer(0, MOST_CLOSED), _DIGEST)),
        Integer(0, (1 << MAX_SEATS) - 1),
        _SEAT,
        Sequence(Integer(-(1 << 31), 1 << 31), MOST_SCORES),
        Sequence(Items((_SEAT, _SEAT)), MAX_SEATS),
    )
)


class HandPoint(NamedTuple):
    """A point of a hand: the hand's number, how many rounds are closed, and the digest (32
    bytes) after them.
    """

    hand: int
    closed: int
    digest: bytes


class Continues(NamedTuple):
    """The term of a charter by which its table goes on with the match of another table; `charter`
    is the digest, 32 bytes, of that table's charter.

    `point` is the end of what counts there: where its newest hand was ended unfinished, which is
    dealt again, or where nothing but signatures of its result were missing. The seats in `present`
    stay, each under its key. `dealer` and `scores` are those of the next hand.
    """

    charter: bytes
    point: HandPoint
    present: tuple[Seat, ...]
    dealer: Seat
    scores: tuple[int, ...]
    #: Each seat that a bot takes, in order, and who of those who stay seats it.
    bots: tuple[tuple[Seat, Seat], ...] = ()

    def to_value(self) -> Value:
        """Return the term's value in a charter, an array: charter, point, a bit for each seat in
        `present`, dealer, scores, bots.
        """
        # A bit for each seat that stays: a set has one encoding.
        present = sum(1 << seat for seat in self.present)
        # A plain tuple: an encoding takes no NamedTuple.
        point = (self.point.hand, self.point.closed, self.point.digest)
        return (self.charter, point, present, self.dealer, self.scores, self.bots)

    @staticmethod
    def from_value(value: Value, seats: int) -> Continues:
        """Return the term from its value in a charter of `seats` seats.

        Raises MalformedMessage `charter.term`, whose detail says what is wrong.
        """
        charter, point, bits, dealer, scores, bots = _read(CONTINUES, _CONTINUES, value)
        # Not all of them: then nobody has left, and the old table goes on.
        if bits >= (1 << seats) - 1 or bits.bit_count() < FEWEST_STAY:
            raise _wrong(CONTINUES, "two seats or more stay, and not all")
        if dealer >= seats:
            raise _wrong(CONTINUES, "no such dealer")
        # Ascending, each once: one set of bots has one encoding.
        if any(one >= other for (one, _), (other, _) in pairwise(bots)):
            raise _wrong(CONTINUES, "bots stand by seat, each once")
        present = tuple(Seat(seat) for seat in range(seats) if bits >> seat & 1)
        others = frozenset(map(Seat, range(seats))) - frozenset(present)
        # A bot takes the place of somebody who left, and answers to somebody who stays.
        if any(seat not in others or by not in present for seat, by in bots):
            raise _wrong(CONTINUES, "who stays seats a bot where nobody stays")
        return Continues(charter, HandPoint(*point), present, Seat(dealer), scores, bots)


# --- all terms ------------------------------------------------------------------------------------


class Term(NamedTuple):
    """An optional agreement of a charter: its name and its value."""

    name: str
    value: Value


class KnownTerm(NamedTuple):
    """A term that a program knows, with the sentences that the specification and every front end
    show for it.
    """

    #: Reads a value at a table of so many seats; raises MalformedMessage `charter.term` for one
    #: that the term cannot have.
    read: Callable[[Value, int], object]
    means: str = ""  #: What is agreed on, as a sentence.
    lets: str = ""  #: What it lets whom do, as a sentence.
    #: Whether it lets somebody without a seat change what the seats have played: a player who has
    #: not named the keys is asked about them by a question of its own.
    rules: bool = False


KnownTerms = Mapping[str, KnownTerm]  #: The names that a program knows.

KNOWN_TERMS: Final[KnownTerms] = MappingProxyType(
    {
        CONTINUES: KnownTerm(
            Continues.from_value,
            "This table goes on with the match of another one.",
            "The players who stay gave the seat of a player who left to somebody else, or to a bot;"
            " no seat has special rights.",
        ),
        REFEREE: KnownTerm(
            referees_from_value,
            "This table has a referee, who holds no seat.",
            "Whoever has a referee's key can, at any time and without asking a player, void hands"
            " that are in play or over and have them dealt again, fine a side, end the play, and"
            " take the match from a side; no player can undo it.",
            rules=True,
        ),
        TOURNAMENT: KnownTerm(
            TournamentMatch.from_value,
            "This table plays a match of a tournament.",
            "The result that its players sign counts there. If they sign none, that tournament's"
            " referees decide in its record, or its organiser if it names no referee. No other"
            " match is played here.",
        ),
    }
)


def read_terms(
    terms: tuple[Term, ...], seats: int, known: KnownTerms = KNOWN_TERMS
) -> dict[str, Any]:
    """Return by its name what each term says at a table of so many `seats`, as its
    `KnownTerm.read` gives it.

    Raises MalformedMessage `charter.term_order` unless the terms are sorted by name, each once;
    `charter.term` unless all are known, with possible values.
    """
    # By bytes: the order of text differs between languages, that of bytes does not.
    names = [each.name.encode() for each in terms]
    if any(one >= other for one, other in pairwise(names)):
        raise MalformedMessage("charter.term_order", "terms stand by name, each name once")
    said = {}
    for name, value in terms:
        # Nobody signs a power that it does not know (attacks.md, RF25).
        if name not in known:
            # In part and as ASCII: a stranger chose the name, and a terminal may show it.
            raise MalformedMessage("charter.term", f"{name[:32]!a} is not known to this p2p304")
        said[name] = known[name].read(value, seats)
    return said
