"""When a bot's action is sent: at a moment that reveals nothing of its cards, and not too soon."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from math import ceil
from typing import Final

from cli.tasks import happens

# An estimate: with too much the proofs only begin earlier.
MAKING: Final = 0.05  #: Seconds in which a message is made, with its proofs, and put on the disk.


class Pace:
    """The least seconds between two actions at the table, whosever the earlier is; they may
    change.
    """

    def __init__(self, seconds: float = 0.0) -> None:
        """Set the least seconds; the first action does not wait."""
        self._seconds = seconds
        # Of the loop's clock: long ago, so that the first action does not wait.
        self._moved = 0.0
        self._changed = asyncio.Event()

    @property
    def seconds(self) -> float:
        """The seconds that an action is shown before the next."""
        return self._seconds

    def change(self, seconds: float) -> None:
        """Set the seconds, also for an action that waits already."""
        self._seconds = seconds
        self._changed.set()

    def moved(self) -> None:
        """Note that a seat has acted now."""
        self._moved = asyncio.get_running_loop().time()

    async def pause(self) -> None:
        """Wait until the pace's seconds have passed since the action that `moved` noted last,
        also if they change meanwhile.
        """
        loop = asyncio.get_running_loop()
        # Again after a change of pace: the wait may now be shorter or over.
        while (left := self._moved + self._seconds - loop.time()) > 0:
            self._changed.clear()
            await happens(self._changed, within=left)


class AnswerMoment:
    """The seconds from a question to its answer, however soon the answer is made; 0 for at once.

    A bot's thinking time depends on its cards, and the size of its proofs too. The answer is sent
    this many seconds after the question, or on a slow machine after two or three times as many.
    """

    def __init__(
        self,
        seconds: float = 0.0,
        *,
        clock: Callable[[], float] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Set the moment. `clock` returns seconds, by default the event loop's; `sleep` waits."""
        self.seconds = seconds
        # Asked for at each call: a loop need not run yet.
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        self._sleep = sleep
        self._began: float | None = None

    def asked(self, *, told: bool = False) -> None:
        """Start the count for a question. With `told` everybody at the table knows the only
        answer, and it is sent at once.
        """
        # A forced answer held back would tell nothing and cost time.
        self._began = None if told or not self.seconds else self._clock()

    async def near(self) -> None:
        """Wait until the answer has to be begun: `MAKING` seconds, or a quarter of the moment if
        that is less, before the moment, or before its next multiple if it has passed.

        Return at once if nothing was asked, if `asked` was given `told`, or if the moment is 0.
        """
        # No more than a quarter of a short moment.
        await self._before(min(MAKING, self.seconds / 4))

    async def come(self) -> None:
        """Wait until the moment, at which the finished answer may be sent, and forget the
        question. Return at once if nothing was asked, or what was asked with `told`.
        """
        await self._before(0.0)
        self._began = None

    async def _before(self, margin: float) -> None:
        """Wait until `margin` seconds before the next multiple of the moment, counted from the
        question; without one return at once.
        """
        if self._began is not None:
            passed = self._clock() - self._began
            # A late answer waits for the next multiple: its delay tells only how many, not how
            # long. Rounded: a quotient a hair above 1 would wait for a whole further multiple.
            times = max(1, ceil(round(passed / self.seconds, 9)))
            await self._sleep(max(0.0, times * self.seconds - margin - passed))
