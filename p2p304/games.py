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
    """From what a person names, which may leave out whatever has a default."""
    full: Callable[[str], str]
    """From the same to the one text that says everything, which a charter holds."""
    agreed: Callable[[str], AnyGame]
    """From that text and no other."""


def _create_304(parameters: str) -> AnyGame:
    from p2p304.rules304.agreement_text import parse_agreement
    from p2p304.rules304.hand import Game304

    return Game304(parse_agreement(parameters or "pagat"))


def _full_304(parameters: str) -> str:
    from p2p304.rules304.agreement_text import format_full_agreement, parse_agreement

    return format_full_agreement(parse_agreement(parameters or "pagat"))


def _agreed_304(text: str) -> AnyGame:
    from p2p304.rules304.agreement_text import parse_full_agreement
    from p2p304.rules304.hand import Game304

    return Game304(parse_full_agreement(text))


def _of_41(title: str, variant: str) -> Entry:
    """41 or 400, whose house rules are all there is to agree on: the full text names those kept."""

    def create(parameters: str) -> AnyGame:
        from p2p304.rules41.hand import Game41
        from p2p304.rules41.rules import Variant, parse_rules

        return Game41(parse_rules(Variant(variant), parameters))

    def full(parameters: str) -> str:
        from p2p304.rules41.rules import Variant, parse_rules

        return parse_rules(Variant(variant), parameters).parameters

    def agreed(text: str) -> AnyGame:
        meant = full(text)
        if text != meant:
            raise ProfileError(f"the canonical text of these house rules is {meant!a}")
        return create(text)

    return Entry(title, create, full, agreed)


GAMES: Final[Mapping[str, Entry]] = {
    "304": Entry("304 of Sri Lanka, four seats", _create_304, _full_304, _agreed_304),
    "41": _of_41("41 of Syria, four seats", "41"),
    "400": _of_41("400 of Lebanon, four seats", "400"),
}


def create_game(name: str, parameters: str = "") -> AnyGame:
    """The game called `name` under `parameters` as a person names them, in the game's own form.

    Raises ProfileError for a name that is not in GAMES and for parameters that the game refuses.
    """
    return _entry(name).create(parameters)


def full_agreement(name: str, parameters: str = "") -> str:
    """The text of the same game in which a charter says all of its parameters; raises alike."""
    return _entry(name).full(parameters)


def agreed_game(name: str, text: str) -> AnyGame:
    """The game that a charter names: `text` must say every parameter, as full_agreement does.

    Otherwise two programs with other defaults could mean other games by one charter. Raises
    ProfileError as create_game does, and for any other text.
    """
    return _entry(name).agreed(text)


def _entry(name: str) -> Entry:
    entry = GAMES.get(name)
    if entry is None:
        raise ProfileError(f"there is no game {name[:40]!a}; there are {', '.join(GAMES)}")
    return entry
