"""Sentences of a game before they are written: words, cards, suits and seats.

A front end writes the parts, with signs, names and colours of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Final, NamedTuple

from p2p304.cards import Card, Suit
from p2p304.seats import Seat


class Who(NamedTuple):
    """A seat as a part of a sentence; a front end writes the name of its place."""

    seat: Seat


class Unseen(Enum):
    """A card as a part of a sentence whose face the reader may not know."""

    # One member alone: a class of its own tells it from a word and from a Card.
    CARD = "??"


#: The house rule, in every game that has it, under which players write to each other between
#: hands.
TALK_RULE: Final = "table_chat"
UNSEEN: Final = Unseen.CARD
Part = str | Card | Suit | Who | Unseen
Line = tuple[Part, ...]  #: A sentence, or a piece of one.


def say(*parts: Part | Line) -> Line:
    """Return the parts as one line: say("a ", ("b ", card), "") -> ("a ", "b ", card).

    A line among the parts is unpacked, an empty word left out.
    """
    found: list[Part] = []
    for part in parts:
        # Parts by their classes: Who and Card are tuples, too, as a line is.
        if isinstance(part, str | Card | Suit | Who | Unseen):
            found += [part] if part != "" else []
        else:
            found += part
    return tuple(found)


def join_parts(items: Iterable[Part | Line], between: str = " ") -> Line:
    """Return the items as one line with `between` between each two of them; empty for no items."""
    found: list[Part | Line] = []
    for item in items:
        found += [between, item] if found else [item]
    return say(*found)


def join_items(items: Sequence[Part | Line]) -> Line:
    """Return the items as a list in a sentence: "A", "A and B", "A, B and C". Raises ValueError
    for no items.
    """
    *most, last = items
    return say(join_parts(most, ", "), " and ", last) if most else say(last)


def card_part(card: Card | None) -> Part:
    """Return the card as a part of a sentence, or UNSEEN for None."""
    return UNSEEN if card is None else card


def count_words(count: int, thing: str) -> str:
    """Return a number of things in words: "1 hand", "2 hands", "0 hands"."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def game_title(rules: str, house: Iterable[str]) -> str:
    """Return the rules and the house rules in a player's words: ("304, pagat rules",
    ["pre_show", "table_chat"]) -> "304, pagat rules, with pre show and talk"; just `rules`
    without house rules.
    """
    words = ["talk" if name == TALK_RULE else name.replace("_", " ") for name in house]
    # One empty name for no house rules: the unpacking needs an item.
    *most, last = words or [""]
    named = f"{', '.join(most)} and {last}" if most else last
    return f"{rules}, with {named}" if named else rules


def won_line(side: Line) -> Line:
    """Return the sentence that a side has won the match: "South wins the match." where `side` is
    one Who and nothing else, else "North-South win the match."
    """
    # One seat wins; the name of a team is a plural.
    alone = len(side) == 1 and isinstance(side[0], Who)
    return say(side, " wins the match." if alone else " win the match.")
