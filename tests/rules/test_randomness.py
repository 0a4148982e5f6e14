"""The reproducible source of chance."""

from __future__ import annotations

from itertools import permutations

import pytest

from p2p304.randomness import SeededRandomness


def test_the_words_are_those_of_splitmix64() -> None:
    source = SeededRandomness(1234567)
    assert [source.word() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@pytest.mark.parametrize("bound", [0, -1, 2**64])
def test_a_bound_without_numbers_is_refused(bound: int) -> None:
    with pytest.raises(ValueError, match="no bound"):
        SeededRandomness(1).randbelow(bound)


@pytest.mark.parametrize("bound", [1, 2, 3, 52, 2**63 + 1, 2**64 - 1])
def test_numbers_stay_below_their_bound(bound: int) -> None:
    source = SeededRandomness(9)
    drawn = [source.randbelow(bound) for _ in range(500)]
    assert min(drawn) >= 0
    assert max(drawn) < bound
    assert max(drawn) >= bound * 3 // 4


def test_numbers_of_a_bound_that_rejects_many_words_are_uniform() -> None:
    source, bound = SeededRandomness(3), 3 << 62
    # Four words fall on every three numbers: without rejection one residue comes twice as often.
    residues = [source.randbelow(bound) % 3 for _ in range(3000)]
    assert all(900 < residues.count(each) < 1100 for each in range(3))


def test_every_order_is_equally_likely() -> None:
    source = SeededRandomness(6)
    counts = dict.fromkeys(permutations("abcd"), 0)
    for _ in range(24 * 200):
        items = list("abcd")
        source.shuffle(items)
        counts[tuple(items)] += 1
    # 23 degrees of freedom: 49.7 is exceeded once in a thousand sources.
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 49.7
