"""Which player sits at a table, by the name of its level: and the one place that makes it."""

from __future__ import annotations

from typing import Final

from p2p304.bots.advice import Adviser
from p2p304.bots.levels import BEGINNER, LEVELS, Level, More
from p2p304.bots.play41.counting import CountingPlayer
from p2p304.bots.play304.calling import CalledPartnerPlayer
from p2p304.bots.play304.competent import CompetentPlayer
from p2p304.bots.play304.prior import Prior304
from p2p304.bots.play304.random304 import RandomPlayer304
from p2p304.bots.play304.thinking import STEADY as USUAL
from p2p304.bots.play304.thinking import Thinking
from p2p304.bots.random_player import RandomPlayer
from p2p304.bots.search.player import SearchPlayer
from p2p304.bots.styles import Style, style_named, style_of
from p2p304.game import AnyGame
from p2p304.games import GAMES
from p2p304.rules41.hand import Game41
from p2p304.rules304.hand import Game304

RANDOM: Final = "random"
STEADY: Final = "steady"
"""Plays by rules of thumb, for comparison: the cards of 304 by imagined layouts of open cards."""
COUNTING: Final = "counting"
"""What `steady` is called at 41 and 400."""
PLAYERS: Final = (*LEVELS, STEADY, COUNTING, RANDOM)
"""Everybody who can be seated."""


def player_for(
    game: AnyGame,
    seed: int,
    level: str = "club",
    *,
    more: More | None = None,
    style: Style | None = None,
) -> Adviser:
    """Return the player of a level; the same seed gives the same player.

    Who searches has a manner of its own where the game knows any: that of its seed, or `style`.

    With `more` a player who searches thinks until that says no, or as long as its level does.
    Raises ValueError for a level that is none of PLAYERS, and for one that does not play the game.
    """
    if level == RANDOM:
        return random_player_for(game, seed)
    if level == STEADY or (level == COUNTING and isinstance(game, Game41)):
        return steady_for(game, seed)
    if level not in LEVELS:
        raise ValueError(f"{level[:40]!a} does not play {game.name}; there are {', '.join(LEVELS)}")
    return searching_for(game, seed, LEVELS[level], more=more, style=style)


def manner_of(game: AnyGame, level: str, name: str) -> str:
    """Return the word for how a player of this level and name calls at a game: one of STYLES; ""
    where it has no manner, or one that its name does not tell."""
    has_one = level in LEVELS and isinstance(game, Game304) and not game.profile.partner_called
    style = style_named(name) if has_one else None
    return "" if style is None else style.name


def searching_for(
    game: AnyGame,
    seed: int,
    level: Level,
    *,
    more: More | None = None,
    style: Style | None = None,
) -> SearchPlayer:
    """Return a player who searches, with what the game brings to it."""
    entry = GAMES.get(game.name)
    prior = entry.prior(game) if entry is not None and entry.prior is not None else None
    if isinstance(prior, Prior304):
        prior = prior.styled(style or style_of(seed))
    playout = entry.playout(game) if entry is not None and entry.playout is not None else None
    return SearchPlayer(game, seed, level, prior=prior, playout=playout, more=more)


def steady_for(game: AnyGame, seed: int, thinking: Thinking = USUAL) -> Adviser:
    """Return a player who does not search, or hardly where a game has no other; `thinking` bounds
    what one of 304 imagines."""
    match game:
        case Game304() if game.profile.partner_called:
            return CalledPartnerPlayer(seed)
        case Game304():
            return CompetentPlayer(seed, thinking)
        case Game41():
            return CountingPlayer(game)
        case _:
            return searching_for(game, seed, BEGINNER)


def random_player_for(game: AnyGame, seed: int) -> RandomPlayer304 | RandomPlayer:
    """Return a player that draws its choices, of hands that reach their last trick."""
    return RandomPlayer304(seed) if isinstance(game, Game304) else RandomPlayer(game, seed)
