"""The registry: from a game's name and its agreed parameters to the game itself.

A game's own modules are imported when somebody asks for it, and not before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from p2p304.errors import ProfileError
from p2p304.game import AnyGame


class Entry(NamedTuple):
    """A game in the registry: what it is in a few words, and how it comes to be."""

    title: str
    create: Callable[[str], AnyGame]


def _create_304(parameters: str) -> AnyGame:
    from p2p304.rules304.agreement_text import parse_agreement, parse_full_agreement
    from p2p304.rules304.hand import Game304

    full = "\n" in parameters
    return Game304((parse_full_agreement if full else parse_agreement)(parameters or "pagat"))


def _create_41(parameters: str) -> AnyGame:
    from p2p304.rules41.hand import Game41
    from p2p304.rules41.rules import Variant, parse_rules

    return Game41(parse_rules(Variant.SYRIAN, parameters))


def _create_400(parameters: str) -> AnyGame:
    from p2p304.rules41.hand import Game41
    from p2p304.rules41.rules import Variant, parse_rules

    return Game41(parse_rules(Variant.LEBANESE, parameters))


GAMES: Final[Mapping[str, Entry]] = {
    "304": Entry("304 of Sri Lanka, four seats", _create_304),
    "41": Entry("41 of Syria, four seats", _create_41),
    "400": Entry("400 of Lebanon, four seats", _create_400),
}


def create_game(name: str, parameters: str = "") -> AnyGame:
    """The game called `name` under `parameters`, whose form is the game's own affair.

    Raises ProfileError for a name that is not in GAMES and for parameters that the game refuses.
    """
    entry = GAMES.get(name)
    if entry is None:
        raise ProfileError(f"there is no game {name[:40]!a}; there are {', '.join(GAMES)}")
    return entry.create(parameters)
