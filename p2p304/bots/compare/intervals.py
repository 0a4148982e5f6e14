"""Between which bounds a mean or a share lies: at an end fixed before, and at any moment."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Final, NamedTuple

FIXED: Final = 1.959964
"""Standard deviations of 95 %, where nothing that was seen decided when to stop."""
_ANY_MOMENT: Final = 2.241403
"""The same for a sum that is looked at all the time: Brownian motion stays within so much up to
time 1 with 95 %, by the reflection principle, 4 (1 - Phi(c)) = 0.05."""
LEAST: Final = 50
"""Values below which a mean is not taken for normally distributed, so that nothing stops by it."""


class Interval(NamedTuple):
    """Between which bounds something lies."""

    low: float
    high: float

    def excludes(self, value: float) -> bool:
        """Tell whether `value` lies outside."""
        return not self.low <= value <= self.high

    @property
    def half_width(self) -> float:
        """How far the bounds lie from the middle."""
        return (self.high - self.low) / 2


def deviations(done: int, most: int | None) -> float:
    """Return the standard deviations of a 95 % interval after `done` of at most `most` hands.

    With None the end was fixed before. Else the intervals of all moments hold together with 95 %,
    so that it may be stopped at any of them for what was seen there (the repeated intervals of
    Jennison and Turnbull 1989, with the boundary of O'Brien and Fleming 1979, looked at all the
    time).
    """
    return FIXED if most is None else _ANY_MOMENT * sqrt(most / done)


def mean_of(values: Sequence[float], within: float) -> Interval | None:
    """Return the interval of a mean by the spread of its values; None for less than two values."""
    count = len(values)
    if count < 2:
        return None
    mean = sum(values) / count
    spread = sqrt(sum((each - mean) ** 2 for each in values) / (count - 1))
    half = within * spread / sqrt(count)
    return Interval(mean - half, mean + half)


def share_of(part: int, whole: int, within: float) -> Interval | None:
    """Return the interval of a share (Wilson 1927); None for a share of nothing."""
    if not whole:
        return None
    share, square = part / whole, within * within
    middle = (share + square / (2 * whole)) / (1 + square / whole)
    spread = share * (1 - share) / whole + square / (4 * whole * whole)
    half = within / (1 + square / whole) * sqrt(spread)
    return Interval(
        0.0 if not part else max(0.0, middle - half),
        1.0 if part == whole else min(1.0, middle + half),
    )
