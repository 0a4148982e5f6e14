"""Matches that are over, made of outcomes: for tests of how an end is told."""

from __future__ import annotations

from cli.front.story import MatchHistory
from p2p304.games import create_game
from p2p304.rules41.hand import Outcome41, score_deal
from p2p304.rules41.rules import Variant, parse_rules
from p2p304.rules304.profile import PROFILES
from p2p304.rules304.scoring import CapsVerdict, HandFacts, HandOutcome, VoidKind, score_hand
from p2p304.rules304.teams import Team
from p2p304.seats import Seat
from protocol.table.rulings import MatchHand

PAGAT = PROFILES["pagat"]


def bid(maker: int, value: int, points: int) -> HandOutcome:
    """A hand of 304 that was decided by its bid."""
    team = Team(maker % 2)
    facts = HandFacts(maker=Seat(maker), maker_team=team, bid=value, points=points, tricks=4)
    return score_hand(PAGAT, facts)


def caps(maker: int, value: int) -> HandOutcome:
    """A hand of 304 whose maker's team took all tricks and called caps in time."""
    verdicts = [CapsVerdict.NONE, CapsVerdict.NONE]
    verdicts[maker % 2] = CapsVerdict.CORRECT_BONUS
    facts = HandFacts(
        maker=Seat(maker),
        maker_team=Team(maker % 2),
        bid=value,
        points=304,
        tricks=8,
        caps=(verdicts[0], verdicts[1]),
    )
    return score_hand(PAGAT, facts)


PASSED_OUT = score_hand(PAGAT, HandFacts(void=VoidKind.PASSED_OUT))


def match_304() -> MatchHistory:
    """A short match of 304 that East and West won."""
    outcomes = (bid(0, 160, 171), PASSED_OUT, bid(2, 200, 150), bid(1, 160, 190), caps(3, 250))
    scores = ((12, 10), (12, 10), (9, 13), (8, 14), (0, 22))
    rows = enumerate(zip(outcomes, ((11, 11), *scores[:-1]), scores, strict=True))
    hands = (MatchHand(number, *row) for number, row in rows)
    return MatchHistory(tuple(hands), 1, scores[-1])


def match_41() -> MatchHistory:
    """A match of 41 that North and South won."""
    rules = parse_rules(Variant("41"), "")
    deals: tuple[Outcome41, ...] = (
        score_deal(rules, (5, 3, 4, 2), (5, 2, 4, 2)),
        score_deal(rules, (9, 2, 3, 2), (9, 1, 2, 1)),
    )
    scores = tuple(create_game("41").new_match(bytes(32)).scores)
    hands = []
    for number, deal in enumerate(deals, start=4):
        before, scores = scores, tuple(map(sum, zip(scores, deal.scores, strict=True)))
        hands.append(MatchHand(number, deal, before, scores))
    return MatchHistory(tuple(hands), 0, scores)
