"""Keys that were meant for what the screen has put away by itself: they decide nothing else."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Final

from cli.screen.calling import IDLE
from cli.screen.desk import Desk, Mode
from cli.screen.model import Table
from cli.screen.prompts import default_choice

MOMENT: Final = 0.4
"""Seconds, after a change was drawn, in which a key may still be meant for what was there before:
longer than people take to notice, shorter than they take to read."""


_ASKED: Final = frozenset({Mode.CONFIRM, Mode.END, Mode.SUBSTITUTE})
"""Where the notice is the question."""


class Announced:
    """Which question the screen asks, and until when keys are not read because it went by itself.

    `clock` gives seconds that never go backwards.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._question: Hashable = None
        self._done: Hashable = None
        self._keys: frozenset[str] | None = None
        self._meant: frozenset[str] | None = None
        """The keys that may be meant for what went; None for any."""
        self._undrawn = False
        self._until = self._pressed = clock()
        self._calling = ""

    def answered(self) -> None:
        """Note that a key has answered the question: that it goes is no surprise."""
        self._done, self._question = self._question, None

    def look(self, desk: Desk, table: Table | None, *, by_key: bool = False) -> None:
        """Look at what is asked now, after a key of the player or after anything else."""
        if by_key:
            self._pressed = self._clock()
        question = None if table is None else _question(desk, table)
        if question == self._done:
            question = None  # it stands there until the answer is made
        else:
            self._done = None
        if question == self._question:
            return
        went = self._question is not None
        surprised = (went or not self._quiet()) and not by_key
        if surprised and went:
            self._meant = self._keys
        self._question, self._undrawn = question, self._undrawn or surprised
        self._keys = None if table is None or question is None else _keys_for(desk, table)

    def turn(self, words: str) -> None:
        """Note that the player's turn has come, and is called for if no key came for a while."""
        if self._clock() - self._pressed >= IDLE:
            self._calling = words

    def calls(self) -> str:
        """Return once what the player is to be called for; empty for nothing."""
        called, self._calling = self._calling, ""
        return called

    def drawn(self) -> None:
        """Note that the player can see the change from now on."""
        if self._undrawn:
            self._undrawn = False
            self._until = self._clock() + MOMENT

    def reads(self, key: str) -> bool:
        """Tell whether a key that is pressed now was meant for what is asked now."""
        settled = not self._undrawn and self._quiet()
        return settled or (self._meant is not None and key not in self._meant)

    def _quiet(self) -> bool:
        return self._clock() >= self._until


def _keys_for(desk: Desk, table: Table) -> frozenset[str] | None:
    """Return the keys that may be pressed for what is asked; None for any. A window goes by itself
    all the time, and whoever types a card then means no window."""
    if desk.mode is not Mode.TABLE or not any(each.window for each in table.choices):
        return None
    return frozenset({"enter", " ", *(each.key for each in table.choices if each.key)})


def _question(desk: Desk, table: Table) -> Hashable:
    """Return what a key would answer: None where the screen asks for none that another would
    take."""
    if desk.mode is not Mode.TABLE:
        asks = desk.asks if desk.mode is Mode.CHARTER else ""
        return desk.mode, desk.notice if desk.mode in _ASKED else asks
    chosen = default_choice(table)
    if chosen is None or chosen.idle:  # which goes by itself, and no key is for it
        return None
    return table.number, chosen.label
