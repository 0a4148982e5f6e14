"""What a bid of 304 costs and brings, at the score of the match and by imagined hands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from p2p304.bots.play304.imagined_table import PlayedOut
from p2p304.rules304.bids import Bid, Contract
from p2p304.rules304.choices import CapsModel
from p2p304.rules304.match import match_at
from p2p304.rules304.profile import Profile
from p2p304.rules304.scoring import price_of
from p2p304.rules304.state import State
from p2p304.view import View

CALLED_IN_TIME: Final = 0.5
"""How often a side that wins all tricks is certain of it, and calls caps, before the bonus ends."""


class Outlook(NamedTuple):
    """How a bid went in imagined hands."""

    hands: int
    made: int
    swept: int
    """In how many of them the maker's team won every trick."""

    @property
    def likely(self) -> float:
        """How likely the bid is made: one more of each, so that few hands are no certainty."""
        return (self.made + 1) / (self.hands + 2)


def outlook(bid: Bid, endings: Iterable[PlayedOut]) -> Outlook:
    """Return how a bid went in hands that ended so."""
    hands = made = swept = 0
    for each in endings:
        hands += 1
        swept += not each.lost
        made += not each.lost if isinstance(bid, Contract) else each.points >= bid
    return Outlook(hands, made, swept)


class Stakes(NamedTuple):
    """What a bid costs and brings one team: nobody pays more than it has."""

    profile: Profile
    stocks: tuple[int, ...]

    def tokens(self, team: int, bid: Bid, likely: float, swept: float = 0.0) -> float:
        """Return the tokens that the maker's team may expect of a bid that is so likely made, and
        in so large a share of hands with every trick."""
        price = price_of(self.profile, bid)
        has, theirs = self.stocks[team], self.stocks[1 - team]
        gain, loss = min(price.made, theirs), min(price.failed, has)
        bonus = 0.0
        if not isinstance(bid, Contract) and self.profile.caps_model is not CapsModel.OFF:
            bonus = min(price.made + self.profile.caps_bonus, theirs) - gain
        return likely * gain - (1 - likely) * loss + CALLED_IN_TIME * swept * bonus

    def expected(self, team: int, bid: Bid, found: Outlook) -> float:
        """Return the same by what was imagined."""
        return self.tokens(team, bid, found.likely, found.swept / max(found.hands, 1))


def stakes(view: View[State]) -> Stakes:
    """Return what bids cost at the score at which the hand was begun."""
    profile, scores = view.state.profile, view.scores
    if not scores:
        return Stakes(profile, (profile.tokens_start, profile.tokens_start))
    return Stakes(profile, match_at(profile, view.state.dealer, scores).stocks)
