"""Curves in plain integers for tests; over P-256 the drafts' own vectors run through our engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from protocol.errors import MalformedMessage

Affine = tuple[int, int]


class PlainCurve(NamedTuple):
    """The curve y² = x³ + ax + b over integers modulo a prime that is 3 modulo 4."""

    prime: int
    a: int
    b: int

    def lifted(self, x: int, odd: int) -> Affine | None:
        """The point with this x whose y is odd, or not; None off the curve."""
        square = (x * x * x + self.a * x + self.b) % self.prime
        y = pow(square, (self.prime + 1) // 4, self.prime)
        if x >= self.prime or y * y % self.prime != square:
            return None
        return (x, y if y & 1 == odd else self.prime - y)

    def add(self, left: Affine | None, right: Affine | None) -> Affine | None:
        if left is None or right is None:
            return left or right
        (x1, y1), (x2, y2) = left, right
        if x1 == x2 and (y1 + y2) % self.prime == 0:
            return None
        if x1 == x2:
            slope = (3 * x1 * x1 + self.a) * pow(2 * y1, -1, self.prime)
        else:
            slope = (y2 - y1) * pow(x2 - x1, -1, self.prime)
        x = (slope * slope - x1 - x2) % self.prime
        return x, (slope * (x1 - x) - y1) % self.prime

    def multiply(self, scalar: int, element: Affine) -> Affine | None:
        total: Affine | None = None
        for bit in bin(scalar)[2:]:
            total = self.add(total, total)
            if bit == "1":
                total = self.add(total, element)
        return total


SECP256K1 = PlainCurve(2**256 - 2**32 - 977, 0, 7)
_P256 = PlainCurve(
    0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF,
    -3,
    0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
)


class Value(NamedTuple):
    """A witness scalar."""

    value: int


class P256:
    """P-256 as `protocol.proofs.ciphersuite.Group`: SEC 1 compressed, big-endian scalars."""

    ciphersuite = b"sigma-proofs_Shake128_P256"
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    element_bytes = 33
    scalar_bytes = 32
    generator: Affine = (
        0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
        0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
    )

    def encode(self, element: Affine) -> bytes:
        x, y = element
        return bytes([2 + (y & 1)]) + x.to_bytes(32, "big")

    def decode(self, data: bytes) -> Affine:
        if len(data) != 33 or data[0] not in (2, 3):
            raise MalformedMessage("point.prefix")
        point = _P256.lifted(int.from_bytes(data[1:], "big"), data[0] & 1)
        if point is None:
            raise MalformedMessage("point.curve")
        return point

    def combine(self, terms: Sequence[tuple[int, Affine]]) -> Affine | None:
        total: Affine | None = None
        for scalar, element in terms:
            total = _P256.add(total, _P256.multiply(scalar, element))
        return total
