"""What is done without a key, where the player has asked for that: windows closed, forced cards."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, Final

from p2p304.rules304.actions import PlayCard, PlayDown, Ready

_SHORTEST: Final = 0.8
_LONGEST: Final = 3.0
"""Seconds before a forced card is played by itself: drawn anew each time, so that they tell
nothing (whoever chooses takes as long)."""


def by_itself(
    legal: Sequence[Any], *, pace: float | None, forced: bool
) -> tuple[float | None, Any]:
    """After how many seconds which action is done without a key; None and None for no action.

    `pace` are the seconds after which a window without a claim closes, None waits for the player;
    `forced` says whether cards that are the only choice play themselves.
    """
    if pace is not None and Ready() in legal:
        return pace, Ready()
    cards = [each for each in legal if isinstance(each, PlayCard | PlayDown)]
    if forced and len(cards) == 1:
        spread = secrets.randbelow(1_000) / 1_000
        return _SHORTEST + spread * (_LONGEST - _SHORTEST), cards[0]
    return None, None
