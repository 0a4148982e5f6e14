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
) -> None:
    """Draw a card with its upper left corner there; `text` is its face, None for a back."""
    put = canvas.put
    corners = glyphs.chosen_corners if look.chosen else glyphs.corners
    across = glyphs.chosen_across if look.chosen else glyphs.across
    down = glyphs.chosen_down if look.chosen else glyphs.barred if look.barred else glyphs.down
    edge = Style.STRONG if look.chosen else Style.FAINT if look.barred else Style.PLAIN
    filling = glyphs.hatch * 3 if look.hatched else across * 3
    for line in (0, 2):
        left, right = corners[line], corners[line + 1]
        put(row + line, column, left, edge)
        put(row + line, column + 1, filling, Style.BACK if look.hatched else edge)
        put(row + line, column + 4, right, edge)
    put(row + 1, column, f"{down}   {down}", edge)
    if card is None or text is None:
        put(row + 1, column + 1, glyphs.hatch * 3, Style.BACK)
    else:
        put(row + 1, column + 4 - cells_of(text), text, card_style(card, chosen=look.chosen))


def card_style(card: Card, *, chosen: bool = False) -> Style:
    """Return the style of a face."""
    red = card.suit in (Suit.HEARTS, Suit.DIAMONDS)
    if chosen:
        return Style.CHOSEN_RED if red else Style.CHOSEN
    return Style.RED if red else Style.STRONG
