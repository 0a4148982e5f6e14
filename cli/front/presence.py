"""Sentences about presence: what other programs and the broker say, which is hearsay (specs
7.10).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final, NamedTuple

from p2p304.seats import Seat


class Where(Enum):
    """The state of a seat's program as far as was heard."""

    HERE = "here"
    SILENT = "silent"  #: Nothing was heard of it for a while.
    LOST = "link lost"  #: The broker says that its connection was lost.
    AWAY = "left"  #: It said goodbye, and may come back.
    DONE = "done"  #: It said goodbye, having played as much as it was to play.


# A goodbye is a word of the seat's own; a lost connection is the broker's.
GONE: Final = frozenset({Where.AWAY, Where.DONE})
# Seat 0 makes the table, and may run the broker.
FOUNDER: Final = Seat(0)


class Seen(NamedTuple):
    """The last presence of a seat: its state, since when (monotonic seconds), and whether it
    says that it runs the broker.
    """

    where: Where
    since: float
    serves: bool = False


def presence_line(seat: Seat, name: str, seen: Seen, before: Seen | None) -> str:
    """Return the sentence for a change of a seat's presence; "" if the seat is here and was not
    heard of before.

    Args:
        seat: the seat; the founder's leaving may end the broker.
        name: its player's name, made safe to print.
        seen: its presence now.
        before: its presence before; None at first.
    """
    match seen.where:
        case Where.HERE if before is None:
            # The first word of a seat is no change.
            return ""
        case Where.HERE:
            return f"{name} is here again."
        case Where.SILENT:
            return f"Nothing is heard of {name} any more."
        case Where.LOST:
            # "says": a broker can publish a will at its pleasure (attacks MQ22).
            return f"The broker says that the connection of {name} was lost."
        case Where.AWAY:
            left = f"{name} has left, and may come back: 'p2p304 resume' goes on there."
            return left + _broker_lost_words(seen)
        # The host's end is the table's end for who has no other broker.
        case Where.DONE if seat == FOUNDER:
            return (
                f"The host, {name}, has ended the table: it has played as much as it wanted."
                f"{_broker_lost_words(seen)}"
            )
        case Where.DONE:
            return f"{name} has left: it has played as much as it wanted.{_broker_lost_words(seen)}"


def _broker_lost_words(seen: Seen) -> str:
    """Return a sentence that the broker is gone too, if the seat ran it; else ""."""
    return " The broker ran in that program, and has ended with it." if seen.serves else ""


def lost_broker(names: Mapping[Seat, str], seen: Mapping[Seat, Seen]) -> str:
    """Return a sentence naming the seat in whose program the lost broker ran; "" if no seat says
    that it runs one.
    """
    # At most one seat says so truthfully; the first that does is named.
    for seat, each in seen.items():
        if each.serves:
            gone = each.where in GONE
            return (
                f"The broker ran in {names[seat]}'s program, which has left: the table goes on when"
                " that player is back."
                if gone
                else f"The broker runs in {names[seat]}'s program, which may have ended."
            )
    return ""


def all_gone(seats: Iterable[Seat], seen: Mapping[Seat, Seen]) -> bool:
    """Return whether all these seats said goodbye; False without seats."""
    there = [seen.get(seat) for seat in seats]
    # An empty list of seats is not "all gone".
    return bool(there) and all(each is not None and each.where in GONE for each in there)


def awaited_words(seats: Iterable[Seat], seen: Mapping[Seat, Seen]) -> str:
    """Return the presence of the awaited seats in words, if all have the same; "" if not, or if
    nothing was heard of them.
    """
    # One sentence for all of them, or none.
    found = {None if each is None else each.where for each in map(seen.get, seats)}
    if len(found) != 1:
        return ""
    (where,) = found
    if where is None:
        return ""
    # "Thinking": its program is here, so the player has not decided yet.
    return "here and thinking" if where is Where.HERE else where.value
