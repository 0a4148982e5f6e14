"""Where the other seats, and the cards before everybody, lie on the screen, for 2 to 8 seats."""

from __future__ import annotations

from typing import Final, NamedTuple

from cli.screen.layout import FULL_COLUMNS, TOP, Layout

SIDE: Final = 24
"""Cells of a seat at the left or right edge."""
_SMALL_FROM: Final = 5
"""From so many seats on the cards that lie there are written and not drawn."""
_SIDES: Final = {2: (0, 1, 0), 3: (1, 0, 1), 4: (1, 1, 1), 5: (1, 2, 1), 6: (1, 3, 1), 7: (2, 2, 2),
                 8: (2, 3, 2)}  # fmt: skip
"""For so many seats, how many sit at the right, at the upper and at the left edge."""


class Spot(NamedTuple):
    """A place on the screen, for the seat that sits `step` places to the right of the reader."""

    step: int
    row: int
    left: int
    middle: int = 0
    room: int = SIDE
    centred: bool = False
    """Whether what lies there is centred: at the upper edge, and before it."""
    words_before: bool = False
    """Whether words stand before the card and not behind it."""


class Around(NamedTuple):
    """Where everything lies."""

    others: tuple[Spot, ...]
    """The other seats."""
    laid: tuple[Spot, ...]
    """The cards or calls of all seats, the reader's first, in the order of play."""
    centre: int
    """The upper row of the words in the middle."""
    small: bool
    """Whether cards that lie there are written in a line."""


def around(seats: int, layout: Layout) -> Around:
    """Return the places for so many seats, on a screen of this layout."""
    return _few(seats, layout) if seats < _SMALL_FROM else _many(seats, layout)


def _few(seats: int, layout: Layout) -> Around:
    """Place up to four seats: one at each edge, and drawn cards in the middle."""
    row = layout.top + 2 + layout.airy
    aside = 11 + min(2 * layout.gap, (layout.width - FULL_COLUMNS) // 2)
    middle, gap, down = layout.middle, layout.gap, layout.card.rows - 1
    half = layout.card.columns // 2
    lower = Spot(0, row + 2 * down + 2 * gap, middle - half, centred=True)
    right = Spot(1, row + down + gap, middle + aside, centred=True, words_before=True)
    upper = Spot(2, row, middle - half, centred=True)
    left = Spot(3, row + down + gap, middle - aside - 2 * half, centred=True)
    side = right.row - 1
    edge = layout.left + layout.width - SIDE
    there = {
        1: Spot(1, side, edge),
        2: Spot(2, layout.top, layout.left, middle, 60, centred=True),
        3: Spot(3, side, layout.left),
    }
    used = {2: (2,), 3: (1, 3), 4: (1, 2, 3)}[seats]
    laid = (lower, right, upper, left)
    return Around(
        tuple(there[each]._replace(step=step) for step, each in enumerate(used, 1)),
        (lower, *(laid[each]._replace(step=step) for step, each in enumerate(used, 1))),
        right.row,
        small=False,
    )


def _many(seats: int, layout: Layout) -> Around:
    """Place five seats and more: several at the edges, and cards as text before each."""
    at_right, at_top, at_left = _SIDES[seats]
    step_down = 4 if at_right < 2 else 3
    spare = layout.hand - TOP - 10
    top = TOP + max(0, spare // 3)
    first = top + 4 + max(0, spare // 3) if at_right < 2 else top + 3 + max(0, spare // 3)
    others: list[Spot] = []
    laid = [Spot(0, layout.hand - 1, layout.middle - 2, room=12)]
    edge = layout.left + layout.width - SIDE
    step = 0
    for number in reversed(range(at_right)):
        step += 1
        row = first + number * step_down
        others.append(Spot(step, row, edge))
        laid.append(Spot(step, row + 1, edge - 10, room=10))
    wide = layout.width // at_top
    for number in reversed(range(at_top)):
        step += 1
        left = layout.left + number * wide
        others.append(Spot(step, top, left, left + wide // 2, wide - 1, centred=True))
        laid.append(Spot(step, top + 2, left + wide // 2 - 3, room=12))
    for number in range(at_left):
        step += 1
        row = first + number * step_down
        others.append(Spot(step, row, layout.left))
        laid.append(Spot(step, row + 1, layout.left + SIDE + 1, room=10))
    # The calls of seats at the edges stand in rows first + 1 and, of two, first + 1 + step_down.
    return Around(tuple(others), tuple(laid), first + 2, small=True)
