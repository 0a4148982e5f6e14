"""The hands of a table's events as text, which the rules can read again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from p2p304.game import AnyGame
from p2p304.hand_text import format_hand
from p2p304.seats import Seat
from protocol.ledger.events import ActionTaken, Event, HandEnded, HandStarted, HandUnfinished


class HandTexts:
    """Writes each hand as soon as it has ended; `agreed` is what the charter says of the rules."""

    def __init__(self, game: AnyGame, agreed: str) -> None:
        self._game = game
        self._agreed = agreed
        self._began: tuple[Seat, tuple[int, ...]] | None = None
        self._actions: list[tuple[Seat, Any]] = []
        self._first = True

    def hear(self, event: Event) -> Iterator[str]:
        """Yield the lines that an event is worth: a whole hand at its end."""
        match event:
            case HandStarted(_, dealer, scores):
                self._began, self._actions = (dealer, scores), []
            case ActionTaken(seat, action):
                self._actions.append((seat, action))
            case HandEnded() | HandUnfinished() if self._began is not None:
                if not self._first:
                    yield ""
                self._first = False
                actions = tuple(self._actions)
                text = format_hand(self._game, self._agreed, *self._began, actions)
                yield from text.splitlines()
                self._began = None
            case _:
                pass
