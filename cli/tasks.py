"""Waiting for whichever of several things happens first, and for work that goes on beside others.

Every task of this program ends with what started it: nothing runs on that nobody waits for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import nullcontext
from typing import Any, Final, Generic, NoReturn, Self, TypeVar

T = TypeVar("T")

_AGAIN: Final = 0.2
"""Seconds after which a task that goes on although it was cancelled is cancelled again."""


async def first(*works: Coroutine[Any, Any, T], lock: asyncio.Lock | None = None) -> T:
    """Run all of `works`; return what the first one to end returns, or raise what it raises.

    The others are cancelled, while nobody else holds the `lock` if there is one, and have ended by
    then. What they raise on their way out is dropped. Of several that end in the same turn of the
    loop the earliest argument counts.
    """
    ended: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_tell(work, ended)) for work in works]
        try:
            await asyncio.wait({ended})
        finally:
            async with lock or nullcontext():
                for task in tasks:
                    task.cancel()
            await stop(*tasks)
            if not ended.cancelled():
                ended.exception()  # read, so that the loop never reports it for itself
    return ended.result()  # outside: the group would wrap what is raised inside


async def together(*works: Coroutine[Any, Any, T]) -> list[T]:
    """Run all of `works`, and return what they return, in their order.

    Raises what the first one to fail raises; the others are cancelled, and have ended by then.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work) for work in works]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


async def _tell(work: Coroutine[Any, Any, T], ended: asyncio.Future[T]) -> None:
    """Put what `work` returns or raises into `ended`, unless another was first."""
    try:
        result = await work
    except Exception as error:  # noqa: BLE001 - whoever waits for `ended` gets it
        if not ended.done():
            ended.set_exception(error)
    else:
        if not ended.done():
            ended.set_result(result)
    finally:
        ended.cancel()  # the work was cancelled, which ends the wait too; no change if it is done


async def never() -> NoReturn:
    """Wait until cancelled."""
    while True:
        await asyncio.Event().wait()


async def happens(event: asyncio.Event, *, within: float) -> bool:
    """Wait for an event, so many seconds at most, and tell whether it has happened."""
    try:
        async with asyncio.timeout(within):
            await event.wait()
    except TimeoutError:
        return False
    return True


async def stop(*tasks: asyncio.Task[Any]) -> None:
    """Cancel `tasks` until all have ended: `asyncio.wait_for` of Python 3.11 may lose a
    cancellation that comes together with its result."""
    going = {task for task in tasks if not task.done()}
    while going:
        for task in going:
            task.cancel()
        _, going = await asyncio.wait(going, timeout=_AGAIN)


class Errands:
    """Work that goes on beside whoever started it, as long as `run` runs."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._broken = asyncio.Event()
        self._error: BaseException | None = None

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin `work`. What it raises ends `run`."""
        # No group: a key that was pressed starts it, which is a call and waits for nothing.
        task = asyncio.create_task(work, name="errand")
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._error = self._error or error
            self._broken.set()

    async def run(self) -> NoReturn:
        """Wait until an errand fails, and raise what it raised; every errand ends with this."""
        try:
            await self._broken.wait()
            assert self._error is not None
            raise self._error
        finally:
            await self.end()

    async def end(self) -> None:
        """End every errand; for whoever does not wait in `run`."""
        await stop(*self._tasks)


class Changing(Generic[T]):
    """A value that changes now and then, for what others wait."""

    def __init__(self, value: T) -> None:
        self.value = value
        self._changed = asyncio.Event()

    def become(self, value: T) -> None:
        """Be another value from now on."""
        self.value, changed, self._changed = value, self._changed, asyncio.Event()
        changed.set()

    async def until(self, holds: Callable[[T], bool], *, within: float | None = None) -> None:
        """Wait until something holds of the value.

        Raises TimeoutError where it does not `within` so many seconds.
        """
        async with asyncio.timeout(within):
            while not holds(self.value):
                await self._changed.wait()


class Question(Generic[T]):
    """Something that is asked now and then, and answered by a call, such as that of a key."""

    def __init__(self) -> None:
        self._answer: asyncio.Future[T] | None = None

    @property
    def is_open(self) -> bool:
        """Whether an answer is waited for."""
        return self._answer is not None and not self._answer.done()

    def answer(self, answer: T) -> None:
        """Answer the question, if it is open."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(answer)

    def __enter__(self) -> Self:
        self._answer = asyncio.get_running_loop().create_future()
        return self

    def __exit__(self, *_: object) -> None:
        self._answer = None

    async def answered(self, *, within: float | None = None) -> T:
        """Wait for the answer while the question is asked, as a context.

        Raises TimeoutError where none comes `within` so many seconds.
        """
        assert self._answer is not None
        async with asyncio.timeout(within):
            return await asyncio.shield(self._answer)
