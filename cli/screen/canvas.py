"""A sheet of terminal cells: text is put at places, and comes out as styled lines.

No line grows or shrinks: text is cut at the edge, a wide character takes two cells, and marks stay
with their letter. Text of others must be made safe first (cli.sanitize); a control character raises
ValueError.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from wcwidth import wcwidth

from cli.sanitize import cells_of, is_beside


class Style(Enum):
    """The meaning of a piece of text; a palette gives it colours."""

    PLAIN = "plain"
    FAINT = "faint"
    STRONG = "strong"
    TITLE = "title"
    SPADES = "spades"
    HEARTS = "hearts"
    DIAMONDS = "diamonds"
    CLUBS = "clubs"
    BACK = "back"
    EDGE = "edge"  #: The rim of a filled card.
    TURN = "turn"
    KEY = "key"
    WARNING = "warning"
    TRUST = "trust"


class Theme(Enum):
    """A dark or a light table, in terminals with true colour."""

    DARK = "dark"
    LIGHT = "light"


class Ground(Enum):
    """The surface that a cell belongs to."""

    SHEET = "sheet"  #: The screen itself.
    FELT = "felt"  #: The table.
    LIT = "lit"  #: The middle of the table, where a trick lies.
    CARD = "card"
    BARRED = "barred"  #: A card that cannot be played now.
    CHOSEN = "chosen"  #: A card that the cursor has reached, or that wins its trick.
    COVERED = "covered"  #: The back of a card.
    AWAITED = "awaited"  #: The name of a seat that the table waits for.


class Span(NamedTuple):
    """A piece of text with one style on one ground."""

    style: Style
    text: str
    ground: Ground = Ground.SHEET


Line = tuple[Span, ...]


class Hit(NamedTuple):
    """A rectangle that can be clicked, and its target: a key or a card."""

    row: int
    column: int
    rows: int
    columns: int
    target: str

    def covers(self, row: int, column: int) -> bool:
        """Return whether the cell lies in the rectangle."""
        inside = self.row <= row < self.row + self.rows
        return inside and self.column <= column < self.column + self.columns


class Frame(NamedTuple):
    """A whole screen: a line for each row, and the rectangles that can be clicked."""

    lines: tuple[Line, ...]
    hits: tuple[Hit, ...] = ()
    #: In which colours, where the player has chosen at the table; else as the settings say.
    theme: Theme | None = None
    four_colours: bool | None = None  #: Whether each suit has a colour of its own, likewise.

    def text(self) -> tuple[str, ...]:
        """Return the lines without their styles."""
        return tuple("".join(span.text for span in line) for line in self.lines)

    def target_at(self, row: int, column: int) -> str | None:
        """Return the target of a click at this cell, None for none; later rectangles lie on top."""
        # Drawn later means drawn above.
        return next((hit.target for hit in reversed(self.hits) if hit.covers(row, column)), None)


# One shared tuple: comparing and filling rows of blanks is cheap.
_EMPTY: Final = (" ", Style.PLAIN)
# Style and ground of a cell, as `frame` lists it.
_LOOK_OF: Final = itemgetter(1, 2)
#: The cell that belongs to what stands before it: the right half of a wide character, or the place
#: of a mark beside its letter.
_TAKEN: Final = ""


@dataclass(slots=True)
class Canvas:
    """A sheet of `rows` by `columns` cells to draw on."""

    rows: int
    columns: int
    # Text and ground apart, so that either may come first: a filled card is painted before its face
    # is written, the face of a chosen card in a frame after it.
    _cells: list[list[tuple[str, Style]]] = field(init=False)
    _grounds: list[list[Ground]] = field(init=False)
    _hits: list[Hit] = field(init=False)

    def __post_init__(self) -> None:
        """Begin with blank cells on the sheet, and nothing to click."""
        self._cells = [[_EMPTY] * self.columns for _ in range(self.rows)]
        self._grounds = [[Ground.SHEET] * self.columns for _ in range(self.rows)]
        self._hits = []

    def put(
        self, row: int, column: int, text: str, style: Style = Style.PLAIN, *, room: int = 10_000
    ) -> int:
        """Write `text`, cut after `room` cells and at the edge, and return the column after it.

        In a row outside the sheet nothing is written, and `column` is returned. Raises ValueError
        for a control character.
        """
        # By default `room` is more cells than any screen has.
        # Cut by cells, never by characters: a wide one counts two.
        end = min(self.columns, column + room)
        # Rows outside are no error: a small terminal shows the upper part.
        if not 0 <= row < self.rows:
            return column
        line = self._cells[row]
        plain = text.isascii() and text.isprintable()  # every character surely takes one cell
        if plain and 0 <= column < end:  # most of a screen, and much cheaper
            count = min(len(text), end - column)
            self._clear(line, column, count)
            line[column : column + count] = [(char, style) for char in text[:count]]
            return column + count
        for char in text:
            # wcwidth gives -1 for control characters, 0 for marks that stand on their letter.
            cells = wcwidth(char)
            if cells < 0:
                # A control character that reached the terminal could move the cursor or forge the
                # screen.
                raise ValueError(f"a control character, U+{ord(char):04X}, is not drawn")
            taken = cells_of(char)
            # A wide character is not cut in half: it is left out at the edge.
            if column + taken > end:
                break
            if cells == 0:
                joined = self._join(line, column, char)
                if taken and column >= 0:
                    self._clear(line, column, taken)
                    # A sign that terminals may give a cell keeps one reserved; without a letter it
                    # is a blank.
                    line[column] = (_TAKEN, style) if joined else _EMPTY
            # Text that begins left of the sheet, as negative columns say, shows the rest of it.
            elif column >= 0:
                self._clear(line, column, taken)
                line[column] = (char, style)
                if taken == 2:
                    # The right half is taken, so that one character stands for two cells.
                    line[column + 1] = (_TAKEN, style)
            column += taken
        return column

    def paint(self, row: int, column: int, ground: Ground, *, rows: int = 1, columns: int) -> None:
        """Set the ground of a rectangle of cells; their text stays."""
        begin, end = max(0, column), min(self.columns, column + columns)
        for each in range(max(0, row), min(self.rows, row + rows)):
            self._grounds[each][begin:end] = [ground] * (end - begin)

    @staticmethod
    def _join(line: list[tuple[str, Style]], column: int, mark: str) -> bool:
        """Add a mark to the letter that ends before the column; return False if there is no
        letter.
        """
        place = column - 1
        # Back over the right half of a wide letter, or over marks before this one.
        while 0 < place < len(line) and line[place][0] == _TAKEN:
            place -= 1
        # A blank is no letter: a mark after it is left out.
        found = 0 <= place < len(line) and line[place] != _EMPTY
        if found:
            line[place] = (line[place][0] + mark, line[place][1])
        return found

    def centred(self, row: int, middle: int, text: str, style: Style = Style.PLAIN) -> None:
        """Write `text` with its middle in the column `middle`; from column 0 if it is too long
        for that.
        """
        self.put(row, max(0, middle - cells_of(text) // 2), text, style)

    def right(self, row: int, end: int, text: str, style: Style = Style.PLAIN) -> None:
        """Write `text` so that it ends before the column `end`; from column 0 if it is too long
        for that.
        """
        self.put(row, max(0, end - cells_of(text)), text, style)

    def hit(self, row: int, column: int, target: str, *, rows: int = 1, columns: int = 1) -> None:
        """Make a rectangle clickable, with this target."""
        self._hits.append(Hit(row, column, rows, columns, target))

    def blank(self, row: int, column: int, rows: int, columns: int) -> None:
        """Clear the text of a rectangle, set its ground to `SHEET`, and remove all clickable
        rectangles that begin in its rows, in any column.
        """
        self.paint(row, column, Ground.SHEET, rows=rows, columns=columns)
        for each in range(row, row + rows):
            self.put(each, column, " " * columns)
        # By its first row: whatever begins below an overlay cannot be clicked through it.
        self._hits = [hit for hit in self._hits if not row <= hit.row < row + rows]

    def frame(self) -> Frame:
        """Return the drawing as a frame."""
        lines = []
        for line, grounds in zip(self._cells, self._grounds, strict=True):
            cells = (
                (text, style, ground) for (text, style), ground in zip(line, grounds, strict=True)
            )
            # Neighbouring cells of one style and ground are one span.
            runs = groupby(cells, _LOOK_OF)
            lines.append(
                tuple(
                    Span(style, "".join([text for text, _, _ in run]), ground)
                    for (style, ground), run in runs
                )
            )
        return Frame(tuple(lines), tuple(self._hits))

    @staticmethod
    def _clear(line: list[tuple[str, Style]], column: int, cells: int) -> None:
        """Replace with blanks every wide character that writing `cells` cells at `column` would
        cut in half.
        """
        begin, end = column, column + cells
        while begin and line[begin][0] == _TAKEN:
            begin -= 1
            line[begin] = _EMPTY
        while end < len(line) and line[end][0] == _TAKEN:
            line[end] = _EMPTY
            end += 1


def wrap(text: str, cells: int) -> tuple[str, ...]:
    """Break `text` at spaces into lines of at most `cells` cells; a word that is longer is cut
    into pieces.
    """
    lines: list[str] = []
    for word in text.split(" "):
        if lines and cells_of(lines[-1]) + 1 + cells_of(word) <= cells:
            lines[-1] += " " + word
            continue
        rest = word
        # A word longer than a line, as a link or a fingerprint, is cut anywhere.
        while cells_of(rest) > cells:
            cut = _count_fitting(rest, cells)
            lines.append(rest[:cut])
            rest = rest[cut:]
        lines.append(rest)
    return tuple(lines)


def _count_fitting(text: str, cells: int) -> int:
    """Return how many characters of `text` fit into `cells` cells, at least one."""
    room = cells
    for index, char in enumerate(text):  # a mark stays with its letter
        room -= cells_of(char)
        if room < 0:
            # Back to the letter, so that no line begins with a mark.
            while is_beside(text[index]) and index > 1:
                index -= 1
            # At least one character, or the caller would never end.
            return max(index, 1)
    return len(text)
