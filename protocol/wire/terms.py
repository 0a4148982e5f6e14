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


class Term(NamedTuple):
    """What was agreed on beyond the game and its seats."""

    name: str
    value: Value


KnownTerms = Mapping[str, Callable[[Value], bool]]
"""The names that a program knows, each with whether a value is one that its term can have."""

KNOWN_TERMS: Final[KnownTerms] = MappingProxyType({})
"""There are none yet."""


def terms_from(value: Value) -> tuple[Term, ...]:
    """Return the terms in the last item of a charter, not yet judged; raises `charter.shape`."""
    if type(value) is not tuple:
        raise MalformedMessage("charter.shape", "the terms are no list")
    return tuple(_term(row) for row in value)


def _term(row: Value) -> Term:
    match row:
        case (str(name), value):
            return Term(name, value)
        case _:
            raise MalformedMessage("charter.shape", "a term is a name and a value")


def check_terms(terms: tuple[Term, ...], known: KnownTerms = KNOWN_TERMS) -> None:
    """Return if these terms stand in their one order and a program that knows `known` keeps them.

    Raises MalformedMessage `charter.term_order` or `charter.term`.
    """
    names = [each.name.encode() for each in terms]
    if any(one >= other for one, other in pairwise(names)):
        raise MalformedMessage("charter.term_order", "terms stand by name, each name once")
    for name, value in terms:
        if name not in known:
            raise MalformedMessage("charter.term", f"{name[:32]!a} is not known to this p2p304")
        if not known[name](value):
            raise MalformedMessage("charter.term", f"{name[:32]!a} cannot have this value")
