"""secp256k1 in plain integers: what decides whether the curve library was right to refuse.

A refusal of the library becomes somebody's fault only if it is true by this arithmetic, which has
nothing in common with the library; any other refusal is a fault of ours. Slow and in variable time:
for public points, and for the rare moment of a refusal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

FIELD: Final = 2**256 - 2**32 - 977
_B: Final = 7


def has_point(x: int) -> bool:
    """Tell whether some point of the curve has this x, which must lie below the field's prime."""
    if not 0 <= x < FIELD:
        return False
    right = (x * x * x + _B) % FIELD
    root = pow(right, (FIELD + 1) // 4, FIELD)
    return root * root % FIELD == right


def adds_up_to_nothing(points: Iterable[tuple[int, int]]) -> bool:
    """Tell whether points, given by their affine coordinates, add up to the identity."""
    total: tuple[int, int] | None = None
    for point in points:
        total = point if total is None else _sum(total, point)
    return total is None


def _sum(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int] | None:
    """Return the sum of two points, None for the identity."""
    (x1, y1), (x2, y2) = left, right
    if x1 != x2:
        slope = (y2 - y1) * pow(x2 - x1, -1, FIELD) % FIELD
    elif y1 == y2:  # no point has y = 0: the group's order is odd
        slope = 3 * x1 * x1 * pow(2 * y1, -1, FIELD) % FIELD
    else:
        return None
    x = (slope * slope - x1 - x2) % FIELD
    return x, (slope * (x1 - x) - y1) % FIELD
