"""What is done without a key: duties, and on request windows without claims and forced cards."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Final

from p2p304.telling import Choice

_SHORTEST: Final = 0.8
_LONGEST: Final = 3.0
"""Seconds before a forced card is played by itself: drawn anew each time, so that they tell
nothing (whoever chooses takes as long)."""


def duty(choices: Sequence[Choice]) -> Choice | None:
    """Return the only choice, where it decides nothing."""
    return choices[0] if len(choices) == 1 and choices[0].duty else None


def by_itself(
    choices: Sequence[Choice], *, pace: float | None, forced: bool
) -> tuple[float, Choice] | None:
    """Return after how many seconds which choice is made without a key; None for none.

    `pace` are the seconds after which a window without a claim closes, None waits for the player;
    `forced` says whether cards that are the only ones to play play themselves.
    """
    goes_on = next((each for each in choices if each.window), None)
    if pace is not None and goes_on is not None:
        return pace, goes_on
    cards = [each for each in choices if each.plays]
    if forced and len(cards) == 1:
        spread = secrets.randbelow(1_000) / 1_000
        return _SHORTEST + spread * (_LONGEST - _SHORTEST), cards[0]
    return None
