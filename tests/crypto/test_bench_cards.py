"""The benchmark of cards measures every kind of message, and counts what is in it."""

from __future__ import annotations

import sys

import pytest

from cli.bench.cards import QUICK_SIZES, cards_part, messages, shuffle_message
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


def test_every_message_is_made_and_judged_with_its_floor_beside_it() -> None:
    part = cards_part(quick=True, tell=lambda _: None)
    named = {each.name: each for each in part.figures}
    for name, message in messages(quick=True).items():
        assert named[f"{name}, sent"].median == len(message.make())
        for what in ("made", "judged"):
            figure = named[f"{name}, {what}"]
            assert figure.samples > 1
            assert figure.ratio is not None
            assert figure.ratio > 0.5, "less than its operations is a mistake"
    assert named["hand-over, sent"].median == 227
    assert {f"shuffle of {count} cards, made" for count in QUICK_SIZES} <= named.keys()


def test_without_what_measures_one_sentence_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyperf", None)
    with pytest.raises(UserError, match=r"needs pyperf.*pip install 'p2p304\[bench\]'"):
        cards_part(quick=True, tell=lambda _: None)
