"""Caps positions from the rules and the shared scenarios, and the rules that bend the play."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from p2p304.cards import Slot
from p2p304.rules304.caps.information import ORDINARY, InformationSet
from p2p304.rules304.caps.orders import find_order, judge_order
from p2p304.rules304.caps.search import Effort, OutOfNodesError
from p2p304.seats import Seat
from tests.rules.caps_positions import cards, end_position
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


def test_a_lost_trick_or_an_empty_hand_leaves_nothing_to_claim() -> None:
    information = exhausted("", rule=False)
    assert judged(replace(information, unbeaten=False), "9C AC JH") is NOT_SURE
    assert find_order(replace(information, unbeaten=False)).sure is NOT_SURE


def test_a_player_that_thinks_no_longer_is_told_so_and_never_no() -> None:
    information, order = exhausted("", rule=True), cards("JH 9C AC")
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
