"""What a card looks like, five by three cells; how it lies shows without colour too."""

from __future__ import annotations

from typing import Final, NamedTuple

from cli.sanitize import cells_of
from cli.screen.canvas import Canvas, Style
from p2p304.cards import Card, Suit


class Glyphs(NamedTuple):
    """The signs that frames and marks are made of."""

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


FINE: Final = Glyphs("┌┐└┘", "╔╗╚╝", "─", "═", "│", "┊", "║", "▒", "▶", "·")
ROUGH: Final = Glyphs("++++", "####", "-", "=", "|", ":", "#", "%", ">", "-")


class CardLook(NamedTuple):
    """How a card lies: hatched is face down, a double frame is chosen, a broken one is barred."""

    hatched: bool = False
    chosen: bool = False
    barred: bool = False


def draw_card(
    canvas: Canvas,
    glyphs: Glyphs,
    row: int,
    column: int,
    text: str | None,
    card: Card | None,
    look: CardLook,
    *,
    rows: int = 3,
    columns: int = 5,
) -> None:
    """Draw a card with its upper left corner there; `text` is its face, None for a back.

    A card of more than three rows has its face in two corners.
    """
    put, inner = canvas.put, columns - 2
    corners = glyphs.chosen_corners if look.chosen else glyphs.corners
    across = glyphs.chosen_across if look.chosen else glyphs.across
    down = glyphs.chosen_down if look.chosen else glyphs.barred if look.barred else glyphs.down
    edge = Style.STRONG if look.chosen else Style.FAINT if look.barred else Style.PLAIN
    filling = (glyphs.hatch if look.hatched else across) * inner
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
    style = card_style(card, chosen=look.chosen, barred=look.barred)
    put(row + rows - 2, column + columns - 1 - cells_of(text), text, style)
    if rows > 3:
        put(row + 1, column + 1, text, style)


def card_style(card: Card, *, chosen: bool = False, barred: bool = False) -> Style:
    """Return the style of a face, which is dim where the card cannot be played now."""
    if barred and not chosen:
        return Style.FAINT
    red = card.suit in (Suit.HEARTS, Suit.DIAMONDS)
    if chosen:
        return Style.CHOSEN_RED if red else Style.CHOSEN
    return Style.RED if red else Style.STRONG
