"""A player who chooses any legal action: first a kind, then one of that kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from p2p304.bots.advice import Advice
from p2p304.game import AnyGame
from p2p304.randomness import SeededRandomness
from p2p304.view import View


class RandomPlayer:
    """Plays any game; the same seed and the same views give the same choices.

    All kinds of action (bidding, passing, playing a card, ...) are equally likely, and so are the
    actions of a kind.
    """

    __slots__ = ("_chance", "_game")

    def __init__(self, game: AnyGame, seed: int) -> None:
        self._game = game
        self._chance = SeededRandomness(seed)

    def choose(self, view: View[Any]) -> Any:
        """Return a legal action of the view's seat. Raises ValueError when it has none."""
        actions: Sequence[Any] = self._game.legal_actions(view)
        if not actions:
            raise ValueError(f"seat {view.seat} has no legal action")
        if len(actions) == 1:
            return actions[0]
        # A dictionary keeps the order of the actions, which a set of classes does not.
        kinds = list(dict.fromkeys(map(type, actions)))
        if len(kinds) > 1:
            kind = kinds[self._chance.randbelow(len(kinds))]
            actions = [each for each in actions if type(each) is kind]
        return actions[self._chance.randbelow(len(actions))]

    def advice(self, view: View[Any]) -> Advice:
        """Return the choice that the player draws, as advice.

        Raises ValueError without an action.
        """
        return Advice(self.choose(view), "One choice is as good as another here.")
