"""Waiting for the first of several events, and running work beside other work.

Every task of this program ends with the call that started it: none runs on alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import nullcontext
from typing import Any, Final, Generic, NoReturn, Self, TypeVar

T = TypeVar("T")

# Long enough for one that closes a connection, short enough for who pressed Ctrl-C.
_AGAIN: Final = 0.2
"""Seconds after which a task that goes on although it was cancelled is cancelled again."""


async def first(*works: Coroutine[Any, Any, T], lock: asyncio.Lock | None = None) -> T:
    """Run all of `works`; return the result of the first that ends, or raise its error.

    The others are cancelled and have ended by then; errors that they raise on the way are dropped.
    With a `lock` they are cancelled only while nobody else holds it. Of several that end in one
    turn of the loop the earliest argument wins.
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
    """Run all of `works`, and return their results in order.

    Raises the first error; the others are cancelled and have ended by then.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work) for work in works]
    # A group wraps its errors; callers handle the first, as of one call.
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


async def _tell(work: Coroutine[Any, Any, T], ended: asyncio.Future[T]) -> None:
    """Put the result or error of `work` into `ended`, unless another one is there."""
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
    """Wait for an event for at most `within` seconds, and return whether it happened."""
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
        _, going = await asyncio.wait(going, timeout=_AGAIN)


class Errands:
    """Tasks that run beside the code that started them, for as long as `run` runs."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._broken = asyncio.Event()
        self._error: BaseException | None = None

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start `work` as a task, and return that. If it raises, `run` raises that error."""
        # No group: a key that was pressed starts it, which is a call and waits for nothing.
        task = asyncio.create_task(work, name="errand")
        # asyncio itself keeps a task only weakly: it would vanish in the middle.
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Forget a task that has ended, and keep the first error."""
        self._tasks.discard(task)
        # Asking a cancelled task for its exception raises.
        error = None if task.cancelled() else task.exception()
        if error is not None:
            # The first error is told; others often follow from it.
            self._error = self._error or error
            self._broken.set()

    async def run(self) -> NoReturn:
        """Wait until an errand fails, and raise its error. However the wait ends, all errands
        are cancelled, and have ended then.
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


class Changing(Generic[T]):
    """A value whose changes others can wait for."""

    def __init__(self, value: T) -> None:
        self.value = value
        self._changed = asyncio.Event()

    def become(self, value: T) -> None:
        """Set the value, and wake whoever waits for it."""
        # A new event first: whoever is woken asks again and may have to wait for the next change.
        self.value, changed, self._changed = value, self._changed, asyncio.Event()
        changed.set()

    async def until(self, holds: Callable[[T], bool], *, within: float | None = None) -> None:
        """Wait until `holds(value)` is true.

        Raises TimeoutError after `within` seconds; waits for ever if that is None.
        """
        async with asyncio.timeout(within):
            # Asked again after each change, since another waiter may have changed the value
            # meanwhile.
            while not holds(self.value):
                await self._changed.wait()


class Question(Generic[T]):
    """A question that a coroutine asks repeatedly and a plain call answers, such as that of a
    key press.
    """

    def __init__(self) -> None:
        self._answer: asyncio.Future[T] | None = None

    @property
    def is_open(self) -> bool:
        """Whether a coroutine waits for an answer."""
        return self._answer is not None and not self._answer.done()

    def answer(self, answer: T) -> None:
        """Answer the question; does nothing if it is not open."""
        # A key pressed twice, or after the time: the first answer counts.
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(answer)

    def __enter__(self) -> Self:
        """Open the question anew; an earlier answer does not count."""
        # Anew at each entry: an old answer must not answer the next question.
        self._answer = asyncio.get_running_loop().create_future()
        return self

    def __exit__(self, *_: object) -> None:
        self._answer = None

    async def wait_for_answer(self, *, within: float | None = None) -> T:
        """Return the answer once it is given; the question must be entered as a context.

        Raises TimeoutError after `within` seconds; waits for ever if that is None.
        """
        # Entered as a context before it is asked.
        assert self._answer is not None
        async with asyncio.timeout(within):
            # Shielded: a timeout ends this wait and not the question, which may be asked on.
            return await asyncio.shield(self._answer)
