"""A sheet of terminal cells: text and cards are put at places, and come out as styled lines.

No line grows or shrinks: text is cut at the edge, a wide character takes two cells, and marks stay
with their letter. Text of others must be made safe first (cli.sanitize); a control character raises
ValueError. Cards are drawn from five by three cells on; how a card lies is visible without colours
too.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple, Protocol

from wcwidth import wcwidth

from cli.sanitize import cells_of, is_beside
from p2p304.cards import Card, Rank, Suit


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


class Frame(NamedTuple):
    """A whole screen: a line for each row, and the rectangles that can be clicked."""

    lines: tuple[Line, ...]
    hits: tuple[Hit, ...] = ()
    theme: Theme | None = None  #: None follows the terminal's background.
    four_colours: bool = False  #: Whether each suit has a colour of its own.

    def text(self) -> tuple[str, ...]:
        """Return the lines without their styles."""
        return tuple("".join(span.text for span in line) for line in self.lines)

    def target_at(self, row: int, column: int) -> str | None:
        """Return the target of a click at this cell, None for none; later rectangles lie on top."""
        # Drawn later means drawn above.
        for top, left, rows, columns, target in reversed(self.hits):
            if top <= row < top + rows and left <= column < left + columns:
                return target
        return None


class Shown(Protocol):
    """The content of the screen, which also receives keys and clicks. It calls `changed` when a
    new frame is needed.
    """

    changed: Callable[[], None]

    def frame(self, columns: int, rows: int) -> Frame:
        """Return the whole screen at this size in cells."""
        ...

    def press(self, key: str) -> None:
        """Handle a key: "left", "right", "up", "down", "pageup", "pagedown", "home", "end",
        "enter", "escape", "backspace", "tab", "f1", "c-c", a character, or `PASTED` followed by
        the pasted text, in one string.
        """
        ...

    def click(self, target: str) -> None:
        """Handle a click on a target that the frame named."""
        ...

    def title(self) -> str:
        """Return the title of the window."""
        ...

    def calls(self) -> str:
        """Return the words to call the player with, such as "Your turn"; "" if there is no
        reason to call, as where nobody plays. Each call is returned once.
        """
        return ""


class Align(Enum):
    """The part of a text for which `Canvas.put` gets the column."""

    LEFT = "its first cell"
    MIDDLE = "its middle"
    RIGHT = "the cell after it"


class Glyphs(NamedTuple):
    """The characters that frames and marks are drawn with."""

    corners: str
    chosen_corners: str
    across: str
    chosen_across: str
    down: str
    barred: str
    chosen_down: str
    hatch: str
    turn: str
    dot: str
    rim: str  #: The left rim of a filled card.
    weave: str  #: What the back of a filled card is made of.


# Corners in reading order: upper left, upper right, lower left, lower right.
FINE: Final = Glyphs("┌┐└┘", "╔╗╚╝", "─", "═", "│", "┊", "║", "▒", "▶", "·", "▏", "╱")
# ASCII alone, for terminals and fonts without line drawing.
ROUGH: Final = Glyphs("++++", "####", "-", "=", "|", ":", "#", "%", ">", "-", "|", "%")

# One shared tuple: comparing and filling rows of blanks is cheap.
_EMPTY: Final = (" ", Style.PLAIN)
# Style and ground of a cell, as `frame` lists it.
_LOOK_OF: Final = itemgetter(1, 2)
#: The cell that belongs to what stands before it: the right half of a wide character, or the place
#: of a mark beside its letter.
_TAKEN: Final = ""


class Canvas:
    """A sheet of `rows` by `columns` cells to draw on."""

    def __init__(
        self, rows: int, columns: int, *, ascii_only: bool = False, filled: bool = False
    ) -> None:
        """Begin with blank cells on the sheet, and nothing to click. With `ascii_only` frames and
        marks are of ASCII; with `filled` cards are coloured sheets.
        """
        self.rows, self.columns = rows, columns
        self.glyphs = ROUGH if ascii_only else FINE
        self.filled = filled
        #: What a hidden card is written with: two cells, as most faces have.
        self.hidden = (self.glyphs.weave if filled else self.glyphs.hatch) * 2
        #: The rectangles that can be clicked; later ones lie on top.
        self.hits: list[Hit] = []
        # Text and ground apart, so that either may come first: a filled card is painted before its
        # face is written, the face of a chosen card in a frame after it.
        self._cells = [[_EMPTY] * columns for _ in range(rows)]
        self._grounds = [[Ground.SHEET] * columns for _ in range(rows)]

    def put(
        self,
        row: int,
        column: int,
        text: str,
        style: Style = Style.PLAIN,
        *,
        room: int = 10_000,
        align: Align = Align.LEFT,
        ground: Ground | None = None,
        target: str = "",
    ) -> int:
        """Write `text`, cut after `room` cells and at the edge, and return the column after it.

        `column` is where it begins, or by `align` its middle or the cell after it; a text that is
        too long for those two begins in column 0. Its cells get a `ground` and become clickable for
        a `target` if these are given. In a row outside the sheet nothing is written, and the
        column where it would begin is returned. Raises ValueError for a control character.
        """
        # By default `room` is more cells than any screen has.
        if align is not Align.LEFT:
            cells = cells_of(text)
            column = max(0, column - (cells // 2 if align is Align.MIDDLE else cells))
        # Rows outside are no error: a small terminal shows the upper part.
        if not 0 <= row < self.rows:
            return column
        # Cut by cells, never by characters: a wide one counts two.
        room = min(room, self.columns - column)
        if text.isascii() and text.isprintable():  # every character surely takes one cell
            written = [(char, style) for char in text[: max(0, room)]]
        else:
            written = _cells_for(text, style, room)
        end = column + len(written)
        # Text that begins left of the sheet, as negative columns say, shows the rest of it.
        begin, shown = max(0, column), written[max(0, -column) :]
        line = self._cells[row]
        if shown:
            # A wide character of which one half is overwritten becomes blanks.
            before, after = begin, begin + len(shown)
            while before and line[before][0] == _TAKEN:
                before -= 1
                line[before] = _EMPTY
            while after < len(line) and line[after][0] == _TAKEN:
                line[after] = _EMPTY
                after += 1
            line[begin : begin + len(shown)] = shown
        if ground is not None:
            self.paint(row, column, ground, columns=end - column)
        if target:
            self.hits.append(Hit(row, column, 1, end - column, target))
        return end

    def paint(self, row: int, column: int, ground: Ground, *, rows: int = 1, columns: int) -> None:
        """Set the ground of a rectangle of cells; their text stays."""
        begin, end = max(0, column), min(self.columns, column + columns)
        for each in range(max(0, row), min(self.rows, row + rows)):
            self._grounds[each][begin:end] = [ground] * (end - begin)

    def blank(self, row: int, column: int, rows: int, columns: int) -> None:
        """Clear the text of a rectangle, set its ground to `SHEET`, and remove all clickable
        rectangles that begin in its rows, in any column.
        """
        for each in range(row, row + rows):
            self.put(each, column, " " * columns, ground=Ground.SHEET)
        # By its first row: whatever begins below an overlay cannot be clicked through it.
        self.hits = [hit for hit in self.hits if not row <= hit.row < row + rows]

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
        return Frame(tuple(lines), tuple(self.hits))


def _cells_for(text: str, style: Style, room: int) -> list[tuple[str, Style]]:
    """Return the cells that `text` takes, `room` at most, each with its characters; raise
    ValueError for a control character.
    """
    cells: list[tuple[str, Style]] = []
    for char in text:
        # wcwidth gives -1 for control characters, 0 for marks that stand on their letter.
        width = wcwidth(char)
        if width < 0:
            # A control character that reached the terminal could move the cursor or forge the
            # screen.
            raise ValueError(f"a control character, U+{ord(char):04X}, is not drawn")
        taken = cells_of(char)
        # A wide character is not cut in half: it is left out at the edge.
        if len(cells) + taken > room:
            break
        if width:
            cells.append((char, style))
            if taken > 1:
                # The right half is taken, so that one character stands for two cells.
                cells.append((_TAKEN, style))
            continue
        # Back over the right half of a wide letter, or over marks before this one.
        letter = next((each for each in reversed(range(len(cells))) if cells[each][0]), None)
        # A blank is no letter: a mark after it is left out.
        if letter is not None and cells[letter][0] != " ":
            cells[letter] = (cells[letter][0] + char, style)
            # A sign that terminals may give a cell keeps one reserved.
            cells += [(_TAKEN, style)] * taken
        else:
            cells += [_EMPTY] * taken
    return cells


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


# --- cards ---------------------------------------------------------------------------------------

#: The style of a card's face.
SUIT_STYLES: Final = {suit: Style[suit.name] for suit in Suit}


class CardLook(NamedTuple):
    """The look of a card: hatched if it lies face down, a double frame if it is chosen, a broken
    one if it is barred, that is, cannot be played now.

    A filled card has no frame: its left edge is double or broken, and its ground has another
    colour.
    """

    hatched: bool = False
    chosen: bool = False
    barred: bool = False


class CardSize(NamedTuple):
    """The size of a card in cells; a card of more than three rows has its face in two corners."""

    rows: int = 3
    columns: int = 5


SMALL: Final = CardSize()


NOTHING_SPECIAL: Final = CardLook()


def draw_card(
    canvas: Canvas,
    row: int,
    column: int,
    card: Card | None,
    text: str,
    *,
    look: CardLook = NOTHING_SPECIAL,
    size: CardSize = SMALL,
) -> None:
    """Draw a card with its upper left corner at this cell: a coloured sheet if the canvas is
    filled, else a frame.

    `text` is the card's face; without a card the back is drawn.
    """
    if canvas.filled:
        _draw_filled(canvas, row, column, card, text, look, size)
        return
    put, glyphs, (rows, columns) = canvas.put, canvas.glyphs, size
    inner = columns - 2
    corners = glyphs.chosen_corners if look.chosen else glyphs.corners
    across = glyphs.chosen_across if look.chosen else glyphs.across
    down = glyphs.chosen_down if look.chosen else glyphs.barred if look.barred else glyphs.down
    # Chosen goes before barred: the cursor may stand on a card that cannot be played.
    edge = Style.STRONG if look.chosen else Style.FAINT if look.barred else Style.PLAIN
    filling = (glyphs.hatch if look.hatched else across) * inner
    # The second pair of corners begins at index 2, upper and lower edge alike.
    for line, number in ((0, 0), (rows - 1, 2)):
        left, right = corners[number], corners[number + 1]
        put(row + line, column, left, edge)
        put(row + line, column + 1, filling, Style.BACK if look.hatched else edge)
        put(row + line, column + columns - 1, right, edge)
    for line in range(1, rows - 1):
        put(row + line, column, f"{down}{' ' * inner}{down}", edge)
        if card is None:
            put(row + line, column + 1, glyphs.hatch * inner, Style.BACK)
    if card is None:
        return
    style = Style.FAINT if look.barred and not look.chosen else SUIT_STYLES[card.suit]
    # A card in a frame has no sheet of its own to colour: its face is marked.
    ground = Ground.CHOSEN if look.chosen else None
    # The lower right corner: in a card of three rows, its only row inside.
    put(row + rows - 2, column + columns - 1 - cells_of(text), text, style, ground=ground)
    # Three rows have one row inside: a second face would lie on the first.
    if rows > SMALL.rows:
        put(row + 1, column + 1, text, style, ground=ground)


def _draw_filled(
    canvas: Canvas,
    row: int,
    column: int,
    card: Card | None,
    text: str,
    look: CardLook,
    size: CardSize,
) -> None:
    """Draw a card as a sheet of colour without a frame, see `draw_card`."""
    put, glyphs, (rows, columns) = canvas.put, canvas.glyphs, size
    if card is None:
        canvas.paint(row, column, Ground.COVERED, rows=rows, columns=columns)
        for line in range(rows):
            put(row + line, column, f"{glyphs.rim}{glyphs.weave * (columns - 1)}", Style.EDGE)
        return
    chosen, barred = look.chosen, look.barred and not look.chosen
    ground = Ground.CHOSEN if chosen else Ground.BARRED if barred else Ground.CARD
    canvas.paint(row, column, ground, rows=rows, columns=columns)
    rim = glyphs.chosen_down if chosen else glyphs.barred if barred else glyphs.rim
    for line in range(rows):
        put(row + line, column, f"{rim}{' ' * (columns - 1)}", Style.EDGE)
    # Not dimmed if barred, as in a frame: the ground says so.
    style = SUIT_STYLES[card.suit]
    # Upper left at once: a filled card has no frame row to skip.
    put(row, column + 1, text, style)
    if look.hatched:
        put(row + rows - 1, column, glyphs.hatch * columns, Style.BACK)
    else:
        put(row + rows - 1, column + columns - 1 - cells_of(text), text, style)
    sign = text[-1]  # the suit: every face ends with its sign
    if rows > _PIPS_FROM:
        _draw_pips(canvas, row, column, card, text, size)
    elif rows > SMALL.rows:
        put(row + rows // 2, column + columns // 2, sign, style)


# The signs of a ten need more rows than the three that five leave beside the corners.
_PIPS_FROM: Final = 5  #: Cards of more rows show as many signs as they count.
# Lists that read as a picture of the card.
# Ranks are numbers: a 4 is 4, whatever it is worth in a game.
_SIDES: Final = {
    4: (0.0, 1.0), 5: (0.0, 1.0), 6: (0.0, 0.5, 1.0), 7: (0.0, 0.5, 1.0), 8: (0.0, 0.5, 1.0),
    9: (0.0, 1 / 3, 2 / 3, 1.0), 10: (0.0, 1 / 3, 2 / 3, 1.0),
}  # fmt: skip
#: How far down the signs of a rank lie, in both outer columns and in the middle one.
_MIDDLE: Final = {
    2: (0.0, 1.0), 3: (0.0, 0.5, 1.0), 5: (0.5,), 7: (0.25,), 8: (0.25, 0.75), 9: (0.5,),
    10: (1 / 6, 5 / 6), Rank.ACE: (0.5,),
}  # fmt: skip


def _draw_pips(
    canvas: Canvas, row: int, column: int, card: Card, text: str, size: CardSize
) -> None:
    """Draw the middle of a large filled card: a suit sign for each point of a number card, one
    for an ace; for a court card a frame with its letter and two suit signs. `text` is the card's
    face.
    """
    glyphs, style, sign = canvas.glyphs, SUIT_STYLES[card.suit], text[-1]
    middle = column + size.columns // 2
    # The row of a court card's lower edge: the first and the last row are the corners'.
    high = size.rows - 2
    if card.rank in (Rank.JACK, Rank.QUEEN, Rank.KING):
        # Two cells free at each side, so that the corners' faces stay clear of the frame.
        left, wide = column + 2, size.columns - 4
        corners = glyphs.corners
        inner = glyphs.across * (wide - 2)
        canvas.put(row + 1, left, f"{corners[0]}{inner}{corners[1]}", Style.EDGE)
        for line in range(2, high):
            canvas.put(row + line, left, glyphs.down, Style.EDGE)
            canvas.put(row + line, left + wide - 1, glyphs.down, Style.EDGE)
        canvas.put(row + high, left, f"{corners[2]}{inner}{corners[3]}", Style.EDGE)
        # The suit in the frame's upper left and lower right corner, the rank in its middle.
        canvas.put(row + 2, left + 1, sign, style)
        canvas.put(row + size.rows // 2, middle, text[:-1], style)
        canvas.put(row + high - 1, left + wide - 2, sign, style)
        return
    # Two cells from the card's edges, where the corners' faces end.
    aside = size.columns // 2 - 2
    # Without an entry these columns have no signs, such as those of a 2 or a 3.
    for down in _SIDES.get(card.rank, ()):
        line = row + 1 + round(down * (high - 1))
        canvas.put(line, middle - aside, sign, style)
        canvas.put(line, middle + aside, sign, style)
    for down in _MIDDLE.get(card.rank, ()):
        canvas.put(row + 1 + round(down * (high - 1)), middle, sign, style)
