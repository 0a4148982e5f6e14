"""Tables of the benchmark of growth are played to their end, by the seats of real drivers."""

from __future__ import annotations

import asyncio

import pytest

from tests.bench.growth import BROKERS, Growth, measure_growth


@pytest.mark.long
def test_two_tables_play_their_hands_at_one_broker() -> None:
    async def played() -> Growth:
        async with BROKERS["embedded"]() as address:
            return await measure_growth(address, tables=2, hands=1, deadline=250.0)

    found = asyncio.run(played())
    assert (found.tables, found.played) == (2, 2)
    assert found.seconds > 0
    assert found.cpu_a_hand > 0
    assert found.broker_cpu > 0
