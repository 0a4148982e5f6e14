"""When a bot's move leaves: after a moment that tells nothing of its cards, and not too soon."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from math import ceil
from typing import Final

from cli.tasks import happens

MAKING: Final = 0.05
"""Seconds in which a message is made, with its proofs, and put on the disk."""


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


class AnswerMoment:
    """The seconds after which an answer leaves, however soon it was made; 0 lets it leave at once.

    How long a bot thinks depends on its cards, and how long its message takes on what it proves of
    them. It leaves so many seconds after the question or, on a machine that is too slow for that,
    twice or three times so many.
    """

    def __init__(
        self,
        seconds: float = 0.0,
        *,
        clock: Callable[[], float] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.seconds = seconds
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        self._sleep = sleep
        self._began: float | None = None

    def asked(self, *, told: bool = False) -> None:
        """Count from now on, for the question that has come; its answer is `told` if everybody
        knows it, and leaves at once."""
        self._began = None if told or not self.seconds else self._clock()

    async def near(self) -> None:
        """Return so long before the answer leaves as it usually takes to be made: meanwhile
        nothing else can be done at the table."""
        await self._before(min(MAKING, self.seconds / 4))

    async def come(self) -> None:
        """Return when the answer, all of which is made, may leave; at once for what else does."""
        await self._before(0.0)
        self._began = None

    async def _before(self, margin: float) -> None:
        if self._began is not None:
            passed = self._clock() - self._began
            times = max(1, ceil(round(passed / self.seconds, 9)))
            await self._sleep(max(0.0, times * self.seconds - margin - passed))
