"""A random player of 304 that plays real hands: claims and high bids are rare."""

from __future__ import annotations

from typing import Final

from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import RARE_ACTIONS, Action, PlaceBid
from p2p304.rules304.bids import height
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.state import State
from p2p304.view import View

CLAIMS: Final = 400
"""One decision in so many considers claims beside everything else."""
HIGH_BIDS: Final = 20
"""One decision in so many considers high bids."""
HIGH: Final = 200


class RandomPlayer304:
    """Chooses a kind of action first, then one of the kind; the seed determines the choices."""

    __slots__ = ("_chance",)

    def __init__(self, seed: int) -> None:
        self._chance = SeededRandomness(seed)

    def choose(self, view: View[State]) -> Action:
        """A legal action of the view's seat. Raises ValueError when it has none."""
        actions = legal_actions(view)
        if not actions:
            raise ValueError(f"seat {view.seat} has no legal action")
        draw = self._chance.randbelow
        if len(actions) > 1 and draw(CLAIMS):
            actions = [each for each in actions if not isinstance(each, RARE_ACTIONS)] or actions
        if len(actions) > 1 and draw(HIGH_BIDS):
            actions = [each for each in actions if not _is_high(each)] or actions
        # A dictionary keeps the order of the actions, which a set of classes does not.
        kinds = list(dict.fromkeys(map(type, actions)))
        if len(kinds) > 1:
            kind = kinds[draw(len(kinds))]
            actions = [each for each in actions if type(each) is kind]
        return actions[draw(len(actions))]


def _is_high(action: Action) -> bool:
    return isinstance(action, PlaceBid) and height(action.bid) >= HIGH
