"""Our player's turns: it is asked while a decision is due, and what it answers late is dropped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn, TypeVar

from cli.tasks import first
from protocol.table.events import TurnOpened

SeenT = TypeVar("SeenT")


class Turns:
    """The decision that is due from our player, which may be withdrawn or become another one."""

    def __init__(self, lock: asyncio.Lock) -> None:
        """Begin with none due; whoever holds the `lock` may change that."""
        self._due: TurnOpened | None = None
        self._shown = asyncio.Condition(lock)

    def show(self, due: TurnOpened | None) -> None:
        """Say which decision is due from now on; to be called with the lock held."""
        self._due = due
        self._shown.notify_all()

    async def play(
        self,
        look: Callable[[], SeenT],
        ask: Callable[[SeenT], Awaitable[Any]],
        make: Callable[[Any], Awaitable[str]],
        refused: Callable[[str], Awaitable[None]],
    ) -> NoReturn:
        """Have our player decide while a decision is due, for ever.

        Args:
            look: returns what the player may know; called with the lock held, once the decision is
                due: later the session may be at work, and that be gone already.
            ask: gets a choice of the player, who sees that; it is cancelled once that decision is
                not due.
            make: carries out a choice, with the lock held, and returns why it is refused, if it is.
                What it makes due, it shows.
            refused: gets that reason; then the player is asked again.
        """
        while True:
            async with self._shown:
                await self._shown.wait_for(lambda: self._due is not None)
                due, seen = self._due, look()
            chosen = await first(_one(ask(seen)), self._other_than(due))
            if chosen is None:
                continue
            async with self._shown:
                # Somebody else may have held the lock, and withdrawn it, when the answer came.
                why = await make(chosen[0]) if self._due is due else ""
            if why:
                await refused(why)

    async def _other_than(self, due: TurnOpened | None) -> None:
        async with self._shown:
            await self._shown.wait_for(lambda: self._due is not due)


async def _one(answer: Awaitable[Any]) -> tuple[Any] | None:
    return (await answer,)
