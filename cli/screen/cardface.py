"""Drawn cards, from five by three cells on; how a card lies is visible without colours too."""

from __future__ import annotations

from typing import Final, NamedTuple

from cli.sanitize import cells_of
from cli.screen.canvas import Canvas, Ground, Style
from p2p304.cards import Card, Rank, Suit


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


def draw_card(
    canvas: Canvas,
    glyphs: Glyphs,
    row: int,
    column: int,
    text: str | None,
    card: Card | None,
    look: CardLook,
    *,
    size: CardSize = SMALL,
    filled: bool = False,
) -> None:
    """Draw a card with its upper left corner at this cell: a coloured sheet if `filled`, else a
    frame.

    `text` is the card's face; without `text` or `card` the back is drawn.
    """
    if filled:
        _draw_filled(canvas, glyphs, row, column, text, card, look, size)
        return
    put, (rows, columns) = canvas.put, size
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
        if card is None or text is None:
            put(row + line, column + 1, glyphs.hatch * inner, Style.BACK)
    if card is None or text is None:
        return
    style = card_style(card, barred=look.barred and not look.chosen)
    cells = cells_of(text)
    # The lower right corner: in a card of three rows, its only row inside.
    places = [(row + rows - 2, column + columns - 1 - cells)]
    # Three rows have one row inside: a second face would lie on the first.
    places += [(row + 1, column + 1)] * (rows > 3)
    for line, place in places:
        put(line, place, text, style)
        # A card in a frame has no sheet of its own to colour: its face is marked.
        if look.chosen:
            canvas.paint(line, place, Ground.CHOSEN, columns=cells)


def _draw_filled(
    canvas: Canvas,
    glyphs: Glyphs,
    row: int,
    column: int,
    text: str | None,
    card: Card | None,
    look: CardLook,
    size: CardSize,
) -> None:
    """Draw a card as a sheet of colour without a frame, see `draw_card`."""
    put, (rows, columns) = canvas.put, size
    if card is None or text is None:
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
    style = card_style(card)
    # Upper left at once: a filled card has no frame row to skip.
    put(row, column + 1, text, style)
    if look.hatched:
        put(row + rows - 1, column, glyphs.hatch * columns, Style.BACK)
    else:
        put(row + rows - 1, column + columns - 1 - cells_of(text), text, style)
    sign = text[-1]  # the suit: every face ends with its sign
    if rows > _PIPS_FROM:
        _draw_pips(canvas, glyphs, row, column, text, card, size)
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
    canvas: Canvas, glyphs: Glyphs, row: int, column: int, text: str, card: Card, size: CardSize
) -> None:
    """Draw the middle of a large filled card: a suit sign for each point of a number card, one
    for an ace; for a court card a frame with its letter and two suit signs. `text` is the card's
    face.
    """
    style, sign, middle = card_style(card), text[-1], column + size.columns // 2
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


_STYLE_OF: Final = {
    Suit.SPADES: Style.SPADES,
    Suit.HEARTS: Style.HEARTS,
    Suit.DIAMONDS: Style.DIAMONDS,
    Suit.CLUBS: Style.CLUBS,
}


def card_style(card: Card, *, barred: bool = False) -> Style:
    """Return the style of a card's face; dimmed if it is `barred`, that is, cannot be played
    now.
    """
    return Style.FAINT if barred else _STYLE_OF[card.suit]
