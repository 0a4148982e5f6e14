"""Tamil Nadu at four seats (PROFILES 3.3, VARIANTS R114 and R115): double."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from p2p304.errors import ProfileError
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import Action, CallCaps, CallDouble, CallSpoilt, Pass, Ready
from p2p304.rules304.agreement import profile_named
from p2p304.rules304.bids import Bid, Contract
from p2p304.rules304.hand import Game304
from p2p304.rules304.match import Match
from p2p304.rules304.scoring import HandFacts, HandOutcome, VoidKind, score_hand
from p2p304.rules304.state import End, Phase
from p2p304.rules304.teams import EAST_WEST, NORTH_SOUTH, Team
from p2p304.seats import Seat
from p2p304.simulator import play_hand
from p2p304.view import View
from tests.long import long
from tests.rules.table_304 import Table

HANDS = {
    "S": "JS 9S AS TS JH 9H JD 9D",
    "E": "KS QS 8S 7S AH TH KH QH",
    "N": "JC 9C AC TC AD TD KD QD",
    "W": "KC QC 8C 7C 8H 7H 8D 7D",
}
FIVE = ("JS KS QD 7D", "9S QS KD 8D", "AS 8S TD 7H", "TS 7S TC 8H", "JH QH 9C 7C")
DOUBLE = CallDouble()


def table(profile: str = "tamil4", bid: Bid = 160) -> Table:
    """South is the maker and plays open trumps, and North and it win every trick."""
    found = Table(profile, "W", HANDS).contract("S", bid, "JS")
    if found.state.phase is Phase.DECLARE:
        found.do("S", next(each for each in found.legal("S") if type(each).__name__ == "OpenTrump"))
    return found


def after_five(profile: str = "tamil4") -> Table:
    found = table(profile)
    for names in FIVE:
        found.trick("S", names)
    return found


def ended(found: Table) -> HandOutcome:
    while found.state.phase is not Phase.OVER:
        turn = "SENW"[found.state.awaiting[0]]
        found.do(turn, found.legal(turn)[0])
    outcome = found.game.settle(found.state)
    assert isinstance(outcome, HandOutcome)
    return outcome


def test_the_seat_that_took_the_fifth_trick_calls_before_the_next_lead_and_once() -> None:
    found = table()
    for number, names in enumerate(FIVE):
        found.trick("S", names)
        callers = [letter for letter in "SENW" if DOUBLE in found.legal(letter)]
        assert callers == (["S"] if number == 4 else [])
    assert found.refused("N", DOUBLE).endswith("(rule 3.3)")
    found.do("S", DOUBLE)
    found.ready()
    assert found.state.double == Seat(0)
    assert found.state.phase is Phase.TRICK
    assert "(rule 3)" in found.refused("S", DOUBLE)
    found.trick("S", "JD KH AD KC")
    assert found.state.phase is Phase.WINDOW
    assert found.refused("S", DOUBLE).endswith("(rule 3.3)")


def test_all_tricks_bring_a_token_more_and_no_call_brings_none() -> None:
    found = after_five()
    found.do("S", DOUBLE)
    found.ready()
    outcome = ended(found)
    assert outcome.scores == (2, -2)
    assert outcome.facts.double_won
    assert "called double and won every trick" in outcome.summary
    assert ended(after_five()).scores == (1, -1)


def test_a_side_that_has_lost_a_trick_does_not_call() -> None:
    found = table()
    found.trick("S", "JD KS AD 7D")
    found.trick("E", "KH TD 7H JH")
    for names in ("JS 7S KD 8D", "9S 8S QD 8H", "AS QS 9C 7C"):
        found.trick("S", names)
    assert [trick.winner for trick in found.state.tricks] == [1, 0, 0, 0, 0]
    assert found.refused("S", DOUBLE).endswith("(rule 3.3)")


def test_caps_and_double_exclude_each_other() -> None:
    found = table()
    assert found.refused("S", CallCaps(())).endswith("(rule 13)")
    with pytest.raises(ProfileError, match="takes the place of caps"):
        profile_named("pagat", overrides={"double": True})
    refused = ("caps_strict", "caps_late_free", "caps_hidden_call", "sandbag_ok", "alpha_bidding")
    for toggle in (*refused, "external_caps_eight", "marriages", "divide_by_ten"):
        with pytest.raises(ProfileError):
            profile_named("tamil4", [toggle])
    for toggle in ("half_court", "forced_open", "bank_scoring", "pre_show", "table_chat"):
        assert profile_named("tamil4", [toggle]).toggles == (toggle,)
    assert after_five("pagat").refused("S", DOUBLE).endswith("(rule 3.3)")


def test_whoever_undertook_all_tricks_already_calls_no_double() -> None:
    """R114."""
    found = table(bid=Contract.PARTNER_CLOSE_CAPS)
    assert found.state.contract is Contract.PARTNER_CLOSE_CAPS
    for names in ("JS KS 7D", "9S QS 8D", "AS 8S 7H", "TS 7S 8H", "JH QH 7C"):
        if found.state.phase is Phase.WINDOW:
            found.ready()
        for letter, name in zip("SEW", names.split(), strict=True):
            found.play(letter, name)
    assert found.refused("S", DOUBLE).endswith("(rule 3.3)")


def paid(team: Team | None, **more: Any) -> tuple[int, ...]:
    facts = HandFacts(**({"maker_team": NORTH_SOUTH, "bid": 200, "double": team} | more))
    return score_hand(profile_named("tamil4"), facts).scores


@pytest.mark.parametrize(
    ("team", "points", "tricks", "scores"),
    [
        (NORTH_SOUTH, 304, 8, (3, -3)),
        (NORTH_SOUTH, 250, 7, (1, -1)),
        (NORTH_SOUTH, 190, 6, (-4, 4)),
        (EAST_WEST, 0, 0, (-4, 4)),
        (EAST_WEST, 100, 3, (-2, 2)),
        (EAST_WEST, 200, 3, (3, -3)),
        (None, 200, 3, (2, -2)),
    ],
)
def test_the_token_is_netted_with_the_bid(
    team: Team | None, points: int, tricks: int, scores: tuple[int, int]
) -> None:
    """R115: one payment."""
    assert paid(team, points=points, tricks=tricks) == scores


def test_a_net_of_nothing_is_paid_by_nobody_and_one_below_it_by_the_winner_of_the_bid() -> None:
    assert paid(NORTH_SOUTH, bid=160, points=160, tricks=6) == (0, 0)
    profile = profile_named("tamil4", overrides={"tokens_under_200": (0, 2)})
    facts = HandFacts(maker_team=NORTH_SOUTH, bid=160, points=160, tricks=6, double=NORTH_SOUTH)
    assert score_hand(profile, facts).scores == (-1, 1)


def test_the_stock_limits_the_net_payment() -> None:
    """R115, R77."""
    profile = profile_named("tamil4")
    facts = HandFacts(maker_team=NORTH_SOUTH, bid=200, points=304, tricks=8, double=NORTH_SOUTH)
    after = Match(profile, Seat(0), (20, 2)).after(score_hand(profile, facts))
    assert after.stocks == (22, 0)
    assert after.winner == NORTH_SOUTH


def test_a_spoilt_hand_and_a_violation_cancel_the_double() -> None:
    """R115."""
    assert paid(NORTH_SOUTH, void=VoidKind.SPOILT) == (0, 0)
    found = after_five()
    found.do("S", DOUBLE)
    found.do("E", CallSpoilt())
    for letter in "NW":
        found.do(letter, Ready())
    outcome = ended(found)
    assert found.state.end is End.VIOLATION
    assert outcome.scores == (3, -3), "the price of the hand and two, without the double"


class Calm:
    """Draws its choices, bids low and calls double where it can."""

    def __init__(self, game: Game304, seed: int) -> None:
        self.game = game
        self.chance = Random(seed)

    def choose(self, view: View[Any]) -> Action:
        legal = list(self.game.legal_actions(view))
        if DOUBLE in legal:
            return DOUBLE
        if self.chance.random() < 0.02:
            return self.chance.choice(legal)
        calm = [each for each in legal if not isinstance(each, CallSpoilt)]
        return Pass() if Pass() in calm and len(calm) > 20 else self.chance.choice(calm)


@pytest.mark.parametrize("first", [0, *long(*range(100, 1000, 100))])
def test_hands_hold_with_open_cards(first: int) -> None:
    game = Game304(profile_named("tamil4"))
    for seed in range(first, first + 100):
        deck = list(game.pack)
        SeededRandomness(seed).shuffle(deck)
        players = [Calm(game, 4 * seed + seat) for seat in range(4)]
        played = play_hand(game, Seat(seed % 4), players, deck, SeededRandomness(seed))
        for _, action in played.actions:
            assert game.parse_action(game.format_action(action)) == action
        assert sum(played.outcome.scores) == 0
