"""Which bot plays which game: the best one that there is."""

from __future__ import annotations

from p2p304.bots.advice import Adviser
from p2p304.bots.calling import CalledPartnerPlayer
from p2p304.bots.competent import CompetentPlayer
from p2p304.bots.counting41 import CountingPlayer
from p2p304.bots.random304 import RandomPlayer304
from p2p304.bots.random_player import RandomPlayer
from p2p304.bots.rollouts import RolloutPlayer
from p2p304.bots.thinking import STEADY, Thinking
from p2p304.game import AnyGame
from p2p304.rules41.hand import Game41
from p2p304.rules304.hand import Game304


def player_for(game: AnyGame, seed: int, thinking: Thinking = STEADY) -> Adviser:
    """Return the best bot that there is for a game; the same seed gives the same player.

    `thinking` bounds the thought of one that imagines cards.
    """
    match game:
        case Game304() if game.profile.partner_called:
            return CalledPartnerPlayer(seed)
        case Game304():
            return CompetentPlayer(seed, thinking)
        case Game41():
            return CountingPlayer(game)
        case _:
            return RolloutPlayer(game, seed, thinking)


def random_player_for(game: AnyGame, seed: int) -> RandomPlayer304 | RandomPlayer:
    """Return a player that draws its choices, of hands that reach their last trick."""
    return RandomPlayer304(seed) if isinstance(game, Game304) else RandomPlayer(game, seed)
