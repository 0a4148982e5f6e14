"""A sample of every part of the campaign; the whole is `make campaign`."""

from __future__ import annotations

import pytest

from tests.long import long, sample
from tests.table import campaign

KEPT = ("restart", "coalitions")
"""`test_same_cards` and `test_session` have hands like those of the other parts."""


@pytest.mark.parametrize("part", sample(campaign.PARTS, KEPT))
@pytest.mark.parametrize("seed", [0, *long(10)])
def test_a_sample_of_the_campaign(part: str, seed: int) -> None:
    work, _ = campaign.PARTS[part]
    assert work(seed)
