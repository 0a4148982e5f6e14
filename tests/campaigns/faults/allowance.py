"""How much of a part may still be tried, by all processes together: so many points, until a time.

Without one, as in the tests of a sample, everything is allowed.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Final

UNBOUNDED: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class Allowance:
    """Points that are left, in memory that all processes share, and when the time is up."""

    points: Any
    until: float

    @property
    def seconds_left(self) -> float:
        """How long a table may still be begun."""
        return self.until - time.monotonic()

    def take(self) -> bool:
        """Take one point; False if there is none left, or no time."""
        with self.points.get_lock():
            if self.points.value <= 0 or self.seconds_left <= 0:
                return False
            self.points.value -= 1
            return True


_given: list[Allowance] = []


def give(allowance: Allowance) -> None:
    """Let this process try so much."""
    _given[:] = [allowance]


def allowed() -> bool:
    """Whether one more point may be tried, which is taken then."""
    return not _given or _given[0].take()


def left() -> tuple[int, float]:
    """How many points, and how many seconds."""
    if not _given:
        return UNBOUNDED, float(UNBOUNDED)
    return _given[0].points.value, _given[0].seconds_left
