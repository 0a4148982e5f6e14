"""secp256k1: points, operations on them by coincurve's public API alone, and hashing to them.

This is the only module that imports coincurve, or `btclib_curve` in its place where there is none.
A `Point` is never the identity and a `Scalar` is always reduced, so whoever holds one holds a good
one: foreign bytes become values in `from_bytes` and nowhere else.

Timing. libsecp256k1 multiplies the generator in constant time and any other point in variable
time. A secret that protects a key therefore meets a variable base only in `blinded_multiply`.
One-time secrets go through `multiply`. A mask, a cover or a shuffle's nonce says nothing of a key
and meets a time once. A nonce of a proof under a key does: from parts of the nonces of many proofs
lattices find the key. But a key lives for one deal, in which it answers about thirty times (its
possession, two batches, some eight openings, hand-overs and inspections, sixteen statements), and
each answer shows one time, of many multiplications together: a lattice would need 256 / 30, more
than 8 known bits of every nonce, where published attacks learn 1 to 4 bits of some and wait for
hundreds or thousands of answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NoReturn

from protocol import labels
from protocol.encoding import wide_digest
from protocol.entropy import Entropy
from protocol.errors import IdentityPoint, InternalFault, LocalError, MalformedMessage
from protocol.group.plain_curve import FIELD, adds_up_to_nothing, has_point
from protocol.group.scalar import ORDER, SCALAR_BYTES, Scalar

if TYPE_CHECKING:
    from coincurve import PublicKey as PublicKey  # re-exported: `doubting` and tests exchange it
else:
    try:
        from coincurve import PublicKey
    except ModuleNotFoundError:  # there are no wheels of it for this Python
        from protocol.group.btclib_curve import BtclibPoint as PublicKey

Affine = tuple[int, int]  #: x and y of a point, of secp256k1 or of E'; the identity has none.

# --- hashing to secp256k1: RFC 9380's `secp256k1_XMD:SHA-256_SSWU_RO_` in plain integers ----------
#
# Used for constants alone (generators, card points, suit points), whose inputs are public, so that
# variable-time arithmetic is harmless.

# RFC 9380 section 8.7: field, block of SHA-256, L = 48 bytes for each field element.
_PRIME: Final = FIELD
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
    """Return `length` uniform bytes, hashed from `message` under the tag `dst` (RFC 9380 section
    5.3.1, SHA-256).

    Raises `LocalError` for a tag that is empty or longer than 255 bytes, and for more than 255
    blocks of 32 bytes.
    """
    # Rounded up: the last block may be cut.
    blocks = -(-length // _SHA256_BYTES)
    if not 1 <= len(dst) <= 255:
        raise LocalError("a domain-separation tag has 1 to 255 bytes")
    if blocks > 255:
        raise LocalError("too many bytes asked of one message")
    # Steps 3 to 10 there; 64 zero bytes, Z_pad, stand before the message.
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
    """Return `count` integers below the prime of secp256k1's field, hashed from `message` under
    the tag `dst` (RFC 9380 section 5.2). Raises `LocalError` as `expand_message` does.
    """
    uniform = expand_message(message, dst, count * _ELEMENT_BYTES)
    return tuple(
        int.from_bytes(uniform[start : start + _ELEMENT_BYTES], "big") % _PRIME
        for start in range(0, len(uniform), _ELEMENT_BYTES)
    )


def map_to_curve(element: int) -> Affine:
    """Return the affine coordinates of the point that a field element maps to (RFC 9380 section
    6.6.3, then appendix E.1's isogeny). Raises `LocalError` if that is the identity.
    """
    return _isogeny(_simplified_swu(element))


def curve_point(message: bytes, dst: bytes) -> Affine:
    """Return the affine coordinates of the point to which `message` hashes under the tag `dst` (RFC
    9380 section 3, `hash_to_curve`).

    Raises `LocalError` for a tag that RFC 9380 does not allow, and for a message whose two points
    have one x or whose sum would be the identity (nobody can find one).
    """
    first, second = hash_to_field(message, dst, 2)
    return _isogeny(_add(_simplified_swu(first), _simplified_swu(second)))


def _inverse(value: int) -> int:
    """Return 1/value, and 0 for 0 (`inv0` of RFC 9380 section 4)."""
    # RFC 9380 section 4 wants 0 for 0, where Python raises.
    return pow(value, -1, _PRIME) if value % _PRIME else 0


def _evaluate(coefficients: tuple[int, ...], x: int) -> int:
    """Return the value of a polynomial at `x`, its coefficients given from the constant term on."""
    result = 0
    for coefficient in reversed(coefficients):
        result = (result * x + coefficient) % _PRIME
    return result


def _simplified_swu(u: int) -> Affine:
    """Return the point of E' that a field element maps to (RFC 9380 section 6.6.2), with one
    exponentiation (appendix F.2.1.2).

    The prime is 3 mod 4. Where g(x1) has no root, its candidate is a root of -g(x1), and that of
    -Z^3 times u^3 makes it one of g(x2) = Z^3 u^6 g(x1).
    """
    z_u2 = _Z * u * u % _PRIME
    factor = _inverse(z_u2 * z_u2 + z_u2)
    # The exceptional case of section 6.6.2 step 3: a denominator of 0.
    x = _MINUS_B_OVER_A * (1 + factor) % _PRIME if factor else _B_OVER_Z_A
    right = (x * x * x + _A * x + _B) % _PRIME
    y = pow(right, _ROOT, _PRIME)
    if y * y % _PRIME != right:
        x = z_u2 * x % _PRIME
        y = y * _ROOT_OF_MINUS_Z_CUBED * u * u * u % _PRIME
    # sgn0 of RFC 9380 section 4.1: y and u have one parity.
    return x, y if y % 2 == u % 2 else _PRIME - y


def _isogeny(point: Affine) -> Affine:
    """Return the point of secp256k1 that a point of E' maps to; raises `LocalError` for the
    identity.
    """
    x, y = point
    x_denominator = _evaluate(_X_DENOMINATOR, x)
    y_denominator = _evaluate(_Y_DENOMINATOR, x)
    # One inversion, by far the dearest step, for both denominators.
    both = _inverse(x_denominator * y_denominator)
    if not both:
        raise LocalError("this message maps to the identity")
    x_image = _evaluate(_X_NUMERATOR, x) * both * y_denominator % _PRIME
    y_factor = _evaluate(_Y_NUMERATOR, x) * both * x_denominator % _PRIME
    return x_image, y * y_factor % _PRIME


def _add(left: Affine, right: Affine) -> Affine:
    """Return the sum of two points of E'; raises `LocalError` for equal or opposite ones, which
    nobody can find a message for.
    """
    (x1, y1), (x2, y2) = left, right
    if x1 == x2:
        raise LocalError("this message maps to equal or opposite points")
    slope = (y2 - y1) * _inverse(x2 - x1) % _PRIME
    x = (slope * slope - x1 - x2) % _PRIME
    return x, (slope * (x1 - x) - y1) % _PRIME


# What the map needs, computed once, and here, since `_inverse` stands above. The first gives square
# roots: the prime is 3 mod 4.
_ROOT: Final = (_PRIME + 1) // 4
_MINUS_B_OVER_A: Final = -_B * _inverse(_A) % _PRIME
_B_OVER_Z_A: Final = _B * _inverse(_Z * _A) % _PRIME
_ROOT_OF_MINUS_Z_CUBED: Final = pow(-_Z * _Z * _Z, _ROOT, _PRIME)


# A prefix and x (SEC 1, compressed).
POINT_BYTES: Final = 33
_MINUS_ONE: Final = ORDER - 1


class Point:
    """A point of secp256k1 other than the identity, immutable; equality is equality of points."""

    __slots__ = ("_encoded", "_key")
    _key: PublicKey
    _encoded: bytes | None  #: None until `to_bytes` is asked for it.

    def __init__(self) -> None:
        """Raise `LocalError`: points come from `from_bytes` and from operations."""
        raise LocalError("points come from Point.from_bytes and the operations of this module")

    @classmethod
    def from_bytes(cls, data: bytes) -> Point:
        """Return the point of exactly 33 bytes, SEC 1 compressed (prefix 02 or 03).

        Raises `MalformedMessage` with `point.type`, `point.length`, `point.prefix`, or
        `point.curve` (x is not below the field's prime, or not on the curve), and `InternalFault`
        if the curve library refuses a point that plain integers find on the curve.
        """
        # A caller's mistake alone: what a message holds is bytes (specs 6.3).
        if type(data) is not bytes:
            raise MalformedMessage("point.type", type(data).__name__)
        if len(data) != POINT_BYTES:
            raise MalformedMessage("point.length", f"{len(data)} bytes, expected {POINT_BYTES}")
        # Libraries also take 04 and hybrid forms; one point must have one encoding (attacks.md,
        # G2).
        if data[0] not in (2, 3):
            raise MalformedMessage("point.prefix", f"{data[0]:#04x}")
        try:
            key = PublicKey(data)
        except ValueError as refusal:
            # A refusal becomes the peer's fault only if plain integers agree (attacks.md, G5, G15).
            if has_point(int.from_bytes(data[1:], "big")):
                raise InternalFault("curve library", "it refuses a point") from refusal
            raise MalformedMessage("point.curve") from None
        return _point(key, data)

    def to_bytes(self) -> bytes:
        """Return the point as 33 bytes, SEC 1 compressed; encoded once and cached."""
        if self._encoded is None:
            _set_encoded(self, self._key.format())
        # Set above; the slot's own type is wider.
        assert self._encoded is not None
        return self._encoded

    def __eq__(self, other: object) -> bool:
        """Tell whether `other` is the same point, by its encoding."""
        # The same object needs no encoding.
        if self is other:
            return True
        return isinstance(other, Point) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        """Return a hash of the point's encoding."""
        return hash(self.to_bytes())

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Raise AttributeError: points are immutable."""
        raise AttributeError("points are immutable")

    def __delattr__(self, name: str) -> NoReturn:
        """Raise AttributeError: points are immutable."""
        raise AttributeError("points are immutable")

    def __repr__(self) -> str:
        """Return the point as text, its encoding in hexadecimal."""
        return f"Point({self.to_bytes().hex()})"

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        """Return how pickle makes the point again: through the decoder."""
        return Point.from_bytes, (self.to_bytes(),)


# The slots' own setters, which go round the immutability and cost less than object.__setattr__.
_new: Final = object.__new__
_set_key: Final = vars(Point)["_key"].__set__
_set_encoded: Final = vars(Point)["_encoded"].__set__


def _point(key: PublicKey, encoded: bytes | None = None) -> Point:
    """Return the point that holds this key of the library, with its encoding if that is known."""
    point: Point = _new(Point)
    _set_key(point, key)
    _set_encoded(point, encoded)
    return point


def multiply(point: Point, scalar: Scalar) -> Point:
    """Return `scalar · point`, in variable time: for public scalars and one-time secrets.

    Raises `IdentityPoint` for the scalar 0.
    """
    if not scalar.value:
        raise IdentityPoint("0 times a point")
    return _point(point._key.multiply(scalar.value.to_bytes(SCALAR_BYTES, "big")))


def base_multiply(scalar: Scalar) -> Point:
    """Return `scalar · G`, in the library's constant time; raises `IdentityPoint` for the scalar
    0.
    """
    if not scalar.value:
        raise IdentityPoint("0 times the generator")
    return _point(PublicKey.from_valid_secret(scalar.value.to_bytes(SCALAR_BYTES, "big")))


def blinded_multiply(point: Point, secret: Scalar, entropy: Entropy) -> Point:
    """Return `secret · point`, computed as `x1 · point + x2 · point` with `secret = x1 + x2` split
    at random, for secrets that protect a key.

    The split is hedged: derived from the secret, the point and 32 bytes of `entropy`, so that
    neither a constant nor a known random source exposes it. Raises `IdentityPoint` for the secret
    0.
    """
    if not secret.value:
        raise IdentityPoint("0 times a point")
    # Hashed with the secret: even a known random source does not tell the split.
    wide = wide_digest(
        labels.BLINDED_MULTIPLICATION, secret.to_bytes(), point.to_bytes(), entropy(32)
    )
    first = Scalar.uniform(wide)
    return add(multiply(point, first), multiply(point, secret - first))


def negate(point: Point) -> Point:
    """Return the opposite of a point."""
    plain = point._key.format(compressed=False)
    # -(x, y) is (x, -y): coincurve's public API has no negation.
    opposite = (FIELD - int.from_bytes(plain[33:], "big")).to_bytes(32, "big")
    return _point(PublicKey(plain[:33] + opposite))


def add(left: Point, right: Point) -> Point:
    """Return `left + right`; raises `IdentityPoint` if they are opposite."""
    return sum_points((left, right))


def subtract(left: Point, right: Point) -> Point:
    """Return `left - right`; raises `IdentityPoint` if they are equal."""
    return sum_points((left, negate(right)))


def sum_points(points: Iterable[Point]) -> Point:
    """Return the sum of any number of points, in one call of the library; a single point itself.

    Raises `IdentityPoint` if it is the identity, as for no points, and `InternalFault` if the
    library refuses a sum that by plain integers is a point.
    """
    terms = list(points)
    # The same object, which keeps its encoding.
    return terms[0] if len(terms) == 1 else _sum([point._key for point in terms])


def _sum(keys: list[PublicKey]) -> Point:
    """Return the sum of keys of the library; raises as `sum_points` does."""
    if not keys:
        raise IdentityPoint("a sum of no points")
    # One product alone needs no addition.
    if len(keys) == 1:
        return _point(keys[0])
    try:
        return _point(PublicKey.combine_keys(keys))
    except ValueError as refusal:
        # The library's refusal counts only if plain integers say the same (attacks.md, G5).
        if adds_up_to_nothing(keys):
            raise IdentityPoint("the sum of the points is the identity") from None
        raise InternalFault("curve library", "it refuses a sum that is a point") from refusal


def linear_combination(terms: Iterable[tuple[Scalar, Point]]) -> Point:
    """Return the sum of `scalar · point` over all terms, in variable time except for `GENERATOR`.

    Raises `IdentityPoint` if the sum is the identity, as for no terms.
    """
    return combine_reduced((scalar.value, point) for scalar, point in terms)


def combine_reduced(terms: Iterable[tuple[int, Point]]) -> Point:
    """Return the sum of `integer · point` over all terms, in one call of the library for the sum.

    Raises `IdentityPoint` if the sum is the identity, as for no terms, and `LocalError` for an
    integer outside 0 to ORDER-1: the caller reduces them.
    """
    products: list[PublicKey] = []
    taken: Point | None = None
    for value, point in terms:
        if 1 < value < _MINUS_ONE:  # by far the most frequent
            scalar = value.to_bytes(SCALAR_BYTES, "big")
            # By identity: a comparison would encode the point, and the generator's own object is
            # the usual one.
            base = point is GENERATOR
            key = PublicKey.from_valid_secret(scalar) if base else point._key.multiply(scalar)
            products.append(key)
        # 1 and -1 cost no multiplication.
        elif value == 1:
            taken = point
            products.append(point._key)
        elif value == _MINUS_ONE:
            products.append(negate(point)._key)
        # 0 adds nothing: its term is left out.
        elif value:
            raise LocalError("a scalar must lie between 0 and the group's order")
    # Alone it stays the object that it is, such as `GENERATOR`, and keeps its encoding.
    return taken if taken is not None and len(products) == 1 else _sum(products)


def hash_to_curve(message: bytes, dst: bytes) -> Point:
    """Return the point that `message` hashes to under the tag `dst` (RFC 9380,
    `secp256k1_XMD:SHA-256_SSWU_RO_`).

    Nobody knows a discrete logarithm between two such points. Raises `LocalError` for a tag that
    RFC 9380 does not allow. Slow (pure Python, about a millisecond): for constants.
    """
    x, y = curve_point(message, dst)
    # Through the decoder, so that the library has checked the point once; the prefix is 2 or 3 by
    # the parity of y.
    return Point.from_bytes(bytes([2 + (y & 1)]) + x.to_bytes(32, "big"))


# By the library, whose generator the self-test compares with the pinned point below.
GENERATOR: Final = base_multiply(Scalar(1))


# What the self-test compares the library with.
_PINNED_G: Final = bytes.fromhex(
    "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
)
_PINNED_2G: Final = bytes.fromhex(
    "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"
)
_PINNED_7G: Final = bytes.fromhex(
    "025cbdf0646e5db4eaa398f365f2ea7a0e3d419b7e0330e39ce92bddedcac4f9bc"
)
_PINNED_HASH: Final = bytes.fromhex(  # RFC 9380 appendix J.8.1, the empty message
    "03c1cae290e291aee617ebaef1be6d73861479c48b841eaba9b7b5852ddfeb1346"
)


#: Terms of the longest sum that the self-test looks at; a deck of 32 cards makes sums of 73.
_MOST_SUMMED: Final = 128


def self_test(library: type[PublicKey] = PublicKey) -> None:
    """Check a curve library against pinned values; raises `LocalError` that names everything that
    it gets wrong.

    It must encode and multiply right, parse good points, and refuse points that are not on the
    curve, multiplication by 0 and sums that are the identity. Runs once when this module is
    imported.
    """
    # -1 is ORDER - 1, the largest scalar.
    one, two, top = ((value % ORDER).to_bytes(SCALAR_BYTES, "big") for value in (1, 2, -1))
    zero = bytes(SCALAR_BYTES)
    # G and 2G have even y (prefix 2): prefix 3 is the opposite point.
    minus_g, minus_2g = b"\3" + _PINNED_G[1:], b"\3" + _PINNED_2G[1:]
    # 1 above the prime; x = 1 is on the curve, so only a check of the range refuses it.
    above = b"\2" + (FIELD + 1).to_bytes(32, "big")
    # 5³ + 7 has no square root modulo the prime.
    off_curve = b"\2" + (5).to_bytes(32, "big")
    base, parse, add_up = library.from_valid_secret, library, library.combine_keys
    # 1 + 2 + 4 + ..., of so many terms.
    all_powers = ((1 << _MOST_SUMMED) - 1).to_bytes(SCALAR_BYTES, "big")
    # The tag of the vectors in RFC 9380, appendix J.8.1.
    tag = b"QUUX-V01-CS02-with-secp256k1_XMD:SHA-256_SSWU_RO_"
    # Each named, so that the error says what the library gets wrong (attacks.md, G14).
    right: dict[str, Callable[[], bool]] = {
        "the generator": lambda: base(one).format() == _PINNED_G,
        "a base multiplication": lambda: base(two).format() == _PINNED_2G,
        "a multiplication": lambda: parse(_PINNED_G).multiply(two).format() == _PINNED_2G,
        "a negation": lambda: parse(_PINNED_G).multiply(top).format() == minus_g,
        "a sum of a point with itself": lambda: add_up([base(one)] * 2).format() == _PINNED_2G,
        "a sum of three": lambda: _add_powers(library, 3) == _PINNED_7G,
        "a sum of many": lambda: _add_powers(library, _MOST_SUMMED) == base(all_powers).format(),
        "hash to curve": lambda: hash_to_curve(b"", tag).to_bytes() == _PINNED_HASH,
    }
    refused: dict[str, Callable[[], object]] = {
        "an x that is on no point": lambda: parse(off_curve),
        "an x above the prime": lambda: parse(above),
        "a multiplication by 0": lambda: parse(_PINNED_G).multiply(zero),
        "a base multiplication by 0": lambda: base(zero),
        "a sum that is the identity": lambda: add_up([base(one), parse(minus_g)]),
        "such a sum of three": lambda: add_up([base(one), base(one), parse(minus_2g)]),
    }
    # Called twice: whether it raises at all, then what it says.
    wrong = [name for name, check in right.items() if _refuses(check) or not check()]
    wrong += [name for name, operation in refused.items() if not _refuses(operation)]
    if wrong:
        raise LocalError(f"the secp256k1 library gets this wrong: {', '.join(wrong)}")


def _add_powers(library: type[PublicKey], count: int) -> bytes:
    """Return `G + 2G + 4G + ...`, `count` terms, as 33 bytes, computed by `library` in one sum
    of as many points.
    """
    powers = [library.from_valid_secret((1).to_bytes(SCALAR_BYTES, "big"))]
    while len(powers) < count:
        powers.append(library.combine_keys([powers[-1], powers[-1]]))
    return library.combine_keys(powers).format()


def _refuses(operation: Callable[[], object]) -> bool:
    """Tell whether an operation raises ValueError."""
    try:
        operation()
    except ValueError:
        return True
    return False


# At the import: a library that errs must not compute anything for a table (attacks.md, G14).
self_test()
