"""The duplex sponge behind every Fiat–Shamir challenge: SHAKE128 after draft-irtf-cfrg-fiat-shamir.

The names follow the draft: `DuplexSponge` is its duplex sponge interface in the SHAKE128 suite,
`derive_session_id` its DeriveSessionID, `decode_uint` its DecodeUint (DecodeField over a prime
field).
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import shake_128
from typing import Final

from protocol.errors import LocalError

SESSION_ID_BYTES: Final = 32
OVERSAMPLING_BYTES: Final = 16
"""Squeezed beyond a scalar's own bytes, so that the reduction's bias stays below 2^-128."""

_RATE: Final = 168
_SESSION_ID_LABEL: Final = b"irtf-cfrg-fiat-shamir/session-id"  # fixed by the draft


class DuplexSponge:
    """Absorbs bytes and squeezes challenges that depend on everything absorbed so far.

    Consecutive squeezes continue one stream, a non-empty absorb begins a new one, an empty absorb
    changes nothing. Absorbing "ab" and "c" equals absorbing "abc": the caller absorbs encodings
    that are prefix-free, such as fixed widths.
    """

    __slots__ = ("_offset", "_state")

    def __init__(self, session_id: bytes) -> None:
        """Start from a session identifier of 32 bytes; raises `LocalError` for another length."""
        if len(session_id) != SESSION_ID_BYTES:
            raise LocalError(f"a session identifier has {SESSION_ID_BYTES} bytes")
        self._state = shake_128(session_id + bytes(_RATE - SESSION_ID_BYTES))
        self._offset = 0

    def absorb(self, data: bytes) -> None:
        """Absorb any bytes."""
        if data:
            self._state.update(data)
            self._offset = 0

    def squeeze(self, length: int) -> bytes:
        """Return the next `length` bytes of the stream."""
        start = self._offset
        self._offset = start + length
        return self._state.digest(self._offset)[start:]

    def squeeze_scalar(self, order: int) -> int:
        """Return a challenge between 0 and `order`, uniform up to 2^-128 (DecodeField)."""
        width = (order.bit_length() + 7) // 8
        return decode_uint(self.squeeze(width + OVERSAMPLING_BYTES), order)


@lru_cache(maxsize=256)
def derive_session_id(tag: bytes) -> bytes:
    """Return the session identifier (32 bytes) of an application's tag."""
    sponge = DuplexSponge(_SESSION_ID_LABEL)
    sponge.absorb(tag)
    return sponge.squeeze(SESSION_ID_BYTES)


def decode_uint(squeezed: bytes, modulus: int) -> int:
    """Return the squeezed bytes as a little-endian integer modulo `modulus`."""
    return int.from_bytes(squeezed, "little") % modulus
