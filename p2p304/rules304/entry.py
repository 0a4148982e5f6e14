"""304 in the registry: from a text of its parameters to the game."""

from __future__ import annotations

from typing import Final

from p2p304.rules304.agreement import (
    format_full_agreement,
    parse_agreement,
    parse_full_agreement,
)
from p2p304.rules304.hand import Game304

# The usual rules, as pagat.com tells them (`profiles.py`).
_USUAL: Final = "pagat"


def create(parameters: str) -> Game304:
    """Return the game of 304 under `parameters`, one line as `parse_agreement` reads it; "" is the
    profile pagat.

    Raises ProfileError for any other text.
    """
    return Game304(parse_agreement(parameters or _USUAL))


def full(parameters: str) -> str:
    """Return the text of a charter, which states every parameter, for one line of `parameters`;
    "" is the profile pagat. Raises ProfileError for a line that is no agreement.
    """
    return format_full_agreement(parse_agreement(parameters or _USUAL))


def game_of(text: str) -> Game304:
    """Return the game of a text that `full` returned; raises ProfileError for any other text."""
    return Game304(parse_full_agreement(text))
