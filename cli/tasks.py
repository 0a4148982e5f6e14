"""Waiting for the first of several events, and running work beside other work.

Every task of this program ends with the call that started it: none runs on alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import nullcontext
from typing import Any, NoReturn, TypeVar

from cli.bounds import CANCELLED_AGAIN

T = TypeVar("T")


async def first(*works: Coroutine[Any, Any, T], lock: asyncio.Lock | None = None) -> T:
    """Run all of `works` at once, and return the result of the one that ends first, or raise its
    error; in one turn of the loop the earlier argument counts as first.

    Before that the others are cancelled and have ended; their errors are dropped. With a `lock`
    they are cancelled only while this call holds it, so not while another holder is at work.
    """
    # A future beside the tasks: it keeps the very first result, whichever task the loop runs next.
    ended: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_tell(work, ended)) for work in works]
        try:
            # `wait` and no `await`: neither an error nor a cancelled future ends it here.
            await asyncio.wait({ended})
        finally:
            # Whoever holds the lock writes: it must not be cut off in the middle.
            async with lock or nullcontext():
                for task in tasks:
                    task.cancel()
            # In the group, so that its end finds nothing to wait for.
            await stop(*tasks)
            if not ended.cancelled():
                ended.exception()  # read, so that the loop never reports it for itself
    return ended.result()  # outside: the group would wrap what is raised inside


async def together(*works: Coroutine[Any, Any, T]) -> list[T]:
    """Run all of `works` at once, wait for all, and return their results in the order of the
    arguments.

    If one raises, the others are cancelled and have ended before that error is raised.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work) for work in works]
    # A group wraps its errors; callers handle the first, as of one call.
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


async def _tell(work: Coroutine[Any, Any, T], ended: asyncio.Future[T]) -> None:
    """Await `work`, and put its result or error into `ended` unless that is done; if `work` is
    cancelled, cancel `ended`.
    """
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
    # Again, should anybody ever set the event: the type promises no return.
    while True:
        await asyncio.Event().wait()


async def happens(event: asyncio.Event, *, within: float) -> bool:
    """Wait for an event, at most `within` seconds; return True if it is set by then, else False."""
    try:
        async with asyncio.timeout(within):
            await event.wait()
    # An answer and no error: callers ask whether.
    except TimeoutError:
        return False
    return True


async def stop(*tasks: asyncio.Task[Any]) -> None:
    """Cancel `tasks`, repeatedly, until all have ended.

    `asyncio.wait_for` of Python 3.11 may lose a cancellation that arrives together with its result.
    """
    going = {task for task in tasks if not task.done()}
    # Repeated: Python loses a cancellation that arrives while a library catches it.
    while going:
        for task in going:
            task.cancel()
        _, going = await asyncio.wait(going, timeout=CANCELLED_AGAIN)


class Errands:
    """Tasks that run beside the code that started them, for as long as `run` runs."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._broken = asyncio.Event()  #: Set by the first errand that fails.
        self._error: BaseException | None = None

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start `work` as a task beside the caller, and return the task.

        If it raises, `run` raises that error, if it is the first.
        """
        # No group: a key that was pressed starts it, which is a call and waits for nothing.
        task = asyncio.create_task(work, name="errand")
        # asyncio itself keeps a task only weakly: it would vanish in the middle.
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Forget a task that has ended; if it failed, wake `run`, which raises the first such
        error. A cancelled task is no failure.
        """
        self._tasks.discard(task)
        # Asking a cancelled task for its exception raises.
        error = None if task.cancelled() else task.exception()
        if error is not None:
            # The first error is told; others often follow from it.
            self._error = self._error or error
            self._broken.set()

    async def run(self) -> NoReturn:
        """Wait until an errand raises an error, and raise that; errands that end well do not end
        it.

        However the wait ends, also if it is cancelled, all errands are cancelled and have ended
        before it raises.
        """
        try:
            await self._broken.wait()
            # The event is set only behind an error.
            assert self._error is not None
            raise self._error
        finally:
            await self.end()

    async def end(self) -> None:
        """Cancel every errand and wait until all have ended, for callers that do not wait in
        `run`.
        """
        # A copy: each that ends takes itself out of the set.
        await stop(*self._tasks)
