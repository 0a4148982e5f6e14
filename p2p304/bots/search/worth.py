"""What the end of a hand is worth where a game brings no prior: how far a side is ahead."""

from __future__ import annotations

from typing import Any, Final

from p2p304.bots.search.interface import Payoff
from p2p304.game import AnyGame, Outcome
from p2p304.seats import Seat

_LONGEST_MATCH: Final = 100
_ASKED: Final = 50
"""Outcomes that are looked at for whether many points are good or bad."""


class Lead:
    """Judges endings of any game by its interface alone.

    Whether many points are good or bad shows in who wins a match in which a hand's outcome comes
    again and again; until an outcome has shown it, they are good.
    """

    __slots__ = ("_asked", "_game", "_sign")

    def __init__(self, game: AnyGame) -> None:
        self._game = game
        self._sign = 0
        self._asked = 0

    def judge(self, state: Any, outcome: Outcome) -> Payoff:
        """Return for each seat how much more its side has scored than the others on average."""
        if not self._sign and self._asked < _ASKED:
            self._asked += 1
            self._sign = direction(self._game, outcome)
        scores = outcome.scores
        sides = self._game.sides(state)[0]
        total, sign = sum(scores), self._sign or 1
        own: list[float] = []
        for seat in map(Seat, range(self._game.seats)):
            mine = int(seat)
            if len(scores) == len(sides):
                mine = next(at for at, side in enumerate(sides) if seat in side)
            own.append(float(scores[mine]))
        others = max(1, len(scores) - 1)
        worth = tuple(sign * (mine - (total - mine) / others) for mine in own)
        return Payoff(worth, tuple(own))


def direction(game: AnyGame, outcome: Outcome) -> int:
    """Return 1 if more points are better and -1 if fewer are, as far as an outcome tells; else
    0."""
    scores = outcome.scores
    if min(scores) == max(scores):
        return 0
    match = game.new_match(bytes(32))
    for _ in range(_LONGEST_MATCH):
        match = game.after_hand(match, outcome)
        if match.winner is not None:
            won = scores[match.winner]
            return int(won == max(scores)) - int(won == min(scores))
    return 0
