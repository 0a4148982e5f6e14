"""Signatures that only the owner of a key can make: under another nonce, with a chosen R."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha512
from typing import Any

from spake2 import ed25519_basic as curve

from protocol import labels
from protocol.encoding import frame
from protocol.wire.charter import Charter
from protocol.wire.envelope import VERSION, Envelope
from protocol.wire.identity import SigningKey
from tests.table.bus import signing_key

NONCE = 12_345
TORSION = curve.xform_affine_to_extended((0, curve.Q - 1))
"""The point of order two."""


def times(number: int, point: Any = curve.Base.XYTZ) -> Any:
    """So many times a point, the base if none is given."""
    return curve.scalarmult_element_safe_slow(point, number)


def encoded(point: Any) -> bytes:
    """The 32 bytes of a point."""
    return bytes(curve.encodepoint(curve.xform_extended_to_affine(point)))


def decoded(data: bytes) -> Any:
    """The point of 32 bytes."""
    return curve.xform_affine_to_extended(curve.decodepoint(data))


def signature_with(key: SigningKey, r_bytes: bytes, nonce: int, text: bytes) -> tuple[bytes, int]:
    """The signature that belongs to this R by the equation, S = r + H(R, A, M) a, and its
    challenge."""
    seed = sha512(key.revealed_seed()).digest()
    secret = int.from_bytes(seed[:32], "little") & (1 << 254) - 8 | 1 << 254
    hashed = sha512(r_bytes + key.public.to_bytes() + text).digest()
    challenge = int.from_bytes(hashed, "little") % curve.L
    response = (nonce + challenge * secret) % curve.L
    return r_bytes + response.to_bytes(32, "little"), challenge


def signed_again(made: Envelope, agreed: Charter) -> Envelope:
    """The envelope with a second good signature of its body, under another nonce."""
    header = bytes((VERSION, made.purpose, made.seat))
    text = frame(labels.SIGNATURE, header, agreed.digest, made.body)
    signature, _ = signature_with(signing_key(made.seat), encoded(times(NONCE)), NONCE, text)
    return replace(made, signature=signature)
