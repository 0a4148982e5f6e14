"""A game of three seats in one folder: its rules, how it tells itself, and its entry."""

from __future__ import annotations

from p2p304.entry import GameEntry
from p2p304.errors import ProfileError
from tests.client.highest_card.rules import Highest
from tests.client.highest_card.telling import TellingHighest

NAME = "highest"


def _create(parameters: str) -> Highest:
    if parameters:
        raise ProfileError("there is nothing to agree on")
    return Highest()


ENTRY = GameEntry(
    title="the highest card, three seats",
    create=_create,
    full=lambda parameters: _create(parameters) and "",
    from_agreement=_create,
    telling=lambda _: TellingHighest(),
)
