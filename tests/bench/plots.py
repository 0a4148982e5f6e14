"""Curves and bars as SVG, drawn by pygal: no script in them, and legible on a dark page.

Each begins with a line that names the data it was drawn from, by which the program knows its own
pictures and whether they are still those of the figures.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from hashlib import sha256
from typing import Final

import pygal
from pygal.etree import etree
from pygal.style import Style

from tests.bench.figures import Curve

WIDTH: Final = 720
HEIGHT: Final = 400
COLOURS: Final = ("#1b6ca8", "#c8553d", "#3c8d5a", "#7d4f9e", "#8a6d1d")
SVG_HEAD: Final = "<!-- drawn by tests.bench"
"""How every picture of ours begins, and hardly another."""
_LEFT_OUT: Final = re.compile(r"<!--.*?-->|<\?xml[^>]*\?>|<script\b.*?</script>", re.DOTALL)
"""Of what pygal writes: the day, and settings for a script that shows values under the mouse."""
_MOST_LABELS: Final = 12


def heading(curve: Curve, caption: str) -> str:
    """Return the first line of a curve's picture, which says what it was drawn from."""
    drawn = json.dumps([asdict(curve), caption], sort_keys=True)
    return f"{SVG_HEAD} from {sha256(drawn.encode()).hexdigest()} -->\n"


def svg(curve: Curve, *, caption: str) -> str:
    """Return the picture of a curve.

    Raises ValueError where there is no point in it.
    """
    if not any(curve.lines.values()):
        raise ValueError(f"there is nothing to draw of {curve.name}")
    etree.to_etree()  # another serialiser may be there, and be preferred
    style = Style(
        background="#ffffff", plot_background="#ffffff", colors=COLOURS, title_font_size=11
    )
    chart = (pygal.Bar if curve.bars else pygal.XY)(
        style=style,
        width=WIDTH,
        height=HEIGHT,
        explicit_size=True,
        js=(),
        legend_at_bottom=True,
        truncate_label=-1,
        title=caption or None,
        x_title=curve.x,
        y_title=curve.y,
        show_x_guides=False,
        include_x_axis=True,
        min_scale=4,
        dots_size=3 if max(map(len, curve.lines.values())) <= _MOST_LABELS else 0,
    )
    chart.uuid = curve.name  # else by chance
    if curve.bars:
        starts = sorted({x for line in curve.lines.values() for x, _ in line})
        chart.x_labels = [f"{x:g}" for x in starts]
        chart.x_labels_major_every = -(-len(starts) // _MOST_LABELS)
        chart.show_minor_x_labels = False
        for name, line in curve.lines.items():
            chart.add(name, [dict(line).get(x) for x in starts])
    else:
        for name, line in curve.lines.items():
            chart.add(name, list(line))
    drawn: str = chart.render(is_unicode=True)
    return heading(curve, caption) + _LEFT_OUT.sub("", drawn).strip() + "\n"
