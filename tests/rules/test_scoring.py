"""The token table, and the lines of RULES 15 in their order."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from p2p304.rules304.agreement import profile_named
from p2p304.rules304.bids import Bid, Contract, bid_text, height
from p2p304.rules304.choices import Price, Settlement, ViolationPrice
from p2p304.rules304.profiles import CARD304, CARD304_ALPHA, CHAMPIONSHIP, FOUR_SEATS, PAGAT
from p2p304.rules304.scoring import (
    CapsVerdict,
    HandFacts,
    ScoreLine,
    Violation,
    ViolationKind,
    VoidKind,
    price_of,
    score_hand,
)
from p2p304.rules304.teams import EAST_WEST, NORTH_SOUTH, Team, opponents_of

PCC = Contract.PARTNER_CLOSE_CAPS
HALF_COURT = Contract.HALF_COURT
NONE, BONUS, NO_BONUS, WRONG, LOST = CapsVerdict

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
"""RULES 15 and PROFILES 2: a bid, what defenders pay when it is made, what makers pay if not."""


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
    outcome = score_hand(profile_named(profile_name, toggles), hand)
    return outcome.line, outcome.payer, outcome.amount


@pytest.mark.parametrize("name", FOUR_SEATS)
@pytest.mark.parametrize("team", [NORTH_SOUTH, EAST_WEST])
def test_every_row_of_the_token_table(name: str, team: Team) -> None:
    for bid, made, failed in TABLE:
        assert paid(name, facts(bid, team=team)) == (ScoreLine.BID, opponents_of(team), made)
        assert paid(name, facts(bid, team=team, made=False)) == (ScoreLine.BID, team, failed)


BRACKETS: dict[str, list[Bid]] = {
    "tokens_under_200": [160, 199],
    "tokens_200_249": [200, 249],
    "tokens_250_up": [250, 300],
    "tokens_pcc": [PCC],
    "tokens_half_court": [HALF_COURT],
}


@pytest.mark.parametrize("field", BRACKETS)
def test_each_bracket_has_its_own_price(field: str) -> None:
    change: dict[str, Any] = {field: Price(20, 30)}
    profile = replace(PAGAT, **change)
    for name, bids in BRACKETS.items():
        for bid in bids:
            made = score_hand(profile, facts(bid)).amount
            failed = score_hand(profile, facts(bid, made=False)).amount
            assert (made, failed) == ((20, 30) if name == field else price_of(PAGAT, bid))


@pytest.mark.parametrize(
    ("bid", "tricks", "made"),
    [
        (PCC, 8, True),
        (PCC, 7, False),
        (PCC, 0, False),
        (HALF_COURT, 4, True),
        (HALF_COURT, 3, False),
    ],
)
def test_a_contract_needs_every_trick_and_no_points(bid: Bid, tricks: int, made: bool) -> None:
    hand = HandFacts(maker_team=EAST_WEST, bid=bid, tricks=tricks)
    assert hand.made is made
    assert hand.bid_loser == (NORTH_SOUTH if made else EAST_WEST)
    assert replace(hand, points=300).made is made


@pytest.mark.parametrize("kind", VoidKind)
@pytest.mark.parametrize("name", FOUR_SEATS)
def test_line_1_nobody_pays_for_a_void_hand(name: str, kind: VoidKind) -> None:
    assert paid(name, HandFacts(void=kind)) == (ScoreLine.VOID, None, 0)
    guilty = Violation(EAST_WEST, ViolationKind.HINT)
    outcome = score_hand(FOUR_SEATS[name], facts(250, void=kind, violation=guilty))
    assert (outcome.line, outcome.payer, outcome.void) == (ScoreLine.VOID, None, kind)
    assert outcome.scores == (0, 0)


@pytest.mark.parametrize("name", ["pagat", "card304", "card304-alpha", "wikipedia"])
@pytest.mark.parametrize("kind", ViolationKind)
def test_line_2_a_violation_costs_a_lost_hand_and_two(name: str, kind: ViolationKind) -> None:
    for bid, made, failed in TABLE:
        for team, won in product((NORTH_SOUTH, EAST_WEST), (True, False)):
            by_makers = facts(bid, team=team, made=won, violation=Violation(team, kind))
            assert paid(name, by_makers) == (ScoreLine.VIOLATION, team, failed + 2)
            other = opponents_of(team)
            by_defenders = facts(bid, team=team, made=won, violation=Violation(other, kind))
            assert paid(name, by_defenders) == (ScoreLine.VIOLATION, other, made + 2)


@pytest.mark.parametrize("kind", ViolationKind)
@pytest.mark.parametrize("team", [NORTH_SOUTH, EAST_WEST])
def test_line_2_before_any_bid_is_the_lowest_bracket(kind: ViolationKind, team: Team) -> None:
    hand = HandFacts(violation=Violation(team, kind))
    assert paid("pagat", hand) == (ScoreLine.VIOLATION, team, 4)
    assert paid("championship", hand) == (ScoreLine.VIOLATION, team, 3)
    dear = replace(CARD304, tokens_under_200=Price(5, 9))
    assert score_hand(dear, hand).amount == 11


@pytest.mark.parametrize("kind", ViolationKind)
def test_line_2_in_a_championship_is_three_tokens(kind: ViolationKind) -> None:
    for bid, _, _ in TABLE:
        for team in (NORTH_SOUTH, EAST_WEST):
            hand = facts(bid, violation=Violation(team, kind))
            assert paid("championship", hand) == (ScoreLine.VIOLATION, team, 3)


def test_a_false_call_of_spoilt_trumps_has_a_price_of_its_own() -> None:
    profile = replace(PAGAT, spoilt_false_call=ViolationPrice.THREE_TOKENS)
    for kind in ViolationKind:
        hand = facts(250, violation=Violation(NORTH_SOUTH, kind))
        expected = 3 if kind is ViolationKind.FALSE_SPOILT else 6
        assert score_hand(profile, hand).amount == expected
    profile = replace(CHAMPIONSHIP, spoilt_false_call=ViolationPrice.HAND_PLUS_2)
    hand = facts(250, violation=Violation(NORTH_SOUTH, ViolationKind.FALSE_SPOILT))
    assert score_hand(profile, hand).amount == 6


def test_line_2_goes_before_caps() -> None:
    guilty = Violation(EAST_WEST, ViolationKind.FALSE_STATEMENT)
    hand = facts(200, caps={NORTH_SOUTH: LOST}, violation=guilty)
    assert paid("pagat", hand) == (ScoreLine.VIOLATION, EAST_WEST, 4)


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


def test_the_penalties_are_the_profiles() -> None:
    cheap = replace(PAGAT, caps_called_trick_lost=1, caps_late_or_early_penalty=0, caps_bonus=3)
    failed = facts(250, made=False, caps={NORTH_SOUTH: LOST})
    assert score_hand(cheap, failed).amount == 4
    made = facts(250, caps={NORTH_SOUTH: LOST})
    assert score_hand(cheap, made).amount == 1
    assert score_hand(cheap, facts(250, made=False, caps={EAST_WEST: WRONG})).amount == 0
    assert score_hand(cheap, facts(160, points=304, caps={NORTH_SOUTH: BONUS})).amount == 4
    dear = replace(PAGAT, caps_called_trick_lost=7, caps_late_or_early_penalty=6)
    assert score_hand(dear, failed).amount == 7
    assert score_hand(dear, facts(250, made=False, caps={NORTH_SOUTH: WRONG})).amount == 6


def test_line_3_goes_before_line_4() -> None:
    hand = facts(160, caps={NORTH_SOUTH: WRONG, EAST_WEST: LOST})
    assert paid("pagat", hand) == (ScoreLine.CAPS_LOST, EAST_WEST, 5)


@pytest.mark.parametrize("name", ["pagat", "card304", "wikipedia", "championship"])
def test_line_5_correct_caps_add_one_and_without_bonus_nothing(name: str) -> None:
    for bid, made, failed in TABLE[:8]:
        own = facts(bid, points=304, caps={NORTH_SOUTH: BONUS})
        assert paid(name, own) == (ScoreLine.CAPS_CORRECT, EAST_WEST, made + 1)
        assert paid(name, own, "external_caps_eight") == (
            ScoreLine.CAPS_CORRECT,
            EAST_WEST,
            made + 1,
        )
        late = facts(bid, points=304, caps={NORTH_SOUTH: NO_BONUS})
        assert paid(name, late) == (ScoreLine.BID, EAST_WEST, made)

        external = facts(bid, points=0, caps={EAST_WEST: BONUS})
        assert paid(name, external) == (ScoreLine.CAPS_CORRECT, NORTH_SOUTH, failed + 1)
        assert paid(name, external, "external_caps_eight") == (
            ScoreLine.CAPS_CORRECT,
            NORTH_SOUTH,
            8,
        )
        late = facts(bid, points=0, caps={EAST_WEST: NO_BONUS})
        assert paid(name, late) == (ScoreLine.BID, NORTH_SOUTH, failed)
        assert paid(name, late, "external_caps_eight") == (ScoreLine.BID, NORTH_SOUTH, failed)


@pytest.mark.parametrize(
    ("settlement", "scores"),
    [
        (Settlement.TRANSFER, (-3, 3)),
        (Settlement.BANK, (-3, 0)),
        (Settlement.OWN_STOCK, (-3, 3)),
    ],
)
def test_scores_follow_the_settlement(settlement: Settlement, scores: tuple[int, int]) -> None:
    profile = replace(PAGAT, settlement=settlement)
    assert score_hand(profile, facts(200, made=False)).scores == scores
    mirrored = score_hand(profile, facts(200, team=EAST_WEST, made=False)).scores
    assert mirrored == scores[::-1]


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


def test_contracts_stand_above_every_number() -> None:
    bids: list[Bid] = [160, 200, 300, HALF_COURT, PCC]
    shuffled: list[Bid] = [PCC, 300, 160, HALF_COURT, 200]
    assert sorted(shuffled, key=height) == bids
    assert [bid_text(bid) for bid in bids] == ["160", "200", "300", "half_court", "pcc"]
