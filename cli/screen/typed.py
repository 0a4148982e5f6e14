"""What typed characters may become: a card, a number or a word that is asked for, or nothing."""

from __future__ import annotations

from typing import Final

from cli.front.choosing import MOST_DIGITS
from cli.front.writing import rank_text
from cli.screen.model import Table

MOST_TYPED: Final = 12
"""Characters of one choice."""


def begins_card(table: Table, text: str) -> bool:
    """Tell whether a card of the pack may be typed so."""
    pack = table.game.pack
    names = (name for card in pack for name in (str(card), rank_text(card) + card.suit.letter))
    return any(name.lower().startswith(text) for name in names)


def begins_anything(table: Table, text: str) -> bool:
    """Tell whether something that may be chosen now is typed so."""
    for choice in table.choices:
        words = (*choice.typed, table.writer.line(choice.label))
        if any(word.startswith(text) for word in words if len(word) <= MOST_TYPED):
            return True
    if wants_number(table) and text.isdecimal() and len(text) < MOST_DIGITS:
        return True
    return wants_card(table) and begins_card(table, text)


def wants_number(table: Table) -> bool:
    """Tell whether a number may be typed: a bid, or a cut."""
    return table.my_turn and any(each.numbers or not each.slot for each in table.choices)


def wants_card(table: Table) -> bool:
    """Tell whether a card may be chosen."""
    return any(each.slot is not None for each in table.choices)
