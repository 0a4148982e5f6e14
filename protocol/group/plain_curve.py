"""secp256k1 in plain integers: what decides whether the curve library was right.

A refusal of the library becomes somebody's fault only if it is true by this arithmetic, which has
nothing in common with the library, and so does a proof that fails (`protocol.table.judge_again`);
anything else is a fault of ours. Slow and in variable time: for public points, and for the rare
moment in which something is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Final, Self

# SEC 2, section 2.4.1: the prime, y² = x³ + 7, the generator.
FIELD: Final = 2**256 - 2**32 - 977
_B: Final = 7
_BASE: Final = bytes.fromhex("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
#: X, Y and Z of the point (X / Z^2, Y / Z^3); the identity where Z is 0.
_Jacobian = tuple[int, int, int]
_IDENTITY: Final = (0, 1, 0)


def has_point(x: int) -> bool:
    """Tell whether the curve has a point with the coordinate `x`; False unless 0 <= x < FIELD."""
    if not 0 <= x < FIELD:
        return False
    right = (x * x * x + _B) % FIELD
    # A square root, if there is one: the prime is 3 modulo 4.
    root = pow(right, (FIELD + 1) // 4, FIELD)
    return root * root % FIELD == right


def adds_up_to_nothing(keys: Iterable[Any]) -> bool:
    """Tell whether points, of the library or of this module, add up to the identity; True for
    none.
    """
    return not _total(keys)[2]


class PlainKey:
    """A point by plain integers, with the methods of the library's `PublicKey` that are used
    here.
    """

    #: What is asked for products, ten times as fast; None where it is doubted.
    library: ClassVar[Any] = None

    def __init__(self, data: bytes) -> None:
        """Parse a point of 33 or 65 bytes; raises ValueError for one that is not on the curve."""
        # Of 33 bytes none are left for y: 0 for now, computed below.
        self.x, self.y = int.from_bytes(data[1:33], "big"), int.from_bytes(data[33:], "big")
        # Length and prefix are not judged: `Point.from_bytes` has done it, and 65 bytes are ours.
        right = self.x * self.x * self.x + _B
        if len(data) == 33:
            # A square root, as in `has_point`.
            root = pow(right, (FIELD + 1) // 4, FIELD)
            # The prefix, 2 or 3, says whether y is even or odd (SEC 1).
            self.y = root if root % 2 == data[0] % 2 else FIELD - root
        # Also of a root that is none: then y² differs from x³ + 7.
        if self.x >= FIELD or (self.y * self.y - right) % FIELD:
            raise ValueError("no point of the curve")

    @classmethod
    def from_valid_secret(cls, secret: bytes) -> Self:
        """Return `secret · G`, computed as `multiply` does; raises ValueError for 0 and for the
        group's order.
        """
        return cls(_BASE).multiply(secret)

    @classmethod
    def combine_keys(cls, public_keys: Iterable[Any]) -> Self:
        """Return the sum of points; raises ValueError if it is the identity, as for no points."""
        return cls._of(_total(public_keys))

    @classmethod
    def _of(cls, point: _Jacobian) -> Self:
        """Return the point of Jacobian coordinates; raises ValueError for the identity."""
        x, y, z = point
        inverse = pow(z, -1, FIELD)  # a ValueError for 0
        made = cls.__new__(cls)
        made.x, made.y = x * inverse**2 % FIELD, y * inverse**3 % FIELD
        return made

    def multiply(self, scalar: bytes) -> Self:
        """Return `scalar`, big-endian bytes, times this point: computed by `library` and checked
        to lie on the curve or, if that is None, in plain integers. Raises ValueError for 0 and
        for the group's order.
        """
        if self.library is not None:
            # The library's product is parsed again here, which checks that it lies on the curve.
            known = self.library(self.format(compressed=False)).multiply(scalar)
            return type(self)(known.format(compressed=False))
        product: _Jacobian = _IDENTITY
        for bit in f"{int.from_bytes(scalar, 'big'):b}":
            product = _double(product)
            if bit == "1":
                product = _add(product, self.x, self.y)
        return self._of(product)

    def format(self, compressed: bool = True) -> bytes:
        """Return the point as 33 bytes, or as 65 if not compressed."""
        x, y = self.x.to_bytes(32, "big"), self.y.to_bytes(32, "big")
        # The prefix by the parity of y, or 4 before both coordinates (SEC 1).
        return bytes([2 + y[-1] % 2]) + x if compressed else b"\4" + x + y


def _total(keys: Iterable[Any]) -> _Jacobian:
    """Return the sum of points in Jacobian coordinates; the identity for none."""
    total: _Jacobian = _IDENTITY
    for key in keys:
        plain = key.format(compressed=False)
        # Behind a prefix of one byte x and y, 32 bytes each.
        total = _add(total, int.from_bytes(plain[1:33], "big"), int.from_bytes(plain[33:], "big"))
    return total


def _double(point: _Jacobian) -> _Jacobian:
    """Return twice a point in Jacobian coordinates; the slope is 3 X^2 / 2 Y Z."""
    x, y, z = point
    four_x_y2 = 4 * x * y * y % FIELD
    rise = 3 * x * x % FIELD
    doubled = (rise * rise - 2 * four_x_y2) % FIELD
    # Z = 0, the identity, stays 0.
    return doubled, (rise * (four_x_y2 - doubled) - 8 * y**4) % FIELD, 2 * y * z % FIELD


def _add(left: _Jacobian, x2: int, y2: int) -> _Jacobian:
    """Return the sum of a point in Jacobian coordinates and the point `(x2, y2)`, in Jacobian
    coordinates.
    """
    x1, y1, z = left
    if not z:
        return x2, y2, 1
    run, rise = (x2 * z * z - x1) % FIELD, (y2 * z**3 - y1) % FIELD
    if not run:  # no point has y = 0: the group's order is odd
        return _IDENTITY if rise else _double(left)
    run2 = run * run % FIELD
    run3, middle = run * run2 % FIELD, x1 * run2 % FIELD
    x = (rise * rise - run3 - 2 * middle) % FIELD
    return x, (rise * (middle - x) - y1 * run3) % FIELD, z * run % FIELD
