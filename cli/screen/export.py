"""A frame of the screen as a picture.

It is made of what the screen shows, with its sixteen colours, and of nothing else: no time of day,
no font or address of anybody, so that the same moment always gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final, NamedTuple

from cli.sanitize import cells_of
from cli.screen.canvas import STYLES, Frame, Style


class Look(NamedTuple):
    """How a style is drawn: its colour among the sixteen, None for that of plain text."""

    colour: int | None = None
    bold: bool = False
    underlined: bool = False
    reverse: bool = False


_NAMES: Final = {"ansired": 1, "ansigreen": 2, "ansiyellow": 3, "ansiblue": 4, "ansicyan": 6,
                 "ansibrightblack": 8}  # fmt: skip


def _look(words: str) -> Look:
    said = words.split()
    colour = next((_NAMES[each[3:]] for each in said if each.startswith("fg:")), None)
    return Look(colour, "bold" in said, "underline" in said, "reverse" in said)


LOOKS: Final = {style: _look(words) for style, words in STYLES.items()}

WIDE: Final = 9
HIGH: Final = 19
_EDGE: Final = 12
_BASE: Final = 14
"""From the top of a row to the line on which letters stand."""
_PAPER, _INK = "#16181d", "#d8dae0"
_COLOURS: Final = {1: "#ef6b73", 2: "#8bc34a", 3: "#e5c07b", 4: "#61afef", 6: "#4fc1cf",
                   8: "#8a919e"}  # fmt: skip


def picture(frame: Frame, columns: int, *, title: str) -> str:
    """Return the frame as an SVG that needs no font but some monospaced one."""
    width, height = columns * WIDE + 2 * _EDGE, len(frame.lines) * HIGH + 2 * _EDGE
    drawn = "\n".join(piece for row, line in enumerate(frame.lines) for piece in _drawn(row, line))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" role="img">\n'
        f"<title>{escape(title)}</title>\n"
        f'<rect width="{width}" height="{height}" rx="8" fill="{_PAPER}"/>\n'
        f'<g font-family="ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace"'
        f' font-size="15" fill="{_INK}" xml:space="preserve">\n{drawn}\n</g>\n</svg>\n'
    )


def _drawn(row: int, line: Iterable[tuple[Style, str]]) -> Iterator[str]:
    """Yield the words of a row, each in its own cells, whatever the font is."""
    column, top = 0, _EDGE + row * HIGH
    for style, text in line:
        look, cells = LOOKS[style], cells_of(text)
        colour = _INK if look.colour is None else _COLOURS[look.colour]
        if look.reverse:
            yield (
                f'<rect x="{_EDGE + column * WIDE}" y="{top}" width="{cells * WIDE}"'
                f' height="{HIGH}" fill="{colour}"/>'
            )
        marks = "".join(
            (
                ' font-weight="bold"' if look.bold else "",
                ' text-decoration="underline"' if look.underlined else "",
            )
        )
        fill = _PAPER if look.reverse else colour
        place = column
        for word in text.split(" "):
            taken = cells_of(word)
            if word:
                yield (
                    f'<text x="{_EDGE + place * WIDE}" y="{top + _BASE}" fill="{fill}"{marks}'
                    f' textLength="{taken * WIDE}" lengthAdjust="spacingAndGlyphs">'
                    f"{escape(word)}</text>"
                )
            place += taken + 1
        column += cells
