"""The benchmark of cards counts what is in a message; what it measures is in `test_bench_page`."""

from __future__ import annotations

from tests.bench.cards import shuffle_message
from tests.bench.statements import counted


def test_a_shuffle_is_counted_as_the_specification_says() -> None:
    data, made, judged = counted(shuffle_message(8))
    assert made.multiplications == 2 * 8 + 5 * 8 + 3
    assert judged.multiplications == 9 * 8 + 12
    assert len(data) == 8 * 3 * 33 + 98 * 8 + 228
