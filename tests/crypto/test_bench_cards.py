"""The benchmark of cards counts what is in a message; what it measures is in `test_bench_page`."""

from __future__ import annotations

import sys

import pytest

from cli.bench.cards import cards_part, shuffle_message
from cli.bench.counting import OperationCounter
from cli.errors import UserError


def test_a_shuffle_is_counted_as_the_specification_says() -> None:
    message = shuffle_message(8)
    with OperationCounter() as made:
        data = message.make()
    with OperationCounter() as judged:
        message.judge(data)
    assert made.multiplications == 2 * 8 + 5 * 8 + 3
    assert judged.multiplications == 9 * 8 + 12
    assert len(data) == 8 * 3 * 33 + 98 * 8 + 228


def test_without_what_measures_one_sentence_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyperf", None)
    with pytest.raises(UserError, match=r"needs pyperf.*pip install 'p2p304\[bench\]'"):
        cards_part(quick=True, tell=lambda _: None)
