"""Time that passes when nothing else can happen: an event loop whose clock jumps to what is next.

Worker threads are run on the spot, so that everything happens in one thread, in one order, as fast
as the machine computes. `time.monotonic` and `time.time` are what the loop says while it runs, and
`secrets.token_bytes` follows a seed: the world is replaced, not our code.
"""

from __future__ import annotations

import asyncio
import random
import secrets
import selectors
import time
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar
from unittest.mock import patch

T = TypeVar("T")

#: The wall clock's seconds since 1970 at a moment of the loop's clock.
WallClock = Callable[[float], float]

TODAY: Final = 1_790_000_000.0  #: A day in 2026.


def steady(now: float) -> float:
    """A wall clock as it should be."""
    return TODAY + now


class _Jumping(selectors.SelectSelector):
    """Never waits: what it would have waited for is over at once."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None:
            raise RuntimeError("nothing will ever happen again")
        self.now += max(timeout, 0.0)
        return []


class Clockwork(asyncio.SelectorEventLoop):
    """The event loop. `time()` is virtual."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Virtual seconds."""
        return self._jumping.now

    def run_in_executor(  # type: ignore[override]  # what asyncio.to_thread asks for
        self, executor: Any, work: Callable[..., T], *arguments: Any
    ) -> asyncio.Future[T]:
        """Done at once, in this thread."""
        future: asyncio.Future[T] = self.create_future()
        try:
            result = work(*arguments)
        except BaseException as error:  # noqa: BLE001 - the future tells it
            future.set_exception(error)
        else:
            future.set_result(result)
        return future


def run_virtual(
    work: Callable[[], Coroutine[Any, Any, T]], *, seed: int, wall: WallClock = steady
) -> T:
    """The result of `work`, in virtual time; what chance gives follows the seed."""
    chance = random.Random(f"world {seed}")
    loop = Clockwork()
    loop.set_exception_handler(lambda _loop, _context: None)
    with (
        patch.object(time, "monotonic", loop.time),
        patch.object(time, "time", lambda: wall(loop.time())),
        patch.object(secrets, "token_bytes", chance.randbytes),
    ):
        try:
            return loop.run_until_complete(work())
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()
