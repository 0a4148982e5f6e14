"""The group a proof runs over: what the proof engine needs of one, and secp256k1 as that group.

Modelled on draft-irtf-cfrg-sigma-protocols-03 section 2.3 (group abstraction) and section 8
(ciphersuites). The suite for secp256k1 is ours, named and encoded like the draft's P-256: SEC 1
compressed points (33 bytes), big-endian scalars (32 bytes), challenges decoded little-endian from
48 squeezed bytes. Points are never the identity: it is `None` where a result may be it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, TypeVar

from protocol.errors import IdentityPoint, MalformedMessage
from protocol.group import point as group
from protocol.group.scalar import ORDER, SCALAR_BYTES

Element = TypeVar("Element")


class Group(Protocol[Element]):
    """A group of prime order with canonical encodings of fixed width."""

    ciphersuite: bytes  #: The name of the suite, which is hashed into the session of every proof.
    order: int  #: The group's prime order.
    element_bytes: int  #: The number of bytes of an encoded element.
    scalar_bytes: int  #: The number of bytes of an encoded scalar.
    generator: Element  #: The group's standard generator.

    def encode(self, element: Element) -> bytes:
        """Return the canonical encoding of an element."""
        ...

    def decode(self, data: bytes) -> Element:
        """Return the element that `data` encodes; raises `MalformedMessage` for bytes that are
        not canonical.
        """
        ...

    def combine(self, terms: Sequence[tuple[int, Element]]) -> Element | None:
        """Return the sum of `scalar · element` over all terms, scalars from 0 to order-1; None
        for the identity, as for no terms.
        """
        ...


class Secp256k1:
    """secp256k1 for the proof engine, on the operations of `protocol.group.point`."""

    __slots__ = ()
    # Named as the draft names its own suites.
    ciphersuite: bytes = b"sigma-proofs_Shake128_secp256k1"
    order: int = ORDER
    element_bytes: int = group.POINT_BYTES
    scalar_bytes: int = SCALAR_BYTES
    generator: group.Point = group.GENERATOR

    def encode(self, element: group.Point) -> bytes:
        """Return a point as 33 bytes, SEC 1 compressed."""
        return element.to_bytes()

    def decode(self, data: bytes) -> group.Point:
        """Return the point that 33 bytes encode; raises `MalformedMessage` `point.*`."""
        return group.Point.from_bytes(data)

    def combine(self, terms: Sequence[tuple[int, group.Point]]) -> group.Point | None:
        """Return the sum of `scalar · point` over all terms, in one call of the library; None
        for the identity.
        """
        try:
            return group.combine_reduced(terms)
        # The proof engine asks for a value: it has checks of its own for an identity.
        except IdentityPoint:
            return None


SECP256K1: Final = Secp256k1()


def decode_scalar(suite: Group[Element], data: bytes) -> int:
    """Return the scalar that big-endian bytes of exactly the suite's width encode.

    Raises `MalformedMessage` with `scalar.length` or `scalar.range`.
    """
    # Not by `Scalar`, which is secp256k1's: the draft's vectors run the engine over another group.
    if len(data) != suite.scalar_bytes:
        raise MalformedMessage("scalar.length", f"{len(data)} bytes")
    value = int.from_bytes(data, "big")
    if value >= suite.order:
        raise MalformedMessage("scalar.range", "not below the group's order")
    return value
