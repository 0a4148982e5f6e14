"""The benchmark of cards counts what is in a message; what it measures is in `test_bench_page`."""

from __future__ import annotations

import time
from itertools import count

import pytest

from cli.errors import UserError
from tests.bench.cards import _timed, cards_part, shuffle_message
from tests.bench.counting import OperationCounter


def test_a_shuffle_is_counted_as_the_specification_says() -> None:
    message = shuffle_message(8)
    with OperationCounter() as made:
        data = message.make()
    with OperationCounter() as judged:
        message.judge(data)
    assert made.multiplications == 2 * 8 + 5 * 8 + 3
    assert judged.multiplications == 9 * 8 + 12
    assert len(data) == 8 * 3 * 33 + 98 * 8 + 228


def test_what_ends_early_is_told_with_its_code_and_its_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "klingon")  # with which no Python starts
    with pytest.raises(UserError, match=r"(?s)ended early, with code 1: .*klingon"):
        cards_part(quick=True, tell=lambda _: None)


def test_a_clock_that_moves_in_steps_does_not_say_that_something_takes_no_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticks, calls = count(), list[None]()
    monkeypatch.setattr(time, "thread_time", lambda: next(ticks) // 7)
    assert _timed(lambda: calls.append(None))(1) == 1 / len(calls)
    assert len(calls) > 1
