"""A movement on the screen: a card that was played goes from its player into the trick.

It is off by default, ends by itself, and stops for good on a slow line where it would stutter. Its
last frame is the frame without it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from cli.bounds import CARD_MOVES_FOR, MOVING_FRAME
from cli.screen.desk import Desk, Flight, Mode
from cli.screen.model import Table
from p2p304.cards import Slot

# Of the seven that fit in; a choice.
LEAST: Final = 2  #: Frames that must have been drawn on the way, or the card has stuttered.
STUTTERS: Final = 2  #: So many cards in turn that stutter show that the line is too slow for any.


class Movement:
    """The card in movement, and how far it has come at each frame."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Set up movement; `clock` returns monotonic seconds."""
        self.on = True  #: Whether cards move: not any more once two in turn have stuttered.
        self._clock = clock
        #: The trick at the look before; None while the table was not shown.
        self._lying: tuple[Slot, ...] | None = None
        # Slots, not cards: a card played face down moves as well.
        self._slot: Slot | None = None
        self._began = 0.0
        self._frames = 0
        self._stutters = 0

    def over(self, desk: Desk, table: Table, redraw: Callable[[], None]) -> Desk:
        """Return the desk with the moving card, and have `redraw` called after `MOVING_FRAME`
        seconds; unchanged, without a call, if no card moves.
        """
        if not self.on:
            return desk
        # Nothing is seen to lie there below what is open, nor before the first hand.
        scene = table.scene() if desk.visible_mode is Mode.TABLE else None
        flight = self.look(None if scene is None else tuple(card.slot for card in scene.lying))
        if flight is None:
            return desk
        # Each frame asks for the next, as a loop would not: on a slow line redraws never pile up.
        asyncio.get_running_loop().call_later(MOVING_FRAME, redraw)
        return replace(desk, flight=flight)

    def look(self, lying: tuple[Slot, ...] | None) -> Flight | None:
        """Return the moving card and its progress; None if no card moves. Two cards in turn that
        got too few frames switch movement off.

        `lying` are the slots of the trick, None while the table is not shown. A card begins to move
        when it alone is new in the trick.
        """
        before, self._lying = self._lying, lying
        # After an overlay nothing moves: where cards came from was not seen.
        if before is None or lying is None:
            self._slot = None
            return None
        new = [slot for slot in lying if slot not in before]
        # Two new cards at once (a resumption) do not move.
        if len(new) == 1:
            self._slot, self._began, self._frames = new[0], self._clock(), 0
        # Not there any more if the trick was taken up on the way.
        if self._slot is None or self._slot not in lying:
            self._slot = None
            return None
        way = (self._clock() - self._began) / CARD_MOVES_FOR
        if way >= 1.0:
            # A single slow card is forgiven by the next that is smooth.
            self._stutters = 0 if self._frames >= LEAST else self._stutters + 1
            self.on = self._stutters < STUTTERS
            self._slot = None
            return None
        self._frames += 1
        # Fast at first and slow at the end, as a card slides (cubic ease-out).
        return Flight(self._slot, 1.0 - (1.0 - way) ** 3)
