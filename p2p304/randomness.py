"""Chance as an argument: what a source of it offers, and a source that replays from a seed."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, Final, Protocol

# Python's integers have no width: this mask makes them words of 64 bits.
_WORD: Final = (1 << 64) - 1
# 2**64 divided by the golden ratio, odd: the increment that the paper recommends.
_GOLDEN_GAMMA: Final = 0x9E3779B97F4A7C15


class Randomness(Protocol):
    """A source of chance, as the rules and bots use it."""

    # Positional, here and below: a source may name its arguments as it likes.
    def randbelow(self, bound: int, /) -> int:
        """Return a uniform number from 0 to bound-1; `bound` is at least 1."""
        ...

    def shuffle(self, items: MutableSequence[Any], /) -> None:
        """Put `items` into a uniformly random order, in place."""
        ...


class SeededRandomness:
    """A reproducible source for simulations and bots, and never for anything secret.

    SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
    2014, figures 15 and 16), the same on every platform and Python. Only the low 64 bits of `seed`
    count.
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        """Start from any integer; seeds with equal low 64 bits give equal sequences."""
        self._state = seed & _WORD

    def word(self) -> int:
        """Return the next output of the generator: a uniform integer of 64 bits."""
        self._state = word = (self._state + _GOLDEN_GAMMA) & _WORD
        # Shifts and multipliers of the paper's mix64 (David Stafford's variant 13).
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _WORD
        return word ^ (word >> 31)

    def randbelow(self, bound: int, /) -> int:
        """Return a uniform integer from 0 to bound-1. Raises ValueError unless 1 <= bound < 2**64.

        Lemire's multiplication ("Fast random integer generation in an interval", TOMACS 2019).
        """
        if not 1 <= bound <= _WORD:
            raise ValueError(f"{bound} is no bound for a number of 64 bits")
        product = self.word() * bound
        if product & _WORD < bound:
            # Only here may the word be one of those that would favour some numbers.
            # 2**64 mod bound: so many products must be drawn again, for all numbers to be equally
            # likely.
            surplus = ((1 << 64) - bound) % bound
            while product & _WORD < surplus:
                product = self.word() * bound
        # The high word: the word's share of 2**64, times the bound.
        return product >> 64

    def shuffle(self, items: MutableSequence[Any], /) -> None:
        """Shuffle `items` in place, uniformly (Fisher-Yates, from the end)."""
        for last in range(len(items) - 1, 0, -1):
            chosen = self.randbelow(last + 1)
            items[last], items[chosen] = items[chosen], items[last]
