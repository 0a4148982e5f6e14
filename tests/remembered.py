"""A curve library that remembers its products, for seats that share a process.

Those of a table check the same equations with the same points, one after the other: a fifth of the
time of such tests goes into products that are known. What is remembered are values of the library,
below our own code, all of which runs as it does anywhere; `--long` remembers nothing.
"""

from __future__ import annotations

from typing import Any, Final

from protocol.group.point import PublicKey

MOST: Final = 100_000
"""Products that are kept: some 50 MB. Tables of equal seeds are dealt in many tests of a file."""


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
