"""What the end of a deal of 41 or 400 is worth at the score of the match."""

from __future__ import annotations

from math import exp, log
from typing import Final

from p2p304.bots.search.interface import Payoff
from p2p304.rules41.hand import DealState
from p2p304.rules41.match import SEATS, Outcome41, winning_team
from p2p304.rules41.rules import Rules41
from p2p304.view import View

# Choices: how well others would do was not kept.
#: Points by which a partner must be ahead of the other before its points alone count.
_EVEN: Final = 6.0
#: Points that a partner should have before the other reaches the target, to be safe above 0.
_POSITIVE: Final = 4
#: What each point less than that costs, in points of the partner who is ahead.
_POINT_BELOW: Final = 0.6
_LEAD: Final = 9.0  #: Points of lead that make a team the favourite by e to 1.


def strength(pair: tuple[int, ...], target: int) -> float:
    """Return how near two partners with the scores `pair` are to winning, in points of the partner
    who is ahead: nearly the higher score, less where the other partner is not safely above 0.

    `target` is the score that wins; the nearer it is, the more a partner near 0 counts.
    """
    one, other = pair
    # A smooth maximum: near the higher score, and more if both partners are close.
    reached = _EVEN * log(exp(one / _EVEN) + exp(other / _EVEN))
    # What the other lacks above 0 matters more, the nearer the first is to the target.
    near = max(0.0, min(1.0, max(pair) / target))
    return reached - near * _POINT_BELOW * max(0, _POSITIVE - min(pair))


def chance_to_win(rules: Rules41, scores: tuple[int, ...]) -> float:
    """Return roughly the chance, from 0 to 1, that seats 0 and 2 win a match that stands at
    these four scores; 1 or 0 where it is over.
    """
    won = winning_team(rules, scores)
    if won is not None:
        # The number of the team: 0 for these seats, 1 for the others.
        return 1.0 - won
    # Partners sit opposite each other: seats 0 and 2, seats 1 and 3.
    pairs = scores[0::2], scores[1::2]
    lead = strength(pairs[0], rules.target) - strength(pairs[1], rules.target)
    return 1 / (1 + exp(-lead / _LEAD))


def ending_of(rules: Rules41, view: View[DealState], outcome: Outcome41) -> Payoff:
    """Return the payoff of a deal: for each seat its pair's chance to win the match afterwards and
    its change of score, and whether the view's seat made its bid (None where the deal was thrown
    in, and for a spectator).

    `view` also has the scores before the deal; without any the match stands at 0.
    """
    # A deal outside a match is judged as the first of one.
    before = view.scores or (0,) * SEATS
    after = tuple(old + new for old, new in zip(before, outcome.scores, strict=True))
    won = outcome.match_won
    likely = chance_to_win(rules, after) if won is None else 1.0 - won
    # Seats alternate between the pairs.
    worth = (likely, 1 - likely) * (SEATS // 2)
    seat = view.seat
    made = None
    if seat is not None and not outcome.thrown_in:
        made = outcome.tricks_taken[seat] >= outcome.bids[seat]
    return Payoff(worth, tuple(map(float, outcome.scores)), made)
