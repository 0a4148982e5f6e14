"""What a player has set, and what is done without a key because of it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any, Final

from p2p304.rules304.actions import PlayCard, PlayDown, Ready

_SHORTEST: Final = 0.8
_LONGEST: Final = 3.0
"""Seconds before a forced card is played by itself: drawn anew each time, so that they tell
nothing (whoever chooses takes as long)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What the player has set."""

    ascii_only: bool = False
    ask_once: bool = False
    """Ask before what cannot be undone."""
    hints: bool = False
    """Only where nobody else plays."""
    mute: bool = False
    """Neither write to others nor see what they write, where that was agreed."""
    agree: bool = False
    """Agree to the charter without a question: at a table of one's own."""
    pace: float | None = None
    """Seconds after which a window without a claim closes by itself; None waits for Enter."""
    forced: bool = False
    """Play forced cards by itself, after a random moment."""

    def by_itself(self, legal: tuple[Any, ...]) -> tuple[float | None, Any]:
        """After how many seconds which action is done without a key, if the player wants it so."""
        if self.pace is not None and Ready() in legal:
            return self.pace, Ready()
        cards = [each for each in legal if isinstance(each, PlayCard | PlayDown)]
        if self.forced and len(cards) == 1:
            spread = secrets.randbelow(1_000) / 1_000
            return _SHORTEST + spread * (_LONGEST - _SHORTEST), cards[0]
        return None, None
