"""Manners of calling: how much more, or less, a bid is thought to be worth than it brings.

What a manner changes stays within what is sound: less than a tenth of a token.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from p2p304.randomness import SeededRandomness


class Style(NamedTuple):
    """A name, and a manner."""

    name: str
    daring: float
    """Tokens that a bid is thought to be worth beyond what it is expected to bring."""


EVEN: Final = Style("even", 0.0)
BOLD: Final = Style("bold", 0.08)
CAREFUL: Final = Style("careful", -0.08)
STYLES: Final = {each.name: each for each in (EVEN, BOLD, CAREFUL)}
"""All manners by name."""

NAMED: Final = {
    "Amara": BOLD,
    "Banu": CAREFUL,
    "Chandra": EVEN,
    "Dilini": BOLD,
    "Eshan": CAREFUL,
    "Farook": EVEN,
    "Gayani": BOLD,
    "Harini": CAREFUL,
}
"""What bots are called, and the manner that each of these has wherever it sits."""


def style_named(name: str) -> Style | None:
    """Return the manner of a bot of this name, or with "Bot" before or a number after it; None for
    other names."""
    return NAMED.get(name.removeprefix("Bot ").rstrip(" 0123456789"))


def in_words(manners: Sequence[tuple[str, str]]) -> str:
    """Return in a sentence how bots call, each given with its name and the word for its manner."""
    told = [f"{name} is {manner}" for name, manner in manners]
    first = f"{', '.join(told[:-1])} and " if len(told) > 1 else ""
    return f"In the auction {first}{told[-1]}."


def style_of(seed: int) -> Style:
    """Return the manner of the player of a seed."""
    names = sorted(STYLES)
    return STYLES[names[SeededRandomness(seed).randbelow(len(names))]]
