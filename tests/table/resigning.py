"""A second good signature under one body, which only the owner of the key can make."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha512

from protocol import labels
from protocol.hashing import frame
from protocol.wire import edwards
from protocol.wire.charter import Charter
from protocol.wire.envelope import VERSION, Envelope
from tests.table.seating import signing_key

NONCE = 12_345


def signed_again(made: Envelope, agreed: Charter) -> Envelope:
    """The envelope with a signature under another nonce: R = rB, S = r + H(R, A, M) a."""
    key, prime = signing_key(made.seat), edwards.PRIME
    seed = sha512(key.revealed_seed()).digest()
    secret = int.from_bytes(seed[:32], "little") & (1 << 254) - 8 | 1 << 254
    y = 4 * pow(5, prime - 2, prime) % prime
    x = edwards._recover_x(y, 0)
    point = edwards._times(NONCE, (x, y, 1, x * y % prime))
    inverse = pow(point[2], prime - 2, prime)
    point_x, point_y = point[0] * inverse % prime, point[1] * inverse % prime
    r_bytes = (point_y | (point_x & 1) << 255).to_bytes(32, "little")
    header = bytes((VERSION, made.purpose, made.seat))
    text = frame(labels.SIGNATURE, header, agreed.digest, made.body)
    public = key.public.to_bytes()
    challenge = int.from_bytes(sha512(r_bytes + public + text).digest(), "little")
    response = (NONCE + challenge * secret) % edwards.ORDER
    return replace(made, signature=r_bytes + response.to_bytes(32, "little"))
