"""Positions that cost the judge of caps most: what it takes is bounded, whoever wrote the file."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from p2p304.rules304.caps.orders import find_order
from p2p304.rules304.operations import information_of
from p2p304.rules304.profiles import PAGAT, PROFILES
from tests.rules.hardest_caps import climb, position
from tests.rules.run_caps import BOUND

FOUND = Path(__file__).parents[1] / "vectors" / "hardest_caps.json"


def test_the_costliest_positions_found_are_decided_far_below_the_bound() -> None:
    costs = [find_order(information_of(each)) for each in json.loads(FOUND.read_text("ascii"))]
    assert {each.sure for each in costs} == {False, True}
    assert 5_000 < max(each.nodes for each in costs) < BOUND // 10


def test_climbing_finds_costlier_positions_and_none_near_the_bound() -> None:
    for seed, size in ((21, 8), (22, 6)):
        _, before = climb(Random(seed), PAGAT, size, steps=0)
        genes, nodes = climb(Random(seed), PAGAT, size, steps=60)
        information = position(genes)
        assert information is not None
        assert before < nodes < BOUND // 10, f"seed {seed}"
        assert find_order(information).nodes == nodes, f"seed {seed}"


@pytest.mark.parametrize(("name", "size"), [("six36", 5), ("eight32", 4)])
def test_positions_with_several_partners_are_decided_far_below_the_bound(
    name: str, size: int
) -> None:
    genes, nodes = climb(Random(3), PROFILES[name], size, steps=12, starts=12, limit=BOUND)
    information = position(genes)
    assert information is not None
    assert 0 < nodes < BOUND // 5
    assert find_order(information).nodes == nodes
