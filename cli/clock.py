"""Moments of the monotonic clock, written as times of day."""

from __future__ import annotations

import time


def on_the_wall(moment: float) -> str:
    """Return a moment of the monotonic clock, in seconds, as local time: "14:05".

    A moment of another day than today is written with its day: "28 Nov 14:05".
    """
    now = time.time()
    # The monotonic clock has no date: the moment lies as far back from now on both clocks.
    then, today = time.localtime(now - (time.monotonic() - moment)), time.localtime(now)
    # `tm_yday` alone would take the same day of another year for today.
    same = (then.tm_year, then.tm_yday) == (today.tm_year, today.tm_yday)
    return time.strftime("%H:%M" if same else "%d %b %H:%M", then)
