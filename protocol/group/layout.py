"""Fixed layouts: points and scalars side by side, read strictly and written back the same.

A proof's shape follows from the verifier's own state (how many cards, how many halves), so its
encoding holds neither counts nor tags: exactly so many bytes, each field checked as it is read.
"""

from __future__ import annotations

from collections.abc import Iterable

from protocol.errors import MalformedMessage
from protocol.group.point import POINT_BYTES, Point
from protocol.group.scalar import SCALAR_BYTES, Scalar


class LayoutReader:
    """Reads points and scalars, one after the other, from bytes of exactly the announced length.

    Raises `MalformedMessage`: `<name>.type` or `<name>.length` at once, and `point.*` or `scalar.*`
    at the field that fails.
    """

    __slots__ = ("_data", "_place")

    def __init__(self, name: str, data: bytes, *, points: int, scalars: int) -> None:
        """Take `data`, which must hold exactly `points` points and `scalars` scalars; `name`
        begins the names of failed checks.
        """
        expected = points * POINT_BYTES + scalars * SCALAR_BYTES
        # Exact types: a bytearray could change after it was checked.
        if type(data) is not bytes:
            raise MalformedMessage(f"{name}.type", type(data).__name__)
        if len(data) != expected:
            raise MalformedMessage(f"{name}.length", f"{len(data)} bytes, expected {expected}")
        self._data = data
        self._place = 0

    def _take(self, length: int, count: int) -> list[bytes]:
        """Return the next `count` pieces of `length` bytes each, and move on behind them; the
        caller takes no more than `data` holds.
        """
        start, self._place = self._place, self._place + count * length
        return [self._data[at : at + length] for at in range(start, self._place, length)]

    def points(self, count: int) -> tuple[Point, ...]:
        """Return the next `count` points, 33 bytes each; raises `MalformedMessage` `point.*`."""
        return tuple(map(Point.from_bytes, self._take(POINT_BYTES, count)))

    def scalars(self, count: int) -> tuple[Scalar, ...]:
        """Return the next `count` scalars, 32 bytes each; raises `MalformedMessage`
        `scalar.range` for one not below the group's order.
        """
        return tuple(map(Scalar.from_bytes, self._take(SCALAR_BYTES, count)))


def join(points: Iterable[Point], scalars: Iterable[Scalar] = ()) -> bytes:
    """Return the points, 33 bytes each, then the scalars, 32 bytes each, as one string of bytes."""
    return b"".join(
        [*[point.to_bytes() for point in points], *[scalar.to_bytes() for scalar in scalars]]
    )


#: A point, or the first point less the second: never computed alone, so it may be the identity.
Difference = tuple[Point] | tuple[Point, Point]
