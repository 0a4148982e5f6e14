"""Computing without the curve library for a while, to see whether it was right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from protocol.group import constants, point
from protocol.group.plain_curve import PlainKey

_KEPT: Final = (
    constants.card_point,
    constants.suit_point,
    constants.score_unit,
    constants.chain_base,
    constants.shuffle_generator,
)


@contextmanager
def plain_arithmetic() -> Iterator[Callable[[], None]]:
    """Compute in plain integers while the block runs, and ask the library for products alone, until
    what this yields is called: then for nothing.

    It is for what is read from bytes meanwhile: points from before stay what the library made them.
    No other thread may compute with points then.
    """
    library = point.PublicKey
    try:
        PlainKey.library = library
        point.PublicKey = PlainKey  # type: ignore[misc, assignment]
        _forget()
        yield _ask_nothing
    finally:
        point.PublicKey = library  # type: ignore[misc]
        _ask_nothing()
        _forget()


def _ask_nothing() -> None:
    PlainKey.library = None


def _forget() -> None:
    """Let the constants be computed again: what is kept was computed the other way."""
    for each in _KEPT:
        each.cache_clear()
