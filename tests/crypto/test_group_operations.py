"""The group's operations against a reference in plain integers, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from coincurve import PublicKey
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import labels
from protocol.errors import IdentityPoint, LocalError
from protocol.group.point import (
    GENERATOR,
    Point,
    add,
    base_multiply,
    blinded_multiply,
    combine_reduced,
    hash_to_curve,
    linear_combination,
    multiply,
    negate,
    self_test,
    subtract,
    sum_points,
)
from protocol.group.scalar import ORDER, Scalar, SecretScalar, secret_scalar
from tests.bench.counting import OperationCounter
from tests.crypto.p256 import SECP256K1
from tests.crypto.seeded_entropy import seeded, stuck

OTHER = hash_to_curve(b"another base", b"tests-only")

scalars = st.integers(1, ORDER - 1).map(Scalar)
few = settings(max_examples=25)


def coordinates(point: Point) -> tuple[int, int]:
    data = point.to_bytes()
    found = SECP256K1.lifted(int.from_bytes(data[1:], "big"), data[0] & 1)
    assert found is not None
    return found


@few
@given(scalars, scalars)
def test_operations_agree_with_the_reference(first: Scalar, second: Scalar) -> None:
    base = coordinates(GENERATOR)
    left, right = base_multiply(first), multiply(OTHER, second)
    assert coordinates(left) == SECP256K1.multiply(first.value, base)
    assert coordinates(right) == SECP256K1.multiply(second.value, coordinates(OTHER))
    assert coordinates(add(left, right)) == SECP256K1.add(coordinates(left), coordinates(right))
    x, y = coordinates(right)
    assert coordinates(negate(right)) == (x, SECP256K1.prime - y)
    assert coordinates(subtract(left, right)) == SECP256K1.add(
        coordinates(left), (x, SECP256K1.prime - y)
    )


@few
@given(scalars)
def test_the_ways_to_multiply_agree(scalar: Scalar) -> None:
    expected = base_multiply(scalar)
    assert multiply(GENERATOR, scalar) == expected
    assert blinded_multiply(GENERATOR, scalar, seeded("blind")) == expected
    assert linear_combination([(scalar, GENERATOR)]) == expected
    assert linear_combination([(scalar, Point.from_bytes(GENERATOR.to_bytes()))]) == expected


@few
@given(st.lists(st.integers(0, 40), min_size=1, max_size=12))
def test_sums_of_many_points(multiples: list[int]) -> None:
    terms = [(Scalar(multiple), GENERATOR) for multiple in multiples]
    if sum(multiples) == 0:
        with pytest.raises(IdentityPoint):
            linear_combination(terms)
        return
    expected = base_multiply(Scalar(sum(multiples)))
    assert linear_combination(terms) == expected
    assert sum_points(base_multiply(Scalar(m)) for m in multiples if m) == expected


def test_minus_one_is_a_negation() -> None:
    assert linear_combination([(Scalar(ORDER - 1), OTHER)]) == negate(OTHER)
    assert linear_combination([(Scalar(ORDER - 1), GENERATOR)]) == negate(GENERATOR)
    assert linear_combination([(Scalar(ORDER - 2), OTHER)]) == multiply(OTHER, Scalar(ORDER - 2))
    with OperationCounter() as count:
        linear_combination([(Scalar(ORDER - 1), OTHER), (Scalar(1), GENERATOR)])
    assert (count.multiplications, count.base_multiplications, count.negations) == (0, 0, 1)


@pytest.mark.parametrize(
    "operation",
    [
        lambda: add(OTHER, negate(OTHER)),
        lambda: subtract(OTHER, OTHER),
        lambda: sum_points([]),
        lambda: sum_points([GENERATOR, OTHER, negate(GENERATOR), negate(OTHER)]),
        lambda: multiply(OTHER, Scalar(0)),
        lambda: base_multiply(Scalar(0)),
        lambda: blinded_multiply(OTHER, SecretScalar(0), seeded("zero")),
        lambda: linear_combination([]),
        lambda: linear_combination([(Scalar(0), OTHER)]),
        lambda: linear_combination([(Scalar(5), OTHER), (Scalar(ORDER - 5), OTHER)]),
    ],
)
def test_an_identity_is_an_error_and_never_a_point(operation: Callable[[], Point]) -> None:
    with pytest.raises(IdentityPoint):
        operation()


@pytest.mark.parametrize("value", [-1, ORDER, ORDER + 1, 2 * ORDER - 1, 2**256])
def test_a_value_that_is_not_reduced_is_our_own_mistake(value: int) -> None:
    for point in (OTHER, GENERATOR):
        with pytest.raises(LocalError):
            combine_reduced([(value, point)])


@few
@given(scalars, scalars)
def test_scalars_are_a_field(left: Scalar, right: Scalar) -> None:
    assert (left + right).value == (left.value + right.value) % ORDER
    assert (left - right).value == (left.value - right.value) % ORDER
    assert (left * right).value == left.value * right.value % ORDER
    assert (-left).value == ORDER - left.value
    assert left * left.inverse() == Scalar(1)


def test_zero_has_no_inverse() -> None:
    with pytest.raises(LocalError):
        Scalar(0).inverse()


def multipliers(*work: Callable[[], object]) -> list[bytes]:
    """The scalars by which the library multiplies meanwhile."""
    seen: list[bytes] = []
    original = PublicKey.multiply

    def recording(self: PublicKey, scalar: bytes, update: bool = False) -> PublicKey:
        seen.append(scalar)
        return original(self, scalar, update)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PublicKey, "multiply", recording)
        for each in work:
            each()
    return seen


def test_blinding_never_multiplies_the_key_itself() -> None:
    """Two products of a fresh split, for each call another one, whatever the source gives."""
    key = SecretScalar(123456789)
    sources = (seeded("one"), seeded("two"), stuck)
    for entropy in sources:
        with OperationCounter() as count:
            blinded_multiply(OTHER, key, entropy)
        assert (count.multiplications, count.base_multiplications, count.sums) == (2, 0, 1)
    seen = multipliers(*(partial(blinded_multiply, OTHER, key, source) for source in sources))
    assert len(seen) == len(set(seen)) == 6
    assert key.to_bytes() not in seen


def test_a_stuck_source_splits_two_keys_differently() -> None:
    keys = (SecretScalar(1000), SecretScalar(1001))
    split = multipliers(*(partial(blinded_multiply, OTHER, key, stuck) for key in keys))
    assert len(split) == len(set(split)) == 4


def test_a_fresh_secret_is_drawn_from_64_bytes_and_is_never_zero() -> None:
    assert secret_scalar(seeded("a")) != secret_scalar(seeded("b"))
    with pytest.raises(LocalError):
        secret_scalar(lambda length: bytes(length))
    with pytest.raises(LocalError):
        secret_scalar(lambda length: bytes(32))


class WrongGenerator(PublicKey):
    """Gives 2G for G."""

    @classmethod
    def from_valid_secret(cls, secret: bytes, *args: object) -> PublicKey:
        return PublicKey.from_valid_secret(secret).add((1).to_bytes(32, "big"))


class WrongProduct(PublicKey):
    """Multiplies by one more."""

    def multiply(self, scalar: bytes, update: bool = False) -> PublicKey:
        more = (int.from_bytes(scalar, "big") + 1) % ORDER
        return super().multiply(more.to_bytes(32, "big"), update)


class WrongSum(PublicKey):
    """Forgets the last term."""

    @classmethod
    def combine_keys(cls, public_keys: list[PublicKey], *args: object) -> PublicKey:
        return public_keys[0]


class DropsThird(PublicKey):
    """Adds the first two terms, whatever follows."""

    @classmethod
    def combine_keys(cls, public_keys: list[PublicKey], *args: object) -> PublicKey:
        return PublicKey.combine_keys(public_keys[:2])


class DropsLast(PublicKey):
    """Leaves out the last of many terms."""

    @classmethod
    def combine_keys(cls, public_keys: list[PublicKey], *args: object) -> PublicKey:
        return PublicKey.combine_keys(public_keys[:64])


class TakesAnyPoint(PublicKey):
    """Swallows encodings that are on no point."""

    def __init__(self, data: object) -> None:
        try:
            super().__init__(data)
        except ValueError:
            super().__init__(GENERATOR.to_bytes())


class MultipliesByZero(PublicKey):
    """Takes 0 for a scalar."""

    @classmethod
    def from_valid_secret(cls, secret: bytes, *args: object) -> PublicKey:
        return cls(PublicKey.from_valid_secret(secret).format() if any(secret) else PINNED)

    def multiply(self, scalar: bytes, update: bool = False) -> PublicKey:
        return super().multiply(scalar, update) if any(scalar) else self


PINNED = GENERATOR.to_bytes()


@pytest.mark.parametrize(
    "library",
    [
        WrongGenerator,
        WrongProduct,
        WrongSum,
        DropsThird,
        DropsLast,
        TakesAnyPoint,
        MultipliesByZero,
    ],
)
def test_a_library_that_lies_is_refused(library: type[PublicKey]) -> None:
    with pytest.raises(LocalError, match="gets this wrong"):
        self_test(library)


def test_the_library_at_hand_passes_its_self_test() -> None:
    self_test()


def test_no_two_labels_are_equal() -> None:
    values = [value for name, value in vars(labels).items() if name.isupper()]
    assert all(type(value) is bytes and value for value in values)
    assert len(set(values)) == len(values)
