"""Moments of the monotonic clock, as a player reads them."""

from __future__ import annotations

import time


def on_the_wall(moment: float) -> str:
    """Hours and minutes of a moment of the monotonic clock, by the clock on the wall."""
    return time.strftime("%H:%M", time.localtime(time.time() - (time.monotonic() - moment)))
