"""Questions in lines: what is typed answers the one that is asked, or asks for something itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from cli.lines.console import Console, InputEnded
from cli.tasks import Errands, never


class LineQuestions:
    """Asks whoever types at a console, one question at a time."""

    def __init__(
        self,
        console: Console,
        *,
        request: Callable[[str], Awaitable[bool]],
        errands: Errands,
        left: asyncio.Event,
    ) -> None:
        """`request` shows what a line asks for, and tells whether it was for anything; `left` is
        set when the input ends."""
        self.input_ended = False
        self._console = console
        self._request = request
        self._errands = errands
        self._left = left
        self._idle: asyncio.Task[None] | None = None

    async def yes(self, question: str) -> bool:
        """Return whether the answer is yes."""
        while True:
            said = await self.answer(question)
            if said.strip().lower() in ("y", "yes"):
                return True
            if said.strip().lower() in ("n", "no"):
                return False
            if not await self._request(said):
                self._console.say("Type y or n.")

    async def answer(self, question: str) -> str:
        """Return the line that answers a question."""
        said = await self.line(question, within=None)
        assert said is not None
        return said

    async def line(self, question: str, *, within: float | None) -> str | None:
        """Return the line that answers a question, None for no line `within` so many seconds.

        Waits for ever, once there are no more lines.
        """
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        for said in self._console.typed_before():
            await self._request(said)  # what asks for nothing answers no later question either
        self._console.prompt(question)
        try:
            async with asyncio.timeout(within):
                return await self._console.line()
        except TimeoutError:
            self._console.forget_unfinished()
            return None
        except asyncio.CancelledError:
            self._console.forget_unfinished()  # it would answer the question that comes next
            raise
        except InputEnded:
            self._end_of_input()
            await never()
        finally:
            self._console.withdraw()
            self.listen_idly()

    def _end_of_input(self) -> None:
        self.input_ended = True
        self._left.set()

    def listen_idly(self) -> None:
        """Answer what somebody types while nothing is asked; a pipe's lines wait for questions."""
        if self._console.interactive and self._idle is None and not self._left.is_set():
            self._idle = self._errands.start(self._answer_idly())

    async def _answer_idly(self) -> None:
        try:
            while True:
                said = await self._console.line()
                if said.strip() and not await self._request(said):
                    self._console.say("It is not your turn; help shows what you can look at.")
        except InputEnded:
            self._end_of_input()
