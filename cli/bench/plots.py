"""Curves and bars as SVG, written by hand: one page, two axes, a legend, no library.

The picture names its own colours, so that it is legible on a dark page as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise
from math import ceil, floor, log10
from typing import Final, NamedTuple

from cli.bench.figures import Curve

WIDTH: Final = 640
HEIGHT: Final = 360
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 24, 48
COLOURS: Final = ("#1b6ca8", "#c8553d", "#3c8d5a", "#7d4f9e", "#8a6d1d")
_INK: Final = "#333333"
_GRID: Final = "#dddddd"
_TICKS: Final = 5
SVG_HEAD: Final = (
    f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"'
    f' viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12"'
    f' fill="{_INK}" role="img" aria-label="'
)
"""How every picture of ours begins, and hardly another."""


class Axis(NamedTuple):
    """A range of values along so many pixels, with the values that are written beside it."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool
    ticks: tuple[float, ...]

    @classmethod
    def over(cls, values: Sequence[float], start: float, end: float, *, logarithmic: bool) -> Axis:
        """The axis that shows all `values`; from zero, unless it is logarithmic."""
        if logarithmic:
            powers = range(floor(log10(min(values))), ceil(log10(max(values))) + 1)
            ticks = tuple(10.0**power for power in powers)
            if len(ticks) == 1:
                ticks = (ticks[0], 10 * ticks[0])
        else:
            step = _step(max(values) or 1.0)
            ticks = tuple(step * count for count in range(ceil(max(values) / step) + 1 or 2))
        return cls(ticks[0], ticks[-1], start, end, logarithmic, ticks)

    def at(self, value: float) -> float:
        """The pixel of a value."""
        low, high, here = self.low, self.high, value
        if self.logarithmic:
            low, high, here = log10(low), log10(high), log10(value)
        return self.start + (self.end - self.start) * (here - low) / ((high - low) or 1.0)


def _step(highest: float) -> float:
    """A round distance between ticks."""
    raw = highest / _TICKS
    power: float = 10.0 ** floor(log10(raw))
    return next(power * factor for factor in (1, 2, 5, 10) if raw <= power * factor)


def svg_lines(curve: Curve, *, caption: str) -> str:
    """The curve's lines with their points marked. Raises ValueError where there is no point."""
    points = [point for line in curve.lines.values() for point in line]
    if not points:
        raise ValueError(f"there is nothing to draw of {curve.name}")
    x, y = _axes(points, logarithmic=curve.logarithmic)
    body = []
    for number, (name, line) in enumerate(curve.lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        places = [(x.at(each), y.at(value)) for each, value in line]
        path = " ".join(f"{each:.1f},{value:.1f}" for each, value in places)
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        if len(places) <= 12:
            body += [
                f'<circle cx="{each:.1f}" cy="{value:.1f}" r="3.5" fill="{colour}"/>'
                for each, value in places
            ]
        body.append(_legend(len(curve.lines) - number, name, colour))
    return _page(curve, caption, x, y, body)


def svg_bars(curve: Curve, *, caption: str) -> str:
    """The first line as bars, each from its x to the next. Raises ValueError where there is none.

    The bars are as wide as the smallest distance between two of them.
    """
    line = next(iter(curve.lines.values()), ())
    if not line:
        raise ValueError(f"there is nothing to draw of {curve.name}")
    starts = sorted(each for each, _ in line)
    width = min((b - a for a, b in pairwise(starts)), default=1.0)
    x, y = _axes([*line, (starts[-1] + width, 0.0)], logarithmic=False)
    body = [
        f'<rect x="{x.at(each):.1f}" y="{y.at(value):.1f}"'
        f' width="{max(1.0, x.at(each + width) - x.at(each) - 1):.1f}"'
        f' height="{y.at(0.0) - y.at(value):.1f}" fill="{COLOURS[0]}"/>'
        for each, value in line
    ]
    return _page(curve, caption, x, y, body)


def _axes(points: Sequence[tuple[float, float]], *, logarithmic: bool) -> tuple[Axis, Axis]:
    x = Axis.over([each for each, _ in points], LEFT, WIDTH - RIGHT, logarithmic=logarithmic)
    y = Axis.over([each for _, each in points], HEIGHT - BOTTOM, TOP, logarithmic=logarithmic)
    return x, y


def _legend(above: int, name: str, colour: str) -> str:
    """A line of the legend, so many above the foot on the right, where most curves are not."""
    x, y = WIDTH - RIGHT - 240, HEIGHT - BOTTOM - 18 * above + 6
    return (
        f'<rect x="{x}" y="{y - 9}" width="12" height="12" fill="{colour}"/>'
        f'<text x="{x + 18}" y="{y + 1}">{escape(name)}</text>'
    )


def _page(curve: Curve, caption: str, x: Axis, y: Axis, body: list[str]) -> str:
    base = HEIGHT - BOTTOM
    grid = [
        f'<line x1="{LEFT}" y1="{y.at(tick):.1f}" x2="{WIDTH - RIGHT}" y2="{y.at(tick):.1f}"'
        f' stroke="{_GRID}"/><text x="{LEFT - 6}" y="{y.at(tick) + 4:.1f}"'
        f' text-anchor="end">{tick:,g}</text>'
        for tick in y.ticks
    ]
    feet = [
        f'<text x="{x.at(tick):.1f}" y="{base + 16}" text-anchor="middle">{tick:,g}</text>'
        for tick in x.ticks
    ]
    labels = [
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 12}"'
        f' text-anchor="middle">{escape(curve.x)}</text>',
        f'<text x="{LEFT}" y="14">{escape(curve.y)}</text>',
        f'<text x="{WIDTH - RIGHT}" y="14" text-anchor="end"'
        f' font-size="10">{escape(caption)}</text>',
    ]
    inner = "\n".join([*grid, *feet, *labels, *body])
    return (
        f'{SVG_HEAD}{escape(curve.y)} by {escape(curve.x)}">\n'
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n{inner}\n</svg>\n'
    )
