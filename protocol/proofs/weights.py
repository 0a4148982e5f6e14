"""Short scalars for challenges and weights: 128 bits of choice at half the price.

A weight is `a + b·λ` with a in 1..2^64 and b in 0..2^64-1, where λ is the cube root of one modulo
the group's order that belongs to the curve's endomorphism. The library splits every scalar into
exactly such a pair before it multiplies, so that half the doublings fall away ("endoscaling",
Bowe, Grigg, Hopwood 2019). The map from (a, b) is injective and no difference of two weights is
zero: the lattice of pairs that give zero has no vector shorter than 2^127. So a set of 2^128
challenges remains, each difference invertible, which is what special soundness and the
Schwartz-Zippel lemma ask for.
"""

from __future__ import annotations

from struct import iter_unpack
from typing import Final

from protocol.group.scalar import ORDER
from protocol.proofs.sponge import DuplexSponge

# Of the two cube roots of one besides 1 the one that libsecp256k1 uses, or nothing is saved.
LAMBDA: Final = 0x5363AD4CC05C30E0A5261C028812645A122E22EA20816678DF02967C1B23BD72
# Eight for each half of a weight.
WEIGHT_BYTES: Final = 16


def weight(drawn: bytes) -> int:
    """Return the weight `a + b·λ` of 16 uniform bytes, whose little-endian halves are a-1 and b;
    it is never zero.
    """
    (only,) = _weights(drawn)
    return only


def draw_weights(sponge: DuplexSponge, count: int) -> list[int]:
    """Return the next `count` weights of a sponge's stream, 16 bytes each."""
    return _weights(sponge.squeeze(count * WEIGHT_BYTES))


def _weights(drawn: bytes) -> list[int]:
    """Return one weight below ORDER for every 16 bytes of `drawn`, in order; empty for no bytes."""
    # low + 1, so that no weight is zero.
    return [(low + 1 + high * LAMBDA) % ORDER for low, high in iter_unpack("<QQ", drawn)]
