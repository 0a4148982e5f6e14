"""How long a move of a bot waits after the one before."""

from __future__ import annotations

import asyncio
from contextlib import suppress


class Pace:
    """Seconds between two moves, of which the earlier is anybody's; they may change meanwhile."""

    def __init__(self, seconds: float = 0.0) -> None:
        self._seconds = seconds
        self._moved = 0.0
        self._changed = asyncio.Event()

    @property
    def seconds(self) -> float:
        """How long a move lies there before the next."""
        return self._seconds

    def change(self, seconds: float) -> None:
        """Wait so long from now on, for the move that waits already, too."""
        self._seconds = seconds
        self._changed.set()

    def moved(self) -> None:
        """Note that somebody has moved now."""
        self._moved = asyncio.get_running_loop().time()

    async def pause(self) -> None:
        """Return once the latest move has lain there for long enough."""
        loop = asyncio.get_running_loop()
        while (left := self._moved + self._seconds - loop.time()) > 0:
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._changed.wait()
