"""Manners of calling: how much more, or less, a bid is thought to be worth than it brings.

What a manner changes stays within what is sound: a tenth of a token, or a little more.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Style(NamedTuple):
    """A name, and a manner."""

    name: str
    daring: float
    """Tokens that a bid is thought to be worth beyond what it is expected to bring."""


EVEN: Final = Style("even", 0.0)
BOLD: Final = Style("bold", 0.12)
CAREFUL: Final = Style("careful", -0.12)
STYLES: Final = {each.name: each for each in (EVEN, BOLD, CAREFUL)}
"""All manners by name."""
