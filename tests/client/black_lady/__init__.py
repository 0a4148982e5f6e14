"""A game in which cards change hands: its rules, how it tells itself, and its entry."""

from __future__ import annotations

from p2p304.entry import GameEntry
from p2p304.errors import ProfileError
from tests.client.black_lady.rules import BlackLady
from tests.client.black_lady.telling import TellingBlackLady

NAME = "black lady"


def _create(parameters: str) -> BlackLady:
    if parameters:
        raise ProfileError("there is nothing to agree on")
    return BlackLady()


ENTRY = GameEntry(
    title="the black lady, three seats",
    create=_create,
    full=lambda _: "",
    telling=lambda _: TellingBlackLady(),
)
