"""The judge of caps against brute force over all layouts and all continuations."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from random import Random

import pytest
from caps_oracle import is_sure, layouts
from caps_positions import random_position

from p2p304.rules304.layouts import Layouts
from p2p304.rules304.sure import find_order, judge_order
from tests.long import long, sample

BATCH = 250
BATCHES = 10


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


@pytest.mark.parametrize("case", [(4, 5, 60), (5, 4, 60), *long((4, 5, 300), (5, 4, 300))], ids=str)
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
    assert certain >= positions // 30


def test_as_many_layouts_are_counted_as_there_are() -> None:
    for seed in range(200):
        information = random_position(seed, most_unknown=6)
        assert len(Layouts(information)) == sum(1 for _ in layouts(information)), f"seed {seed}"
