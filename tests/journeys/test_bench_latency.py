"""Key presses are measured with four real clients and with a process that does nothing."""

from __future__ import annotations

import asyncio

import pytest

from tests.bench.latency import measure


def test_a_few_presses_are_measured_with_the_stages_of_the_slowest() -> None:
    found = asyncio.run(measure(presses=2, think=0.05))
    assert found.presses >= 2
    assert len(found.waits_ms) == found.presses
    for each in found.slowest:
        total, *stages, machine = each
        assert sum(stages) == pytest.approx(total)
        assert machine >= 0
    assert found.slowest[0].total == found.waits_ms[-1]
    assert all(each.proof > 0 for each in found.slowest)
    assert any(each.broker > 0 for each in found.slowest)
