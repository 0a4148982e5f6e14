"""Hashing to secp256k1: RFC 9380's `secp256k1_XMD:SHA-256_SSWU_RO_` in plain integers.

Used for constants alone (generators, card points, suit points), whose inputs are public, so that
variable-time arithmetic is harmless.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from protocol.errors import LocalError

Affine = tuple[int, int]

_PRIME: Final = 2**256 - 2**32 - 977
_MESSAGE_BLOCK: Final = 64
_ELEMENT_BYTES: Final = 48
_SHA256_BYTES: Final = 32

# RFC 9380 section 8.7: the curve E' that is 3-isogenous to secp256k1, and the map's Z.
_A: Final = 0x3F8731ABDD661ADCA08A5558F0F5D272E953D363CB6F0E5D405447C01A444533
_B: Final = 1771
_Z: Final = -11 % _PRIME

# RFC 9380 appendix E.1: coefficients of the isogeny, constant term first.
_X_NUMERATOR: Final = (
    0x8E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38DAAAAA8C7,
    0x07D3D4C80BC321D5B9F315CEA7FD44C5D595D2FC0BF63B92DFFF1044F17C6581,
    0x534C328D23F234E6E2A413DECA25CAECE4506144037C40314ECBD0B53D9DD262,
    0x8E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38DAAAAA88C,
)
_X_DENOMINATOR: Final = (
    0xD35771193D94918A9CA34CCBB7B640DD86CD409542F8487D9FE6B745781EB49B,
    0xEDADC6F64383DC1DF7C4B2D51B54225406D36B641F5E41BBC52A56612A8C6D14,
    1,
)
_Y_NUMERATOR: Final = (
    0x4BDA12F684BDA12F684BDA12F684BDA12F684BDA12F684BDA12F684B8E38E23C,
    0xC75E0C32D5CB7C0FA9D0A54B12A0A6D5647AB046D686DA6FDFFC90FC201D71A3,
    0x29A6194691F91A73715209EF6512E576722830A201BE2018A765E85A9ECEE931,
    0x2F684BDA12F684BDA12F684BDA12F684BDA12F684BDA12F684BDA12F38E38D84,
)
_Y_DENOMINATOR: Final = (
    0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFF93B,
    0x7A06534BB8BDB49FD5E9E6632722C2989467C1BFC8E8D978DFB425D2685C2573,
    0x6484AA716545CA2CF3A70C3FA8FE337E0A3D21162F0D6299A7BF8192BFD2A76F,
    1,
)


def expand_message(message: bytes, dst: bytes, length: int) -> bytes:
    """Return `length` uniform bytes of a message under a tag (RFC 9380 section 5.3.1, SHA-256).

    Raises `LocalError` for a tag that is empty or longer than 255 bytes, and for more than 255
    blocks.
    """
    blocks = -(-length // _SHA256_BYTES)
    if not 1 <= len(dst) <= 255:
        raise LocalError("a domain-separation tag has 1 to 255 bytes")
    if blocks > 255:
        raise LocalError("too many bytes asked of one message")
    tag = dst + bytes([len(dst)])
    first = sha256(
        bytes(_MESSAGE_BLOCK) + message + length.to_bytes(2, "big") + b"\0" + tag
    ).digest()
    output = [sha256(first + b"\1" + tag).digest()]
    for index in range(2, blocks + 1):
        mixed = bytes(a ^ b for a, b in zip(first, output[-1], strict=True))
        output.append(sha256(mixed + bytes([index]) + tag).digest())
    return b"".join(output)[:length]


def hash_to_field(message: bytes, dst: bytes, count: int) -> tuple[int, ...]:
    """Return `count` elements of the field of secp256k1 (RFC 9380 section 5.2)."""
    uniform = expand_message(message, dst, count * _ELEMENT_BYTES)
    return tuple(
        int.from_bytes(uniform[start : start + _ELEMENT_BYTES], "big") % _PRIME
        for start in range(0, len(uniform), _ELEMENT_BYTES)
    )


def map_to_curve(element: int) -> Affine:
    """Return the point of a field element (RFC 9380 section 6.6.3, then appendix E.1's isogeny)."""
    return _isogeny(_simplified_swu(element))


def curve_point(message: bytes, dst: bytes) -> Affine:
    """Return the affine coordinates of a message's point (RFC 9380 section 3, `hash_to_curve`).

    The two points are added before the isogeny, which is a homomorphism: one isogeny less. Raises
    `LocalError` for a tag that RFC 9380 does not allow, and for a message whose two points have
    one x or whose sum would be the identity (nobody can find one).
    """
    first, second = hash_to_field(message, dst, 2)
    return _isogeny(_add(_simplified_swu(first), _simplified_swu(second)))


def _inverse(value: int) -> int:
    """Return 1/value, and 0 for 0 (`inv0` of RFC 9380 section 4)."""
    return pow(value, -1, _PRIME) if value % _PRIME else 0


def _evaluate(coefficients: tuple[int, ...], x: int) -> int:
    result = 0
    for coefficient in reversed(coefficients):
        result = (result * x + coefficient) % _PRIME
    return result


def _simplified_swu(u: int) -> Affine:
    """Map by RFC 9380 section 6.6.2, with one exponentiation (appendix F.2.1.2).

    The prime is 3 mod 4. Where g(x1) has no root, its candidate is a root of -g(x1), and that of
    -Z^3 times u^3 makes it one of g(x2) = Z^3 u^6 g(x1).
    """
    z_u2 = _Z * u * u % _PRIME
    factor = _inverse(z_u2 * z_u2 + z_u2)
    x = _MINUS_B_OVER_A * (1 + factor) % _PRIME if factor else _B_OVER_Z_A
    right = (x * x * x + _A * x + _B) % _PRIME
    y = pow(right, _ROOT, _PRIME)
    if y * y % _PRIME != right:
        x = z_u2 * x % _PRIME
        y = y * _ROOT_OF_MINUS_Z_CUBED * u * u * u % _PRIME
    return x, y if y % 2 == u % 2 else _PRIME - y


def _isogeny(point: Affine) -> Affine:
    x, y = point
    x_denominator = _evaluate(_X_DENOMINATOR, x)
    y_denominator = _evaluate(_Y_DENOMINATOR, x)
    both = _inverse(x_denominator * y_denominator)
    if not both:
        raise LocalError("this message maps to the identity")
    x_image = _evaluate(_X_NUMERATOR, x) * both * y_denominator % _PRIME
    y_factor = _evaluate(_Y_NUMERATOR, x) * both * x_denominator % _PRIME
    return x_image, y * y_factor % _PRIME


def _add(left: Affine, right: Affine) -> Affine:
    """Add two points of E'; nobody can find a message with two of one x."""
    (x1, y1), (x2, y2) = left, right
    if x1 == x2:
        raise LocalError("this message maps to equal or opposite points")
    slope = (y2 - y1) * _inverse(x2 - x1) % _PRIME
    x = (slope * slope - x1 - x2) % _PRIME
    return x, (slope * (x1 - x) - y1) % _PRIME


_ROOT: Final = (_PRIME + 1) // 4
_MINUS_B_OVER_A: Final = -_B * _inverse(_A) % _PRIME
_B_OVER_Z_A: Final = _B * _inverse(_Z * _A) % _PRIME
_ROOT_OF_MINUS_Z_CUBED: Final = pow(-_Z * _Z * _Z, _ROOT, _PRIME)
