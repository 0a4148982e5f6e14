"""How long a move lies there before a bot makes the next, so that eyes can follow a trick."""

from __future__ import annotations

from typing import Final

PACE: Final = 1.0
"""Seconds, where somebody looks on and asks for nothing else."""
PACES: Final = (0.3, 0.6, PACE, 1.5, 2.0, 3.0, 5.0)
"""What a key at the table chooses among."""
SLOWEST: Final = 60.0
_WORD: Final = "pace"


def pace_line(seconds: float) -> str:
    """Return the line that tells a bot of ours a new pace."""
    return f"{_WORD} {seconds:g}"


def pace_in(line: str) -> float | None:
    """Return the pace that a line tells; None for any other line."""
    word, _, number = line.strip().partition(" ")
    if word != _WORD:
        return None
    try:
        seconds = float(number)
    except ValueError:
        return None
    return seconds if 0 <= seconds <= SLOWEST else None


def stepped(seconds: float, step: int) -> float:
    """Return the pace of PACES that is next to so many seconds, the last one at either end.

    A `step` of 1 is slower, -1 is faster.
    """
    slower = [each for each in PACES if each > seconds]
    faster = [each for each in PACES if each < seconds]
    if step > 0:
        return slower[0] if slower else PACES[-1]
    return faster[-1] if faster else PACES[0]


def pace_words(seconds: float) -> str:
    """Tell a player what the pace is."""
    return f"Each card lies there for {seconds:g} s before a bot of yours plays the next."
