"""The group: encodings, operations against plain integers, and hashing to the curve."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from coincurve import PublicKey
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import labels
from protocol.errors import IdentityPoint, LocalError
from protocol.group.btclib_curve import BtclibPoint as BtclibKey
from protocol.group.btclib_curve import BtclibPoint as OtherBinding
from protocol.group.point import (
    GENERATOR,
    Point,
    add,
    base_multiply,
    blinded_multiply,
    combine_reduced,
    curve_point,
    expand_message,
    hash_to_curve,
    hash_to_field,
    linear_combination,
    map_to_curve,
    multiply,
    negate,
    self_test,
    subtract,
    sum_points,
)
from protocol.group.point import PublicKey as OurPublicKey
from protocol.group.scalar import ORDER, Scalar, SecretScalar, secret_scalar
from tests.bench.counting import OperationCounter
from tests.crypto.dealing import refused
from tests.crypto.draft_records import records
from tests.crypto.p256 import SECP256K1
from tests.crypto.seeded_entropy import seeded, stuck

# --- group operations -----------------------------------------------------------------------------

# The group's operations against a reference in plain integers, and what they refuse.

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


# --- group encoding -------------------------------------------------------------------------------

# Points and scalars are built from their one good encoding alone (specs/attacks.md, G1-G6).

PRIME = SECP256K1.prime
GENERATOR_X = bytes.fromhex("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
GENERATOR_Y = bytes.fromhex("483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8")


def test_every_prefix_but_02_and_03_is_refused() -> None:
    for prefix in {*range(256)} - {2, 3}:
        refused("point.prefix", Point.from_bytes, bytes([prefix]) + GENERATOR_X)


BAD_LENGTHS = {
    "empty": b"",
    "the identity of SEC 1": b"\0",
    "x alone": GENERATOR_X,
    "a byte short": b"\2" + GENERATOR_X[:-1],
    "a byte long": b"\2" + GENERATOR_X + b"\0",
    "64 bytes": GENERATOR_X + GENERATOR_Y,
    "uncompressed": b"\4" + GENERATOR_X + GENERATOR_Y,
    "hybrid even": b"\6" + GENERATOR_X + GENERATOR_Y,
    "hybrid odd": b"\7" + GENERATOR_X + GENERATOR_Y,
}


@pytest.mark.parametrize("data", BAD_LENGTHS.values(), ids=BAD_LENGTHS)
def test_every_other_length_is_refused(data: bytes) -> None:
    refused("point.length", Point.from_bytes, data)


def test_33_zero_bytes_are_no_identity() -> None:
    refused("point.prefix", Point.from_bytes, bytes(33))


@pytest.mark.parametrize(
    "x", [0, 5, 7, PRIME - 2, PRIME, PRIME + 1, PRIME + 3, 2**256 - 1], ids=hex
)
@pytest.mark.parametrize("prefix", [2, 3])
def test_an_x_off_the_curve_or_not_below_the_prime_is_refused(x: int, prefix: int) -> None:
    assert SECP256K1.lifted(x, odd=0) is None
    refused("point.curve", Point.from_bytes, bytes([prefix]) + x.to_bytes(32, "big"))


@pytest.mark.parametrize(
    "data", ["02" * 33, 2, None, bytearray(33), memoryview(bytes(33)), [2] * 33, (2,) * 33]
)
def test_what_is_not_bytes_is_refused_before_the_library_sees_it(data: object) -> None:
    refused("point.type", Point.from_bytes, data)
    refused("scalar.type", Scalar.from_bytes, data)


@pytest.mark.parametrize("value", [ORDER, ORDER + 1, ORDER + 2**128 - 5, 2**256 - 1])
def test_a_scalar_is_below_the_order(value: int) -> None:
    refused("scalar.range", Scalar.from_bytes, value.to_bytes(32, "big"))


@pytest.mark.parametrize("value", [-1, ORDER, 2**300, True, 1.0, "1", None, b"\1"])
def test_a_scalar_is_never_reduced_or_converted(value: object) -> None:
    with pytest.raises(LocalError):
        Scalar(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("wide", [b"", bytes(63), bytes(65), bytearray(64)])
def test_a_uniform_scalar_needs_64_bytes(wide: bytes) -> None:
    with pytest.raises(LocalError):
        Scalar.uniform(wide)


def test_a_uniform_scalar_is_reduced_from_the_whole_width() -> None:
    wide = bytes(range(64))
    assert Scalar.uniform(wide).value == int.from_bytes(wide, "big") % ORDER


def test_values_are_immutable_and_points_have_no_constructor() -> None:
    with pytest.raises(AttributeError):
        Scalar(1).value = 2
    with pytest.raises(AttributeError):
        del Scalar(1).value
    for name in Point.__slots__:
        with pytest.raises(AttributeError):
            setattr(GENERATOR, name, b"")
        with pytest.raises(AttributeError):
            delattr(GENERATOR, name)
    with pytest.raises(LocalError):
        Point()


def test_points_and_public_scalars_compare_hash_and_travel() -> None:
    point = multiply(GENERATOR, Scalar(2))
    assert {point, base_multiply(Scalar(2))} == {point}
    assert point != GENERATOR
    assert point != point.to_bytes()
    assert pickle.loads(pickle.dumps(point)) == point
    assert pickle.loads(pickle.dumps(Scalar(7))) == Scalar(7)
    assert {Scalar(7), Scalar(7)} == {Scalar(7)}
    assert Scalar(7) != 7


SECRET = 0xDEADBEEF1234567890ABCDEF


def shown(secret: Scalar) -> str:
    return f"{secret} {secret!r} {secret!s} {(secret,)} { ({'key': secret}) }"


@pytest.mark.parametrize(
    "secret",
    [
        SecretScalar(SECRET),
        SecretScalar(SECRET) + Scalar(0),
        Scalar(0) + SecretScalar(SECRET),
        SecretScalar(SECRET) * Scalar(1),
        Scalar(SECRET) - SecretScalar(0),
        Scalar(0) - (-SecretScalar(SECRET)),
        SecretScalar.from_bytes(Scalar(SECRET).to_bytes()),
    ],
)
def test_a_secret_and_what_comes_of_it_never_shows_its_value(secret: Scalar) -> None:
    assert secret.value == SECRET
    text = shown(secret).lower()
    assert "redacted" in text
    assert str(SECRET) not in text
    assert f"{SECRET:x}" not in text
    for leak in (pickle.dumps, copy.copy, copy.deepcopy, hash):
        with pytest.raises(TypeError):
            leak(secret)


def test_a_secret_becomes_public_only_when_told_so() -> None:
    assert repr(Scalar(SecretScalar(5).value)) == "Scalar(0x5)"
    assert SecretScalar(5) == Scalar(5)
    assert bool(SecretScalar(5))
    assert not SecretScalar(0)


# --- hash to curve --------------------------------------------------------------------------------

# RFC 9380's own vectors (appendix J.8.1 and the shape of section 5.3.1), step by step.

DST = b"QUUX-V01-CS02-with-secp256k1_XMD:SHA-256_SSWU_RO_"
EXPANDER_DST = b"QUUX-V01-CS02-with-expander-SHA256-128"


VECTORS = records("rfc9380-secp256k1.json")


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["Id"])
def test_every_step_matches_rfc_9380(vector: dict[str, Any]) -> None:
    message = vector["Msg"].encode()
    first, second, q0, q1, (x, y) = (
        tuple(int(number, 16) for number in pair)
        for pair in (vector["u"][:1], vector["u"][1:], vector["Q0"], vector["Q1"], vector["P"])
    )
    assert hash_to_field(message, DST, 2) == first + second
    assert (map_to_curve(*first), map_to_curve(*second)) == (q0, q1)
    assert curve_point(message, DST) == (x, y)
    assert hash_to_curve(message, DST).to_bytes() == bytes([2 + y % 2]) + x.to_bytes(32, "big")


def test_expanding_a_message_matches_rfc_9380_appendix_k() -> None:
    assert expand_message(b"", EXPANDER_DST, 32).hex() == (
        "68a985b87eb6b46952128911f2a4412bbc302a9d759667f87f7a21d803f07235"
    )
    assert expand_message(b"abc", EXPANDER_DST, 32).hex() == (
        "d8ccab23b5985ccea865c6c97b6e5b8350e794e603b4b97902f53a8a0d605615"
    )


def test_the_exceptional_input_zero_lands_on_the_curve() -> None:
    """Section 6.6.2's branch for a vanishing denominator, x = B / (Z · A)."""
    x, y = map_to_curve(0)
    assert (x, y) == SECP256K1.lifted(x, y & 1)
    assert x == 0xBF6CE2ABC92F03C7ABFB18752134ACC036B8E8EF46A7ED2634A86727C12D6AC1


