"""The library behind a transport: however a connection ends, nothing of it is left or told."""

from __future__ import annotations

import asyncio
import gc
import stat
import tempfile
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from cli.net.mqtt import MqttVersion
from cli.net.transport import TransportError
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
