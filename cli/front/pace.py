"""The pace: how long a move lies there before a bot makes the next, and a window stays open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from p2p304.telling import Choice

PACES: Final = (0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 5.0)
"""What a key at the table chooses among."""
WINDOW: Final = 1.5
"""Seconds for which a window in which something may be claimed stays open at the least."""


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


def goes_by_itself(choices: Sequence[Choice], go_on: bool | None) -> Choice | None:
    """Return the choice that closes a window without a key; None where there is none, or the
    player's word is waited for. With `go_on` None that is where going on may cost a claim."""
    goes_on = next((each for each in choices if each.window), None)
    if goes_on is None or goes_on.idle:
        return goes_on
    return goes_on if (not goes_on.forfeits if go_on is None else go_on) else None
