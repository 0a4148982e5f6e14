"""A frame of the screen as a picture.

It is made of what the screen shows, with its colours, and of nothing else: no time of day, no font
or address of anybody, so that the same moment always gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Final, NamedTuple

from cli.sanitize import cells_of
from cli.screen.canvas import Frame, Ground, Span, Style
from cli.screen.preferences import Colouring

_NAMED: Final = {"ansired": "#ef6b73", "ansigreen": "#8bc34a", "ansiyellow": "#e5c07b",
                 "ansiblue": "#61afef", "ansicyan": "#4fc1cf", "ansibrightblack": "#8a919e",
                 "ansibrightblue": "#82aaff"}  # fmt: skip
_PAPER, _INK = "#16181d", "#d8dae0"


class Look(NamedTuple):
    """How a style is drawn on a ground."""

    colour: str
    ground: str
    bold: bool = False
    underlined: bool = False


def look_of(words: str) -> Look:
    """Return the look that words of a palette tell."""
    said = words.split()
    named = {part: name for part, _, name in (each.partition(":") for each in said)}
    colour, ground = (named.get(part, plain) for part, plain in (("fg", _INK), ("bg", _PAPER)))
    colour, ground = _NAMED.get(colour, colour), _NAMED.get(ground, ground)
    if "reverse" in said:
        colour, ground = ground, colour
    return Look(colour, ground, "bold" in said, "underline" in said)


WIDE: Final = 9
HIGH: Final = 19
_EDGE: Final = 12
_BASE: Final = 14
"""From the top of a row to the line on which letters stand."""


def picture(frame: Frame, columns: int, *, title: str, colouring: Colouring) -> str:
    """Return the frame as an SVG that needs no font but some monospaced one."""
    looks = {each: look_of(words) for each, words in colouring.palette({}).items()}
    plain = looks[Style.PLAIN, Ground.SHEET]
    width, height = columns * WIDE + 2 * _EDGE, len(frame.lines) * HIGH + 2 * _EDGE
    drawn = "\n".join(
        piece
        for row, line in enumerate(frame.lines)
        for piece in _drawn(row, line, looks, plain.ground)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" role="img">\n'
        f"<title>{escape(title)}</title>\n"
        f'<rect width="{width}" height="{height}" rx="8" fill="{plain.ground}"/>\n'
        f'<g font-family="ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace"'
        f' font-size="15" fill="{plain.colour}" xml:space="preserve">\n{drawn}\n</g>\n</svg>\n'
    )


def _drawn(
    row: int, line: Iterable[Span], looks: Mapping[tuple[Style, Ground], Look], paper: str
) -> Iterator[str]:
    """Yield the words of a row, each in its own cells, whatever the font is."""
    column, top = 0, _EDGE + row * HIGH
    for style, text, ground in line:
        look, cells = looks[style, ground], cells_of(text)
        if look.ground != paper:
            yield (
                f'<rect x="{_EDGE + column * WIDE}" y="{top}" width="{cells * WIDE}"'
                f' height="{HIGH}" fill="{look.ground}" shape-rendering="crispEdges"/>'
            )
        marks = "".join(
            (
                ' font-weight="bold"' if look.bold else "",
                ' text-decoration="underline"' if look.underlined else "",
            )
        )
        place = column
        for word in text.split(" "):
            taken = cells_of(word)
            if word:
                left = _EDGE + place * WIDE
                yield (
                    f'<text x="{left}" y="{top + _BASE}" fill="{look.colour}"{marks}'
                    f' textLength="{taken * WIDE}" lengthAdjust="spacingAndGlyphs">'
                    f"{escape(word)}</text>"
                )
            place += taken + 1
        column += cells
