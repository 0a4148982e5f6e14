"""Layouts: every one fits the facts, all are equally likely, and seeds replay."""

from __future__ import annotations

from collections import Counter

import pytest
from caps_oracle import layouts
from caps_positions import INDICATOR, end_position, random_position, suit_of

from p2p304.cards import Suit
from p2p304.randomness import SeededRandomness
from p2p304.rules304.information import InformationSet
from p2p304.rules304.layouts import Layout, Layouts
from p2p304.statements import NoneOfSuit, SuitsDiffer, holds


def hidden(*letters: str) -> InformationSet:
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
        voids={"E": "D"},
        facts=tuple(NoneOfSuit((INDICATOR,), suit_of(letter)) for letter in letters),
    )


def as_key(information: InformationSet, layout: Layout) -> tuple[object, ...]:
    hands = tuple(
        tuple(sorted(layout.faces[slot] for slot in hand if slot in layout.faces))
        for hand in information.hands
    )
    return layout.trump, hands, layout.faces[INDICATOR]


def test_every_layout_is_drawn_about_equally_often() -> None:
    information = hidden("S")
    chance = SeededRandomness(304)
    every = Layouts(information)
    draws = 200 * len(every)
    seen = Counter(as_key(information, every.sample(chance)) for _ in range(draws))
    assert len(seen) == len(every) == sum(1 for _ in layouts(information))
    # Five standard deviations of a binomial with mean 200 are about 71.
    assert all(129 <= count <= 271 for count in seen.values())


def test_the_order_of_cards_within_a_hand_is_random_too() -> None:
    information = hidden("S")
    chance = SeededRandomness(1)
    every = Layouts(information)
    first = Counter(every.sample(chance).faces[information.hands[3][0]] for _ in range(500))
    assert set(first) == set(information.unseen)


def test_a_sample_satisfies_all_facts_and_uses_each_card_once() -> None:
    chance = SeededRandomness(7)
    for seed in range(150):
        information = random_position(seed)
        every = Layouts(information)
        for _ in range(5):
            layout = every.sample(chance)
            faces = {**information.faces, **layout.faces}
            assert frozenset(layout.faces.values()) == information.unseen
            assert set(layout.faces) == set(information.unknown_slots())
            assert all(holds(fact, faces) for fact in information.facts)
            if information.indicator is not None:
                assert faces[information.indicator].suit == layout.trump


def test_the_same_seed_draws_the_same_layouts() -> None:
    every = Layouts(hidden())
    one, other = SeededRandomness(9), SeededRandomness(9)
    assert [every.sample(one) for _ in range(20)] == [every.sample(other) for _ in range(20)]


def test_all_trump_suits_that_are_possible_occur() -> None:
    every = Layouts(hidden())
    chance = SeededRandomness(3)
    trumps = {every.sample(chance).trump for _ in range(200)}
    assert trumps == {Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS}


def test_facts_that_contradict_each_other_leave_no_layout() -> None:
    seven = hidden().hands[0][0]
    information = hidden("S", "D")
    off_hearts = (*information.facts, SuitsDiffer((seven,), INDICATOR))
    every = Layouts(
        end_position(
            "S",
            "JH 9H",
            unseen="7H 8H 7S 8S 9D QD",
            counts={"E": 2, "N": 1, "W": 2},
            leader="S",
            maker="N",
            trump="",
            hidden=True,
            facts=off_hearts,
        )
    )
    assert len(every) == 0
    with pytest.raises(ValueError, match="no layout"):
        every.sample(SeededRandomness(1))
