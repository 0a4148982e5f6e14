"""The optional terms of a charter that put a table under referees, and into a tournament.

`referee` lists the keys whose rulings count at the table; `tournament` says which match of which
tournament is played there. Specified in specs/05-hand.md, 5.8, and specs/03-encodings.md, 3.2.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from protocol.encoding import Value
from protocol.errors import MalformedMessage
from protocol.wire.identity import PublicKey

MAX_REFEREES: Final = 8

REFEREE: Final = "referee"
TOURNAMENT: Final = "tournament"
TOURNAMENT_BYTES: Final = 32
# Two bytes, more than any draw of teams makes.
_MOST_MATCHES: Final = 65_535


class TournamentMatch(NamedTuple):
    """The match of a tournament that is played at a table."""

    tournament: bytes
    """The tournament's id, 32 bytes."""
    match: int
    """The match's number, from 1."""

    def to_value(self) -> Value:
        """Return the term's value, as a charter encodes it."""
        return (self.tournament, self.match)

    @staticmethod
    def from_value(value: Value, _seats: int) -> TournamentMatch:
        """Return the match that the term's value names; raises MalformedMessage `charter.term`."""
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


def referees_from_value(value: Value, _seats: int) -> tuple[PublicKey, ...]:
    """Return the referees' keys, 1 to MAX_REFEREES different ones, from the term's value; raises
    MalformedMessage `charter.term`.
    """
    if type(value) is not tuple or not 0 < len(value) <= MAX_REFEREES:
        raise MalformedMessage("charter.term", f"{REFEREE!a}: 1 to {MAX_REFEREES} keys")
    rows = tuple(each for each in value if type(each) is bytes)
    if len(rows) != len(value) or len({*rows}) != len(rows):
        raise MalformedMessage("charter.term", f"{REFEREE!a}: keys, each once")
    try:
        return tuple(PublicKey(each) for each in rows)
    except MalformedMessage as error:
        raise MalformedMessage("charter.term", f"{REFEREE!a}: {error.check}") from None
