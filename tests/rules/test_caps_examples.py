"""Caps positions from the rules and the shared scenarios, and the rules that bend the play."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from p2p304.cards import Slot
from p2p304.rules304.caps.information import ORDINARY, InformationSet, PlayRules
from p2p304.rules304.caps.orders import find_order, judge_order
from p2p304.rules304.caps.search import Effort, OutOfNodesError
from p2p304.seats import Seat
from p2p304.statements import NoneOfSuit, Statement, SuitsDiffer
from tests.rules.caps_positions import INDICATOR, cards, end_position, suit_of
from tests.rules.pinned import scenarios

POSITIONS = [each for each in scenarios() if each.get("type") == "caps_position"]

SURE, NOT_SURE = True, False


def judged(information: InformationSet, order: str) -> bool:
    return judge_order(information, cards(order))


@pytest.mark.parametrize("scenario", POSITIONS, ids=lambda each: each["id"])
def test_shared_position(scenario: dict[str, Any]) -> None:
    given, expect = scenario["given"], scenario["expect"]
    information = end_position(
        given["caller"],
        given["hand"],
        unseen=given["unseen"],
        counts=given["counts"],
        leader=given["leader"],
        trump=given["trumps"],
        voids=given.get("voids"),
    )
    for order, value in expect.get("certain", {}).items():
        assert judged(information, order) is (SURE if value else NOT_SURE), order
    if "any_order" in expect:
        assert (find_order(information).sure is SURE) is expect["any_order"]
    elif "certain" in expect:
        assert find_order(information).sure is SURE


def heart_run(trick: str, unseen: str, counts: dict[str, int]) -> InformationSet:
    """RULES 18 example 8: clubs are trump and all gone outside, the heart jack has been led."""
    return end_position(
        "S",
        "9H 8H 7H KC",
        unseen=unseen,
        counts=counts,
        leader="S",
        trick=trick,
        voids={"E": "C", "N": "C", "W": "C"},
    )


def test_example_8_is_sure_once_two_have_followed() -> None:
    rest = "TH JS 9S AS TS KS 8S 7S JD 9D AD TD KD"
    information = heart_run("JH KH AH", rest, {"E": 4, "N": 4, "W": 5})
    for place in range(4):
        order = ["9H", "8H", "7H"]
        order.insert(place, "KC")
        assert judged(information, " ".join(order)) is SURE
    assert judged(information, "8H 9H 7H KC") is NOT_SURE


def test_example_8_is_not_sure_one_follower_earlier() -> None:
    rest = "TH AH JS 9S AS TS KS 8S 7S JD 9D AD TD KD"
    information = heart_run("JH KH", rest, {"E": 4, "N": 5, "W": 5})
    assert find_order(information).sure is NOT_SURE


def closed_maker(hand: str, rules: PlayRules = ORDINARY) -> InformationSet:
    """South, the maker, is on lead with the club jack face down."""
    return end_position(
        "S",
        hand,
        unseen="7H 8H 7S 8S 9S 7D 8D 9D QD",
        counts={"E": 3, "N": 3, "W": 3},
        leader="S",
        hidden=True,
        indicator="JC",
        rules=rules,
    )


def test_a_hidden_indicator_is_led_in_the_last_trick_only() -> None:
    information = closed_maker("JH 9H")
    assert judged(information, "JH 9H JC") is SURE
    assert judged(information, "JC JH 9H") is NOT_SURE
    assert judged(information, "JH JC 9H") is NOT_SURE


def test_the_same_cards_are_sure_in_any_order_with_trump_open() -> None:
    information = end_position(
        "S",
        "JH 9H JC",
        unseen="7H 8H 7S 8S 9S 7D 8D 9D QD",
        counts={"E": 3, "N": 3, "W": 3},
        leader="S",
    )
    assert judged(information, "JC JH 9H") is SURE
    assert judged(information, "JH JC 9H") is SURE


THREE_CARDS = ORDINARY._replace(cards=3)


def test_the_first_lead_ban_makes_a_trump_lead_illegal() -> None:
    assert judged(closed_maker("9C JH"), "9C JH JC") is SURE
    first = closed_maker("9C JH", THREE_CARDS._replace(exhausted=False))
    assert judged(first, "9C JH JC") is NOT_SURE
    assert judged(first, "JH 9C JC") is SURE


def test_a_closed_hand_of_trumps_has_no_first_lead_unless_trump_cannot_be_opened() -> None:
    assert find_order(closed_maker("9C AC", THREE_CARDS)).sure is NOT_SURE
    waived = closed_maker("9C AC", THREE_CARDS._replace(all_trumps_may_lead=True))
    assert judged(waived, "9C AC JC") is SURE


def test_after_a_bid_of_250_the_indicator_may_be_led_to_trick_2() -> None:
    information = closed_maker("JH 9H", THREE_CARDS._replace(opens_after_first=True))
    assert judged(information, "JH JC 9H") is SURE
    assert judged(information, "JC JH 9H") is NOT_SURE
    assert judged(closed_maker("JH 9H", THREE_CARDS), "JH JC 9H") is NOT_SURE


def against_a_lone_trump(*, opens: bool) -> InformationSet:
    """South knows that hearts are trump and that East's indicator is the only one outside."""
    east = Slot(35), Slot(36)
    return end_position(
        "S",
        "JH 8H 9H",
        unseen="KH 7S 8S 9S 7D 8D 9D 7C 8C",
        counts={"E": 2, "N": 3, "W": 3},
        leader="S",
        maker="E",
        trump="",
        hidden=True,
        facts=(*not_trump("SDC"), NoneOfSuit(east, suit_of("H"))),
        rules=THREE_CARDS._replace(opens_after_first=opens),
    )


