"""Key presses are measured with four real clients and with a process that does nothing."""

from __future__ import annotations

import asyncio

from tests.bench.latency import measure


def test_a_few_presses_are_measured_to_all_four_screens() -> None:
    found = asyncio.run(measure(presses=2, think=0.05))
    assert len(found.waits) == len(found.machine) >= 2
    assert 0 < found.waits[0] <= found.waits[-1]
    assert found.machine[-1] >= 0
