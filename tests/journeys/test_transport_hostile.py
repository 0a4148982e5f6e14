"""A hostile broker can stop a table and do nothing else: no memory, no stalls, no lies believed."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise

import pytest

from cli.net.mqtt import MqttVersion
from cli.net.packets import Kind
from cli.net.transport import LinkState, Trouble
from tests.journeys.hostile_brokers import PATIENT, joined, left
from tests.journeys.running_brokers import (
    TOPIC,
    HostileBroker,
    Visit,
    nothing_left,
    refused,
    saying,
    stall,
    transport,
    until,
)

pytestmark = pytest.mark.timeout(180)


@pytest.mark.parametrize(
    "answer",
    [
        b"\x30" + b"\xff\xff\xff\xff\x01",
        b"\x20\x02\x00\x00",
        b"\x90\x02\x00\x01",
        b"\x90\x00",
        b"\x34\x1e" + bytes(30),
        b"\x32\x1e" + bytes(30),
        b"\x30\x01\x00",
        b"\x30\x04\x00\xffab",
        b"\x50\x02\x00\x07",
        b"\x62\x02\x00\x07",
        b"\xf0\x00",
        b"\x00\x00",
        b"\x10\x00",
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
async def test_packets_that_no_broker_sends_end_the_connection(answer: bytes) -> None:
    async with joined(saying(answer), keepalive=1) as one:
        trouble, sentence = await left(one)
        assert trouble in (Trouble.PROTOCOL, Trouble.LOST)
        assert sentence.endswith(".")


@pytest.mark.parametrize(
    ("code", "newer_code", "trouble", "told"),
    [
        (2, 0x85, Trouble.REFUSED, ""),
        (4, 0x86, Trouble.CREDENTIALS, "password"),
        (5, 0x87, Trouble.CREDENTIALS, "password"),
        (5, 0x8A, Trouble.ACCESS, ""),
        (77, 0xFE, Trouble.REFUSED, ""),
        (1, 0x84, Trouble.VERSION, ""),
        (3, 0x97, Trouble.REFUSED, "is full"),
        (3, 0x9F, Trouble.REFUSED, "takes no more connections for a moment"),
        (3, 0x89, Trouble.REFUSED, "too busy"),
        (3, 0x88, Trouble.REFUSED, "too busy or closed"),
    ],
)
async def test_refusals_are_told_apart_and_nothing_is_left_of_them(
    code: int, newer_code: int, trouble: Trouble, told: str
) -> None:
    answers = (b"\x20\x02\x00" + bytes([code]), b"\x20\x03\x00" + bytes([newer_code]) + b"\x00")
    async with HostileBroker(saying(*answers, after="connect")) as broker:
        error = await refused(transport(broker.port, version=MqttVersion.MQTT_5))
        assert error.trouble is trouble
        assert told in str(error)
        await refused(transport(broker.port))
        async with asyncio.timeout(60):
            while broker.present:
                await asyncio.sleep(0.001)


async def test_an_older_broker_is_spoken_to_in_its_own_version_and_only_so_afterwards() -> None:
    levels: list[int] = []

    async def behave(visit: Visit) -> None:
        packet = await visit.packet()
        levels.append(packet.body[6])
        if packet.body[6] != 4:
            visit.writer.write(b"\x20\x02\x00\x01")
            return
        visit.writer.write(b"\x20\x02\x00\x00")
        subscribe = await visit.packet()
        visit.writer.write(b"\x90\x03" + subscribe.body[:2] + b"\x00")
        if len(levels) == 2:
            await visit.packet()
        else:
            await stall(visit)

    async with joined(behave) as one:
        await left(one)
        await until(one, LinkState.CONNECTED)
    assert levels == [5, 4, 4]


async def test_a_broker_that_says_nothing_is_left_and_can_be_cancelled() -> None:
    async with HostileBroker(stall) as broker:
        error = await refused(transport(broker.port), deadline=1.0)
        assert error.trouble is Trouble.TIMEOUT
        opening = asyncio.create_task(transport(broker.port).open())
        while broker.visits < 2:
            await asyncio.sleep(0.001)
        opening.cancel()
        done, _ = await asyncio.wait({opening}, timeout=60)
        assert done
        assert opening.cancelled()
    assert nothing_left()


async def test_a_broker_that_hangs_at_version_5_is_tried_with_the_older_one() -> None:
    async def behave(visit: Visit) -> None:
        packet = await visit.packet()
        if packet.body[6] == 4:
            visit.writer.write(b"\x20\x02\x00\x00")
            subscribe = await visit.packet()
            visit.writer.write(b"\x90\x03" + subscribe.body[:2] + b"\x00")
        await stall(visit)

    async with joined(behave, keepalive=1) as one:
        assert one.status.state is LinkState.CONNECTED


@pytest.mark.parametrize("step", [1, 2, 3])
async def test_a_broker_that_drips_one_byte_at_a_time_is_left(step: int) -> None:
    """No byte of a whole packet reaches the library, so its keep-alive goes unanswered."""

    async def behave(visit: Visit) -> None:
        if step > 1:
            await (visit.greet() if step == 2 else visit.welcome())
        visit.writer.write(b"\x30\xff\x7f")
        while True:
            visit.writer.write(b"x")
            await visit.writer.drain()
            await asyncio.sleep(0.2)

    async with HostileBroker(behave) as broker:
        one = transport(broker.port, version=MqttVersion.MQTT_3_1_1, keepalive=1)
        if step < 3:
            await refused(one, deadline=2.0)
            return
        await one.open()
        await left(one)
        await one.close()


async def test_a_broker_that_stops_answering_is_noticed() -> None:
    async with joined(saying(b""), keepalive=1) as one:
        trouble, _ = await left(one)
        assert trouble is Trouble.LOST


async def test_retained_poison_is_a_message_like_any_other_and_other_topics_are_none() -> None:
    async def behave(visit: Visit) -> None:
        newer = await visit.start()
        visit.publish(TOPIC + "x", b"other", newer=newer)
        visit.publish("p2p304/#", b"wild", newer=newer)
        visit.publish(TOPIC, b"retained", newer=newer, flags=1)
        visit.publish(TOPIC, b"again", newer=newer, flags=8)
        await stall(visit)

    async with joined(behave) as one:
        frames = one.received()
        async with asyncio.timeout(60):
            assert [await anext(frames), await anext(frames)] == [b"retained", b"again"]


async def test_a_failing_test_of_frames_drops_the_frame_and_nothing_else(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def behave(visit: Visit) -> None:
        newer = await visit.start()
        for payload in (b"bad", b"good"):
            visit.publish(TOPIC, payload, newer=newer)
        await stall(visit)

    def accept(payload: bytes) -> bool:
        if payload == b"bad":
            raise RuntimeError("a defect of ours")
        return True

    async with joined(behave, accept) as one:
        async with asyncio.timeout(60):
            assert await anext(one.received()) == b"good"
        assert one.status.state is LinkState.CONNECTED
    assert "the frame is dropped" in caplog.text


@pytest.mark.parametrize(
    ("code", "trouble", "told"),
    [
        (0x8E, None, "Another connection took over our name at the broker; we take a new one."),
        (0x95, Trouble.SIZE, "too large"),
        (0x97, Trouble.REFUSED, "is full"),
        (0x89, Trouble.REFUSED, "too busy"),
        (0x8B, Trouble.REFUSED, "shut down"),
    ],
)
async def test_being_sent_away_is_told_with_its_reason(
    code: int, trouble: Trouble | None, told: str
) -> None:
    async with joined(saying(bytes((0xE0, 1, code)))) as one:
        why, sentence = await left(one)
    assert trouble in (why, None)
    assert told in sentence


async def test_a_broker_that_sends_us_away_again_and_again_is_not_hammered() -> None:
    visits: list[float] = []

    async def behave(visit: Visit) -> None:
        visits.append(time.perf_counter())
        await visit.start()

    meant: list[float] = []
    async with joined(behave) as one, asyncio.timeout(60):
        async for status in one.statuses():
            meant += [] if status.retry_in is None else [status.retry_in]
            if len(meant) >= 3 and len(visits) >= 4:
                break
            if one.status.state is LinkState.CONNECTED:
                await one.send(b"and go")
    pauses = [later - sooner for sooner, later in pairwise(visits)]
    assert pauses[0] > 0.12
    assert meant[2] > meant[0]
    assert pauses[2] > 0.45


async def test_a_broker_that_carries_nothing_is_told() -> None:
    async def behave(visit: Visit) -> None:
        assert await visit.welcome()
        heard = 0
        while True:
            packet = await visit.packet()
            if packet.kind is Kind.PINGREQ:
                visit.writer.write(b"\xd0\x00")
            elif packet.kind is Kind.PUBLISH:
                heard += 1
                visit.writer.write(packet.raw if heard == 2 else b"")

    async with HostileBroker(behave) as broker:
        one = transport(broker.port, echo_deadline=0.2, keepalive=PATIENT)
        async with one:
            await one.send(b"lost")
            assert "access list" in (await until(one, LinkState.UNHEARD)).sentence
            await one.send(b"heard")
            await until(one, LinkState.CONNECTED)
