"""Small plots as SVG: a line for each side, told apart by its dashes, its marks and its name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from cli.page.tree import Node, drawn, element

WIDTH: Final = 360
HEIGHT: Final = 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 70, 10, 18
_DASHES: Final = ("", "6 4", "2 3", "9 3 2 3", "1 4", "12 4", "4 2 1 2", "8 8")
_LEAST_GAP: Final = 11
"""Between the names of two lines, in the SVG's units."""


def plot(title: str, sides: Sequence[str], values: Sequence[Sequence[int]]) -> Node:
    """Return an SVG of a line for each side; `values` are at least two rows, a number a side.

    Its description tells the same in words, for who does not see it.
    """
    low, high = min(min(row) for row in values), max(max(row) for row in values)
    low, high = min(low, 0), max(high, low + 1)
    across = (WIDTH - _LEFT - _RIGHT) / (len(values) - 1)
    down = (HEIGHT - _TOP - _BOTTOM) / (high - low)

    def at(place: int, value: int) -> tuple[float, float]:
        return _LEFT + place * across, HEIGHT - _BOTTOM - (value - low) * down

    told = "; ".join(
        f"{side}: {', '.join(str(row[number]) for row in values)}"
        for number, side in enumerate(sides)
    )
    parts = [element("title", title), element("desc", told)]
    for value in sorted({low, 0, high}):
        _, y = at(0, value)
        ends = {"x1": _LEFT, "y1": f"{y:.1f}", "x2": WIDTH - _RIGHT, "y2": f"{y:.1f}"}
        parts.append(drawn("line", {"class": "grid"} | ends))
        place = {"x": _LEFT - 5, "y": f"{y + 4:.1f}", "text-anchor": "end"}
        parts.append(drawn("text", place, str(value)))
    names = _apart([at(0, values[-1][number])[1] for number in range(len(sides))])
    for number, side in enumerate(sides):
        points = [at(place, row[number]) for place, row in enumerate(values)]
        line = {
            "class": f"side side{number % 4}",
            "points": " ".join(f"{x:.1f},{y:.1f}" for x, y in points),
        }
        dash = _DASHES[number % len(_DASHES)]
        parts.append(drawn("polyline", line | ({"stroke-dasharray": dash} if dash else {})))
        x, _ = points[-1]
        parts.append(drawn("text", {"x": f"{x + 5:.1f}", "y": f"{names[number] + 4:.1f}"}, side))
    shown = {"class": "plot", "viewBox": f"0 0 {WIDTH} {HEIGHT}", "role": "img"}
    return drawn("svg", shown, *parts)


def _apart(heights: Sequence[float]) -> list[float]:
    """Return the heights moved until no two names lie on each other, nor below the drawing."""
    moved = list(heights)
    order = sorted(range(len(heights)), key=lambda each: heights[each])
    for above, number in pairwise(order):
        moved[number] = max(moved[number], moved[above] + _LEAST_GAP)
    lowest = HEIGHT - 8.0
    for number in reversed(order):
        moved[number] = min(moved[number], lowest)
        lowest = moved[number] - _LEAST_GAP
    return moved
