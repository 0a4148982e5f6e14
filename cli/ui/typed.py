"""What typed characters may become: a card, a number or a word that is asked for, or nothing."""

from __future__ import annotations

from typing import Final

from cli.ui.choices import choices
from cli.ui.model import Table
from p2p304.cards import Card, parse_card
from p2p304.errors import NotationError
from p2p304.rules304.actions import Cut, Pass, PlaceBid

MOST_TYPED: Final = 12
"""Characters of one choice."""
RANKS: Final = "789jqkat1"
_SUITS: Final = "shdc"
_DIGITS: Final = 3
"""Of the longest number that is asked for."""


def begins_card(text: str) -> bool:
    """Whether a card may be typed so: a rank, and the beginning of its suit."""
    rank, suit = (text[:2], text[2:]) if text.startswith("10") else (text[:1], text[1:])
    return rank in {*RANKS, "10"} and (not suit or (rank != "1" and suit in {*_SUITS}))


def card_typed(text: str) -> Card | None:
    """The card, once it is complete: a rank and a suit."""
    if len(text) < 2 or not text[-1:].isalpha():
        return None
    try:
        return parse_card(text)
    except NotationError:
        return None


def begins_anything(table: Table, text: str) -> bool:
    """Whether something that may be chosen now is typed so."""
    words = [each.words for each in choices(table) if len(each.words) <= MOST_TYPED]
    if any(each.startswith(text) for each in words):
        return True
    if wants_number(table) and text.isdecimal() and len(text) <= _DIGITS:
        return True
    return wants_card(table) and begins_card(text)


def wants_number(table: Table) -> bool:
    """Whether a bid or a cut may be typed."""
    return any(isinstance(each, PlaceBid | Pass | Cut) for each in table.legal)


def wants_card(table: Table) -> bool:
    """Whether a card may be chosen."""
    return any(each.slot is not None for each in choices(table))
