"""Which 32 bytes are an honest Ed25519 public key: canonical, on the curve, of prime order.

Signature libraries accept keys of small order, for which one signature fits every message, and
differ on encodings that are not canonical (RFC 8032 section 5.1.3 asks for more than most do). A
key that passes here leaves them nothing to differ on. Only public keys come here, a few at a table,
so plain integers do.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from protocol.errors import MalformedMessage

# RFC 8032 section 5.1: prime, order of the subgroup, d of the curve, square root of -1.
PRIME: Final = 2**255 - 19
ORDER: Final = 2**252 + 27742317777372353535851937790883648493
_D: Final = -121665 * pow(121666, PRIME - 2, PRIME) % PRIME
_SQRT_MINUS_ONE: Final = pow(2, (PRIME - 1) // 4, PRIME)

_Extended = tuple[int, int, int, int]  # X, Y, Z, T with x = X/Z, y = Y/Z, xy = T/Z
_NEUTRAL: Final[_Extended] = (0, 1, 1, 0)


def check_public_key(data: bytes) -> None:
    """Raise MalformedMessage unless `data` is a public key that an honest seat can have.

    Checks `key.size`, `key.canonical` (y below the prime, no negative zero), `key.curve` and
    `key.order` (a point of the prime-order subgroup other than its identity).
    """
    # Exact: the answers below are kept by these very bytes.
    if type(data) is not bytes or len(data) != 32:
        raise MalformedMessage("key.size")
    _check_point(data)


def montgomery(data: bytes) -> bytes:
    """Return the X25519 public key, 32 bytes (RFC 7748), that corresponds to a checked Ed25519
    key.
    """
    # The top bit is the sign of x and no part of y (RFC 8032 section 5.1.2).
    # Little-endian, as both RFCs say; the protocol's own fields are big-endian.
    y = int.from_bytes(data, "little") & ((1 << 255) - 1)
    # The birational map of RFC 7748 section 4.1.
    # y is not 1, which would divide by 0: that is the identity, and no checked key.
    u = (1 + y) * pow(1 - y, PRIME - 2, PRIME) % PRIME
    return u.to_bytes(32, "little")


# Bounded: strangers bring keys too.
@lru_cache(maxsize=256)
def _check_point(data: bytes) -> None:
    """Check 32 bytes as `check_public_key` does; good answers are cached, since one takes 3 ms."""
    # Little-endian (RFC 8032 section 5.1.2).
    encoded = int.from_bytes(data, "little")
    sign, y = encoded >> 255, encoded & ((1 << 255) - 1)
    # Libraries differ on such encodings, and a key must be one key to all (attacks.md, CH8).
    if y >= PRIME:
        raise MalformedMessage("key.canonical", "y is not below the prime")
    x = _recover_x(y, sign)
    point: _Extended = (x, y, 1, x * y % PRIME)
    # Of small or mixed order: one signature could fit every message (attacks.md, ID5, FS12).
    if _is_neutral(point) or not _is_neutral(_times(ORDER, point)):
        raise MalformedMessage("key.order", "not of prime order")


def _recover_x(y: int, sign: int) -> int:
    """Return the x of a point from its y and sign (RFC 8032 section 5.1.3, steps 2 to 4); raises
    MalformedMessage `key.curve` or `key.canonical`.
    """
    # A power of PRIME - 2 is the inverse, by Fermat.
    square = (y * y - 1) * pow(_D * y * y + 1, PRIME - 2, PRIME) % PRIME
    # The prime is 5 modulo 8: this is a root of the square or of its negative, if there is one.
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * _SQRT_MINUS_ONE % PRIME
    if (x * x - square) % PRIME:
        raise MalformedMessage("key.curve")
    # 0 has one encoding, without a sign (RFC 8032 section 5.1.3, step 4).
    if x == 0 and sign:
        raise MalformedMessage("key.canonical", "negative zero")
    return PRIME - x if x & 1 != sign else x


def _add(left: _Extended, right: _Extended) -> _Extended:
    """Return the sum of two points (RFC 8032 section 5.1.4), which may be equal."""
    a = (left[1] - left[0]) * (right[1] - right[0])
    b = (left[1] + left[0]) * (right[1] + right[0])
    c = 2 * left[3] * right[3] * _D
    d = 2 * left[2] * right[2]
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME)


def _times(scalar: int, point: _Extended) -> _Extended:
    """Return `scalar` times a point."""
    # In variable time: points of public keys and the public order alone come here.
    result = _NEUTRAL
    for bit in bin(scalar)[2:]:  # without "0b"
        result = _add(result, result)
        if bit == "1":
            result = _add(result, point)
    return result


def _is_neutral(point: _Extended) -> bool:
    """Tell whether a point is the neutral element."""
    # x = 0 and y = 1, with both coordinates as fractions over Z.
    return point[0] % PRIME == 0 and (point[1] - point[2]) % PRIME == 0
