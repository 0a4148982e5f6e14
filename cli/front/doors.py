"""What a player may do at its table at any time, whichever front end it sits at."""

from __future__ import annotations

from typing import Protocol

from p2p304.seats import Seat


class Doors(Protocol):
    """What a player may do at any time, its turn or not; the driver of its seat does it."""

    async def say(self, text: str) -> None:
        """Bring words to the table."""
        ...

    async def end(self, present: tuple[Seat, ...]) -> None:
        """Agree to end the hand with those present; with nobody, play on although we agreed."""
        ...
