"""Brokers with limits, and connections that do not last: what is told, and how soon we are back."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from cli.net.broker import EmbeddedBroker
from cli.net.mqtt import FIRST_PAUSE, KEEPALIVE, MqttVersion
from cli.net.packets import Kind, Packet, PacketError, largest_packet
from cli.net.transport import LinkState, Trouble
from tests.campaigns.faults.rough_way import Roughness, RoughWay
from tests.journeys.hostile_brokers import joined, left
from tests.journeys.running_brokers import (
    TOPIC,
    HostileBroker,
    Visit,
    mosquitto,
    needs_mosquitto,
    refused,
    remaining_length,
    saying,
    stall,
    transport,
)

pytestmark = pytest.mark.timeout(180)


@needs_mosquitto
async def test_a_broker_that_says_what_it_takes_at_most_is_told_in_a_sentence(
    tmp_path: Path,
) -> None:
    config = "allow_anonymous true\nmax_packet_size 10000\n"
    async with mosquitto(tmp_path, config) as broker:
        error = await refused(transport(broker.port, largest_frame=16_384))
        async with transport(broker.port, largest_frame=9_000) as one:
            assert one.status.state is LinkState.CONNECTED
    assert error.trouble is Trouble.SIZE
    assert not error.trouble.heals
    assert str(error) == (
        f"The broker takes packets of 10,000 bytes at most, and a table needs"
        f" {16_384 + len(TOPIC) + 7:,}: ask the one who runs it for more, or use another broker."
    )


async def test_a_subscription_beyond_a_quota_is_no_matter_of_the_access_list() -> None:
    answer = b"\x90\x04\x00\x01\x00\x97"
    async with HostileBroker(saying(answer, after="subscribe")) as broker:
        error = await refused(transport(broker.port, version=MqttVersion.MQTT_5))
    assert error.trouble is Trouble.REFUSED
    assert "quota exceeded" in str(error)


@pytest.mark.parametrize(
    ("properties", "largest"),
    [
        (b"", None),
        (b"\x27\x00\x00\x27\x10", 10_000),
        (b"\x21\x00\x14\x12\x00\x02id\x26\x00\x01a\x00\x01b\x27\x00\x01\x00\x00", 65_536),
        (b"\x24\x01\x25\x00\x1f\x00\x04full", None),
        (b"\x26\x00\x01k\x00\xc8" + b"v" * 200 + b"\x27\x00\x00\x40\x00", 0x4000),
    ],
)
def test_the_largest_packet_is_read_among_other_properties(
    properties: bytes, largest: int | None
) -> None:
    body = b"\x00\x00" + remaining_length(len(properties)) + properties
    assert largest_packet(Packet(Kind.CONNACK, 0, body, b"")) == largest
    assert largest_packet(Packet(Kind.CONNACK, 0, b"\x00\x00", b"")) is None


@pytest.mark.parametrize("properties", [b"\x27\x00\x00", b"\x12\x00\x09id", b"\x21\x00", b"\x26"])
def test_broken_properties_are_no_answer(properties: bytes) -> None:
    body = b"\x00\x00" + bytes([len(properties)]) + properties
    for broken in (body, body[:2] + b"\xff", body[:-1]):
        with pytest.raises(PacketError):
            largest_packet(Packet(Kind.CONNACK, 0, broken, b""))


async def test_short_connections_that_carried_something_are_made_again_after_the_first_pause() -> (
    None
):
    async def behave(visit: Visit) -> None:
        await visit.welcome()
        while (packet := await visit.packet()).kind is not Kind.PUBLISH:
            pass
        visit.writer.write(packet.raw)
        await visit.writer.drain()

    meant: list[float] = []
    async with joined(behave) as one, asyncio.timeout(120):
        async for status in one.statuses():
            meant += [] if status.retry_in is None else [status.retry_in]
            if len(meant) == 8:
                break
            if status.state is LinkState.CONNECTED:
                await one.send(b"once more")
    assert max(meant) <= FIRST_PAUSE


async def test_a_first_connection_that_is_lost_on_the_way_is_made_again() -> None:
    async def behave(visit: Visit) -> None:
        if broker.visits < 4:
            await visit.greet()  # and it is cut before it is subscribed
            return
        await visit.welcome()
        await stall(visit)

    async with HostileBroker(behave) as broker, transport(broker.port):
        assert broker.visits == 4


async def test_frames_come_through_connections_that_are_cut_and_corrupted() -> None:
    rough = Roughness(delay=0.01, chunks=(8, 40), corrupt=0.05)
    async with EmbeddedBroker() as broker, RoughWay(broker.port, rough, 304).open() as way:
        one, other = (transport(way.port) for _ in range(2))
        for each in (one, other):
            await each.open(deadline=120)
        missing = {bytes([number]) * 1_000 for number in range(40)}
        frames = other.received()
        async with asyncio.timeout(150):
            while missing or way.connections < 10:
                for frame in missing or {b"more"}:
                    await one.send(frame)
                with suppress(TimeoutError):
                    while True:
                        missing.discard(await asyncio.wait_for(anext(frames), 0.3))
        for each in (one, other):
            await each.close()
    assert way.corrupted


async def test_a_broker_that_went_silent_is_asked_and_left_within_ten_seconds() -> None:
    greeted: list[Packet] = []
    asked = asyncio.Event()

    async def behave(visit: Visit) -> None:
        greeted.append(await visit.packet())
        visit.writer.write(b"\x20\x03\x00\x00\x00")
        subscribe = await visit.packet()
        visit.writer.write(b"\x90\x04" + subscribe.body[:2] + b"\x00\x00")
        while (await visit.packet()).kind is not Kind.PINGREQ:
            pass
        asked.set()
        await stall(visit)

    async with joined(behave, keepalive=1) as one:
        async with asyncio.timeout(60):
            await asked.wait()
        trouble, _ = await left(one)
    assert trouble is Trouble.LOST
    announced = greeted[0].body[8:10]
    assert int.from_bytes(announced, "big") >= 20, "the broker need not be as strict with us"
    assert 2 * (KEEPALIVE + 1) <= 10, (
        "asked after so long, left after as long again, in ticks of 1 s"
    )
