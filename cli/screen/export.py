"""A frame of the screen as an SVG picture.

It holds what the screen shows, with its colours: no time, no font and no name of the machine, so
that the same moment always gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Final, NamedTuple

from cli.sanitize import cells_of
from cli.screen.canvas import Frame, Ground, Span, Style
from cli.screen.preferences import Colouring

# Named colours are the terminal's own; a file needs values. These are all that `SOBER` names.
_NAMED: Final = {"ansired": "#ef6b73", "ansigreen": "#8bc34a", "ansiyellow": "#e5c07b",
                 "ansiblue": "#61afef", "ansicyan": "#4fc1cf", "ansibrightblack": "#8a919e",
                 "ansibrightblue": "#82aaff"}  # fmt: skip
_PAPER, _INK = "#16181d", "#d8dae0"


class Look(NamedTuple):
    """The drawing of a style on a ground: colours, bold, underline."""

    colour: str
    ground: str
    bold: bool = False
    underlined: bool = False


def look_of(words: str) -> Look:
    """Return the look that a palette's words describe, such as "bold fg:#ffffff bg:#000000": named
    colours get fixed values, absent ones those of the empty screen, "reverse" swaps them.
    """
    said = words.split()
    named = {part: name for part, _, name in (each.partition(":") for each in said)}
    colour, ground = (named.get(part, plain) for part, plain in (("fg", _INK), ("bg", _PAPER)))
    colour, ground = _NAMED.get(colour, colour), _NAMED.get(ground, ground)
    # Reverse video swaps both, defaults included.
    if "reverse" in said:
        colour, ground = ground, colour
    return Look(colour, ground, "bold" in said, "underline" in said)


# Pixels of a cell, for 15 pixel type.
WIDE: Final = 9
HIGH: Final = 19
# Pixels around the whole drawing.
_EDGE: Final = 12
_BASE: Final = 14  #: From the top of a row to the line on which letters stand.


def picture(frame: Frame, columns: int, *, title: str, colouring: Colouring) -> str:
    """Return the frame, `columns` cells wide, as an SVG with this title. Its colours are those
    of `colouring` on any machine, and any monospaced font will do.
    """
    # An empty environment: the picture is the same on every machine.
    styles = {each: look_of(words) for each, words in colouring.palette({}).items()}
    plain = styles[Style.PLAIN, Ground.SHEET]
    width, height = columns * WIDE + 2 * _EDGE, len(frame.lines) * HIGH + 2 * _EDGE
    drawn = "\n".join(
        piece
        for row, line in enumerate(frame.lines)
        for piece in _draw_words(row, line, styles, plain.ground)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" role="img">\n'
        # Names and words of others stand in the file: `escape` keeps them text.
        f"<title>{escape(title)}</title>\n"
        f'<rect width="{width}" height="{height}" rx="8" fill="{plain.ground}"/>\n'
        f'<g font-family="ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace"'
        # Without `preserve` SVG joins blanks.
        f' font-size="15" fill="{plain.colour}" xml:space="preserve">\n{drawn}\n</g>\n</svg>\n'
    )


def _draw_words(
    row: int, line: Iterable[Span], styles: Mapping[tuple[Style, Ground], Look], paper: str
) -> Iterator[str]:
    """Yield the SVG elements of a row: a rectangle behind each span whose ground has another
    colour than `paper`, and each word at its own cell, whatever the font is.
    """
    column, top = 0, _EDGE + row * HIGH
    for style, text, ground in line:
        look, cells = styles[style, ground], cells_of(text)
        if look.ground != paper:
            yield (
                f'<rect x="{_EDGE + column * WIDE}" y="{top}" width="{cells * WIDE}"'
                # Without crisp edges neighbouring rectangles show a seam.
                f' height="{HIGH}" fill="{look.ground}" shape-rendering="crispEdges"/>'
            )
        marks = ' font-weight="bold"' if look.bold else ""
        marks += ' text-decoration="underline"' if look.underlined else ""
        place = column
        for word in text.split(" "):
            taken = cells_of(word)
            if word:
                left = _EDGE + place * WIDE
                yield (
                    f'<text x="{left}" y="{top + _BASE}" fill="{look.colour}"{marks}'
                    # The width is forced, whatever font the viewer has.
                    f' textLength="{taken * WIDE}" lengthAdjust="spacingAndGlyphs">'
                    f"{escape(word)}</text>"
                )
            place += taken + 1
        column += cells
