"""The library behind a transport: however a connection ends, nothing of it is left or told."""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import socket
import stat
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from cli.net.credentials import Credentials
from cli.net.library import Library, LibraryError
from cli.net.mqtt import MqttVersion
from cli.net.packets import LEVEL_5, PINGREQ, REFUSAL_5, PacketType
from cli.net.transport import LinkState, TransportError
from tests.journeys.hostile_brokers import joined, left
from tests.journeys.running_brokers import (
    HostileBroker,
    Visit,
    nothing_left,
    saying,
    stall,
    transport,
)

pytestmark = pytest.mark.timeout(180)


@asynccontextmanager
async def without_complaints() -> AsyncIterator[None]:
    """Nothing reaches the loop's own handler, which writes across whatever is on the terminal."""
    complaints: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    yield
    await asyncio.sleep(0)
    gc.collect()
    await asyncio.sleep(0)
    loop.set_exception_handler(None)
    assert not complaints


@pytest.mark.parametrize("answer", [b"\x90\x00", b"\x90\x02\x00\x01", b"\xe0\x00", b""])
async def test_a_library_that_breaks_complains_to_nobody(answer: bytes) -> None:
    async def hang_up(visit: Visit) -> None:
        await visit.greet()
        await visit.packet()

    joining = saying(answer, after="subscribe") if answer else hang_up
    async with without_complaints(), HostileBroker(joining) as broker:
        one = transport(broker.port, version=MqttVersion.MQTT_5)
        with pytest.raises(TransportError):
            await one.open(deadline=2.0)

    async def begin(visit: Visit) -> None:
        await visit.start()

    later = saying(answer) if answer else begin
    async with without_complaints(), joined(later) as one:
        await left(one)


async def test_a_join_that_is_given_up_at_any_moment_leaves_no_task_and_no_complaint() -> None:
    async with without_complaints(), HostileBroker(stall) as broker:
        for turns in range(40):
            opening = asyncio.create_task(transport(broker.port).open())
            for _ in range(turns):
                await asyncio.sleep(0)
            opening.cancel()
            await asyncio.wait({opening}, timeout=60)
            assert opening.cancelled()
        async with asyncio.timeout(60):
            while broker.present:
                gc.collect()  # asyncio keeps what it dialled for nobody in a circle
                await asyncio.sleep(0.001)
        assert nothing_left()


async def test_a_greeting_whose_end_is_given_up_complains_to_nobody() -> None:
    """As where a machine is so busy that what was cancelled is cancelled again."""
    async with without_complaints():
        ours: asyncio.Queue[socket.socket] = asyncio.Queue()
        library = Library(Credentials(), level=LEVEL_5, keepalive=60, called=ours.put_nowait)
        greeting = asyncio.create_task(library.greet())
        async with asyncio.timeout(60):
            called = await ours.get()
            ending = asyncio.create_task(library.end())
            greeting.cancel()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            ending.cancel()
            await asyncio.wait({greeting, ending})
            with suppress(OSError):
                called.sendall(REFUSAL_5)
            while any(each.get_name() == "mqtt: greeting" for each in asyncio.all_tasks()):
                await asyncio.sleep(0.001)
        called.close()
        del library, ending, greeting


async def test_an_answer_never_comes_before_the_greeting() -> None:
    """Else the library may close its socket while the loop has still to hear of it."""
    begun: list[bytes] = []

    def answered(ours: socket.socket) -> None:
        begun.append(ours.recv(1))
        ours.send(REFUSAL_5)

    async with without_complaints():
        for _ in range(20):
            library = Library(Credentials(), level=LEVEL_5, keepalive=60, called=answered)
            with pytest.raises(LibraryError):
                await library.greet()
            await library.end()
    assert begun == [bytes([PacketType.CONNECT << 4])] * 20


async def test_nothing_is_left_in_the_folder_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    async with joined(saying(b"")) as one:
        assert one.status.state is LinkState.CONNECTED
        assert not list(tmp_path.iterdir())
    async with HostileBroker(stall) as broker:
        with pytest.raises(TransportError):
            await transport(broker.port).open(deadline=1.0)
    assert not list(tmp_path.iterdir())


async def test_until_the_library_calls_its_socket_lies_where_nobody_else_can_enter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    released = threading.Event()
    with ThreadPoolExecutor(1) as only:  # its one thread is busy, so that the call does not come
        asyncio.get_running_loop().set_default_executor(only)
        only.submit(released.wait)
        async with HostileBroker(stall) as broker:
            opening = asyncio.create_task(transport(broker.port).open())
            async with asyncio.timeout(60):
                while not list(tmp_path.rglob("mqtt")):
                    await asyncio.sleep(0.001)
            (folder,) = tmp_path.iterdir()
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            opening.cancel()
            with pytest.raises(asyncio.CancelledError):
                await opening
            assert not list(tmp_path.iterdir())
            released.set()


async def test_a_folder_in_which_no_socket_can_be_made_is_told_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = tmp_path / ("far" * 40)
    far.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(far))
    async with HostileBroker(stall) as broker:
        with pytest.raises(TransportError, match="TMPDIR"):
            await transport(broker.port).open()
    assert not list(far.iterdir())


async def test_a_quiet_broker_that_answers_when_it_is_asked_is_kept() -> None:
    asked = asyncio.Semaphore(0)

    async def behave(visit: Visit) -> None:
        await visit.start()
        while True:
            packet = await visit.packet()
            if packet.kind is PacketType.PINGREQ:
                assert packet.raw == PINGREQ
                visit.writer.write(b"\xd0\x00")
                asked.release()

    async with without_complaints(), joined(behave, keepalive=1) as one:
        async with asyncio.timeout(60):
            for _ in range(3):
                await asked.acquire()
        assert one.status.state is LinkState.CONNECTED
        assert [status.state for status in [await anext(one.statuses())]] == [LinkState.CONNECTED]


# --- no descriptor left ---------------------------------------------------------------------------


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
