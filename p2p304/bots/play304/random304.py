"""A random player of 304 that plays real hands: claims and high bids are rare."""

from __future__ import annotations

from typing import Final

from p2p304.bots.advice import Advice
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import RARE_ACTIONS, Action, PlaceBid
from p2p304.rules304.bids import height
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.state import State
from p2p304.view import View

# Choices: seldom enough that most hands are played to the end.
CLAIMS: Final = 400  #: One decision in so many considers claims beside everything else.
HIGH_BIDS: Final = 20  #: One decision in so many considers high bids.
_RARE: Final = frozenset(RARE_ACTIONS)
# The low half of a word of 64 bits.
_LOW: Final = (1 << 32) - 1


class RandomPlayer304:
    """Plays 304 by chance: where bids are legal it draws a kind of call, then one of that kind,
    else any legal action; claims and high bids are rare.
    """

    __slots__ = ("_chance",)

    def __init__(self, seed: int) -> None:
        """Draw all choices from the number `seed`; equal seeds and views give equal choices."""
        self._chance = SeededRandomness(seed)

    def choose(self, view: View[State]) -> Action:
        """Return a random legal action of the view's seat. Where there is another choice, claims
        take part in about one draw in 400, high bids in about one in 20. Raises ValueError when
        the seat has no legal action.
        """
        actions = legal_actions(view)
        count = len(actions)
        if count <= 1:
            if not actions:
                raise ValueError(f"seat {view.seat} has no legal action")
            return actions[0]
        chance = self._chance.word()  # one draw for everything: there are thousands of decisions
        if chance % CLAIMS:
            while count and type(actions[count - 1]) in _RARE:
                count -= 1  # claims come last, and legal_actions gives a list of our own
            # None where all are claims: something must be chosen.
            del actions[count or len(actions) :]
            if count == 1:
                return actions[0]
        # The low bits have decided about claims; the choices below use others, so that they are
        # independent.
        chance >>= 16
        if type(actions[-1]) is not PlaceBid:
            # A product instead of a remainder: as uniform as 32 bits allow, and faster.
            return actions[(chance & _LOW) * len(actions) >> 32]
        # Again, for a redeal stands before the bids, where the loop above did not come to it.
        seldom = (PlaceBid, *RARE_ACTIONS) if chance % CLAIMS else PlaceBid
        others = [each for each in actions if not isinstance(each, seldom)]
        bids = [each for each in actions if isinstance(each, PlaceBid)]
        if chance % HIGH_BIDS:
            high = view.state.profile.bracket_middle
            # bids * False is empty: with no low bid and another call to make, no bid; else the high
            # ones.
            bids = [each for each in bids if height(each.bid) < high] or bids * (not others)
        # A kind of call first, then one of the kind: there are many numbers and one pass.
        kinds = [[each] for each in others] + ([bids] if bids else [])
        kind = kinds[(chance & _LOW) * len(kinds) >> 32]
        # Other bits than those that chose the kind, so that the two draws differ.
        return kind[(chance >> 8 & _LOW) * len(kind) >> 32]

    def advice(self, view: View[State]) -> Advice:
        """Return a random legal action as advice. Raises ValueError when the view's seat has
        none.
        """
        return Advice(self.choose(view), "One choice is as good as another here.")
