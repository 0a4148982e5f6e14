"""Points and scalars are built from their one good encoding alone (specs/attacks.md, G1-G6)."""

from __future__ import annotations

import copy
import pickle

import pytest

from protocol.errors import LocalError
from protocol.group.point import GENERATOR, Point, base_multiply, multiply
from protocol.group.scalar import ORDER, Scalar, SecretScalar
from tests.crypto.dealing import refused
from tests.crypto.p256 import SECP256K1

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
        SecretScalar(SECRET).inverse().inverse(),
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
    assert repr(SecretScalar(5).reveal()) == "Scalar(0x5)"
    assert SecretScalar(5) == Scalar(5)
    assert bool(SecretScalar(5))
    assert not SecretScalar(0)