@pytest.mark.parametrize("dst", [b"", b"x" * 256])
def test_a_tag_that_rfc_9380_does_not_allow_is_refused(dst: bytes) -> None:
    with pytest.raises(LocalError):
        hash_to_curve(b"abc", dst)


def test_too_many_bytes_of_one_message_are_refused() -> None:
    with pytest.raises(LocalError):
        expand_message(b"abc", DST, 255 * 32 + 1)


def test_points_of_our_own_tags_are_pinned() -> None:
    """Whoever changes a tag, or takes a generator from elsewhere, changes these points."""
    tags = (labels.CARD_POINT_DST, labels.SUIT_POINT_DST, labels.SHUFFLE_GENERATOR_DST)
    assert [hash_to_curve(b"pin", tag).to_bytes().hex() for tag in tags] == [
        "02f2f130ab94bbe1306b41d682a50114de2565ea94f1c9e85629169147a967d471",
        "038ecc911bf8a5cf99ba68f7d46418772c581e58db0d8f14e8a9df10afd0883699",
        "0208302b299b3c2eeadd648b47e7129df356e21373cd28661d1bd78bbbc8b1f4e7",
    ]


# --- btclib curve ---------------------------------------------------------------------------------

# The other binding of the curve's library does what the first one does, byte for byte.


def test_another_binding_of_the_library_passes_it_and_gives_the_same_bytes() -> None:
    self_test(BtclibKey)  # type: ignore[arg-type]
    secrets = [Scalar.uniform(bytes([number]) * 64).to_bytes() for number in range(1, 20)]
    results = []
    for library in (PublicKey, BtclibKey):
        base = library.from_valid_secret(secrets[0])
        products = [base.multiply(secret) for secret in secrets]
        total = library.combine_keys(products)  # type: ignore[arg-type]
        back = library(total.format(compressed=False))
        results.append([each.format() for each in (base, *products, total, back)])
    assert results[0] == results[1]


@pytest.mark.parametrize("scalar", [b"", b"\1" * 31, b"\1" * 33, bytearray(b"\1" * 32), 1])
def test_the_other_binding_hands_on_no_scalar_of_another_size(scalar: bytes) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        BtclibKey.from_valid_secret(scalar)
    with pytest.raises(ValueError, match="32 bytes"):
        BtclibKey.from_valid_secret(b"\1" * 32).multiply(scalar)


# --- bench counting -------------------------------------------------------------------------------

# Group operations are counted from outside: the curve library is as it was before and after.

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


@pytest.mark.parametrize("library", [OurPublicKey, OtherBinding])
def test_nothing_is_counted_once_a_count_has_ended(library: type[OurPublicKey]) -> None:
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
