"""The registry: from a game's name and its agreed parameters to the game, and to its telling.

    game = create_game("304", "pagat")        as a person names it
    text = full_agreement("304", "pagat")     as a charter states it
    game = agreed_game("304", text)           as everybody reads the charter
    telling = telling_of(game)

Profiles and house rules are tables, for whoever lists them; the rest of a game is imported when it
is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from itertools import zip_longest
from types import MappingProxyType
from typing import Any, Final

from p2p304.entry import GameEntry
from p2p304.errors import ProfileError
from p2p304.game import AnyGame
from p2p304.rules41.rules import TOGGLES as TOGGLES_41
from p2p304.rules41.rules import Variant
from p2p304.rules304.profile import IN_WORDS
from p2p304.rules304.profile import TOGGLES as TOGGLES_304
from p2p304.telling import AnyTelling


def _late(module: str, name: str) -> Any:
    """Import the module `p2p304.MODULE` and return its attribute `name`."""
    return getattr(import_module(f"p2p304.{module}"), name)


def _call(module: str, name: str) -> Callable[..., Any]:
    """Return a function that imports `p2p304.MODULE` when it is called and passes its arguments
    on to the module's function `name`.
    """
    # Late, since listing games must not import bots, tellings and rules of every game.
    return lambda *given: _late(module, name)(*given)


def _of_41(title: str, variant: Variant) -> GameEntry:
    """Return the registry's entry of the `variant`, 41 or 400, under this title."""
    return GameEntry(
        title,
        create=partial(_call("rules41.hand", "create"), variant),
        full=lambda game: game.rules.parameters,
        telling=_call("rules41.telling.game", "Telling41"),
        house_rules=TOGGLES_41,
        prior=_call("bots.play41.prior", "Prior41"),
        playout=_call("bots.play41.prior", "Playout41"),
    )


# Only `register` changes it; everybody else reads GAMES.
_GAMES: Final[dict[str, GameEntry]] = {
    "304": GameEntry(
        "304 of Sri Lanka",
        create=_call("rules304.hand", "create"),
        full=_call("rules304.hand", "full"),
        telling=_call("rules304.telling.game", "Telling304"),
        profiles=IN_WORDS,
        house_rules={name: toggle.explanation for name, toggle in TOGGLES_304.items()},
        # `_late`, as these two are values of their modules and no functions.
        cards=partial(_late, "rules304.notation", "NOTATION"),
        first_hand=partial(_late, "rules304.first_hand", "FIRST_HAND"),
        prior=_call("bots.play304.prior", "Prior304"),
        playout=_call("bots.play304.playout", "Playout304"),
    ),
    "41": _of_41("41 of Syria", Variant.SYRIAN),
    "400": _of_41("400 of Lebanon", Variant.LEBANESE),
}
#: Every game that can be played, in the order of listing.
GAMES: Final[Mapping[str, GameEntry]] = MappingProxyType(_GAMES)


@contextmanager
def register(name: str, entry: GameEntry) -> Iterator[None]:
    """Add a game to the registry until the `with` block ends, such as a game on trial.

    Raises ValueError for a name that a game has already.

    Args:
        name: equal to `Game.name` of the games that `entry` makes; at most 32 characters of
            printable ASCII, for a charter holds it.
        entry: how the game is made, and its texts.
    """
    if name in _GAMES:
        raise ValueError(f"there is a game called {name} already")
    _GAMES[name] = entry
    try:
        yield
    # An entry on trial must not outlive its context, whatever went wrong in it.
    finally:
        del _GAMES[name]


def create_game(name: str, parameters: str = "") -> AnyGame:
    """Return the game called `name` under `parameters`, a text of the form that this game reads.

    Raises ProfileError for a name that is not in GAMES and for parameters that the game refuses.

    Args:
        name: in the registry, such as "304".
        parameters: of 304 "pagat; +pre_show; tokens_start = 3", of 41 and 400 "floor_12"; "" is the
            usual game.
    """
    return _entry(name).create(parameters)


def agreement(
    name: str, profile: str | None, house: Iterable[str] = (), settings: Iterable[str] = ()
) -> str:
    """Return a profile, house rules and settings joined into one text of parameters for
    `create_game`.

    ("304", None, ["pre_show"], ["tokens_start = 3"]) -> "pagat; +pre_show; tokens_start = 3";
    ("41", None, ["floor_12", "target_44"]) -> "floor_12,target_44". Raises ProfileError for a name
    that is not in GAMES, and for a profile or settings of a game that has house rules only. House
    rules and settings are not checked.

    Args:
        name: in the registry, such as "304".
        profile: one of the entry's `profiles`; None is the usual one.
        house: names of house rules, on top of the profile.
        settings: single parameters, as "tokens_start = 3", on top of both.
    """
    profiles = _entry(name).profiles
    if profiles:
        return "; ".join(
            # The usual profile comes first in the entry.
            (profile or next(iter(profiles)), *(f"+{each}" for each in house), *settings)
        )
    # Listed first: an iterator is true even if it yields nothing.
    if profile is not None or [*settings]:
        raise ProfileError(f"{name} has house rules only, no profiles and no settings")
    # The text that 41 and 400 read: names parted by commas.
    return ",".join(house)


def full_agreement(name: str, parameters: str = "") -> str:
    """Return the text with which a charter states every parameter of a game, defaults included: at
    most 8,000 characters (specs/03-encodings.md, 3.2).

    Raises ProfileError for a name that is not in GAMES and for parameters that the game refuses.

    Args:
        name: in the registry, such as "304".
        parameters: as for `create_game`, such as "pagat; +pre_show"; "" is the usual game.
    """
    entry = _entry(name)
    return entry.full(entry.create(parameters))


def agreed_game(name: str, text: str) -> AnyGame:
    """Return the game of a charter, whose `text` must be just what `full_agreement` returns.

    Otherwise two programs with other defaults could mean other games by one charter. Raises
    ProfileError for a name that is not in GAMES and for any other text.

    Args:
        name: the charter's `game`.
        text: the charter's `profile`, compared to the character.
    """
    entry = _entry(name)
    said = text.split("\n")
    game = entry.create(said[0])
    # To the character, and longest: a line that is missing or too many differs as well.
    for theirs, ours in zip_longest(said, entry.full(game).split("\n")):
        if theirs != ours:
            # Cut short and escaped: the text is a stranger's; ours somebody may want to copy.
            raise ProfileError(
                f"the agreement differs between the programs: {theirs!a:.60} and {ours!a:.200}"
            )
    return game


def telling_of(game: AnyGame) -> AnyTelling:
    """Return the `Telling` of a game of the registry, its scenes and sentences for front ends;
    raises ProfileError for a game whose name is not in GAMES.
    """
    return _entry(game.name).telling(game)


def _entry(name: str) -> GameEntry:
    """Return the registry's entry of the game called `name`; raises ProfileError, which lists
    the names there are, for an unknown name.
    """
    entry = GAMES.get(name)
    if entry is None:
        # Cut short and escaped: the name may come from a stranger's charter.
        raise ProfileError(f"there is no game {name[:40]!a}; there are {', '.join(GAMES)}")
    return entry
