"""Hedged secrets for proofs: a broken random source must not reveal what they protect.

A nonce used twice for two challenges gives the witness away by one subtraction (attacks.md, A7). So
nonces come from a hash over the witness, the whole statement, its session and 32 fresh bytes:
with good randomness they are random; with a constant or known source they still differ between
any two statements and are known to nobody who does not know the witness. The same statement,
witness and bytes give the same proof again, which is harmless.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from protocol.encoding import wide_digest
from protocol.entropy import Entropy
from protocol.errors import LocalError

# 256 bits are enough alone, where the random source is good.
FRESH_BYTES = 32


class HedgedSource:
    """A supply of secret scalars without end for one proof; each is handed out once."""

    __slots__ = ("_count", "_label", "_order", "_seed")

    def __init__(
        self,
        label: bytes,
        statement: Sequence[bytes],
        witness: Sequence[int],
        order: int,
        entropy: Entropy,
    ) -> None:
        """Derive the supply from a label, the statement's bytes, the witness and 32 fresh bytes;
        its scalars are below `order`.

        Raises `LocalError` if `entropy` gives another number of bytes.
        """
        fresh = entropy(FRESH_BYTES)
        # Less than that, or what can still change, comes from a source that is broken.
        if type(fresh) is not bytes or len(fresh) != FRESH_BYTES:
            raise LocalError("the random source did not give what it was asked for")
        width = (order.bit_length() + 7) // 8
        secrets = b"".join(secret.to_bytes(width, "big") for secret in witness)
        # 64 bytes: each scalar below is hashed from it with its number.
        self._seed = wide_digest(label, *statement, secrets, fresh)
        self._label = label
        self._order = order
        self._count = 0

    def next_scalar(self) -> int:
        """Return the next secret scalar, uniform below the order."""
        self._count += 1
        # 512 bits, so that the remainder below has no bias that could be noticed.
        wide = wide_digest(self._label, self._seed, self._count.to_bytes(4, "big"))
        return int.from_bytes(wide, "big") % self._order

    def scalars(self, count: int) -> tuple[int, ...]:
        """Return the next `count` secret scalars, each uniform below the order."""
        return tuple(self.next_scalar() for _ in range(count))

    def __repr__(self) -> str:
        """Return a text without any secret."""
        return "HedgedSource(<redacted>)"

    def __reduce__(self) -> NoReturn:
        """Raise TypeError: a copy would give the same nonces again."""
        # A nonce used twice gives the witness away (attacks.md, A7, FS9).
        raise TypeError("a source of nonces cannot be pickled or copied: a copy repeats them")
