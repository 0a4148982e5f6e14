"""The optional terms of a charter: what a table agreed on that most tables do without.

A term is a name and a value, any value of our encoding. A charter lists them by name, each once, so
that equal agreements have equal bytes; a seat that does not know a term cannot keep to it, and
refuses the charter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Final, NamedTuple

from protocol.encoding import Value
from protocol.errors import MalformedMessage
from protocol.wire.continues import CONTINUES, Continues
from protocol.wire.referee import (
    REFEREE,
    TOURNAMENT,
    TournamentMatch,
    referees_from_value,
)


class Term(NamedTuple):
    """An optional agreement of a charter: its name and its value."""

    name: str
    value: Value


class KnownTerm(NamedTuple):
    """A term that a program knows, with the sentences that the specification and every front end
    show for it.
    """

    read: Callable[[Value, int], object]
    """Reads a value at a table of so many seats; raises MalformedMessage `charter.term` for one
    that the term cannot have."""
    means: str = ""
    """What is agreed on, as a sentence."""
    lets: str = ""
    """What it lets whom do, as a sentence."""
    rules: bool = False
    """Whether it lets somebody without a seat change what the seats have played: a player who has
    not named the keys is asked about them by a question of its own."""


KnownTerms = Mapping[str, KnownTerm]
"""The names that a program knows."""

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


def terms_from(value: Value) -> tuple[Term, ...]:
    """Return the terms in the last item of a charter's encoding, in its order. Whether they are
    known, sorted and possible is not checked.

    Raises MalformedMessage `charter.shape`.
    """
    if type(value) is not tuple:
        raise MalformedMessage("charter.shape", "the terms are no list")
    return tuple(_term(row) for row in value)


def _term(row: Value) -> Term:
    """Return a term from its row; raises MalformedMessage `charter.shape`."""
    match row:
        case (str(name), value):
            return Term(name, value)
        case _:
            raise MalformedMessage("charter.shape", "a term is a name and a value")


def check_terms(terms: tuple[Term, ...], seats: int, known: KnownTerms = KNOWN_TERMS) -> None:
    """Raise MalformedMessage `charter.term_order` unless the terms are sorted by name, each
    once; `charter.term` unless all are known, with values that are possible at a table of so
    many `seats`.
    """
    # By bytes: the order of text differs between languages, that of bytes does not.
    names = [each.name.encode() for each in terms]
    if any(one >= other for one, other in pairwise(names)):
        raise MalformedMessage("charter.term_order", "terms stand by name, each name once")
    for name, value in terms:
        # Nobody signs a power that it does not know (attacks.md, RF25).
        if name not in known:
            raise MalformedMessage("charter.term", f"{name[:32]!a} is not known to this p2p304")
        known[name].read(value, seats)


def value_of(terms: tuple[Term, ...], name: str) -> Value | None:
    """Return the value of the term called `name`; None without such a term."""
    return next((each.value for each in terms if each.name == name), None)
