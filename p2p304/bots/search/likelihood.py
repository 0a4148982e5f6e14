"""How likely players do what they do: counted in self-play, kept as a small table.

A game's prior says what a situation is (what a seat holds, in a few words) and what a sign is (what
it then did); worlds in which the others' signs are likely are drawn more often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

_DOUBT: Final = 2.0
"""Times that every sign of a situation counts as seen beyond what was counted."""

Counts = Mapping[str, Mapping[str, int]]
"""For each situation how often each sign was seen."""


class Table:
    """The chance of each sign in each situation."""

    __slots__ = ("_chances", "_unseen")

    def __init__(self, counts: Counts) -> None:
        signs = {sign for seen in counts.values() for sign in seen}
        self._chances: dict[str, dict[str, float]] = {}
        self._unseen: dict[str, float] = {}
        for situation, seen in counts.items():
            total = sum(seen.values()) + _DOUBT * len(signs)
            self._chances[situation] = {
                sign: (count + _DOUBT) / total for sign, count in seen.items()
            }
            self._unseen[situation] = _DOUBT / total

    def chance(self, situation: str, sign: str) -> float:
        """Return how likely the sign is: above 0, and 1 in a situation that was never seen."""
        found = self._chances.get(situation)
        if found is None:
            return 1.0
        return found.get(sign, self._unseen[situation])


def counted(seen: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Return how often each sign was seen in each situation, in a fixed order."""
    counts = Counter(seen)
    found: dict[str, dict[str, int]] = {}
    for situation, sign in sorted(counts):
        found.setdefault(situation, {})[sign] = counts[situation, sign]
    return found
