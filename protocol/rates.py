"""Rates that limit how much of others is read and answered, and what each sender has left of
one.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple


class Rate(NamedTuple):
    """A limit for each sender: `at_once` at the most, and `a_second` more with every second."""

    at_once: float
    a_second: float


class Allowance:
    """Counts what each sender has left of a rate; a new sender has `at_once`."""

    def __init__(self, rate: Rate) -> None:
        """Begin without senders; each gets `rate`."""
        self._rate = rate
        # Never forgotten: callers tell few senders apart, by a seat of one byte, a purpose, or a
        # constant, so that strangers cannot fill it.
        self._left: dict[Hashable, tuple[float, float]] = {}

    def has(self, sender: Hashable, now: float) -> bool:
        """Tell whether `sender` has at least one left of the rate at the time `now`, in seconds
        of a clock that never goes back; nothing is taken.
        """
        at_once, a_second = self._rate
        # A new sender has had no time to be given more.
        left, before = self._left.get(sender, (at_once, now))
        # Never more than `at_once`: who was quiet for an hour may not flood for a minute. Stored
        # although nothing is taken: what this time added is not added again.
        self._left[sender] = (min(at_once, left + (now - before) * a_second), now)
        # Fractions add up until one is whole.
        return self._left[sender][0] >= 1

    def take(self, sender: Hashable, now: float) -> bool:
        """Take one from the allowance of `sender` at the time `now` and return True; return
        False, and take nothing, if less than one is left.
        """
        if not self.has(sender, now):
            return False
        left, _ = self._left[sender]
        self._left[sender] = (left - 1, now)
        return True
