"""Group operations are counted from outside: the curve library is as it was before and after."""

from __future__ import annotations

import pytest

from protocol.errors import LocalError
from protocol.group.btclib_curve import BtclibPoint as OtherBinding
from protocol.group.point import (
    GENERATOR,
    Point,
    PublicKey,
    base_multiply,
    combine_reduced,
    multiply,
    negate,
    sum_points,
)
from protocol.group.scalar import Scalar
from tests.bench.counting import OperationCounter

TWO, THREE = bytes(31) + b"\2", bytes(31) + b"\3"
POINT = base_multiply(Scalar(99))


def test_operations_are_counted() -> None:
    with OperationCounter() as count:
        left = base_multiply(Scalar(3))
        right = multiply(POINT, Scalar(4))
        total = sum_points([left, right, negate(POINT)])
        Point.from_bytes(total.to_bytes())
        total.to_bytes()
    assert (count.multiplications, count.base_multiplications, count.scalars) == (1, 1, [4])
    assert (count.sums, count.summed, count.negations) == (1, 3, 1)
    assert (count.decodes, count.encodes) == (1, 1)


def test_the_terms_of_a_combination_are_counted_one_by_one() -> None:
    with OperationCounter() as count:
        combine_reduced(((5, POINT), (7, GENERATOR), (1, POINT)))
    assert (count.multiplications, count.base_multiplications) == (1, 1)
    assert (count.sums, count.summed) == (1, 3)


@pytest.mark.parametrize("library", [PublicKey, OtherBinding])
def test_nothing_is_counted_once_a_count_has_ended(library: type[PublicKey]) -> None:
    before = dict(vars(library))
    with OperationCounter(library) as count:
        key = library.from_valid_secret(TWO).multiply(THREE)
        library(key.format())
    assert dict(vars(library)) == before
    assert (count.multiplications, count.base_multiplications, count.decodes) == (1, 1, 1)
    library.from_valid_secret(TWO)
    assert count.base_multiplications == 1


def test_two_counts_at_once_are_refused() -> None:
    with OperationCounter() as count:
        with pytest.raises(LocalError), OperationCounter():
            pass
        multiply(POINT, Scalar(4))
    assert count.multiplications == 1
