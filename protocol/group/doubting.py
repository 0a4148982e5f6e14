"""Computing without the curve library for a while, to see whether it was right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from protocol.group import constants, point
from protocol.group.plain_curve import PlainKey

# Every cache of points: a point computes as the arithmetic does by which it was made.
_KEPT: Final = (
    constants.card_point,
    constants.suit_point,
    constants.score_unit,
    constants.chain_base,
    constants.shuffle_generators,
)


@contextmanager
def plain_arithmetic() -> Iterator[Callable[[], None]]:
    """Compute with points in plain integers instead of the curve library while the context lasts;
    the cached constants are computed anew in it.

    The library still computes products, until the yielded function is called. Only points made
    within the context compute so; older ones stay the library's. No other thread may compute with
    points meanwhile.
    """
    library = point.PublicKey
    try:
        PlainKey.library = library
        # The module's own name is exchanged, so that every caller computes the other way without
        # knowing.
        point.PublicKey = PlainKey  # type: ignore[misc, assignment]
        _forget()
        yield _ask_nothing
    finally:
        # Also after an error: no later message may be judged by the slow arithmetic.
        point.PublicKey = library  # type: ignore[misc]
        _ask_nothing()
        _forget()


def _ask_nothing() -> None:
    """Have plain points compute their products in plain integers, too, from now on."""
    PlainKey.library = None


def _forget() -> None:
    """Clear the cached constants, which were computed by the other arithmetic."""
    for each in _KEPT:
        each.cache_clear()
