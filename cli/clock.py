"""Moments of the monotonic clock, as a player reads them."""

from __future__ import annotations

import time


def on_the_wall(moment: float) -> str:
    """Return the hours and minutes of a moment of the monotonic clock by the clock on the wall.

    They come with the day if it was not today.
    """
    now = time.time()
    then, today = time.localtime(now - (time.monotonic() - moment)), time.localtime(now)
    same = (then.tm_year, then.tm_yday) == (today.tm_year, today.tm_yday)
    return time.strftime("%H:%M" if same else "%d %b %H:%M", then)
