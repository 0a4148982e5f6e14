"""The places of the screen's parts, seats and cards, for any size from 60 by 20."""

from __future__ import annotations

from typing import Final, NamedTuple

from cli.screen.canvas import SMALL, CardSize

# The least that the list of seats, which replaces the round table, needs.
LEAST_COLUMNS: Final = 60
LEAST_ROWS: Final = 20
# The size that most terminals open with.
FULL_COLUMNS: Final = 80
FULL_ROWS: Final = 24  #: Below these the seats are a list, and not round a table.
# Choices: with small cards a table of this size is mostly empty.
_LARGE_COLUMNS: Final = 140
_LARGE_ROWS: Final = 45  #: From these on the hand so far has a place beside the table.
# From large to small: the first that fits is used.
#: Cards that are drawn where there is room for them, and the cards that others hold; None where
#: those are signs in a line.
_SIZES: Final[tuple[tuple[CardSize, CardSize | None], ...]] = (
    (CardSize(9, 11), CardSize(5, 7)),
    (CardSize(7, 9), SMALL),
    (CardSize(5, 7), SMALL),
    (SMALL, None),
)
# As many as a player of 304 gets at a table of four.
_AT_ONCE: Final = 8  #: Cards of a hand that are to lie beside each other.
# A choice, which leaves the table 74 cells.
_PANEL_FROM: Final = 112  #: From this width on the rules of the moment have a column of their own.
# Wider lines than this are hard to follow with the eye.
_WIDEST: Final = 240
TOP: Final = 3  #: The first row of the table, below the title.
# Of them two rows of news, which grow on tall screens.
_FOOT: Final = 7  #: Rows below the hand: a rule, two of news, two of the prompt, keys, trust.
# A choice: more would be taken from the table.
PANEL: Final = 36  #: Cells of the column beside the table, two blanks before it.


# A choice: with fewer, larger cards would crowd the table.
_AIR: Final = 3  #: Rows that are to be free around larger cards.


# Where the other seats, and the cards before everybody, lie on the screen, for 2 to 8 seats.

# A choice: fewer would cut more names, more would be taken from the trick.
SIDE: Final = 24  #: Cells of a seat at the left or right edge.
# Up to four each have an edge of their own.
#: From so many seats on the cards that lie there are written; large screens draw them.
_SMALL_FROM: Final = 5
# Eight seats: the reader at the lower edge, two right, three above, two left.
#: For so many seats, how many sit at the right, at the upper and at the left edge.
_SIDES: Final = {2: (0, 1, 0), 3: (1, 0, 1), 4: (1, 1, 1), 5: (1, 2, 1), 6: (1, 3, 1), 7: (2, 2, 2),
                 8: (2, 3, 2)}  # fmt: skip


class Spot(NamedTuple):
    """A place on the screen, for the seat `step` places to the right of the reader: its first
    row and column (`left`), the column of its middle where something is centred on it, and its
    width in cells (`room`).
    """

    step: int
    row: int
    left: int
    middle: int = 0
    room: int = SIDE
    centred: bool = False  #: Whether what lies there is centred: at the upper edge, and before it.
    words_before: bool = False  #: Whether words stand before the card and not behind it.


class Around(NamedTuple):
    """The places of all seats, of their cards, and of the trick."""

    others: tuple[Spot, ...]  #: The other seats.
    #: The cards or calls of all seats, the reader's first, in the order of play.
    laid: tuple[Spot, ...]
    centre: int  #: The upper row of the words in the middle.
    #: What cards that lie there are drawn in; None where they are written in a line.
    card: CardSize | None


