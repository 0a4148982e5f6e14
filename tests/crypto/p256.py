"""P-256 in plain integers for tests, so that the drafts' own vectors run through our engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from protocol.errors import MalformedMessage

PRIME = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B

Affine = tuple[int, int]


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
        x = int.from_bytes(data[1:], "big")
        square = (x * x * x - 3 * x + B) % PRIME
        y = pow(square, (PRIME + 1) // 4, PRIME)
        if x >= PRIME or y * y % PRIME != square:
            raise MalformedMessage("point.curve")
        return (x, y) if y & 1 == data[0] & 1 else (x, PRIME - y)

    def combine(self, terms: Sequence[tuple[int, Affine]]) -> Affine | None:
        total: Affine | None = None
        for scalar, element in terms:
            total = _add(total, _multiply(scalar, element))
        return total


def _add(left: Affine | None, right: Affine | None) -> Affine | None:
    if left is None or right is None:
        return left or right
    (x1, y1), (x2, y2) = left, right
    if x1 == x2 and (y1 + y2) % PRIME == 0:
        return None
    if x1 == x2:
        slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, PRIME) % PRIME
    else:
        slope = (y2 - y1) * pow(x2 - x1, -1, PRIME) % PRIME
    x = (slope * slope - x1 - x2) % PRIME
    return x, (slope * (x1 - x) - y1) % PRIME


def _multiply(scalar: int, element: Affine) -> Affine | None:
    total: Affine | None = None
    for bit in bin(scalar)[2:]:
        total = _add(total, total)
        if bit == "1":
            total = _add(total, element)
    return total
