"""When a bot's move leaves: after a moment that tells nothing of its cards, and not too soon."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from math import ceil
from typing import TypeVar

from cli.tasks import happens

FoundT = TypeVar("FoundT")


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
            await happens(self._changed, within=left)


class Moment:
    """The seconds after which an answer leaves, however soon it was found; 0 lets it leave at once.

    How long a bot thinks depends on its cards. Its answer leaves so many seconds after the question
    or, on a machine that is too slow for that, twice or three times so many.
    """

    def __init__(
        self,
        seconds: float = 0.0,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.seconds = seconds
        self._clock = clock
        self._sleep = sleep

    async def after(self, thought: Awaitable[FoundT]) -> FoundT:
        """Return what was thought, at the moment at which that may leave."""
        began = self._clock()
        found = await thought
        if self.seconds:
            times = max(1, ceil((self._clock() - began) / self.seconds))
            await self._sleep(began + times * self.seconds - self._clock())
        return found
