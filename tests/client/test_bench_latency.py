"""What a key press cost is told from what four clients noted."""

from __future__ import annotations

from typing import Any

import pytest

from cli.errors import UserError
from tests.bench.latency import latency_of, percentile

Notes = list[dict[str, Any]]


def _seats(at: float, step: int, late: float) -> tuple[Notes, Notes]:
    """What whoever pressed and another seat note: their frames take 30 ms, and 40 and more."""
    pressed = [{"pressed": [0, step], "at": at}, {"drawn": [0, step], "at": at + 0.030}]
    return pressed, [{"drawn": [0, step], "at": at + 0.040 + late}]


def test_a_press_is_as_slow_as_the_slowest_screen_and_the_machine_has_its_part() -> None:
    first, second = _seats(5.0, 1, 0.0)
    _, third = _seats(5.0, 1, 0.1)
    idle = [(4.9, 0.05), (5.02, 0.05), (5.1, 0.07), (5.2, 0.05)]
    found = latency_of([first, second, third], idle)
    assert found.waits == (pytest.approx(140.0),)
    assert found.machine == (pytest.approx(70.0),)


def test_a_press_that_one_screen_never_showed_is_not_judged() -> None:
    first, second = _seats(5.0, 1, 0.0)
    more, _ = _seats(6.0, 2, 0.0)
    assert len(latency_of([[*first, *more], second], []).waits) == 1
    with pytest.raises(UserError, match="No key press was measured"):
        latency_of([first, []], [])


def test_percentiles_are_of_all_presses() -> None:
    both = [_seats(float(step), step, step / 10_000) for step in range(1, 1_001)]
    first, second = ([note for notes in each for note in notes] for each in zip(*both, strict=True))
    first.append({"held": 0.02, "at": 0.0})
    found = latency_of([first, second], [])
    assert (len(found.waits), found.longest_frame) == (1_000, 20.0)
    assert percentile(found.waits, 0.99) == pytest.approx(40 + 99.1)
    assert percentile(found.waits, 0.999) == pytest.approx(40 + 100.0)
