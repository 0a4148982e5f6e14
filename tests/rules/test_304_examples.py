"""The twelve acceptance examples of RULES 18, each played through the real rules."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from p2p304.cards import Card
from p2p304.disclosures import Opened
from p2p304.errors import RulesError
from p2p304.rules304.actions import AnnounceNone, PlaceBid, PlayCard, PlayDown
from p2p304.rules304.caps.judge import certain_order
from p2p304.rules304.profiles import FOUR_SEATS
from p2p304.rules304.scoring import CapsVerdict, HandFacts, ScoreLine, score_hand
from p2p304.rules304.state import Phase, Trick
from p2p304.rules304.teams import NORTH_SOUTH
from p2p304.seats import Seat
from p2p304.simulator import FalseStatement
from p2p304.statements import SuitsDiffer
from tests.rules.scenario_table import ScenarioTable, cards, seat

HANDS = {
    "E": "JC 9C AH TD KC 8C QS 7D",
    "N": "JS 9S TH KD AS 8H 7H QC",
    "W": "AC TC JH KS 9H 8S AD QD",
    "S": "7C KH QH JD 9D 8D TS 7S",
}


USUAL: dict[str, Any] = {"bid": 160, "mode": "closed", "options": {}}


def table(profile: str, dealer: str, steps: str = "", **more: Any) -> ScenarioTable:
    hand = ScenarioTable({"profile": profile, "dealer": dealer, "hands": HANDS, **more})
    if steps:
        hand.step(steps)
    return hand


def bought(
    dealer: str, maker: str, indicator: str, hands: dict[str, str] = HANDS, **more: Any
) -> ScenarioTable:
    """A hand under pagat whose maker has bought it: for 160 and closed, if nothing else is said."""
    bid, mode, options = (more.get(key, usual) for key, usual in USUAL.items())
    setup = {"bid": bid, "maker": maker, "indicator": indicator, "mode": mode}
    return table("pagat", dealer, hands=hands, setup=setup, options=options)


def choices(hand: ScenarioTable) -> tuple[str, int | None, set[type]]:
    """The letter of the seat on turn, its lowest bid and the kinds of its other choices."""
    who = hand.state.awaiting[0]
    legal = hand.game.legal_actions(hand.table.view(who))
    bids = [each.bid for each in legal if isinstance(each, PlaceBid)]
    lowest = min(bid for bid in bids if isinstance(bid, int)) if bids else None
    return "SENW"[who], lowest, {type(each) for each in legal if not isinstance(each, PlaceBid)}


def refused(hand: ScenarioTable, text: str) -> str:
    """The rule that refuses the action, whose refusal is expected."""
    with pytest.raises((RulesError, FalseStatement)) as caught:
        hand.fork().do(text)
    return caught.value.rule if isinstance(caught.value, RulesError) else "false"


def test_1_over_partner_and_in_a_second_turn_bids_are_200_or_more() -> None:
    hand = table("pagat", "S", "E bid 160; N bid 170; W pass")
    assert choices(hand)[:2] == ("S", 200)
    assert refused(hand, "S bid 180") == "5.2.4"
    hand.step("S pass")
    assert choices(hand)[:2] == ("E", 200)
    assert refused(hand, "E bid 180") == "5.2.3"
    hand.fork().step("E pass")
    hand.step("E bid 200")


@pytest.mark.parametrize("profile", ["pagat", "card304"])
def test_2_a_partner_that_was_asked_and_bid_is_the_maker(profile: str) -> None:
    hand = table(profile, "E", "N pass; W ask_partner; E bid 160; S bid 170; E pass; N pass")
    hand.step("W ask_partner; E bid 200; S pass; N pass; W pass")
    assert hand.state.phase is Phase.INDICATOR4
    assert hand.state.maker == seat("E")
    assert hand.state.auction.quiet == 3


def test_2_in_wikipedia_nobody_asks_twice() -> None:
    hand = table("wikipedia", "E", "N pass; W ask_partner; E bid 160; S bid 170")
    assert hand.state.phase is Phase.INDICATOR4, "East and North have had their one call"
    assert hand.state.maker == seat("S")
    assert refused(hand, "W ask_partner") == "3"


def test_3_who_reaches_200_first_is_alone_there_in_card304() -> None:
    steps = "E bid 160; N bid 200; W pass; S pass"
    hand = table("card304", "S", steps)
    assert hand.state.phase is Phase.INDICATOR4, "East has no legal number and is passed"
    assert hand.state.maker == seat("N")
    assert choices(table("pagat", "S", steps))[:2] == ("E", 210)


@pytest.mark.parametrize(
    ("profile", "lowest"), [("card304", 250), ("wikipedia", 250), ("pagat", 260)]
)
def test_4_an_eight_card_bid_equal_to_the_four_card_bid(profile: str, lowest: int) -> None:
    hand = table(profile, "S", "E bid 250; N pass; W pass; S pass; E indicator JC")
    assert hand.state.phase is Phase.AUCTION8
    assert choices(hand)[:2] == ("E", lowest)


def late_position(led: str, maker_cards: str) -> ScenarioTable:
    """Hearts are hidden trump; West, the maker, holds these cards and the indicator JH.

    The other seats hold what they were dealt; South is to lead `led`.
    """
    deal = {
        "W": "JH 7S 8C AC TC KC QC 9C",
        "S": "9H AS 7C AD TD KD QD JD",
        "N": "AH TH JC 9D 8D 7D KS QS",
        "E": "KH QH 8H 7H JS 9S TS 8S",
    }
    hand = bought("W", "W", "JH", deal)
    hand.ready()
    held = set(cards(maker_cards))
    hands = list(hand.state.hands)
    west = seat("W")
    hands[west] = tuple(slot for slot in hands[west] if hand.table.face(slot) in held)
    south = seat("S")
    past = Trick((), south, False)
    hand.table.state = hand.state._replace(hands=tuple(hands), tricks=(past,) * 5)
    hand.step(f"S play {led}")
    while hand.state.awaiting[0] != west:
        who = hand.state.awaiting[0]
        hand.table.act(who, hand.game.legal_actions(hand.table.view(who))[0])
    return hand


def plays(hand: ScenarioTable) -> set[str]:
    """The cards that the seat on turn may play, with ~ for face down."""
    view = hand.table.view(hand.state.awaiting[0])
    legal = hand.game.legal_actions(view)
    up = {str(each.card) for each in legal if isinstance(each, PlayCard)}
    return up | {f"~{view.faces[each.slot]}" for each in legal if isinstance(each, PlayDown)}


def test_5_the_indicator_does_not_follow_a_trump_lead() -> None:
    hand = late_position("9H", "7S 8C")
    assert plays(hand) == {"~7S", "~8C"}
    assert refused(hand, "W play_down JH") == "false"
    assert refused(hand, "W play JH") == "9.3"


def test_6_the_maker_follows_suit_face_up_or_cuts_or_throws_away_face_down() -> None:
    assert plays(late_position("AS", "7S 8C")) == {"7S"}
    assert plays(late_position("7C", "7S")) == {"~JH", "~7S"}


def test_7_an_uncut_trick_opens_nothing_and_shows_the_maker_alone() -> None:
    hand = bought("S", "W", "JH")
    hand.step("T E QS JS 8S 7S; T N KD AD JD 7D; T S 7C JC QC TC")
    hand.step("E play KC")
    opened = sum(isinstance(each, Opened) for each in hand.table.disclosures)
    knew = [set(hand.table.view(who).faces) for who in (*map(Seat, range(4)), None)]
    hand.step("N play_down AS; W play AC; S play_down TS")
    assert hand.state.phase is Phase.INSPECT
    west = seat("W")
    down = tuple(play.slot for play in hand.state.plays if play.down)
    step = hand.table.act(west, AnnounceNone())
    assert hand.state.trump_slot is not None
    assert step.statements == (SuitsDiffer(down, hand.state.trump_slot),)
    assert step.statements[0] in hand.state.facts
    assert step.disclosures == ()
    assert sum(isinstance(each, Opened) for each in hand.table.disclosures) == opened + 1
    faces_up = {play.slot for play in hand.state.tricks[-1].plays if not play.down}
    for who, before in zip((*map(Seat, range(4)), None), knew, strict=True):
        gained = set(hand.table.view(who).faces) - before - faces_up
        assert gained == ({*down} if who == west else set())


CAPS_DEAL = {
    "S": "JC 9C 8C JH KC 9H 8H 7H",
    "E": "AC TC KH KS 8S JD 9D TD",
    "N": "QC AH 7D QS 7S 9S AD KD",
    "W": "7C QH TH AS TS JS QD 8D",
}


def test_8_certainty_comes_with_the_second_follower_and_not_before() -> None:
    hand = bought("N", "S", "8C", CAPS_DEAL)
    hand.step("T W JS ~8C 8S 7S; S announce trump; T S JC TC QC 7C; T S 9C AC 7D QH")
    hand.step("S play JH; E play KH")
    orders = list(permutations(cards("9H 8H 7H KC")))
    assert not any(is_certain(hand, order) for order in orders)
    assert certain_order(hand.state, seat("S"), hand.table.view(seat("S")).faces) is False
    hand.step("N play AH")
    nine, *lower = cards("9H 8H 7H")
    for order in orders:
        master_first = all(order.index(nine) < order.index(card) for card in lower)
        assert is_certain(hand, order) is master_first, order


def is_certain(hand: ScenarioTable, order: tuple[Card, ...]) -> bool | None:
    south = seat("S")
    return certain_order(hand.state, south, hand.table.view(south).faces, order)


def test_9_all_points_without_all_tricks_are_no_caps() -> None:
    hands = {
        "S": "JC 9C AC TC KC QC 8C 7S",
        "E": "7C 8S JD 9D AD TD KD QD",
        "N": "7H 8D JS 9S AS TS KS QS",
        "W": "8H 7D JH 9H AH TH KH QH",
    }
    hand = bought("W", "S", "JC", hands, mode="open")
    hand.step("T S JC 7C JS JH; T S 9C JD 9S 9H; T S AC 9D AS AH; T S TC AD TS TH")
    hand.step("T S KC TD KS KH; T S QC KD QS QH; T S 8C QD 8D 7D; T S 7S 8S 7H 8H")
    outcome = hand.game.settle(hand.state)
    assert (outcome.facts.points, outcome.facts.tricks) == (304, 7)
    assert outcome.facts.caps == (CapsVerdict.NONE, CapsVerdict.NONE)
    assert outcome.line is ScoreLine.BID
    assert outcome.scores == (1, -1)


@pytest.mark.parametrize(("options", "pays"), [({}, 4), ({"external_caps": 8}, 8)])
def test_10_external_caps(options: dict[str, Any], pays: int) -> None:
    hands = {
        "S": "JD 9D AD JC 9C AC TC JS",
        "E": "TD KD QC TS KS KH QH 8H",
        "N": "8D 7D 8C 7C QS 8S 7S 7H",
        "W": "QD JH 9H KC 9S AS AH TH",
    }
    hand = bought("W", "W", "QD", hands, bid=200, mode="open", options=options)
    hand.step("S play JD; E play TD; N play 7D; W play QD; S caps 9D AD JC 9C AC TC JS")
    hand.ready()
    outcome = hand.game.settle(hand.state)
    assert outcome.facts.caps == (CapsVerdict.CORRECT_BONUS, CapsVerdict.NONE)
    assert outcome.scores == (pays, -pays)


def test_11_a_missed_call_costs_no_less_than_the_failed_bid() -> None:
    hands = {
        "S": "JC 9C AC TC KC QC 7C JS",
        "E": "8C AD TD KD QD 8D 7D AS",
        "N": "JD 9S 7S JH 9H AH TH KH",
        "W": "9D TS KS QS 8S QH 8H 7H",
    }
    hand = bought("W", "S", "JC", hands, bid=250, mode="open")
    south = seat("S")
    assert certain_order(hand.state, south, hand.table.view(south).faces) is True
    hand.step("T S 7C 8C JD 9D; T E AD 9S QS JS; T E KD 7S 8S 9C")
    hand.step("T S JC TD JH TS; T S AC QD 9H KS; T S TC 8D AH QH")
    hand.step("T S KC 7D TH 8H; T S QC AS KH 7H")
    outcome = hand.game.settle(hand.state)
    assert outcome.facts.tricks == 6
    assert not outcome.facts.made
    assert outcome.facts.caps[NORTH_SOUTH] is CapsVerdict.WRONG
    assert outcome.line is ScoreLine.CAPS_WRONG
    assert outcome.scores == (-4, 4)


@pytest.mark.parametrize(("points", "scores"), [(180, (1, -1)), (179, (-2, 2))])
@pytest.mark.parametrize("profile", ["pagat", "card304", "card304-alpha", "wikipedia"])
def test_12_the_exact_bid_is_made(profile: str, points: int, scores: tuple[int, int]) -> None:
    facts = HandFacts(maker_team=NORTH_SOUTH, bid=180, points=points, tricks=5)
    assert score_hand(FOUR_SEATS[profile], facts).scores == scores
