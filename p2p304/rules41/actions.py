"""What a player of 41 or 400 may choose, and how each choice is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from p2p304.cards import Card, Slot, parse_card
from p2p304.errors import NotationError


@dataclass(frozen=True, slots=True)
class Cut:
    """Rotate the deck so that position `offset` comes first; 0 declines to cut."""

    offset: int


@dataclass(frozen=True, slots=True)
class SortHand:
    """Mix the hand in private, so that no slot tells when its card was dealt."""


@dataclass(frozen=True, slots=True)
class PlaceBid:
    """Promise to take `tricks` tricks."""

    tricks: int


@dataclass(frozen=True, slots=True)
class PlayCard:
    """Play the slot, and say which card it is."""

    slot: Slot
    card: Card


Action = Cut | SortHand | PlaceBid | PlayCard


def format_action(action: Action) -> str:
    """Return an action as canonical text: "cut 17", "sort", "bid 5" or "play 61=9C"."""
    match action:
        case Cut(offset):
            return f"cut {offset}"
        case SortHand():
            return "sort"
        case PlaceBid(tricks):
            return f"bid {tricks}"
        case PlayCard(slot, card):
            return f"play {slot}={card}"
        case _:
            assert_never(action)


def parse_action(text: str) -> Action:
    """Return the action that `format_action` writes as `text`; raises NotationError for any
    other text.
    """
    verb, space, rest = text.partition(" ")
    match verb, space:
        case "sort", "":
            return SortHand()
        case "cut", " ":
            # 4 and 5 are the places behind the verb and its space.
            return Cut(_number(rest, 4))
        case "bid", " ":
            return PlaceBid(_number(rest, 4))
        case "play", " ":
            slot, equals, name = rest.partition("=")
            number = _number(slot, 5)
            place = 5 + len(slot) + len(equals)
            card = parse_card(name, place)
            # `parse_card` also reads "9c" and "10C"; one action has one text.
            if str(card) != name:
                raise NotationError(f"write {card} instead of {name[:12]!a}", place)
            return PlayCard(Slot(number), card)
        case _:
            raise NotationError(
                # Cut short and escaped, as all texts here: they come from strangers, and a terminal
                # shows them.
                f"{text[:40]!a} is no action; write such as cut 0, sort, bid 5, play 61=9C"
            )


def _number(text: str, position: int) -> int:
    """Return a word of one to four digits, without leading zeros, as an integer; raises
    NotationError at `position` for another word.
    """
    # In this order: int() reads digits of other scripts, too, and takes long for a long text.
    if not (text.isascii() and text.isdigit()) or len(text) > 4 or str(int(text)) != text:
        raise NotationError(f"{text[:12]!a} is no plain number of at most four digits", position)
    return int(text)
