"""A screen as a picture: cells of text in SVG, with no font of its own and nothing to fetch."""

from __future__ import annotations

from xml.sax.saxutils import escape

from cli.sanitize import cells_of
from cli.screen.canvas import Frame, Style

CELL, ROW, EDGE = 8.4, 18, 12
_LOOKS = {
    Style.FAINT: "fill:#8b949e",
    Style.STRONG: "font-weight:bold",
    Style.TITLE: "fill:#56d4dd;font-weight:bold",
    Style.RED: "fill:#ff7b72;font-weight:bold",
    Style.BACK: "fill:#6cb6ff",
    Style.TURN: "fill:#7ee787;font-weight:bold",
    Style.CHOSEN: "fill:#e6edf3;font-weight:bold;text-decoration:underline",
    Style.CHOSEN_RED: "fill:#ff7b72;font-weight:bold;text-decoration:underline",
    Style.KEY: "text-decoration:underline",
    Style.WARNING: "fill:#f2cc60;font-weight:bold",
    Style.GOOD: "fill:#7ee787",
    Style.TRUST: "fill:#8b949e",
}


def picture(frame: Frame, title: str) -> str:
    """Return the frame as SVG; every piece of text is as wide as its cells, in any font."""
    columns = max(sum(cells_of(span.text) for span in line) for line in frame.lines)
    width, height = columns * CELL + 2 * EDGE, len(frame.lines) * ROW + 2 * EDGE
    rules = "".join(f".{style.value}{{{look}}}" for style, look in _LOOKS.items())
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}"'
        ' font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14" fill="#e6edf3">',
        f"<title>{escape(title)}</title>",
        f"<style>{rules}text{{white-space:pre}}</style>",
        f'<rect width="{width:.0f}" height="{height:.0f}" rx="8" fill="#0d1117"/>',
    ]
    for row, line in enumerate(frame.lines, start=1):
        column = 0
        for span in line:
            cells = cells_of(span.text)
            if text := span.text.rstrip():
                indent = cells_of(text) - cells_of(text.lstrip())
                x, y = EDGE + (column + indent) * CELL, EDGE + row * ROW - 5
                long = cells_of(text.lstrip()) * CELL
                drawn.append(
                    f'<text x="{x:.1f}" y="{y}" class="{span.style.value}"'
                    f' textLength="{long:.1f}">{escape(text.lstrip())}</text>'
                )
            column += cells
    return "\n".join((*drawn, "</svg>", ""))
