"""Floods, huge packets and brokers that take nothing: memory stays flat and nothing waits."""

from __future__ import annotations

import asyncio
import os
import time

import pytest

from cli.net.mqtt import MqttTransport
from cli.net.packets import MAX_PACKET
from cli.net.transport import Trouble
from tests.journeys.hostile_brokers import joined, left, peak_memory
from tests.journeys.running_brokers import (
    TOPIC,
    HostileBroker,
    Visit,
    publish_packet,
    remaining_length,
    stall,
    transport,
)

pytestmark = pytest.mark.timeout(240)


HUGE = 268_435_455


async def announcing(visit: Visit) -> None:
    """Announce a packet of 256 MB, and send it as far as anybody takes it."""
    await visit.start()
    visit.writer.write(b"\x30" + remaining_length(HUGE))
    for _ in range(HUGE >> 20):
        visit.writer.write(bytes(1 << 20))
        await visit.writer.drain()
    await stall(visit)


async def test_a_packet_of_256_megabytes_is_left_at_its_announcement() -> None:
    before = peak_memory()
    async with joined(announcing) as one:
        trouble, sentence = await left(one)
    assert trouble is Trouble.PROTOCOL
    assert sentence.startswith("The other side announced a packet of at least ")
    assert sentence.endswith(f" bytes; the limit is {MAX_PACKET}. We left it.")
    assert peak_memory() - before < 24 << 20


async def test_a_broker_that_takes_nothing_neither_blocks_the_close_nor_grows_memory() -> None:
    async def behave(visit: Visit) -> None:
        await visit.welcome()
        visit.writer.transport.pause_reading()  # type: ignore[attr-defined]
        await asyncio.sleep(30)

    before = peak_memory()
    async with HostileBroker(behave) as broker:
        one = transport(broker.port, outbox_limit=64)
        await one.open()
        sending = asyncio.create_task(_send_much(one, 4_000))
        done, _ = await asyncio.wait({sending}, timeout=2)
        assert not done, "a sender must be held back"
        async with asyncio.timeout(60):
            await one.close(deadline=1.0)
        await asyncio.wait({sending}, timeout=60)
        assert sending.done()
        assert sending.exception() is not None
    assert peak_memory() - before < 48 << 20


async def _send_much(one: MqttTransport, frames: int) -> None:
    for _ in range(frames):
        await one.send(os.urandom(16_384))


async def test_a_flood_of_junk_delays_nothing_and_grows_nothing() -> None:
    """Junk of every size as fast as the loop carries it; each valid frame arrives within 4 s.

    Seconds of this process's work, not of the clock: others may have the machine meanwhile.
    """
    valid = b"valid" + bytes(1019)
    sent_at: list[float] = []
    junk_sent = 0

    async def behave(visit: Visit) -> None:
        nonlocal junk_sent
        newer = await visit.start()
        junk = [
            publish_packet(TOPIC, os.urandom(size), newer=newer)
            for size in (0, 1, 100, 1_024, 1_024, 4_096, 16_384)
        ]
        others = [publish_packet("other/topic", os.urandom(1_024), newer=newer)]
        flood = b"".join((junk + others) * 4)
        until = time.process_time() + 4
        while time.process_time() < until:
            visit.writer.write(flood)
            junk_sent += 32
            if junk_sent % 3_200 == 0:
                sent_at.append(time.process_time())
                visit.publish(TOPIC, valid, newer=newer)
            await visit.writer.drain()
        await stall(visit)

    asked = 0

    def accept(payload: bytes) -> bool:
        nonlocal asked
        asked += 1
        return payload.startswith(b"valid")

    before = peak_memory()
    async with joined(behave, accept) as one:
        delays: list[float] = []
        async with asyncio.timeout(200):
            async for frame in one.received():
                assert frame == valid
                delays.append(time.process_time() - sent_at[len(delays)])
                if time.process_time() - sent_at[0] > 3:
                    break
    assert junk_sent > 10_000
    assert asked > 5_000
    assert len(delays) > 3
    assert max(delays) < 4
    assert peak_memory() - before < 32 << 20


async def test_a_flood_that_looks_valid_is_bounded_by_the_inbox() -> None:
    async def behave(visit: Visit) -> None:
        newer = await visit.start()
        for index in range(3_000):
            visit.publish(TOPIC, index.to_bytes(4, "big") + bytes(1_020), newer=newer)
            await visit.writer.drain()
        await stall(visit)

    async with joined(behave) as one:
        async with asyncio.timeout(60):
            while one.dropped < 500:
                await asyncio.sleep(0.01)
        frames = one.received()
        first = await anext(frames)
        assert first[:4] == bytes(4)
