"""Uniform permutations from an entropy source."""

from __future__ import annotations

from protocol.entropy import Entropy

_DRAW_BYTES = 16


def uniform_permutation(count: int, entropy: Entropy) -> tuple[int, ...]:
    """Draw a permutation of 0..count-1 (Fisher and Yates); entry i says who comes to place i.

    Each choice takes 16 bytes modulo its range: a bias below 2^-120 instead of a rejection loop
    that a broken source could make endless.
    """
    places = list(range(count))
    drawn = entropy(_DRAW_BYTES * count)
    for last in range(count - 1, 0, -1):
        start = _DRAW_BYTES * last
        pick = int.from_bytes(drawn[start : start + _DRAW_BYTES], "big") % (last + 1)
        places[last], places[pick] = places[pick], places[last]
    return tuple(places)
