"""The shared scenarios, through the real rules with open cards; and prices they do not tell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from p2p304.errors import GameError
from p2p304.rules304 import actions as act
from p2p304.rules304.actions import Bid, Contract, bid_text
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.caps.information import information_of
from p2p304.rules304.caps.judge import certainties
from p2p304.rules304.caps.search import find_order, judge_order
from p2p304.rules304.hand import TokenMatch
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.play import points_of_teams, tricks_of_teams
from p2p304.rules304.profile import CARD304_ALPHA, CHAMPIONSHIP, PAGAT, ViolationPrice
from p2p304.rules304.scoring import (
    CapsVerdict,
    HandFacts,
    HandOutcome,
    ScoreLine,
    Violation,
    ViolationKind,
    VoidKind,
    score_hand,
)
from p2p304.rules304.state import End, Phase
from p2p304.rules304.teams import EAST_WEST, NORTH_SOUTH, Team, team_of
from p2p304.seats import FOUR_SEAT_LETTERS, Seat
from tests.rules.pinned import scenarios
from tests.rules.playouts_304 import TEAM_LETTERS, ScenarioTable, cards, result_of, seat

DEALS = [each for each in scenarios() if each.get("type", "deal") == "deal"]

#: What a scenario calls illegal although the rules, which decide, allow it; held to be legal.
DISPUTED = {
    ("P027", "E open"): "RULES 8 and ruling 35: closed may become open until the first card is led"
}

#: Where a scenario lists asking as legal although the rules, which decide, forbid it.
DISPUTED_ASKING = {
    "P006": "RULES 5.3 and ruling 17: a partner who holds the standing bid is not asked to speak"
}

#: Whose last expectation lets a seat speak although the rules, which decide, end the auction.
DISPUTED_END = {
    "P087": "RULES 5.4 and ruling 22: a single-call auction ends after four slots, with no fifth"
}

PHASES = {
    Phase.AUCTION4: "bid4",
    Phase.INDICATOR4: "indicator4",
    Phase.AUCTION8: "bid8",
    Phase.INDICATOR8: "indicator8",
    Phase.DECLARE: "choose",
    Phase.WINDOW: "play",
    Phase.TRICK: "play",
    Phase.OVER: "over",
}
RESULTS = {"passed_out": "all_pass"}
BIDDING = {act.Pass: "pass", act.AskPartner: "ask_partner", act.DemandRedeal: "redeal"}


def refusal(table: ScenarioTable, text: str) -> str | None:
    """Why the action is refused on a copy of the table, or None if it stands."""
    fork = table.fork()
    letter, verb, *_ = text.split()
    if fork.forced and fork.forced[0].seat == seat(letter):
        return None if verb == "pass" else "the seat has no other call than to pass"
    try:
        fork.do(text)
        fork.ready()
    except GameError as error:
        return str(error)
    if verb == "spoilt" and fork.state.end is not End.SPOILT:
        return "a false call"
    return None


class Expectation:
    """Checks one `expect` entry against the table; a method for each key."""

    def __init__(self, scenario: str, table: ScenarioTable, expect: dict[str, Any]) -> None:
        self.scenario, self.table, self.expect = scenario, table, expect

    def check(self) -> None:
        for key, value in self.expect.items():
            if key != "note":
                getattr(self, f"check_{key}")(value)

    def ahead(self) -> ScenarioTable:
        fork = self.table.fork()
        fork.ready()
        return fork

    def check_turn(self, value: str) -> None:
        turn = self.table.forced[0].seat if self.table.forced else self.ahead().state.awaiting[0]
        assert FOUR_SEAT_LETTERS[turn] == value

    def check_ok(self, value: list[str]) -> None:
        for text in value:
            assert refusal(self.table, text) is None, text

    def check_illegal(self, value: list[list[str]]) -> None:
        for text, _ in value:
            disputed = (self.scenario, text) in DISPUTED
            assert (refusal(self.table, text) is None) is disputed, text

    def check_legal(self, value: dict[str, Any]) -> None:
        table = self.ahead()
        who = seat(value["seat"])
        legal = table.game.legal_actions(table.table.view(who))
        if "actions" in value:
            named = {BIDDING[type(each)] for each in legal if not isinstance(each, act.PlaceBid)}
            disputed = {"ask_partner"} if self.scenario in DISPUTED_ASKING else set()
            assert named == set(value["actions"]) - disputed
            bids = [each.bid for each in legal if isinstance(each, act.PlaceBid)]
            assert bids[0] == value["min_bid"]
            return
        up = {each.card for each in legal if isinstance(each, act.PlayCard)}
        down = {table.table.face(each.slot) for each in legal if isinstance(each, act.PlayDown)}
        assert up == set(cards(value.get("up", "")))
        assert down == set(cards(value.get("down", "")))

    def check_high(self, value: list[Any]) -> None:
        state = self.table.state
        standing = state.contract if state.contract is not None else state.auction.top
        holder = state.maker if state.maker is not None else state.auction.top_seat
        if state.phase is Phase.AUCTION8 and state.auction.top is not None:
            standing, holder = state.auction.top, state.auction.top_seat
        assert standing is not None
        assert holder is not None
        assert [FOUR_SEAT_LETTERS[holder], bid_text(standing)] == [value[0], str(value[1])]

    def check_maker(self, value: str) -> None:
        assert self.table.state.maker == seat(value)

    def check_phase(self, value: str) -> None:
        assert PHASES[self.table.state.phase] == value

    def check_who_leads(self, value: str) -> None:
        assert self.table.state.leader == seat(value)
        assert not self.table.state.plays

    def check_trick_winner(self, value: str) -> None:
        assert self.table.last.winner == seat(value)

    def check_trick_points(self, value: int) -> None:
        faces = [self.table.table.face(play.slot) for play in self.table.last.plays]
        assert sum(CARD_POINTS[card] for card in faces) == value

    def check_revealed(self, value: dict[str, str]) -> None:
        assert self.table.shown_to_all() == set(cards(value.get("all", "")))
        maker = self.table.state.maker
        assert maker is not None
        seen = self.table.table.view(maker).faces
        down = [play.slot for play in self.table.last.plays if play.down]
        assert all(slot in seen for slot in down)
        if not self.table.last.cut:
            told = set(cards(value.get(FOUR_SEAT_LETTERS[maker], "")))
            assert {seen[slot] for slot in down} - self.table.shown_to_all() == told

    def check_hidden(self, value: str | list[str]) -> None:
        public = self.table.state.faces
        down = [play.slot for play in self.table.last.plays if play.slot not in public]
        assert {self.table.table.face(slot) for slot in down} == set(cards(value))

    def check_trump_open(self, value: bool) -> None:
        assert (self.table.state.trump is not None) is value

    def check_hand(self, value: dict[str, str]) -> None:
        for letter, text in value.items():
            hand = self.table.state.hands[seat(letter)]
            assert {self.table.table.face(slot) for slot in hand} == set(cards(text))

    def check_tricks(self, value: dict[str, int]) -> None:
        assert tricks_of_teams(self.table.state) == (value["NS"], value["EW"])

    def check_points(self, value: dict[str, int]) -> None:
        assert points_of_teams(self.table.state) == (value["NS"], value["EW"])

    def outcome(self) -> Any:
        return self.table.game.settle(self.ahead().state)

    def check_result(self, value: str) -> None:
        result = result_of(self.outcome())
        assert RESULTS.get(result, result) == value

    def check_tokens(self, value: dict[str, int]) -> None:
        assert self.outcome().scores == (value["NS"], value["EW"])

    def check_next_dealer(self, value: str) -> None:
        match = self.table.game.new_match(bytes(32))
        dealt = self.table.state.dealer
        while match.dealer != dealt:
            match = self.table.game.new_match(bytes([0] * 31 + [dealt]))
        assert self.table.game.after_hand(match, self.outcome()).dealer == seat(value)

    def check_caps(self, value: str) -> None:
        caps = self.outcome().facts.caps
        found = [each.value for each in caps if each is not CapsVerdict.NONE] or ["none"]
        assert found == [value] or (value == "correct" and found == ["correct_late"])

    def check_caps_certain(self, value: dict[str, Any]) -> None:
        who = seat(value["seat"])
        known = information_of(self.table.state, who, self.table.table.view(who).faces)
        order = value.get("order")
        sure = judge_order(known, cards(order)) if order else find_order(known).sure
        assert sure is value["value"]

    def check_caps_due(self, value: dict[str, int]) -> None:
        state = self.table.state
        views = [self.table.table.view(seat(letter)).faces for letter in FOUR_SEAT_LETTERS]
        due: dict[str, int] = {}
        for each, certainty in certainties(state, views).items():
            team, trick = TEAM_LETTERS[state.teams[each]], certainty.moment.trick
            due[team] = min(trick, due.get(team, trick))
        assert due == value


@pytest.mark.parametrize("scenario", DEALS, ids=lambda each: each["id"])
def test_deal(scenario: dict[str, Any]) -> None:
    table = ScenarioTable(scenario)
    steps = scenario["steps"]
    for place, step in enumerate(steps):
        rest = " ".join(each for each in steps[place:] if isinstance(each, str))
        table.more_plays = " play" in rest or "T " in rest
        if isinstance(step, str):
            table.step(step)
        elif scenario["id"] in DISPUTED_END and place == len(steps) - 1:
            assert table.state.phase is Phase.INDICATOR4
            assert not table.forced
        else:
            Expectation(scenario["id"], table, step["expect"]).check()


# --- scenarios score ------------------------------------------------------------------------------

# The shared scenarios of types score and race: what hands cost, and who wins the match.

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
    assert match.gains == gained
    assert match.changes(outcome) == by_team(expect["tokens"])
    after = match.after(outcome)
    assert after.gains == by_team(expect["gained_after"])
    assert winner_name(after) == expect["match_winner"]


def test_the_set_has_the_scenarios_that_are_meant() -> None:
    assert [each["id"] for each in SCORE] == [f"P{number:03}" for number in range(58, 76)]
    assert [each["id"] for each in RACE] == ["P090"]


# --- scores ---------------------------------------------------------------------------------------

# Prices that vectors do not tell apart, what a result says, and facts that there cannot be.

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
