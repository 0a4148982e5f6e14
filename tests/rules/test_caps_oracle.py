"""The judge of caps against brute force over all layouts and all continuations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations, permutations
from random import Random

import pytest

from p2p304.cards import Card, Suit
from p2p304.rules304.caps.hypotheses import Hypothesis, hypotheses
from p2p304.rules304.caps.information import InformationSet
from p2p304.rules304.caps.orders import find_order, judge_order
from p2p304.rules304.profiles import PROFILES
from p2p304.statements import NoneOfSuit
from tests.long import examples, long, sample
from tests.rules.caps_oracle import is_sure, layouts
from tests.rules.caps_positions import INDICATOR, end_position, random_position, suit_of

BATCH = 125
BATCHES = 20


@pytest.mark.parametrize("batch", sample(range(BATCHES), [0]))
def test_judge_and_brute_force_agree_on_every_order(batch: int) -> None:
    seen: Counter[tuple[bool, bool]] = Counter()
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        information = random_position(seed)
        orders = list(permutations(information.own_cards()))
        expected = [is_sure(information, order) for order in orders]
        judged = [judge_order(information, order) for order in orders]
        assert judged == expected, f"seed {seed}"
        found = find_order(information)
        if orders != [()]:
            assert found.sure == any(expected), f"seed {seed}"
        if found.sure:
            assert expected[orders.index(found.order)], f"seed {seed}"
        seen[information.hidden_trump, any(expected)] += 1
    assert all(seen[hidden, sure] >= 5 for hidden in (False, True) for sure in (False, True))


MORE_SEATS = {
    "six24": (6, (2,)),
    "six36": (5, (2, 3)),
    "tamil504": (6, (2, 3)),
    "eight32": (6, (2,)),
    "tamil904": (6, (2,)),
}
"""How many cards are unknown at most, and how many a seat has."""


@pytest.mark.parametrize("name", sample(MORE_SEATS, ["six36", "tamil904"]))
def test_several_partners_are_judged_as_brute_force_does(name: str) -> None:
    profile, (most_unknown, sizes) = PROFILES[name], MORE_SEATS[name]
    certain = 0
    positions = examples(60)
    for seed in range(positions):
        information = random_position(seed, most_unknown, sizes, profile.deck, profile.seats)
        orders = list(permutations(information.own_cards()))
        found = find_order(information)
        orders = orders[:6] + ([found.order] if found.order else [])
        expected = [is_sure(information, order) for order in orders]
        assert [judge_order(information, order) for order in orders] == expected, f"seed {seed}"
        assert found.sure or not any(expected), f"seed {seed}"
        certain += any(expected)
    assert certain >= positions // 30


@pytest.mark.parametrize("case", [(4, 5, 20), (5, 4, 20), *long((4, 5, 300), (5, 4, 300))], ids=str)
def test_longer_orders_agree_too(case: tuple[int, int, int]) -> None:
    size, most_unknown, positions = case
    certain = 0
    for seed in range(10_000 * size, 10_000 * size + positions):
        information = random_position(seed, most_unknown, (size,))
        orders = list(permutations(information.own_cards()))
        Random(seed).shuffle(orders)
        found = find_order(information)
        orders = orders[:4] + ([found.order] if found.order else [])
        expected = [is_sure(information, order) for order in orders]
        judged = [judge_order(information, order) for order in orders]
        assert judged == expected, f"seed {seed}"
        assert found.sure or not any(expected), f"seed {seed}"
        certain += sum(expected)
    assert certain >= positions // 20


def ways_to_fill(hypothesis: Hypothesis, information: InformationSet) -> int:
    """How many layouts a hypothesis leaves, the order of cards within a hand apart."""

    def ways(place: int, cards: frozenset[Card]) -> int:
        if place == len(rooms):
            return 1
        room = rooms[place]
        fitting = [card for card in cards if room.allowed >> card.suit & 1]
        taken = combinations(fitting, len(room.slots))
        return sum(ways(place + 1, cards - frozenset(some)) for some in taken)

    rooms = hypothesis.rooms()
    return ways(0, information.unseen)


def test_the_hypotheses_leave_as_many_layouts_as_there_are() -> None:
    for seed in range(examples(80)):
        information = random_position(seed, most_unknown=6)
        counted = Counter(trump for trump, _ in layouts(information))
        found: Counter[Suit] = Counter()
        for hypothesis in hypotheses(information):
            found[hypothesis.trump] += ways_to_fill(hypothesis, information)
        assert found == counted, f"seed {seed}"


def hidden(*letters: str, voids: Mapping[str, str]) -> InformationSet:
    """South knows 2 hearts; North's indicator is none of the suits in `letters`."""
    return end_position(
        "S",
        "JH 9H",
        unseen="7H 8H 7S 8S 9D QD",
        counts={"E": 2, "N": 1, "W": 2},
        leader="S",
        maker="N",
        trump="",
        hidden=True,
        voids=voids,
        facts=tuple(NoneOfSuit((INDICATOR,), suit_of(letter)) for letter in letters),
    )


def test_there_is_a_hypothesis_for_each_suit_that_can_be_trump() -> None:
    possible = [Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS]
    assert [each.trump for each in hypotheses(hidden(voids={"E": "D"}))] == possible
    assert [each.trump for each in hypotheses(hidden("S", voids={"E": "D"}))] == possible[1:]


def test_facts_that_contradict_each_other_leave_no_hypothesis_to_judge_by() -> None:
    information = hidden("S", "D", "H", voids={})
    assert hypotheses(information) == ()
    with pytest.raises(ValueError, match="no layout"):
        find_order(information)
