"""Which player sits at a table, by the name of its level; one of them chooses by chance alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from p2p304.bots.advice import Advice, Adviser
from p2p304.bots.levels import BEGINNER, LEVELS, THUMB, Level, More
from p2p304.bots.play304.random304 import RandomPlayer304
from p2p304.bots.search.player import SearchPlayer
from p2p304.game import AnyGame
from p2p304.games import GAMES
from p2p304.randomness import SeededRandomness
from p2p304.rules304.hand import Game304
from p2p304.view import View

# --- a player who chooses any legal action: first a kind, then one of that kind -------------------


class RandomPlayer:
    """Plays any game by chance; the same seed and the same views give the same choices.

    First a kind of action is drawn (bid, pass, card), then an action of that kind, each equally
    likely.
    """

    __slots__ = ("_chance", "_game")

    def __init__(self, game: AnyGame, seed: int) -> None:
        """Prepare to play `game`, with all choices drawn from `seed`."""
        self._game = game
        self._chance = SeededRandomness(seed)

    def choose(self, view: View[Any]) -> Any:
        """Return a random legal action of the view's seat. Raises ValueError when it has none."""
        actions: Sequence[Any] = self._game.legal_actions(view)
        if not actions:
            raise ValueError(f"seat {view.seat} has no legal action")
        if len(actions) == 1:
            return actions[0]
        # A dictionary keeps the order of the actions, which a set of classes does not.
        kinds = list(dict.fromkeys(map(type, actions)))
        # Else one pass among twenty bids would be drawn once in twenty-one times.
        if len(kinds) > 1:
            kind = kinds[self._chance.randbelow(len(kinds))]
            actions = [each for each in actions if type(each) is kind]
        return actions[self._chance.randbelow(len(actions))]

    def advice(self, view: View[Any]) -> Advice:
        """Return a random legal action as advice. Raises ValueError when the view's seat has
        none.
        """
        return Advice(self.choose(view), "One choice is as good as another here.")


RANDOM: Final = "random"
STEADY: Final = "steady"  #: Plays by rules of thumb.
PLAYERS: Final = (*LEVELS, STEADY, RANDOM)  #: Everybody who can be seated.


def player_for(
    game: AnyGame, seed: int, level: str = "club", *, more: More | None = None
) -> Adviser:
    """Return a player of this level for `game`; the same seed gives the same player.

    Raises ValueError for a level that is none of PLAYERS.

    Args:
        level: a name in PLAYERS: of LEVELS, "steady" or "random".
        more: asked between imagined hands; once it returns False, a searching player decides. None
            lets it search as long as its level does.
    """
    if level == RANDOM:
        return random_player_for(game, seed)
    if level == STEADY:
        return steady_for(game, seed)
    if level not in LEVELS:
        # Named are the levels that search; the two others were answered above. Cut and in ASCII, as
        # a level comes from wherever a caller has it.
        raise ValueError(f"{level[:40]!a} does not play {game.name}; there are {', '.join(LEVELS)}")
    return search_player(game, seed, LEVELS[level], more=more)


def search_player(
    game: AnyGame, seed: int, level: Level, *, more: More | None = None
) -> SearchPlayer:
    """Return a player that searches within the bounds of `level`, with the rules of thumb and the
    playout that the registry has for the game. The same seed gives the same player.

    `more` is asked between imagined hands; once it returns False, the player decides. None lets it
    search as long as its level does.
    """
    # A game need not be in the registry, and its entry need not bring either.
    entry = GAMES.get(game.name)
    prior = entry.prior(game) if entry is not None and entry.prior is not None else None
    playout = entry.playout(game) if entry is not None and entry.playout is not None else None
    return SearchPlayer(game, seed, level, prior=prior, playout=playout, more=more)


def steady_for(game: AnyGame, seed: int) -> SearchPlayer:
    """Return a player that decides by the game's rules of thumb alone; where the game has none,
    one that searches as a beginner does. The same seed gives the same player.
    """
    entry = GAMES.get(game.name)
    known = entry is not None and entry.prior is not None
    # THUMB imagines no hands: without rules of thumb it could tell no action from another.
    return search_player(game, seed, THUMB if known else BEGINNER)


def random_player_for(game: AnyGame, seed: int) -> RandomPlayer304 | RandomPlayer:
    """Return a player that draws its choices by chance from `seed`; in 304 it claims and bids
    high so rarely that most hands are played to the end.
    """
    return RandomPlayer304(seed) if isinstance(game, Game304) else RandomPlayer(game, seed)
