"""Where the parts of the screen lie, for any size from 80 by 24."""

from __future__ import annotations

from typing import Final

LEAST_COLUMNS: Final = 80
LEAST_ROWS: Final = 24
_PANEL_FROM: Final = 112
"""From this width on the rules of the moment have a column of their own."""
_WIDEST: Final = 150
TOP: Final = 3
"""The first row of the table, below the title."""
_FOOT: Final = 7
"""Rows below the hand: a rule, news, prompt, keys, trust."""
_LEAST_TABLE: Final = 9
_HAND: Final = 5
"""Rows of our own seat: its line, its cards, their points."""


class Layout:
    """The places of all parts of one screen; rows and columns count from 0."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = rows
        wide = min(columns, _WIDEST)
        self.panel = wide >= _PANEL_FROM
        """Whether the rules of the moment have a column of their own."""
        self.width = wide - 38 if self.panel else min(wide, 100)
        self.left = (columns - (wide if self.panel else self.width)) // 2
        self.middle = self.left + self.width // 2
        spare = rows - LEAST_ROWS
        self.news_rows = 2 + min(spare // 2, 4)
        self.foot = rows - (_FOOT - 2 + self.news_rows)
        self.hand = self.foot - _HAND
        spare = self.hand - TOP - _LEAST_TABLE
        self.gap = min(spare // 3, 3)
        self.airy = int(self.gap > 0)
        self.top = TOP + (spare - 2 * self.gap - self.airy) // 2
