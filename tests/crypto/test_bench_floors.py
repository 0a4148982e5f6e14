"""What a multiplication costs depends on its scalar, and the floors know which."""

from __future__ import annotations

import hashlib

from protocol.group.point import GENERATOR, Point, combine_reduced, negate
from protocol.group.point import base_multiply as base
from protocol.group.scalar import ORDER, Scalar
from protocol.proofs.weights import weight
from tests.bench.counting import OperationCounter
from tests.bench.floors import OperationCosts, is_short

COSTS = OperationCosts(
    multiplication=40.0,
    short_multiplication=20.0,
    base_multiplication=10.0,
    sum_call=0.0,
    summed_point=0.0,
    decode=1_000.0,
    encode=0.0,
    negation=100.0,
)


def _digest(number: int) -> bytes:
    return hashlib.sha256(number.to_bytes(4, "big")).digest()


def test_weights_are_short_and_other_scalars_are_not() -> None:
    drawn = [_digest(number) for number in range(500)]
    assert all(is_short(weight(each[:16])) for each in drawn)
    assert not any(is_short(int.from_bytes(each, "big") % ORDER) for each in drawn)


def test_a_floor_prices_each_multiplication_by_its_scalar() -> None:
    point = base(Scalar(7))
    short, long = weight(_digest(1)[:16]), int.from_bytes(_digest(2), "big") % ORDER
    with OperationCounter() as count:
        combine_reduced(((short, point), (long, point), (long, GENERATOR)))
        negate(Point.from_bytes(bytes(point.to_bytes())))
    assert COSTS.of(count) == (20.0 + 40.0 + 10.0 + 1_000.0 + 100.0) / 1_000