def test_an_indicator_taken_up_after_trick_1_follows_suit() -> None:
    assert judged(against_a_lone_trump(opens=False), "JH 8H 9H") is SURE
    assert judged(against_a_lone_trump(opens=True), "JH 8H 9H") is NOT_SURE
    assert judged(against_a_lone_trump(opens=True), "JH 9H 8H") is SURE


def exhausted(unfollowed: str, *, rule: bool) -> InformationSet:
    return end_position(
        "S",
        "9C AC JH",
        unseen="7H 8H 7S 8S 9S 7D 8D 9D QD",
        counts={"E": 3, "N": 3, "W": 3},
        leader="S",
        unfollowed=unfollowed,
        rules=ORDINARY._replace(exhausted=rule),
    )


def test_exhausted_trumps_bind_the_makers_leads() -> None:
    assert judged(exhausted("C", rule=True), "JH 9C AC") is NOT_SURE
    assert judged(exhausted("C", rule=True), "9C AC JH") is SURE
    assert judged(exhausted("C", rule=False), "JH 9C AC") is SURE
    assert judged(exhausted("S", rule=True), "JH 9C AC") is SURE


def test_exhausted_trumps_arm_within_the_order() -> None:
    assert judged(exhausted("", rule=True), "JH 9C AC") is SURE
    assert judged(exhausted("", rule=True), "9C JH AC") is NOT_SURE
    assert judged(exhausted("", rule=False), "9C JH AC") is SURE


def test_exhausted_trumps_bind_an_indicator_once_it_is_taken_up() -> None:
    closed = closed_maker("9C JH", ORDINARY._replace(cards=4))
    assert judged(closed, "9C JH JC") is SURE
    for opens, verdict in ((False, SURE), (True, NOT_SURE)):
        rules = ORDINARY._replace(cards=3, first_lead_ban=False, opens_after_first=opens)
        assert judged(closed_maker("9C JH", rules), "9C JH JC") is verdict


def test_exhausted_trumps_do_not_bind_another_seat() -> None:
    information = replace(exhausted("C", rule=True), maker=Seat(2))
    assert judged(information, "JH 9C AC") is SURE


def hidden_from_south(*facts: Statement) -> InformationSet:
    """North's indicator lies on the table; South holds the two highest hearts and leads."""
    return end_position(
        "S",
        "JH 9H",
        unseen="7H 8H 7S 8S 9D QD",
        counts={"E": 2, "N": 1, "W": 2},
        leader="S",
        maker="N",
        trump="",
        hidden=True,
        facts=facts,
    )


def not_trump(letters: str) -> tuple[Statement, ...]:
    return tuple(NoneOfSuit((INDICATOR,), suit_of(letter)) for letter in letters)


