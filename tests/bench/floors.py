"""What the libraries below us cost here and now, and so what our own work cannot go below.

A floor is a count of group operations and signatures times what one of them takes in the same run.
A ratio to it compares machines, and says how much of a figure is Python's.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, TypeVar

from protocol import labels
from protocol.group.point import Point, base_multiply, multiply, negate, sum_points
from protocol.group.scalar import ORDER, Scalar, secret_scalar
from protocol.proofs.weights import WEIGHT_BYTES, weight
from protocol.wire.identity import SigningKey
from tests.bench.counting import OperationCounter

Item = TypeVar("Item")

_SAMPLES: Final = 40
_PASSES: Final = 3
_MESSAGE: Final = 200
"""Bytes of a signed message, about the median of a hand's."""

# The shortest pairs (a, b) with a + b·lambda = 0 modulo the order, by which libsecp256k1 splits.
_A1: Final = 0x3086D221A7D46BCDE86C90E49284EB15
_B1: Final = -0xE4437ED6010E88286F547FA90ABFE4C3
_A2: Final = 0x114CA50F7A8E2F3F657C1108D9D44CFD8
_B2: Final = _A1
_SHORT: Final = 1 << 66


def is_short(scalar: int) -> bool:
    """Tell whether the library multiplies by `scalar` at a weight's price (`proofs.weights`)."""
    first, second = _nearest(_B2 * scalar), _nearest(-_B1 * scalar)
    low = scalar - first * _A1 - second * _A2
    high = -first * _B1 - second * _B2
    return max(abs(low), abs(high)) < _SHORT


def _nearest(product: int) -> int:
    return (2 * product + ORDER) // (2 * ORDER)


@dataclass(frozen=True, slots=True)
class OperationCosts:
    """What one operation of the group takes here and now, in microseconds."""

    multiplication: float
    short_multiplication: float
    """by a weight (`protocol.proofs.weights`), which the library finds cheaper"""
    base_multiplication: float
    sum_call: float
    summed_point: float
    decode: float
    encode: float
    negation: float

    @classmethod
    def measured(cls) -> OperationCosts:
        """Time each operation on `_SAMPLES` fresh random points."""
        scalars = [secret_scalar(secrets.token_bytes) for _ in range(_SAMPLES)]
        short = [Scalar(weight(secrets.token_bytes(WEIGHT_BYTES))) for _ in range(_SAMPLES)]
        points = [base_multiply(each) for each in scalars]
        encodings = [point.to_bytes() for point in points]
        pair = _each(lambda point: sum_points((points[0], point)), points[1:])
        whole = _each(lambda _: sum_points(points), [None] * 3)
        per_point = max(0.0, (whole - pair) / (_SAMPLES - 2))
        fresh = iter([multiply(p, Scalar(3)) for p in points * _PASSES])  # a point encodes once
        places = range(_SAMPLES)
        return cls(
            multiplication=_each(lambda at: multiply(points[at], scalars[at]), places),
            short_multiplication=_each(lambda at: multiply(points[at], short[at]), places),
            base_multiplication=_each(base_multiply, scalars),
            sum_call=max(0.0, pair - 2 * per_point),
            summed_point=per_point,
            decode=_each(Point.from_bytes, encodings),
            encode=_each(lambda _: next(fresh).to_bytes(), places),
            negation=_each(negate, points),
        )

    def of(self, count: OperationCounter) -> float:
        """Return milliseconds of all counted operations."""
        short = sum(1 for scalar in count.scalars if is_short(scalar))
        return (
            (count.multiplications - short) * self.multiplication
            + short * self.short_multiplication
            + count.base_multiplications * self.base_multiplication
            + count.sums * self.sum_call
            + count.summed * self.summed_point
            + count.decodes * self.decode
            + count.encodes * self.encode
            + count.negations * self.negation
        ) / 1000


@dataclass(frozen=True, slots=True)
class SignatureCosts:
    """What a signature of Ed25519 takes here and now, in microseconds."""

    sign: float
    check: float

    @classmethod
    def measured(cls) -> SignatureCosts:
        """Time signatures on messages of a usual size."""
        key = SigningKey(secrets.token_bytes(32))
        messages = [secrets.token_bytes(_MESSAGE) for _ in range(_SAMPLES)]
        label = labels.SIGNATURE
        signatures = [key.sign(label, each) for each in messages]
        pairs = list(zip(messages, signatures, strict=True))
        return cls(
            sign=_each(lambda message: key.sign(label, message), messages),
            check=_each(lambda pair: key.public.verify(pair[1], label, pair[0]), pairs),
        )


def _each(action: Callable[[Item], object], items: Sequence[Item]) -> float:
    """Return microseconds for one item: the median of a few passes."""
    passes = []
    for _ in range(_PASSES):
        start = time.thread_time()
        for item in items:
            action(item)
        passes.append(time.thread_time() - start)
    return 1e6 * median(passes) / len(items)
