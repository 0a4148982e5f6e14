"""libsecp256k1 through btclib's binding, in the shape of coincurve's `PublicKey`.

For Pythons that coincurve has no wheels for (specs/decisions/031). The binding's own functions take
and give bytes, which would cost a square root for every operand; a key here stays what the library
itself works on, as in coincurve. Multiplication of the generator is blinded: the binding
randomises its context when it is imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from btclib_libsecp256k1 import ffi, keys, lib
from btclib_libsecp256k1.context import ctx

_SCALAR = 32  # bytes


class BtclibPoint:
    """A point other than the identity, as the library keeps it."""

    __slots__ = ("_kept",)

    def __init__(self, data: bytes) -> None:
        """Parse a point of 33 or 65 bytes; raises ValueError for bytes that are none."""
        # 65 for points that we computed ourselves: parsing those costs no square root.
        self._kept: Any = keys.parse(data)

    @classmethod
    def from_valid_secret(cls, secret: bytes) -> BtclibPoint:
        """Return `secret · G`; raises ValueError unless `secret` is 32 big-endian bytes from 1
        to ORDER-1.
        """
        made = ffi.new("secp256k1_pubkey *")
        if not lib.secp256k1_ec_pubkey_create(ctx, made, _check(secret)):
            raise ValueError("no scalar from 1 to the order")
        return _key(made)

    @classmethod
    def combine_keys(cls, public_keys: Sequence[BtclibPoint]) -> BtclibPoint:
        """Return the sum of one or more points; raises ValueError for none, and if the sum is
        the identity.
        """
        made = ffi.new("secp256k1_pubkey *")
        terms = [each._kept for each in public_keys]
        # An array of bare pointers: `terms` keeps the points alive while the library reads them.
        listed = ffi.new("secp256k1_pubkey *[]", terms)
        # The library would read past an empty list.
        if not terms or not lib.secp256k1_ec_pubkey_combine(ctx, made, listed, len(terms)):
            raise ValueError("the sum is no point")
        return _key(made)

    def multiply(self, scalar: bytes) -> BtclibPoint:
        """Return `scalar ·` this point; raises ValueError unless `scalar` is 32 big-endian bytes
        from 1 to ORDER-1.
        """
        # A copy: the library multiplies in place, and points are immutable.
        made = ffi.new("secp256k1_pubkey *", self._kept[0])
        if not lib.secp256k1_ec_pubkey_tweak_mul(ctx, made, _check(scalar)):
            raise ValueError("no scalar from 1 to the order")
        return _key(made)

    def format(self, compressed: bool = True) -> bytes:
        """Return the point as 33 bytes, or as 65 if not compressed."""
        return bytes(keys.serialize(self._kept, compressed))


def _check(scalar: bytes) -> bytes:
    """Return `scalar` if it is 32 bytes; raises ValueError otherwise."""
    # The library reads 32 bytes whatever it is given, past the end of fewer (attacks.md, G4).
    if type(scalar) is not bytes or len(scalar) != _SCALAR:
        raise ValueError("a scalar has 32 bytes")
    return scalar


def _key(kept: Any) -> BtclibPoint:
    """Return the point around `kept`, an object of the library."""
    # Not by `__init__`, which parses bytes: this is the product of a call, parsed already.
    made = BtclibPoint.__new__(BtclibPoint)
    made._kept = kept
    return made
