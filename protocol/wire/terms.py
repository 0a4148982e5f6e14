"""The optional terms of a charter: what a table agreed on that most tables do without.

A term is a name and a value, any value of our encoding. A charter lists them by name, each once, so
that equal agreements have equal bytes; a seat that does not know a term cannot keep to it, and
refuses the charter.

`referee` lists the keys whose rulings count at the table; `tournament` says which match of which
tournament is played there. Specified in specs/05-hand.md, 5.8, and specs/03-encodings.md, 3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from protocol.encoding import Value
from protocol.errors import MalformedMessage
from protocol.wire.continues import CONTINUES, Continues
from protocol.wire.identity import PublicKey

# A challenge has 336 bytes for each referee: for eight it fits a frame of 4,096 (specs 3.2 pins
# it).
MAX_REFEREES: Final = 8

REFEREE: Final = "referee"
TOURNAMENT: Final = "tournament"
TOURNAMENT_BYTES: Final = 32  # SHA-256
# Two bytes, more than any draw of teams makes.
_MOST_MATCHES: Final = 65_535


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
        match value:
            case (bytes(tournament), int(number)) if (
                len(tournament) == TOURNAMENT_BYTES and 1 <= number <= _MOST_MATCHES
            ):
                return TournamentMatch(tournament, number)
            case _:
                raise MalformedMessage("charter.term", f"{TOURNAMENT!a}: no match of a tournament")


def referees_to_value(keys: tuple[PublicKey, ...]) -> Value:
    """Return the term's value: the referees' keys in the order of their numbers."""
    return tuple(key.to_bytes() for key in keys)


# `_seats`: every term is read so (`KnownTerm`), and this one does not depend on it.
def referees_from_value(value: Value, _seats: int) -> tuple[PublicKey, ...]:
    """Return the referees' keys from the term's value, at a table of any number of seats; raises
    MalformedMessage `charter.term` unless they are 1 to MAX_REFEREES different, good keys.
    """
    # An array decodes to a tuple and to nothing else.
    if type(value) is not tuple or not 0 < len(value) <= MAX_REFEREES:
        raise MalformedMessage("charter.term", f"{REFEREE!a}: 1 to {MAX_REFEREES} keys")
    # What is no bytes is dropped, and missed by the comparison below.
    rows = tuple(each for each in value if type(each) is bytes)
    if len(rows) != len(value) or len({*rows}) != len(rows):
        raise MalformedMessage("charter.term", f"{REFEREE!a}: keys, each once")
    try:
        return tuple(PublicKey(each) for each in rows)
    # Every error of a term has one name (specs 3.2); the key's own goes into the detail.
    except MalformedMessage as error:
        raise MalformedMessage("charter.term", f"{REFEREE!a}: {error.check}") from None


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
