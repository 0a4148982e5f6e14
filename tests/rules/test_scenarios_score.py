"""The shared scenarios of types score and race: what hands cost, and who wins the match."""

from __future__ import annotations

from typing import Any

import pytest

from p2p304.rules304.agreement import named_profile
from p2p304.rules304.bids import Bid, Contract
from p2p304.rules304.match import TokenMatch
from p2p304.rules304.scoring import CapsVerdict, HandFacts, HandOutcome, score_hand
from p2p304.rules304.teams import Team, team_of
from p2p304.seats import FOUR_SEAT_LETTERS, Seat
from tests.rules.pinned import scenarios
from tests.rules.scenario_table import TEAM_LETTERS, result_of

SCORE = [each for each in scenarios() if each.get("type") == "score"]
RACE = [each for each in scenarios() if each.get("type") == "race"]
TOGGLES = {("external_caps", 8): "external_caps_eight", ("bank", True): "bank_scoring"}
GIVEN = {"bid", "maker", "maker_points", "maker_tricks", "caps", "caps_team", "before"}
CHECKED = {"result", "tokens", "after", "match_winner", "gained_after", "note"}


def by_team(values: dict[str, int]) -> tuple[int, int]:
    return (values["NS"], values["EW"])


def outcome_of(scenario: dict[str, Any], **overrides: object) -> tuple[Any, HandOutcome]:
    given = scenario["given"]
    toggles = [TOGGLES[item] for item in scenario.get("options", {}).items()]
    profile = named_profile(scenario["profile"], toggles, overrides)
    bid: Bid = Contract.PARTNER_CLOSE_CAPS if given["bid"] == "pcc" else given["bid"]
    caps = [CapsVerdict.NONE, CapsVerdict.NONE]
    if "caps" in given:
        caps[TEAM_LETTERS.index(given["caps_team"])] = CapsVerdict(given["caps"])
    facts = HandFacts(
        maker_team=team_of(Seat(FOUR_SEAT_LETTERS.index(given["maker"]))),
        bid=bid,
        points=given.get("maker_points", 0),
        tricks=given.get("maker_tricks", 0),
        caps=(caps[0], caps[1]),
    )
    return profile, score_hand(profile, facts)


def winner_name(match: TokenMatch) -> str | None:
    return None if match.winner is None else TEAM_LETTERS[Team(match.winner)]


@pytest.mark.parametrize("scenario", SCORE, ids=lambda each: each["id"])
def test_score(scenario: dict[str, Any]) -> None:
    given, expect = scenario["given"], scenario["expect"]
    assert set(given) <= GIVEN
    assert set(expect) <= CHECKED
    profile, outcome = outcome_of(scenario)
    assert outcome.scores == by_team(expect["tokens"])
    if "result" in expect:
        assert result_of(outcome) == expect["result"]
    if "before" in given:
        match = TokenMatch(profile, Seat(0), by_team(given["before"]))
        assert match.changes(outcome) == by_team(expect["tokens"])
        after = match.after(outcome)
        assert after.stocks == by_team(expect["after"])
        assert winner_name(after) == expect["match_winner"]


@pytest.mark.parametrize("scenario", RACE, ids=lambda each: each["id"])
def test_race(scenario: dict[str, Any]) -> None:
    given, expect = scenario["given"], scenario["expect"]
    assert set(expect) <= CHECKED
    race = given["race_to"]
    profile, outcome = outcome_of(scenario, tokens_start=race)
    gained = by_team(given["gained_before"])
    match = TokenMatch(profile, Seat(0), (race - gained[1], race - gained[0]))
    assert match.gained == gained
    assert match.changes(outcome) == by_team(expect["tokens"])
    after = match.after(outcome)
    assert after.gained == by_team(expect["gained_after"])
    assert winner_name(after) == expect["match_winner"]


def test_the_set_has_the_scenarios_that_are_meant() -> None:
    assert [each["id"] for each in SCORE] == [f"P{number:03}" for number in range(58, 76)]
    assert [each["id"] for each in RACE] == ["P090"]
