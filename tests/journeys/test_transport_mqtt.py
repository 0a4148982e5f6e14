"""The MQTT transport over real brokers: all get all, and whatever breaks is joined again."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from cli.net.broker import EmbeddedBroker
from cli.net.mqtt import MqttTransport, MqttVersion
from cli.net.transport import (
    MAX_FRAME,
    LinkState,
    Transport,
    TransportClosedError,
    Trouble,
)
from tests.journeys.running_brokers import (
    carries,
    free_port,
    mosquitto,
    needs_mosquitto,
    nothing_left,
    refused,
    transport,
    until,
)
from tests.long import examples

pytestmark = pytest.mark.timeout(180)


@asynccontextmanager
async def table(transports: Iterable[MqttTransport]) -> AsyncIterator[list[MqttTransport]]:
    """All joined at the same time; all closed at the end."""
    all_of_them = list(transports)
    try:
        await asyncio.gather(*(one.open() for one in all_of_them))
        yield all_of_them
    finally:
        await asyncio.gather(*(one.close() for one in all_of_them))


@pytest.fixture(autouse=True)
async def _nothing_is_left() -> AsyncIterator[None]:
    yield
    assert nothing_left()


async def take(one: Transport, count: int) -> list[bytes]:
    frames = one.received()
    async with asyncio.timeout(60):
        return [await anext(frames) for _ in range(count)]


async def all_hear_all(seats: list[MqttTransport], each: int = 20) -> None:
    """Everybody hears what the others say, and nothing of its own."""
    sent = [[os.urandom(200) + bytes([seat]) for _ in range(each)] for seat in range(len(seats))]

    async def speak(seat: int) -> None:
        for frame in sent[seat]:
            await seats[seat].send(frame)

    await asyncio.gather(*(speak(seat) for seat in range(len(seats))))
    for seat, one in enumerate(seats):
        heard = await take(one, each * (len(seats) - 1))
        others = [frame for other, frames in enumerate(sent) if other != seat for frame in frames]
        assert sorted(heard) == sorted(others)


async def test_four_seats_join_the_embedded_broker_at_once_and_hear_each_other() -> None:
    for _ in range(examples(6)):
        broker = EmbeddedBroker()
        port = await broker.start()
        async with table(transport(port) for _ in range(4)) as seats:
            await all_hear_all(seats, each=3)
        assert await broker.stop()


@needs_mosquitto
async def test_two_seats_on_each_version_meet_at_a_default_mosquitto(tmp_path: Path) -> None:
    versions = [MqttVersion.MQTT_5, MqttVersion.MQTT_3_1_1] * 2
    async with (
        mosquitto(tmp_path) as broker,
        table(transport(broker.port, version=version) for version in versions) as seats,
    ):
        await all_hear_all(seats)
        log = broker.log()
        assert log.count("p5, c1") == 2
        assert log.count("p2, c1") == 2, "3.1.1 is shown as p2"


async def test_a_broker_that_dies_and_returns_is_joined_again() -> None:
    first = EmbeddedBroker()
    port = await first.start()
    async with table(transport(port) for _ in range(4)) as seats:
        await all_hear_all(seats, each=2)
        assert await first.stop()
        await asyncio.gather(*(until(one, LinkState.WAITING) for one in seats))
        for one in seats:
            await one.send(b"said while the broker was away by " + os.urandom(8))
        async with EmbeddedBroker(port=port):
            await asyncio.gather(*(until(one, LinkState.CONNECTED) for one in seats))
            # What was said before all had joined again may be lost; the ledger brings it.
            await asyncio.sleep(0)
            marks = [os.urandom(16) for _ in seats]
            for one, mark in zip(seats, marks, strict=True):
                await one.send(mark)
            for seat, one in enumerate(seats):
                missing = set(marks) - {marks[seat]}
                while missing:
                    missing -= set(await take(one, 1))


def _names(log: str, shown: str = "") -> set[str]:
    return {
        line.split(" as ")[1].split(" ")[0]
        for line in log.splitlines()
        if "New client connected" in line and shown in line
    }


@needs_mosquitto
@pytest.mark.parametrize(
    ("version", "other_version", "shown"),
    [
        (MqttVersion.MQTT_5, MqttVersion.MQTT_3_1_1, "(p5"),
        (MqttVersion.MQTT_3_1_1, MqttVersion.MQTT_5, "(p2"),
    ],
)
async def test_who_takes_over_our_client_id_gains_nothing(
    tmp_path: Path, version: MqttVersion, other_version: MqttVersion, shown: str
) -> None:
    async with (
        mosquitto(tmp_path) as broker,
        table(transport(broker.port, version=each) for each in (version, other_version)) as two,
    ):
        (victim,) = _names(broker.log(), shown)
        name = victim.encode()
        body = b"\x00\x04MQTT\x04\x02\x00\x3c" + len(name).to_bytes(2, "big") + name
        for _ in range(2):
            reader, writer = await asyncio.open_connection("127.0.0.1", broker.port)
            writer.write(b"\x10" + bytes([len(body)]) + body)
            async with asyncio.timeout(60):
                assert await reader.readexactly(4) == b"\x20\x02\x00\x00"
            writer.close()
        assert (await until(two[0], LinkState.DISCONNECTED)).sentence.endswith(".")
        await until(two[0], LinkState.CONNECTED)
        await carries(two[1], two[0])


async def test_nobody_there_and_a_name_that_nobody_knows_are_said_at_once() -> None:
    port = free_port()
    error = await refused(transport(port))
    assert error.trouble is Trouble.UNREACHABLE
    assert str(error) == (
        f"Nothing listens at mqtt://127.0.0.1:{port}: check the port, and whether the broker runs."
    )
    error = await refused(transport("mqtt://no-such-host.invalid:1883"))
    assert error.trouble in (Trouble.UNREACHABLE, Trouble.TIMEOUT)


async def test_a_closed_transport_says_so_and_ends_its_iterations() -> None:
    async with EmbeddedBroker() as broker:
        one = transport(broker.port)
        await one.open()
        await one.close()
        await one.close()
        assert [frame async for frame in one.received()] == []
        assert [status.state async for status in one.statuses()][-1] is LinkState.CLOSED
        with pytest.raises(TransportClosedError):
            await one.send(b"late")
        with pytest.raises(TransportClosedError):
            await one.open()


async def test_frames_and_topics_that_no_broker_carries_are_refused() -> None:
    async with EmbeddedBroker() as broker, table([transport(broker.port) for _ in range(2)]) as two:
        with pytest.raises(ValueError, match="larger than"):
            await two[0].send(bytes(MAX_FRAME + 1))
        await carries(two[0], two[1], bytes(MAX_FRAME))
    for topic in ("", "#", "a/+", "A", "a/b/c/d/e/f", "$share/x", "a//b", "ä", "a" * 300):
        with pytest.raises(ValueError, match="a topic is"):
            transport(1883, topic=topic)
