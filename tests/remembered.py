"""Libraries that remember products and good signatures, for seats that share a process.

Those of a table check the same equations with the same points, one after the other, and the same
signatures: a quarter of the time of such tests goes into what is known. What is remembered are
values of the libraries, below our own code, all of which runs as it does anywhere; `--long`
remembers nothing.
"""

from __future__ import annotations

from typing import Any, Final

from protocol.group.point import PublicKey
from protocol.wire import identity

MOST: Final = 100_000
"""Products that are kept: some 50 MB. Tables of equal seeds are dealt in many tests of a file."""

MOST_SIGNATURES: Final = 20_000
"""Messages of which a signature is kept: some 10 MB."""

plain_multiply: Final = PublicKey.multiply
"""The library's own."""


def remember_products() -> None:
    """Let every key of the curve library give a product again that it gave before."""
    written = PublicKey.format
    products: dict[tuple[bytes, bytes], PublicKey] = {}

    def multiply(key: PublicKey, scalar: bytes, *more: Any, **named: Any) -> PublicKey:
        asked = (written(key), scalar)
        found = products.get(asked)
        if found is None:
            found = plain_multiply(key, scalar, *more, **named)
            if len(products) >= MOST:
                products.clear()
            products[asked] = found
        return found

    PublicKey.multiply = multiply


class _Remembering:
    """A key of the signature library, which looks once at a signature that was good."""

    good: Final[set[tuple[bytes, bytes, bytes]]] = set()

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._key = plain_key.from_public_bytes(data)

    @classmethod
    def from_public_bytes(cls, data: bytes) -> _Remembering:
        return cls(data)

    def verify(self, signature: bytes, data: bytes) -> None:
        asked = (self._data, signature, data)
        if asked not in self.good:
            self._key.verify(signature, data)
            if len(self.good) >= MOST_SIGNATURES:
                self.good.clear()
            self.good.add(asked)


plain_key: Final = identity.Ed25519PublicKey


def remember_signatures() -> None:
    """Let every public key of a peer know a signature again that was good before."""
    identity.Ed25519PublicKey = _Remembering  # type: ignore[assignment,misc]
