"""The client library's dialling fails where the process has no file descriptor left."""

from __future__ import annotations

import asyncio
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from cli.net.credentials import Credentials
from cli.net.library import Library, LibraryError
from cli.net.packets import LEVEL_5


@contextmanager
def one_descriptor_left() -> Iterator[None]:
    """Take every descriptor but one, under a limit that is near."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = os.dup(0)
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 8, before[1]))
    taken = [highest]
    try:
        with suppress(OSError):
            while True:
                taken.append(os.dup(0))
        os.close(taken.pop())
        yield
    finally:
        for each in taken:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


async def dialled_in_vain() -> set[str]:
    """Return the names of the tasks that are left of a greeting that could not dial."""
    library = Library(Credentials(), level=LEVEL_5, keepalive=20, called=lambda _: None)
    with one_descriptor_left(), pytest.raises(LibraryError):
        await library.greet()
    await library.end()
    await asyncio.sleep(0)
    return {each.get_name() for each in asyncio.all_tasks() - {asyncio.current_task()}}


def test_nobody_waits_at_the_door_of_a_library_that_could_not_dial() -> None:
    """Whoever did would listen on a descriptor that belongs to the next connection."""
    assert asyncio.run(dialled_in_vain()) == set()
