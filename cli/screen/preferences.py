"""What a player has set."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from cli.screen.choices import Asking


class Colours(Enum):
    """How many colours are used; `AUTOMATIC` asks the terminal and NO_COLOR."""

    AUTOMATIC = "auto"
    NONE = "none"
    SIXTEEN = "16"
    MANY = "256"


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What the player has set."""

    ascii_only: bool = False
    asking: Asking = Asking.COSTLY
    """What is asked once more."""
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
