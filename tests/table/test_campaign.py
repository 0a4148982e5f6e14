"""A sample of every part of the campaign; the whole is `make campaign`."""

from __future__ import annotations

import pytest

from tests.table import campaign

SEEDS = {"same-cards": range(10, 11)}


@pytest.mark.parametrize(
    ("part", "seed"),
    [(part, seed) for part in campaign.PARTS for seed in SEEDS.get(part, range(1))],
)
def test_a_sample_of_the_campaign(part: str, seed: int) -> None:
    work, _ = campaign.PARTS[part]
    if part == "mutations":
        assert campaign.mutations(seed, 25)
    else:
        assert work(seed)
