"""Prices that vectors do not tell apart, what a result says, and facts that there cannot be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from p2p304.rules304.actions import Bid, Contract
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.profile import CARD304_ALPHA, CHAMPIONSHIP, PAGAT, ViolationPrice
from p2p304.rules304.scoring import (
    CapsVerdict,
    HandFacts,
    ScoreLine,
    Violation,
    ViolationKind,
    VoidKind,
    score_hand,
)
from p2p304.rules304.teams import EAST_WEST, NORTH_SOUTH, Team

PCC = Contract.PARTNER_CLOSE_CAPS
HALF_COURT = Contract.HALF_COURT
NONE, BONUS, NO_BONUS, WRONG, LOST = CapsVerdict

#: RULES 15 and PROFILES 2: a bid, what defenders pay when it is made, what makers pay if not.
TABLE: list[tuple[Bid, int, int]] = [
    (160, 1, 2),
    (190, 1, 2),
    (199, 1, 2),
    (200, 2, 3),
    (245, 2, 3),
    (249, 2, 3),
    (250, 3, 4),
    (300, 3, 4),
    (PCC, 4, 5),
    (HALF_COURT, 3, 4),
]


def facts(
    bid: Bid = 160,
    *,
    team: Team = NORTH_SOUTH,
    made: bool = True,
    caps: dict[Team, CapsVerdict] | None = None,
    points: int | None = None,
    void: VoidKind | None = None,
    violation: Violation | None = None,
) -> HandFacts:
    """A hand whose bid of `team` was made or failed by as little as possible."""
    verdicts = caps or {}
    contract = isinstance(bid, Contract)
    least = 0 if isinstance(bid, Contract) else bid if made else bid - 1
    tricks = (4 if bid is HALF_COURT else 8) - (not made) if contract else 0
    return HandFacts(
        maker_team=team,
        bid=bid,
        points=least if points is None else points,
        tricks=tricks,
        caps=(verdicts.get(NORTH_SOUTH, NONE), verdicts.get(EAST_WEST, NONE)),
        void=void,
        violation=violation,
    )


def paid(profile_name: str, hand: HandFacts, *toggles: str) -> tuple[ScoreLine, Team | None, int]:
    outcome = score_hand(named_profile(profile_name, toggles), hand)
    return outcome.line, outcome.payer, outcome.amount


def test_a_false_call_of_spoilt_trumps_has_a_price_of_its_own() -> None:
    profile = replace(PAGAT, spoilt_false_call=ViolationPrice.THREE_TOKENS)
    for kind in ViolationKind:
        hand = facts(250, violation=Violation(NORTH_SOUTH, kind))
        expected = 3 if kind is ViolationKind.FALSE_SPOILT else 6
        assert score_hand(profile, hand).amount == expected
    profile = replace(CHAMPIONSHIP, spoilt_false_call=ViolationPrice.HAND_PLUS_2)
    hand = facts(250, violation=Violation(NORTH_SOUTH, ViolationKind.FALSE_SPOILT))
    assert score_hand(profile, hand).amount == 6


@pytest.mark.parametrize("name", ["pagat", "card304", "wikipedia", "championship"])
@pytest.mark.parametrize("won", [True, False])
def test_lines_3_and_4_cost_the_larger_of_penalty_and_charge(name: str, won: bool) -> None:
    for bid, made, failed in TABLE[:8]:
        for team, verdict, line, least in (
            (NORTH_SOUTH, LOST, ScoreLine.CAPS_LOST, 5),
            (EAST_WEST, LOST, ScoreLine.CAPS_LOST, 5),
            (NORTH_SOUTH, WRONG, ScoreLine.CAPS_WRONG, 2),
            (EAST_WEST, WRONG, ScoreLine.CAPS_WRONG, 2),
        ):
            hand = facts(bid, made=won, caps={team: verdict})
            due = (0 if won else failed) if team == NORTH_SOUTH else (made if won else 0)
            assert paid(name, hand) == (line, team, max(least, due))


@pytest.mark.parametrize(
    ("hand", "sentence"),
    [
        (facts(190, points=200), "North-South made 190 with 200 points: East-West pay 1 token."),
        (
            facts(PCC, made=False),
            "North-South failed Partner Close Caps: North-South pay 5 tokens.",
        ),
        (HandFacts(void=VoidKind.PASSED_OUT), "All seats passed: nobody pays."),
        (
            HandFacts(violation=Violation(EAST_WEST, ViolationKind.HINT)),
            "East-West broke the rules by a hint: East-West pay 4 tokens.",
        ),
        (
            facts(200, points=0, caps={EAST_WEST: BONUS}),
            "North-South failed 200 with 0 points and East-West called Caps correctly:"
            " North-South pay 4 tokens.",
        ),
    ],
)
def test_the_summary_is_one_sentence(hand: HandFacts, sentence: str) -> None:
    assert score_hand(PAGAT, hand).summary == sentence


def test_impossible_facts_are_refused() -> None:
    with pytest.raises(ValueError, match="go together"):
        HandFacts(bid=160)
    with pytest.raises(ValueError, match="go together"):
        HandFacts(maker_team=NORTH_SOUTH, void=VoidKind.SPOILT)
    with pytest.raises(ValueError, match="is void or ends in a violation"):
        HandFacts()
    with pytest.raises(ValueError, match="no team takes 305 points"):
        facts(160, points=305)
    with pytest.raises(ValueError, match="in 9 tricks"):
        HandFacts(maker_team=NORTH_SOUTH, bid=PCC, tricks=9)
    with pytest.raises(ValueError, match="no Caps under pcc"):
        facts(PCC, caps={NORTH_SOUTH: LOST})
    with pytest.raises(ValueError, match="took all points"):
        facts(160, points=303, caps={NORTH_SOUTH: NO_BONUS})
    with pytest.raises(ValueError, match="took all points"):
        facts(160, points=1, caps={EAST_WEST: BONUS})
    with pytest.raises(ValueError, match="no Caps under card304-alpha"):
        score_hand(CARD304_ALPHA, facts(160, caps={NORTH_SOUTH: WRONG}))
