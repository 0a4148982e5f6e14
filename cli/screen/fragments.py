"""A drawn line as pieces for prompt_toolkit, in its place on terminals that differ about widths.

Some terminals give a vowel sign that stands beside its letter (Sinhala and Tamil have many) a cell
of its own, others none; some draw joined letters in one cell. A canvas reserves the most that a
word may take, and here the cursor is told where to be: before such a word, and before every cell
that comes after it in the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from zlib import crc32

from cli.sanitize import cells_of, is_beside, is_uncertain
from cli.screen.canvas import Ground, Line, Style

Fragment = tuple[str, str]
"""A style of prompt_toolkit's, and a text."""

RAW: Final = "[ZeroWidthEscape]"
"""prompt_toolkit's style of what it writes as it is, before the cell that follows."""

NAMES: Final = {
    (style, ground): style.value if ground is Ground.SHEET else f"{style.value}-{ground.value}"
    for style in Style
    for ground in Ground
}
"""What each style on each ground is called where colours are given."""
_CLASSES: Final = {look: f"class:{name}" for look, name in NAMES.items()}
_STYLES: Final = 4_096
_JOINERS: Final = "\u200c\u200d"
_WORDS: Final = re.compile(r" +|[^ ]+")
_PERHAPS: Final = re.compile("[\u0900-\u1fff\u200c\u200d\u3000-\U0010ffff]")
"""Where all uncertain characters lie, and none of what we draw ourselves."""


def fragments_of(line: Line, *, filled: bool = False) -> list[Fragment]:
    """Return the pieces of a line that a canvas has drawn; `filled` if the screen has a colour of
    its own."""
    pieces: list[Fragment] = [(_CLASSES[style, ground], text) for style, text, ground in line]
    if any(_is_uncertain(text) for _, text in pieces):
        return list(_placed(pieces))
    if pieces and not filled and pieces[-1][0] == _CLASSES[Style.PLAIN, Ground.SHEET]:
        # Blanks at the end cost as much as text; one stays for clicks to the right of all.
        style, text = pieces[-1]
        pieces[-1] = (style, text.rstrip(" ") + " " * text.endswith(" "))
    return pieces


def _is_uncertain(text: str) -> bool:
    return _PERHAPS.search(text) is not None and any(map(is_uncertain, text))


def _placed(pieces: list[Fragment]) -> Iterator[Fragment]:
    column, lost = 0, False
    for style, text in pieces:
        for word in _WORDS.findall(text):
            cells = cells_of(word)
            if _is_uncertain(word):
                # prompt_toolkit counts no cell for the signs: blanks before the word stand for
                # theirs. A style that is the word's own makes it be drawn as a whole or not at all;
                # there are only so many, because prompt_toolkit forgets no style.
                whole = f"{style} class:word-{crc32(word.encode()) % _STYLES}"
                yield (whole, " " * sum(map(is_beside, word)))
                yield (RAW, f"{_to(column)}\x1b[{cells}X")
                yield (whole, word.rstrip(_JOINERS))
                lost = True
            elif lost:
                yield from _cell_by_cell(style, word, column)
            else:
                yield (style, word)
            column += cells


def _cell_by_cell(style: str, text: str, column: int) -> Iterator[Fragment]:
    for char in text:
        cells = cells_of(char)
        if cells:
            yield (RAW, _to(column))
        yield (style, char)
        column += cells


def _to(column: int) -> str:
    """Return the sequence that puts the cursor into a column, counted from 0 (CHA, ECMA-48
    8.3.9)."""
    return f"\x1b[{column + 1}G"
