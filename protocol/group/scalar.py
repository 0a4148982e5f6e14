"""Integers modulo the order of secp256k1: public scalars, and secret ones that never show."""

from __future__ import annotations

from typing import Final, NoReturn, Self

from protocol.entropy import Entropy
from protocol.errors import LocalError, MalformedMessage

# SEC 2, section 2.4.1: the number of points of secp256k1.
ORDER: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
SCALAR_BYTES: Final = 32
# Twice a scalar's bytes: reduced, its bias is below 2^-256.
WIDE_BYTES: Final = 64

# Scalars refuse assignment; their own constructors go round that.
_set = object.__setattr__


class Scalar:
    """An integer modulo the group's order, reduced and immutable.

    `Scalar(value)` reduces nothing: it raises `LocalError` unless `0 <= value < ORDER`.
    """

    __slots__ = ("value",)
    value: int

    def __init__(self, value: int) -> None:
        """Take a reduced integer; raises `LocalError` for another type, and unless `0 <= value <
        ORDER`.
        """
        # Not isinstance: True is an int, too.
        if type(value) is not int:
            raise LocalError(f"a scalar is an int, not {type(value).__name__}")
        if not 0 <= value < ORDER:
            raise LocalError("a scalar must lie between 0 and the group's order")
        _set(self, "value", value)

    @classmethod
    def from_bytes(cls, data: bytes) -> Scalar:
        """Return the scalar that exactly 32 big-endian bytes encode.

        Raises `MalformedMessage` with `scalar.type`, `scalar.length` or `scalar.range`.
        """
        # A caller's mistake alone: what a message holds is bytes (specs 6.3).
        if type(data) is not bytes:
            raise MalformedMessage("scalar.type", type(data).__name__)
        if len(data) != SCALAR_BYTES:
            raise MalformedMessage("scalar.length", f"{len(data)} bytes, expected {SCALAR_BYTES}")
        value = int.from_bytes(data, "big")
        # A scalar has one spelling, so that a message has one name (attacks.md, G3).
        if value >= ORDER:
            raise MalformedMessage("scalar.range", "not below the group's order")
        return cls(value)

    @classmethod
    def nonzero_from_bytes(cls, data: bytes) -> Scalar:
        """Return the scalar that exactly 32 big-endian bytes encode, other than 0.

        Raises `MalformedMessage` as `from_bytes` does, and with `scalar.zero` for 0.
        """
        # No message holds such a scalar (specs 6.3): the conformance kit alone asks for it.
        scalar = cls.from_bytes(data)
        if scalar.value == 0:
            raise MalformedMessage("scalar.zero")
        return scalar

    @classmethod
    def uniform(cls, wide: bytes) -> Self:
        """Return the scalar, secret if the class is, that exactly 64 uniform bytes give:
        big-endian, reduced modulo the order (bias below 2^-256).

        Raises LocalError for another number of bytes.
        """
        # Exact: a bytearray could change after the check.
        if type(wide) is not bytes or len(wide) != WIDE_BYTES:
            raise LocalError(f"a uniform scalar is drawn from exactly {WIDE_BYTES} bytes")
        return cls(int.from_bytes(wide, "big") % ORDER)

    def to_bytes(self) -> bytes:
        """Return the scalar as 32 bytes, big-endian."""
        return self.value.to_bytes(SCALAR_BYTES, "big")

    def _of(self, other: Scalar, value: int) -> Scalar:
        """Return `value` reduced modulo the order, as a SecretScalar if this scalar or `other`
        is one.
        """
        # What is computed from a secret stays one until somebody says that it is public.
        secret = isinstance(self, SecretScalar) or isinstance(other, SecretScalar)
        # Past the constructor: the value is reduced right here, so nothing is left to judge.
        result: Scalar = object.__new__(SecretScalar if secret else Scalar)
        _set(result, "value", value % ORDER)
        return result

    def __add__(self, other: Scalar) -> Scalar:
        """Return the sum modulo the order; secret if either operand is."""
        return self._of(other, self.value + other.value)

    def __sub__(self, other: Scalar) -> Scalar:
        """Return the difference modulo the order; secret if either operand is."""
        return self._of(other, self.value - other.value)

    def __mul__(self, other: Scalar) -> Scalar:
        """Return the product modulo the order; secret if either operand is."""
        return self._of(other, self.value * other.value)

    def __neg__(self) -> Scalar:
        """Return the opposite modulo the order; secret if this is."""
        return self._of(self, -self.value)

    def __bool__(self) -> bool:
        """Tell whether the scalar differs from 0."""
        return self.value != 0

    def __eq__(self, other: object) -> bool:
        """Tell whether `other` is a scalar of the same value, secret or not."""
        # In variable time, as all with Python's integers; no scalar of a peer is compared with a
        # secret.
        return isinstance(other, Scalar) and self.value == other.value

    def __hash__(self) -> int:
        """Return a hash of the value."""
        return hash(self.value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Raise AttributeError: scalars are immutable."""
        raise AttributeError("scalars are immutable")

    def __delattr__(self, name: str) -> NoReturn:
        """Raise AttributeError: scalars are immutable."""
        raise AttributeError("scalars are immutable")

    def __repr__(self) -> str:
        """Return the scalar as text, its value in hexadecimal."""
        return f"Scalar({self.value:#x})"

    def __reduce__(self) -> tuple[type[Scalar], tuple[int]]:
        """Return how pickle makes the scalar again: from its value."""
        return Scalar, (self.value,)


class SecretScalar(Scalar):
    """A scalar that never shows its value in repr, str or format, and refuses pickling and hashing.

    Results computed from it are secret, too; `Scalar(secret.value)` is public.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        """Return a text without the value."""
        return "SecretScalar(<redacted>)"

    def __hash__(self) -> NoReturn:
        """Raise TypeError: a hash would show the value."""
        # Python's hash of a small object is derived from its value, and ends up in dictionaries and
        # logs.
        raise TypeError("a secret scalar is not hashable: its hash would show it")

    def __reduce__(self) -> NoReturn:
        """Raise TypeError: secrets are neither pickled nor copied."""
        raise TypeError("a secret scalar cannot be pickled or copied")


def secret_scalar(entropy: Entropy) -> SecretScalar:
    """Draw a nonzero secret scalar from 64 bytes of `entropy`; raises `LocalError` if they
    reduce to 0.
    """
    secret = SecretScalar.uniform(entropy(WIDE_BYTES))
    if not secret:
        raise LocalError("the random source gave a zero secret")
    return secret
