"""What a key press cost is told from what four clients noted, stage by stage."""

from __future__ import annotations

from typing import Any

import pytest

from cli.errors import UserError
from tests.bench.latency import Slow, latency_of

Notes = list[dict[str, Any]]


def _press(at: float, step: int) -> Notes:
    """What whoever pressed notes: the message takes 10 ms, the disk 2, its own frame 30."""
    return [
        {"pressed": [0, step], "at": at},
        {"kept": "asked", "at": at + 0.010},
        {"kept": "done", "at": at + 0.012},
        {"told": [0, step], "at": at + 0.013},
        {"drawn": [0, step], "at": at + 0.030},
    ]


def _other(at: float, step: int, late: float = 0.0) -> Notes:
    """What another seat notes: the broker takes 3 ms, verifying 20 and more, its frame 5."""
    return [
        {"heard": 1_024, "at": at - 0.5},
        {"heard": 1_024, "at": at + 0.015},
        {"told": [0, step], "at": at + 0.035 + late},
        {"drawn": [0, step], "at": at + 0.040 + late},
    ]


def test_a_press_is_as_slow_as_the_slowest_screen_and_has_its_stages() -> None:
    seats = [_press(5.0, 1), _other(5.0, 1), _other(5.0, 1, late=0.1), _other(5.0, 1)]
    found = latency_of(seats, [(4.9, 0.05), (5.02, 0.05), (5.1, 0.07), (5.2, 0.05)])
    assert found.presses == 1
    assert found.waits_ms == (pytest.approx(140.0),)
    expected = Slow(140.0, 10.0, 2.0, 3.0, 120.0, 5.0, 70.0)
    assert found.slowest == (pytest.approx(expected),)
    assert found.machine_p99_ms == pytest.approx(70.0)


def test_a_press_that_one_screen_never_showed_is_not_judged() -> None:
    seats = [[*_press(5.0, 1), *_press(6.0, 2)], [*_other(5.0, 1)], [*_other(5.0, 1)]]
    assert latency_of(seats, []).presses == 1
    with pytest.raises(UserError, match="No key press was measured"):
        latency_of([_press(5.0, 1), []], [])


def test_percentiles_are_of_all_presses_and_the_slowest_come_first() -> None:
    steps = range(1, 1_001)
    first = [note for step in steps for note in _press(float(step), step)]
    second = [note for step in steps for note in _other(float(step), step, late=step / 10_000)]
    first.append({"held": 0.02, "busy": 0.01, "at": 0.0})
    found = latency_of([first, second], [])
    assert (found.presses, found.longest_frame_ms, found.longest_busy_ms) == (1_000, 20.0, 10.0)
    assert found.p50_ms == pytest.approx(40 + 50.05)
    assert found.p99_ms == pytest.approx(40 + 99.1)
    assert found.p999_ms == pytest.approx(40 + 100.0)
    totals = [each.total for each in found.slowest]
    assert totals == sorted(totals, reverse=True)
    assert totals[0] == pytest.approx(140.0)
