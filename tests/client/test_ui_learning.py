"""What the client teaches comes from the table's own profile and fits the moment."""

from __future__ import annotations

import pytest
from moments import MOMENTS, Script
from open_hands import empty_table, hands, quiet

from cli.ui.learning import hint, lesson, rules_now, summary_lines
from cli.ui.model import Summary
from p2p304.rules304.actions import AnnounceNone, Cut, Pass, PlaceBid
from p2p304.rules304.profiles import PROFILES
from p2p304.rules304.scoring import (
    CapsVerdict,
    HandFacts,
    Violation,
    ViolationKind,
    VoidKind,
    score_hand,
)
from p2p304.rules304.state import Phase
from p2p304.rules304.teams import NORTH_SOUTH
from p2p304.seats import Seat

SOUTH, EAST, NORTH, WEST = map(Seat, range(4))


@pytest.mark.parametrize("profile", PROFILES)
def test_there_are_rules_for_every_moment_of_every_profile(profile: str) -> None:
    for hand in hands(6, empty_table(profile)):
        while hand.state.awaiting:
            lines = rules_now(hand.state, SOUTH)
            assert lines
            assert all(len(line) < 400 for line in lines)
            first = hand.state.awaiting[0]
            hand.act(quiet(hand.table, hand.legal(first), hand.chance))


def test_the_rules_of_bidding_are_the_profiles() -> None:
    def told(profile: str) -> str:
        (hand,) = hands(1, empty_table(profile))
        if hand.state.phase is Phase.CUT:
            hand.act(Cut(0))
        return " ".join(rules_now(hand.state, SOUTH))

    assert "60 means 160" in told("pagat")
    assert "you may bid again from 200 upwards" in told("pagat")
    assert "Every seat has one call" in told("wikipedia")
    assert "Nobody bids over the partner" in told("wikipedia")
    assert "must bid" in told("championship")


def test_the_makers_rules_are_told_to_the_maker_alone() -> None:
    script = Script(SOUTH).to_play().ready()
    assert "As the maker" in " ".join(rules_now(script.hand.state, SOUTH))
    assert "As the maker" not in " ".join(rules_now(script.hand.state, EAST))


def test_a_hint_is_a_legal_action_with_a_reason_from_the_same_view() -> None:
    script = Script(SOUTH).do(Cut(0))
    view = script.hand.table.view()
    assert view is not None
    advice = hint(view)
    assert advice.action in script.hand.table.legal
    assert advice.reason
    assert advice == hint(view)


def test_a_summary_has_bid_tricks_points_tokens_and_the_command_that_audits() -> None:
    summary = MOMENTS["10-result"]().table.summary
    assert summary is not None
    text = "\n".join(summary_lines(summary))
    for part in ("Bid       210 by South", "Tricks    North-South 8", "Points    North-South 304"):
        assert part in text
    assert "Tokens    North-South 9, East-West 13" in text
    assert "before that order was certain" in text
    assert "p2p304 audit hand-1.p304" in text


def test_missed_caps_and_violations_are_told_with_their_reason() -> None:
    state = Script(SOUTH).to_play().hand.state
    profile = state.profile

    def told(facts: HandFacts) -> str:
        outcome = score_hand(profile, facts)
        return "\n".join(summary_lines(Summary(0, outcome, (11, 11), state)))

    missed = HandFacts(
        maker_team=NORTH_SOUTH,
        bid=210,
        points=304,
        tricks=8,
        caps=(CapsVerdict.WRONG, CapsVerdict.NONE),
    )
    assert "certain to win every trick, and nobody called" in told(missed)
    broken = HandFacts(
        maker_team=NORTH_SOUTH,
        bid=210,
        violation=Violation(NORTH_SOUTH, ViolationKind.FALSE_SPOILT),
    )
    assert "Violation North-South: a false call of spoilt trumps" in told(broken)
    void = HandFacts(maker_team=NORTH_SOUTH, bid=210, void=VoidKind.SPOILT)
    assert "nobody pays" in told(void)
    assert "Points" not in told(void)


def test_the_last_card_of_the_auction_and_inspection_have_their_rules() -> None:
    script = Script(SOUTH).to_play().ready().play("JC", "9C", "QC", "8C").ready()
    script.play("KS", "QS", "~TD", "7S")
    assert "looks at the face-down cards" in " ".join(rules_now(script.hand.state, SOUTH))
    script.do(AnnounceNone())
    assert "Spoilt trumps" in " ".join(rules_now(script.hand.state, SOUTH))
    bids = Script(SOUTH).do(Cut(0), PlaceBid(160), Pass(), Pass(), Pass()).lay("9H")
    assert "Partner Close Caps" in " ".join(rules_now(bids.hand.state, SOUTH))


def test_a_newcomer_learns_the_game_after_the_moment_and_nothing_twice() -> None:
    state = Script(SOUTH).do(Cut(0)).hand.state
    moment, told = rules_now(state, SOUTH), lesson(state, SOUTH)
    assert told[: len(moment)] == moment
    words = " ".join(told)
    for each in ("two teams", "its suit is trump", "eight tricks", "face down", "tokens"):
        assert each in words
    paragraphs = [each for each in told if each]
    assert len(set(paragraphs)) == len(paragraphs)
    assert "304 in short" in " ".join(lesson(None, SOUTH))
