"""The duplex sponge behind every Fiat–Shamir challenge, and the short weights that it gives.

It is SHAKE128 after draft-irtf-cfrg-fiat-shamir.

The names follow the draft: `DuplexSponge` is its duplex sponge interface in the SHAKE128 suite,
`derive_session_id` its DeriveSessionID, `decode_uint` its DecodeUint (DecodeField over a prime
field).
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import shake_128
from struct import iter_unpack
from typing import Final

from protocol.errors import LocalError
from protocol.group.scalar import ORDER

SESSION_ID_BYTES: Final = 32  # fixed by the draft
#: Squeezed beyond a scalar's own bytes, so that the reduction's bias stays below 2^-128.
OVERSAMPLING_BYTES: Final = 16

# Bytes of a block of SHAKE128.
_RATE: Final = 168
_SESSION_ID_LABEL: Final = b"irtf-cfrg-fiat-shamir/session-id"  # fixed by the draft


class DuplexSponge:
    """Absorbs bytes and squeezes challenges that depend on everything absorbed so far.

    Consecutive squeezes continue one stream, a non-empty absorb begins a new one. Absorbing "ab"
    and "c" equals absorbing "abc": absorb encodings that are prefix-free, such as fixed widths.
    """

    __slots__ = ("_offset", "_state")

    def __init__(self, session_id: bytes) -> None:
        """Start from a session identifier of 32 bytes; raises `LocalError` for another length."""
        if len(session_id) != SESSION_ID_BYTES:
            raise LocalError(f"a session identifier has {SESSION_ID_BYTES} bytes")
        # Filled up to one block of SHAKE128: the draft's initial state.
        self._state = shake_128(session_id + bytes(_RATE - SESSION_ID_BYTES))
        self._offset = 0

    def absorb(self, data: bytes) -> None:
        """Absorb bytes; the empty string changes nothing."""
        if data:
            # Squeezing changed nothing in it: what is absorbed now joins all that was before.
            self._state.update(data)
            self._offset = 0

    def squeeze(self, length: int) -> bytes:
        """Return the next `length` bytes of the stream."""
        start = self._offset
        self._offset = start + length
        # Python's SHAKE has no stream: it is asked for everything so far, and the rest is cut off.
        return self._state.digest(self._offset)[start:]

    def squeeze_scalar(self, order: int) -> int:
        """Return a challenge from 0 to order-1, uniform up to 2^-128 (DecodeField)."""
        width = (order.bit_length() + 7) // 8
        return decode_uint(self.squeeze(width + OVERSAMPLING_BYTES), order)


# A seat proves and then judges its own message, both under one tag. Bounded: nearly every proof has
# a tag of its own, so that old ones are of no use.
@lru_cache(maxsize=256)
def derive_session_id(tag: bytes) -> bytes:
    """Return the session identifier, 32 bytes, of an application's tag (DeriveSessionID)."""
    sponge = DuplexSponge(_SESSION_ID_LABEL)
    sponge.absorb(tag)
    return sponge.squeeze(SESSION_ID_BYTES)


def decode_uint(squeezed: bytes, modulus: int) -> int:
    """Return bytes as a little-endian integer modulo `modulus` (DecodeUint)."""
    # Callers squeeze OVERSAMPLING_BYTES more than the modulus has, so that no remainder is
    # likelier.
    return int.from_bytes(squeezed, "little") % modulus


# A weight is a + b·λ with a in 1..2^64 and b in 0..2^64-1, where λ is the cube root of one modulo
# the group's order that belongs to the curve's endomorphism. The library splits every scalar into
# exactly such a pair before it multiplies, so that half the doublings fall away ("endoscaling",
# Bowe, Grigg, Hopwood 2019). The map from (a, b) is injective and no difference of two weights is
# zero: the lattice of pairs that give zero has no vector shorter than 2^127. So a set of 2^128
# challenges remains, each difference invertible, which is what special soundness and the Schwartz-
# Zippel lemma ask for.
# Of the two cube roots of one besides 1 the one that libsecp256k1 uses, or nothing is saved.
LAMBDA: Final = 0x5363AD4CC05C30E0A5261C028812645A122E22EA20816678DF02967C1B23BD72
# Eight for each half of a weight.
WEIGHT_BYTES: Final = 16


def draw_weights(sponge: DuplexSponge, count: int) -> list[int]:
    """Return the next `count` weights of a sponge's stream, each below ORDER and none of them zero:
    `a + b·λ` of 16 bytes, whose little-endian halves are a-1 and b.
    """
    drawn = sponge.squeeze(count * WEIGHT_BYTES)
    return [(low + 1 + high * LAMBDA) % ORDER for low, high in iter_unpack("<QQ", drawn)]