class Layout:
    """The places of all parts of a screen; rows and columns count from 0."""

    def __init__(self, columns: int, rows: int, seats: int = 4) -> None:
        """Lay out a screen of this size in cells, for a table of `seats`."""
        self.columns = columns
        self.rows = rows
        self.compact = columns < FULL_COLUMNS or rows < FULL_ROWS  #: Whether the seats are a list.
        #: Whether what was said and done stands beside the table.
        self.large = columns >= _LARGE_COLUMNS and rows >= _LARGE_ROWS
        self.wide = min(columns, _WIDEST)  #: Cells of the table and of the column beside it.
        #: Whether the rules of the moment have a column of their own.
        self.panel = self.wide >= _PANEL_FROM
        # Two blanks lie between table and column; without a column lines end at 100.
        self.width = self.wide - PANEL - 2 if self.panel else min(self.wide, 100)
        self.wide = self.wide if self.panel else self.width
        self.left = (columns - self.wide) // 2
        self.middle = self.left + self.width // 2
        # Rows beyond 24 are shared: half for news, four at most; then larger cards, then air.
        spare = max(0, rows - FULL_ROWS)
        self.news_rows = 1 if self.compact else 2 + min(spare // 2, 4)
        # `_FOOT` counts two rows of news.
        self.foot = rows - (_FOOT - 2 + self.news_rows)
        for self.card, self.fan in _SIZES:
            # Two rows beside the cards: our name above them, and their notes below.
            self.hand = self.foot - self.card.rows - 2
            # A trick is three cards high, upper, middle and lower; the fan of the seat above it
            # shows one row less than a card.
            middle = 3 * self.card.rows + (0 if self.fan is None else self.fan.rows - 1)
            spare = self.hand - TOP - middle
            # Two cells beside each card: a blank, and together enough for the gaps between suits.
            wide = _AT_ONCE * (self.card.columns + 2) <= self.width
            # The smallest size, without a fan, fits every screen.
            if self.fan is None or (self.large and wide and spare >= _AIR):
                break
        spare = max(0, spare)
        # A third of the spare rows each, above and below the middle; more than three look torn.
        self.gap = min(spare // 3, 3)
        # One row more of air wherever there is a gap.
        self.airy = int(self.gap > 0)
        self.top = TOP + (spare - 2 * self.gap - self.airy) // 2
        #: The column on which our own name is centred, where other hands are drawn; else None.
        self.above_hand = None if self.fan is None else self.middle
        #: Where the seats, their cards and the trick lie.
        self.around = _few(seats, self) if seats < _SMALL_FROM else _many(seats, self)


def _few(seats: int, layout: Layout) -> Around:
    """Return the places of up to four seats: one at each edge, with drawn cards in the middle."""
    # The rows that the backs of other hands take beside one row of words.
    fan = 0 if layout.fan is None else layout.fan.rows - 1
    # Two rows above the trick: the upper seat's name, and words or signs of its cards.
    row = layout.top + 2 + fan + layout.airy
    # Six columns at least between the middle card and those at its sides, for the words there; more
    # on wide screens.
    aside = 6 + layout.card.columns + min(2 * layout.gap, (layout.width - FULL_COLUMNS) // 2)
    middle, gap, down = layout.middle, layout.gap, layout.card.rows - 1
    half = layout.card.columns // 2
    # Cards overlap by one row: `down` is one less than a card's rows, so that the trick needs
    # fewer.
    lower = Spot(0, row + 2 * down + 2 * gap, middle - half, centred=True)
    right = Spot(1, row + down + gap, middle + aside, centred=True, words_before=True)
    upper = Spot(2, row, middle - half, centred=True)
    # Its right edge is as far from the middle as the left edge of the card at the right.
    left = Spot(3, row + down + gap, middle - aside - 2 * half, centred=True)
    # A side seat's name stands one row above its card, and half of the fan's rows higher, so that
    # its fan, which lies below the name, is beside the card.
    side = right.row - 1 - fan // 2
    # On screens wider than usual the side seats move in by an eighth of the surplus, to stay near
    # the cards.
    inset = (layout.width - FULL_COLUMNS) // 8 if fan else 0
    edge = layout.left + layout.width - SIDE - inset
    # 60: nothing else stands in the row of the upper seat's name.
    there = {
        1: Spot(1, side, edge),
        2: Spot(2, layout.top, layout.left, middle, 60, centred=True),
        3: Spot(3, side, layout.left + inset),
    }
    # Which edges are taken, counted to the right from the reader at the lower edge: 1 right, 2
    # upper, 3 left.
    used = {2: (2,), 3: (1, 3), 4: (1, 2, 3)}[seats]
    laid = (lower, right, upper, left)
    return Around(
        tuple(there[each]._replace(step=step) for step, each in enumerate(used, 1)),
        (lower, *(laid[each]._replace(step=step) for step, each in enumerate(used, 1))),
        right.row,
        layout.card,
    )


def _many(seats: int, layout: Layout) -> Around:
    """Return the places of five seats or more, several at an edge. Cards are written as text, or
    drawn on a screen with room for that.
    """
    card, at_right = layout.fan, _SIDES[seats][0]
    edge = layout.left + layout.width - SIDE
    if card is None:
        # One seat at an edge has four rows, each of two has three.
        step_down = 4 if at_right < 2 else 3
        # Up to nine rows are taken by the seats above and at the sides, one by our own card.
        above, taken = step_down, 10
        # A card's text has two or three cells, or five in brackets: it begins two cells left of the
        # middle. The room is for a call, or for a card with its note.
        lower = Spot(0, layout.hand - 1, layout.middle - 2, room=12)
        # Ten cells beside the seats at the right edge, and at the left, for the same.
        right = Spot(0, 1, edge - 10, room=10)
        # From three cells left of the seat's middle: card and note together stand below the name.
        upper = Spot(0, 2, -3, room=12)
        # The calls of seats at the edges stand in rows 1 and, of two, 1 + step_down.
        between = 2
    else:
        # For a seat at a side: its name, its roles, its cards, a blank row, and another where there
        # is room.
        step_down = card.rows + 3 + min(layout.gap, 1)
        # Above lie a row of names, the cards of hands and the cards of the trick.
        above = 1 + 2 * card.rows
        taken, half = above + at_right * step_down, card.columns // 2
        lower = Spot(0, layout.hand - card.rows, layout.middle - half)
        # Three blanks to the seat at the right, whose name begins at its edge; one at the left is
        # enough, where few names fill their cells up to the card. Both are choices.
        right = Spot(0, 1, edge - card.columns - 3, words_before=True)
        upper = Spot(0, 1 + card.rows, -half)
        # Rows 4 and 5 lie between the calls of two seats at a side, which stand in rows 1 and 2,
        # and from 7 on.
        between = 4
    left = Spot(0, 1, layout.left + SIDE + 1, room=right.room)
    # A third of the other rows each: above the upper seats, between them and the sides, and below.
    spare = max(0, layout.hand - TOP - taken) // 3
    top = TOP + spare
    first = top + above + spare
    around = _edges(seats, layout, top, first, step_down, (lower, right, upper, left))
    return Around(*around, first + between, card)


def _edges(
    seats: int, layout: Layout, top: int, first: int, step_down: int, laid: tuple[Spot, ...]
) -> tuple[tuple[Spot, ...], tuple[Spot, ...]]:
    """Return the places of the other seats, and of the cards that lie before each seat, the
    reader's first.

    Seats at the upper edge stand in row `top`, those at a side from row `first` on, `step_down`
    rows apart. `laid` places the cards at the lower, right, upper and left edge: but for the lower
    one the row is the distance from the seat; for the upper edge the column is the distance from
    the middle of the seat.
    """
    at_right, at_top, at_left = _SIDES[seats]
    lower, right, upper, left = laid
    others: list[Spot] = []
    before = [lower]
    edge = layout.left + layout.width - SIDE
    # In the order of play, to the right from the reader: up the right edge, along the top from
    # right to left, down the left.
    for number in reversed(range(at_right)):
        row = first + number * step_down
        others.append(Spot(len(before), row, edge))
        before.append(right._replace(step=len(before), row=row + right.row))
    wide = layout.width // at_top
    # From right to left: the order of play goes to the right around the table.
    for number in reversed(range(at_top)):
        begin = layout.left + number * wide
        middle = begin + wide // 2
        # One cell less: a blank between two names.
        others.append(Spot(len(before), top, begin, middle, wide - 1, centred=True))
        spot = upper._replace(row=top + upper.row, left=middle + upper.left)
        before.append(spot._replace(step=len(before)))
    for number in range(at_left):
        row = first + number * step_down
        others.append(Spot(len(before), row, layout.left))
        before.append(left._replace(step=len(before), row=row + left.row))
    return tuple(others), tuple(before)
