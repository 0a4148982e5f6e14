"""Where the parts of the screen lie, for any size from 60 by 20."""

from __future__ import annotations

from typing import Final

from cli.screen.cardface import SMALL, CardSize

LEAST_COLUMNS: Final = 60
LEAST_ROWS: Final = 20
FULL_COLUMNS: Final = 80
FULL_ROWS: Final = 24
"""Below these the seats are a list, and not round a table."""
_LARGE_COLUMNS: Final = 140
_LARGE_ROWS: Final = 45
"""From these on the hand so far has a place beside the table."""
_SIZES: Final[tuple[tuple[CardSize, CardSize | None], ...]] = (
    (CardSize(9, 11), CardSize(5, 7)),
    (CardSize(7, 9), SMALL),
    (CardSize(5, 7), SMALL),
    (SMALL, None),
)
"""Cards that are drawn where there is room for them, and the cards that others hold; None where
those are signs in a line."""
_AT_ONCE: Final = 8
"""Cards of a hand that are to lie beside each other."""
_PANEL_FROM: Final = 112
"""From this width on the rules of the moment have a column of their own."""
_WIDEST: Final = 240
TOP: Final = 3
"""The first row of the table, below the title."""
_FOOT: Final = 7
"""Rows below the hand: a rule, two of news, prompt, keys, trust."""
PANEL: Final = 36
"""Cells of the column beside the table, two blanks before it."""


_AIR: Final = 3
"""Rows that are to be free around larger cards."""


class Layout:
    """The places of all parts of one screen; rows and columns count from 0."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = rows
        self.compact = columns < FULL_COLUMNS or rows < FULL_ROWS
        """Whether the seats are a list."""
        self.large = columns >= _LARGE_COLUMNS and rows >= _LARGE_ROWS
        """Whether what was said and done stands beside the table."""
        self.wide = min(columns, _WIDEST)
        """Cells of the table and of the column beside it."""
        self.panel = self.wide >= _PANEL_FROM
        """Whether the rules of the moment have a column of their own."""
        self.width = self.wide - PANEL - 2 if self.panel else min(self.wide, 100)
        self.wide = self.wide if self.panel else self.width
        self.left = (columns - self.wide) // 2
        self.middle = self.left + self.width // 2
        spare = max(0, rows - FULL_ROWS)
        self.news_rows = 1 if self.compact else 2 + min(spare // 2, 4)
        self.foot = rows - (_FOOT - 2 + self.news_rows)
        self.card, self.fan = next(each for each in _SIZES if self._fits(*each))
        self.hand = self.foot - self.card.rows - 2
        spare = max(0, self.hand - TOP - _middle(self.card, self.fan))
        self.gap = min(spare // 3, 3)
        self.airy = int(self.gap > 0)
        self.top = TOP + (spare - 2 * self.gap - self.airy) // 2

    def _fits(self, card: CardSize, fan: CardSize | None) -> bool:
        """Tell whether a hand of such cards and a trick have room, with air around them."""
        spare = self.foot - card.rows - 2 - TOP - _middle(card, fan)
        wide = _AT_ONCE * (card.columns + 2) <= self.width
        return fan is None or (self.large and wide and spare >= _AIR)


def _middle(card: CardSize, fan: CardSize | None) -> int:
    """Return the rows that a trick takes, with the seat above it whose cards are a fan."""
    return 3 * card.rows + (0 if fan is None else fan.rows - 1)
