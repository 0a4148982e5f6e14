"""Counts what the curve library is asked for, and what that costs here: floors of our own work.

The methods of the library's class are wrapped while a count is going on and put back afterwards:
the program itself holds nothing for it. What is wrapped is public in both bindings. A floor is such
a count, and signatures, times what one of them takes in the same run: a ratio to it compares
machines, and says how much of a figure is Python's.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from statistics import median
from typing import Any, ClassVar, Final, NamedTuple
from unittest.mock import patch

from protocol import labels
from protocol.errors import LocalError
from protocol.group import point as curve
from protocol.group.scalar import ORDER, Scalar, secret_scalar
from protocol.proofs.sponge import DuplexSponge, draw_weights
from protocol.wire.identity import SigningKey


class OperationCounter:
    """Counts group operations while it is entered: `with OperationCounter() as count: ...`.

    In one thread, one at a time. `sums` counts calls and `summed` their terms; `scalars` are those
    of `multiplications`, as some cost less than others.
    """

    _counting: ClassVar[bool] = False

    def __init__(self, library: type[curve.PublicKey] = curve.PublicKey) -> None:
        self._library = library
        self.multiplications = 0
        self.base_multiplications = 0
        self.sums = 0
        self.summed = 0
        self.negations = 0
        self.decodes = 0
        self.encodes = 0
        self.scalars: list[int] = []
        self._wrapped = ExitStack()

    def __enter__(self) -> OperationCounter:
        """Begin to count; raises `LocalError` while another counter does."""
        if OperationCounter._counting:
            raise LocalError("operations are being counted already")
        OperationCounter._counting = True
        library = self._library
        for name, wrapper in (
            ("__init__", _noting(library.__init__, self._decoded)),
            ("format", _noting(library.format, self._encoded)),
            ("multiply", _noting(library.multiply, self._multiplied)),
            ("from_valid_secret", staticmethod(_noting(library.from_valid_secret, self._based))),
            ("combine_keys", staticmethod(_noting(library.combine_keys, self._summed))),
        ):
            self._wrapped.enter_context(patch.object(library, name, wrapper))
        return self

    def __exit__(self, *_: object) -> None:
        self._wrapped.close()
        OperationCounter._counting = False

    def _decoded(self, _: curve.PublicKey, data: Any, *__: Any) -> None:
        self.decodes += isinstance(data, bytes) and len(data) == curve.POINT_BYTES

    def _encoded(self, _: curve.PublicKey, compressed: bool = True) -> None:
        self.encodes += compressed
        self.negations += not compressed  # nothing else asks for both coordinates

    def _multiplied(self, _: curve.PublicKey, scalar: bytes) -> None:
        self.multiplications += 1
        self.scalars.append(int.from_bytes(scalar, "big"))

    def _based(self, _: bytes) -> None:
        self.base_multiplications += 1

    def _summed(self, keys: list[curve.PublicKey]) -> None:
        self.sums += 1
        self.summed += len(keys)


def _noting(library: Callable[..., Any], note: Callable[..., None]) -> Callable[..., Any]:
    """Return a function of the library that notes each call."""

    def called(*arguments: Any, **named: Any) -> Any:
        note(*arguments, **named)
        return library(*arguments, **named)

    return called


# --- what the operations counted take here ----------------------------------------------------

_SAMPLES: Final = 40
_PASSES: Final = 3

# The shortest pairs (a, b) with a + b·lambda = 0 modulo the order, by which libsecp256k1 splits.
_A1: Final = 0x3086D221A7D46BCDE86C90E49284EB15
_B1: Final = -0xE4437ED6010E88286F547FA90ABFE4C3
_A2: Final = 0x114CA50F7A8E2F3F657C1108D9D44CFD8
_SHORT: Final = 1 << 66


def is_short(scalar: int) -> bool:
    """Tell whether the library multiplies by `scalar` at a weight's price (`proofs.weights`)."""
    first, second = ((2 * each * scalar + ORDER) // (2 * ORDER) for each in (_A1, -_B1))
    low = scalar - first * _A1 - second * _A2
    high = -first * _B1 - second * _A1
    return max(abs(low), abs(high)) < _SHORT


class OperationCosts(NamedTuple):
    """What one operation of the group takes here and now, in microseconds."""

    multiplication: float
    #: by a weight (`protocol.proofs.sponge`), which the library finds cheaper
    short_multiplication: float
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
        sponge = DuplexSponge(secrets.token_bytes(32))
        short = [*map(Scalar, draw_weights(sponge, _SAMPLES))]
        points = [curve.base_multiply(each) for each in scalars]
        encodings = [point.to_bytes() for point in points]
        pair = _each(lambda point: curve.sum_points((points[0], point)), points[1:])
        whole = _each(lambda _: curve.sum_points(points), [None] * 3)
        per_point = max(0.0, (whole - pair) / (_SAMPLES - 2))
        fresh = iter(
            [curve.multiply(p, Scalar(3)) for p in points * _PASSES]
        )  # a point encodes once
        places = range(_SAMPLES)
        return cls(
            multiplication=_each(lambda at: curve.multiply(points[at], scalars[at]), places),
            short_multiplication=_each(lambda at: curve.multiply(points[at], short[at]), places),
            base_multiplication=_each(curve.base_multiply, scalars),
            sum_call=max(0.0, pair - 2 * per_point),
            summed_point=per_point,
            decode=_each(curve.Point.from_bytes, encodings),
            encode=_each(lambda _: next(fresh).to_bytes(), places),
            negation=_each(curve.negate, points),
        )

    def of(self, count: OperationCounter) -> float:
        """Return milliseconds of all counted operations."""
        short = sum(map(is_short, count.scalars))
        counts = (
            *(count.multiplications - short, short, count.base_multiplications),
            *(count.sums, count.summed, count.decodes, count.encodes, count.negations),
        )
        return sum(times * cost for times, cost in zip(counts, self, strict=True)) / 1_000


def floor_of(count: OperationCounter, *, signed: int = 0, checked: int = 0) -> float:
    """Return the milliseconds that counted operations take here and now, and so many signatures of
    Ed25519 made and checked, on messages of a usual size."""
    key, label = SigningKey(secrets.token_bytes(32)), labels.SIGNATURE
    messages = [secrets.token_bytes(200) for _ in range(_SAMPLES)]
    pairs = [(key.sign(label, each), each) for each in messages]
    sign = _each(lambda message: key.sign(label, message), messages)
    check = _each(lambda pair: key.public.verify(pair[0], label, pair[1]), pairs)
    return OperationCosts.measured().of(count) + (signed * sign + checked * check) / 1_000


def _each(action: Callable[[Any], object], items: Sequence[Any]) -> float:
    """Return microseconds for one item: the median of a few passes."""
    passes = []
    for _ in range(_PASSES):
        start = time.thread_time()
        for item in items:
            action(item)
        passes.append(time.thread_time() - start)
    return 1e6 * median(passes) / len(items)
