"""Waiting for whichever comes first: what is told, and that nothing goes on afterwards."""

from __future__ import annotations

import asyncio

import pytest

from cli.errors import UserError
from cli.tasks import Errands, first, never, together


async def said(word: str) -> str:
    return word


async def broken_later() -> None:
    await asyncio.sleep(0)
    raise LookupError("later")


class Deaf:
    """Work that loses its first cancellation, as a wait of the library may."""

    def __init__(self) -> None:
        self.lost = 0
        self.ended = False

    async def work(self) -> str:
        try:
            await never()
        except asyncio.CancelledError:
            self.lost += 1
        try:
            await never()
        finally:
            self.ended = True


async def test_the_first_to_end_is_what_is_told_and_the_others_have_ended_by_then() -> None:
    deaf = Deaf()
    assert await first(deaf.work(), said("one"), never()) == "one"
    assert (deaf.lost, deaf.ended) == (1, True)
    assert len(asyncio.all_tasks()) == 1


async def test_what_is_cancelled_from_outside_takes_all_of_its_work_along() -> None:
    deaf = Deaf()
    waiting = asyncio.create_task(first(deaf.work(), never()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert deaf.ended
    assert len(asyncio.all_tasks()) == 1


async def test_what_goes_on_under_the_lock_is_not_cancelled_in_the_middle() -> None:
    lock, begun, done = asyncio.Lock(), asyncio.Event(), []

    async def writing() -> None:
        async with lock:
            begun.set()
            for _ in range(5):
                await asyncio.sleep(0)
            done.append("written")
        await asyncio.sleep(0)
        done.append("too late")

    await first(writing(), begun.wait(), lock=lock)
    assert done == ["written"]


async def test_an_errand_that_fails_ends_the_run_and_every_other_errand() -> None:
    errands = Errands()
    other = errands.start(never())
    errands.start(broken_later())
    with pytest.raises(LookupError, match="later"):
        await errands.run()
    assert other.cancelled()


async def test_together_raises_what_the_first_to_fail_raises_once_the_others_have_ended() -> None:
    left: list[str] = []

    async def waiting() -> None:
        try:
            await never()
        finally:
            left.append("cancelled")

    async def failing() -> None:
        raise UserError("The first one.")

    with pytest.raises(UserError, match="The first one"):
        await together(waiting(), failing())
    assert left == ["cancelled"]


async def test_of_two_that_end_at_once_the_earlier_counts() -> None:
    assert await first(said("one"), said("two"), broken("three")) == "one"


async def broken(word: str) -> str:
    raise LookupError(word)