def test_every_trump_suit_that_the_facts_allow_counts() -> None:
    assert find_order(hidden_from_south()).sure is NOT_SURE
    assert find_order(hidden_from_south(*not_trump("S"))).sure is NOT_SURE
    assert find_order(hidden_from_south(*not_trump("SD"))).sure is SURE


def test_a_card_shown_off_trump_tells_what_the_indicator_is_not() -> None:
    slot = hidden_from_south().hands[0][0]
    hearts_are_plain = SuitsDiffer((slot,), INDICATOR)
    assert find_order(hidden_from_south(hearts_are_plain)).sure is NOT_SURE
    with pytest.raises(ValueError, match="no layout"):
        find_order(hidden_from_south(hearts_are_plain, *not_trump("SD")))


def test_a_lost_trick_or_an_empty_hand_leaves_nothing_to_claim() -> None:
    information = exhausted("", rule=False)
    assert judged(replace(information, unbeaten=False), "9C AC JH") is NOT_SURE
    assert find_order(replace(information, unbeaten=False)).sure is NOT_SURE


def test_a_player_that_thinks_no_longer_is_told_so_and_never_no() -> None:
    information = heart_run(
        "JH KH AH", "TH JS 9S AS TS KS 8S 7S JD 9D AD TD KD", {"E": 4, "N": 4, "W": 5}
    )
    order = cards("9H 8H 7H KC")
    with pytest.raises(OutOfNodesError):
        judge_order(information, order, limit=0)
    with pytest.raises(OutOfNodesError):
        find_order(information, limit=0)
    assert judge_order(information, order, limit=1000) is SURE


def test_a_search_ends_soon_after_its_time_is_over_and_a_judge_has_none() -> None:
    hurried, judging = Effort(more=lambda: False), Effort()
    for _ in range(63):
        hurried.spend()
    with pytest.raises(OutOfNodesError):
        hurried.spend()
    for _ in range(1_000):
        judging.spend()


def test_an_order_is_all_remaining_cards_and_no_others() -> None:
    for order in ("9C AC", "9C AC JH JH", "9C AC 9H"):
        with pytest.raises(ValueError, match="all remaining cards"):
            judged(exhausted("", rule=True), order)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"unseen": frozenset(cards("7H 8H"))}, "9 slots without a face for 2 unseen cards"),
        ({"trump": None}, "open trump is known to all"),
        ({"hands": ((), (), (), ()), "unseen": frozenset()}, "do not fit"),
        ({"leader": Seat(0), "hidden": (Slot(7),), "faces": {}}, "knows its own cards|slots"),
    ],
)
def test_what_no_hand_can_lead_to_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(exhausted("", rule=True), **change)


def test_a_partner_forced_to_cut_with_its_indicator_saves_the_last_trick() -> None:
    # East ruffs the spade, but North, the maker, has nothing left but the higher indicator.
    information = end_position(
        "S",
        "JH JS",
        unseen="9H 7S 7D 8D",
        counts={"E": 0, "N": 1, "W": 2},
        known={"E": "7H 8H"},
        leader="S",
        maker="N",
        trump="",
        hidden=True,
        facts=not_trump("SDC"),
    )
    assert judged(information, "JH JS") is SURE


def test_a_partner_forced_to_overruff_saves_the_last_trick() -> None:
    # West holds both spades, so that North's unknown card is the heart ace.
    information = end_position(
        "S",
        "JH JS",
        unseen="7S 8S AH",
        counts={"E": 0, "N": 1, "W": 2},
        known={"E": "7H 8H", "N": "9H"},
        voids={"W": "HDC"},
        leader="S",
        trump="H",
    )
    assert judged(information, "JH JS") is SURE


def test_an_opponents_indicator_is_drawn_once_it_was_taken_up() -> None:
    information = end_position(
        "S",
        "JD JH JS",
        unseen="8H 7S 8S 9S 8D 7C 8C 9C",
        counts={"E": 1, "N": 3, "W": 3},
        known={"E": "7D"},
        voids={"E": "H"},
        leader="S",
        maker="E",
        trump="",
        hidden=True,
        facts=not_trump("SDC"),
        rules=THREE_CARDS._replace(opens_after_first=True),
    )
    assert judged(information, "JD JH JS") is SURE
    assert judged(information, "JD JS JH") is NOT_SURE
