"""A player who chooses any legal action, each equally likely."""

from __future__ import annotations

from typing import Any

from p2p304.game import AnyGame
from p2p304.randomness import SeededRandomness
from p2p304.view import View


class RandomPlayer:
    """Plays any game; the same seed and the same views give the same choices."""

    __slots__ = ("_chance", "_game")

    def __init__(self, game: AnyGame, seed: int) -> None:
        self._game = game
        self._chance = SeededRandomness(seed)

    def choose(self, view: View[Any]) -> Any:
        """A legal action of the view's seat. Raises ValueError when it has none."""
        actions = self._game.legal_actions(view)
        if not actions:
            raise ValueError(f"seat {view.seat} has no legal action")
        return actions[self._chance.randbelow(len(actions))]
