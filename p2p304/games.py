"""The registry: from a game's name and its agreed parameters to the game, and to its telling.

A game's own modules are imported when somebody asks for it, and not before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from p2p304.errors import ProfileError
from p2p304.game import AnyGame
from p2p304.plain import Answer, Json
from p2p304.seats import Seat
from p2p304.telling import AnyTelling


class CardNotation(NamedTuple):
    """How a game writes its hands in cards."""

    write: Callable[[Any], str | None]
    """From the state at a hand's end, to lines; None where cards stayed closed."""
    read: Callable[[str, int], tuple[Seat, Iterable[tuple[Seat, Any]]]]
    """From such lines, and where they stand in a text, to the dealer and the actions.

    Raises NotationError, with the place, for what the rules forbid and for anything else.
    """


class Entry(NamedTuple):
    """A game in the registry: what it is in a few words, and how it comes to be."""

    title: str
    create: Callable[[str], AnyGame]
    """From what a person names, which may leave out whatever has a default."""
    full: Callable[[str], str]
    """From the same to the one text that says everything, which a charter holds."""
    agreed: Callable[[str], AnyGame]
    """From that text and no other."""
    telling: Callable[[AnyGame], AnyTelling]
    """How the game tells itself."""
    profiles: Callable[[], tuple[str, ...]]
    """The names of its profiles, the usual one first; empty where house rules are all there is."""
    house_rules: Callable[[], Mapping[str, str]]
    """The names of its house rules, and what each means."""
    operations: Callable[[], Mapping[str, Callable[[Json], Answer]]] = dict
    """What its test vectors ask, by name: pure functions of plain JSON."""
    cards: Callable[[], CardNotation | None] = lambda: None
    """Its notation in cards, if it has one."""


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


def _profiles_304() -> tuple[str, ...]:
    from p2p304.rules304.profiles import PROFILES

    return tuple(PROFILES)


def _house_304() -> Mapping[str, str]:
    from p2p304.rules304.toggles import TOGGLES

    return {name: toggle.explanation for name, toggle in TOGGLES.items()}


def _operations_304() -> Mapping[str, Callable[[Json], Answer]]:
    from p2p304.rules304.operations import OPERATIONS

    return OPERATIONS


def _cards_304() -> CardNotation:
    from p2p304.rules304.notation import actions_told, public_text

    return CardNotation(public_text, actions_told)


def _operations_41() -> Mapping[str, Callable[[Json], Answer]]:
    from p2p304.rules41.operations import OPERATIONS

    return OPERATIONS


def _house_41() -> Mapping[str, str]:
    from p2p304.rules41.rules import TOGGLES

    return TOGGLES


def _telling_304(game: AnyGame) -> AnyTelling:
    from p2p304.rules304.hand import Game304
    from p2p304.rules304.telling.game import Telling304

    assert isinstance(game, Game304)
    return Telling304(game)


def _telling_41(game: AnyGame) -> AnyTelling:
    from p2p304.rules41.hand import Game41
    from p2p304.rules41.telling.game import Telling41

    assert isinstance(game, Game41)
    return Telling41(game)


def _of_41(title: str, variant: str) -> Entry:
    """Make 41 or 400, whose house rules are all there is to agree on: the full text names those
    kept."""

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

    return Entry(title, create, full, agreed, _telling_41, tuple, _house_41, _operations_41)


_GAMES: Final[dict[str, Entry]] = {
    "304": Entry(
        "304 of Sri Lanka",
        _create_304,
        _full_304,
        _agreed_304,
        _telling_304,
        _profiles_304,
        _house_304,
        _operations_304,
        _cards_304,
    ),
    "41": _of_41("41 of Syria", "41"),
    "400": _of_41("400 of Lebanon", "400"),
}
GAMES: Final[Mapping[str, Entry]] = MappingProxyType(_GAMES)
"""Every game that can be played, in the order of listing."""


@contextmanager
def registered(name: str, entry: Entry) -> Iterator[None]:
    """Have one more game in the registry for a while, such as one on trial.

    Raises ValueError for a name that a game has already.
    """
    if name in _GAMES:
        raise ValueError(f"there is a game called {name} already")
    _GAMES[name] = entry
    try:
        yield
    finally:
        del _GAMES[name]


def create_game(name: str, parameters: str = "") -> AnyGame:
    """Return the game called `name` under `parameters` as a person names them, in the game's own
    form.

    Raises ProfileError for a name that is not in GAMES and for parameters that the game refuses.
    """
    return _entry(name).create(parameters)


def agreement(
    name: str, profile: str | None, house: Iterable[str] = (), settings: Iterable[str] = ()
) -> str:
    """Return the parameters, as `create_game` reads them, of a profile with house rules and single
    settings ("tokens_start = 3") on top; None is the usual profile.

    Raises ProfileError for a profile or settings of a game that has house rules only.
    """
    profiles = _entry(name).profiles()
    if profiles:
        return "; ".join((profile or profiles[0], *(f"+{each}" for each in house), *settings))
    if profile is not None or [*settings]:
        raise ProfileError(f"{name} has house rules only, no profiles and no settings")
    return ",".join(house)


def full_agreement(name: str, parameters: str = "") -> str:
    """Return the text with which a charter states every parameter; raises as create_game does."""
    return _entry(name).full(parameters)


def agreed_game(name: str, text: str) -> AnyGame:
    """Return the game of a charter, whose `text` must state every parameter as full_agreement does.

    Otherwise two programs with other defaults could mean other games by one charter. Raises
    ProfileError as create_game does, and for any other text.
    """
    return _entry(name).agreed(text)


def telling_of(game: AnyGame) -> AnyTelling:
    """Return how a game of the registry tells itself; raises ProfileError for another game."""
    return _entry(game.name).telling(game)


def _entry(name: str) -> Entry:
    entry = GAMES.get(name)
    if entry is None:
        raise ProfileError(f"there is no game {name[:40]!a}; there are {', '.join(GAMES)}")
    return entry
