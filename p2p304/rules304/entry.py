"""304 in the registry: from a text of its parameters to the game."""

from __future__ import annotations

from typing import Final

from p2p304.rules304.agreement import (
    format_full_agreement,
    parse_agreement,
    parse_full_agreement,
)
from p2p304.rules304.hand import Game304

_USUAL: Final = "pagat"


def create(parameters: str) -> Game304:
    """Return the game under `parameters`; raises ProfileError, as the others here do."""
    return Game304(parse_agreement(parameters or _USUAL))


def full(parameters: str) -> str:
    """Return the text that states every parameter."""
    return format_full_agreement(parse_agreement(parameters or _USUAL))


def agreed(text: str) -> Game304:
    """Return the game of such a text."""
    return Game304(parse_full_agreement(text))
