"""A hostile broker can stop a table and do nothing else: no memory, no stalls, no lies believed."""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.net.address import BrokerAddress
from cli.net.gate import Gate
from cli.net.mqtt import MqttOptions, MqttTransport, MqttVersion
from cli.net.packets import (
    LEVEL_3_1_1,
    LEVEL_5,
    MAX_PACKET,
    PacketCutter,
    PacketError,
)
from cli.net.transport import LinkState, TransportError, Trouble
from tests.journeys.running_brokers import (
    Behaviour,
    HostileBroker,
    Visit,
    publish_packet,
    remaining_length,
    stall,
)

TOPIC = "p2p304/0123456789abcdef"
pytestmark = pytest.mark.timeout(60)


def options(port: int, version: MqttVersion = MqttVersion.AUTOMATIC) -> MqttOptions:
    return MqttOptions(
        BrokerAddress.parse(f"mqtt://127.0.0.1:{port}"), TOPIC, version=version, keepalive=1
    )


def peak_memory() -> int:
    """The most memory that this process ever held, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


@asynccontextmanager
async def joined(
    behaviour: Behaviour, accept: Callable[[bytes], bool] | None = None
) -> AsyncIterator[MqttTransport]:
    async with HostileBroker(behaviour) as broker:
        one = MqttTransport(options(broker.port), accept=accept)
        await one.open()
        await one.send(b"begin")
        try:
            yield one
        finally:
            began = time.perf_counter()
            await one.close()
            assert time.perf_counter() - began < 4
            names = [task.get_name() for task in asyncio.all_tasks()]
            assert not [name for name in names if name.startswith("mqtt")]


async def left(one: MqttTransport) -> tuple[Trouble | None, str]:
    """Why the transport left the broker."""
    async with asyncio.timeout(20):
        async for status in one.statuses():
            if status.state is LinkState.DISCONNECTED:
                return status.trouble, status.sentence
    raise AssertionError("the transport was closed")


def announcing(size: int, *, kind: int = 0x30) -> Behaviour:
    async def behave(visit: Visit) -> None:
        await visit.start()
        visit.writer.write(bytes([kind]) + remaining_length(size))
        chunk = bytes(1 << 20)
        for _ in range(size >> 20):
            visit.writer.write(chunk)
            await visit.writer.drain()
        await stall(visit)

    return behave


async def test_a_packet_of_256_megabytes_is_left_at_its_announcement() -> None:
    before = peak_memory()
    async with joined(announcing(268_435_455)) as one:
        trouble, sentence = await left(one)
    assert trouble is Trouble.PROTOCOL
    assert sentence.startswith("The other side announced a packet of at least ")
    assert sentence.endswith(f" bytes; the limit is {MAX_PACKET}. We left it.")
    assert peak_memory() - before < 24 << 20


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
    async def behave(visit: Visit) -> None:
        await visit.start()
        visit.writer.write(answer)
        await stall(visit)

    async with joined(behave) as one:
        trouble, sentence = await left(one)
        assert trouble in (Trouble.PROTOCOL, Trouble.LOST)
        assert sentence.endswith(".")


@pytest.mark.parametrize(
    ("code", "newer_code", "trouble"),
    [
        (2, 0x85, Trouble.REFUSED),
        (3, 0x88, Trouble.REFUSED),
        (4, 0x86, Trouble.CREDENTIALS),
        (5, 0x87, Trouble.CREDENTIALS),
        (5, 0x8A, Trouble.ACCESS),
        (77, 0xFE, Trouble.REFUSED),
        (1, 0x84, Trouble.VERSION),
    ],
)
async def test_refusals_are_told_apart(code: int, newer_code: int, trouble: Trouble) -> None:
    async def behave(visit: Visit) -> None:
        packet = await visit.packet()
        if packet.body[6] == 5:
            visit.writer.write(b"\x20\x03\x00" + bytes([newer_code]) + b"\x00")
        else:
            visit.writer.write(b"\x20\x02\x00" + bytes([code]))
        await stall(visit)

    async with HostileBroker(behave) as broker:
        with pytest.raises(TransportError) as caught:
            await MqttTransport(options(broker.port, MqttVersion.MQTT_5)).open()
        assert caught.value.trouble is trouble
        with pytest.raises(TransportError) as caught:
            await MqttTransport(options(broker.port)).open()
        assert str(caught.value).endswith(".")


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
        async with asyncio.timeout(10):
            async for status in one.statuses():
                if status.state is LinkState.CONNECTED:
                    break
    assert levels == [5, 4, 4]


async def test_a_broker_that_says_nothing_is_left_and_can_be_cancelled() -> None:
    async with HostileBroker(stall) as broker:
        began = time.perf_counter()
        with pytest.raises(TransportError) as caught:
            await MqttTransport(options(broker.port)).open(deadline=1.0)
        assert time.perf_counter() - began < 3
        assert caught.value.trouble is Trouble.TIMEOUT

        opening = asyncio.create_task(MqttTransport(options(broker.port)).open())
        while broker.visits < 2:
            await asyncio.sleep(0.001)
        began = time.perf_counter()
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        assert time.perf_counter() - began < 1
    names = [task.get_name() for task in asyncio.all_tasks()]
    assert not [name for name in names if name.startswith("mqtt")]


async def test_a_broker_that_hangs_at_version_5_is_tried_with_the_older_one() -> None:
    async def behave(visit: Visit) -> None:
        packet = await visit.packet()
        if packet.body[6] == 4:
            visit.writer.write(b"\x20\x02\x00\x00")
            subscribe = await visit.packet()
            visit.writer.write(b"\x90\x03" + subscribe.body[:2] + b"\x00")
        await stall(visit)

    async with joined(behave) as one:
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
        one = MqttTransport(options(broker.port, MqttVersion.MQTT_3_1_1))
        if step < 3:
            with pytest.raises(TransportError):
                await one.open(deadline=2.0)
            return
        await one.open()
        await left(one)
        await one.close()


async def test_a_broker_that_stops_answering_is_noticed() -> None:
    async def behave(visit: Visit) -> None:
        await visit.start()
        await stall(visit)

    async with joined(behave) as one:
        began = time.perf_counter()
        trouble, _ = await left(one)
        assert trouble is Trouble.LOST
        assert time.perf_counter() - began < 10


async def test_a_broker_that_takes_nothing_neither_blocks_the_close_nor_grows_memory() -> None:
    async def behave(visit: Visit) -> None:
        await visit.welcome()
        visit.writer.transport.pause_reading()  # type: ignore[attr-defined]
        await asyncio.sleep(30)

    before = peak_memory()
    async with HostileBroker(behave) as broker:
        calm = MqttOptions(
            BrokerAddress.parse(f"mqtt://127.0.0.1:{broker.port}"), TOPIC, outbox_limit=64
        )
        one = MqttTransport(calm)
        await one.open()
        sending = asyncio.create_task(_send_much(one, 4_000))
        done, _ = await asyncio.wait({sending}, timeout=2)
        assert not done, "a sender must be held back"
        began = time.perf_counter()
        await one.close(deadline=1.0)
        assert time.perf_counter() - began < 4
        await asyncio.wait({sending}, timeout=2)
        assert sending.done()
        assert sending.exception() is not None
    assert peak_memory() - before < 48 << 20


async def _send_much(one: MqttTransport, frames: int) -> None:
    for _ in range(frames):
        await one.send(os.urandom(16_384))


async def test_a_flood_of_junk_delays_nothing_and_grows_nothing() -> None:
    """Junk of every size as fast as the loop carries it; each valid frame arrives within 1 s."""
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
        until = time.perf_counter() + 4
        while time.perf_counter() < until:
            visit.writer.write(flood)
            junk_sent += 32
            if junk_sent % 3_200 == 0:
                sent_at.append(time.perf_counter())
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
        async with asyncio.timeout(15):
            async for frame in one.received():
                assert frame == valid
                delays.append(time.perf_counter() - sent_at[len(delays)])
                if time.perf_counter() - sent_at[0] > 3:
                    break
    assert junk_sent > 10_000
    assert asked > 5_000
    assert len(delays) > 3
    assert max(delays) < 1
    assert peak_memory() - before < 32 << 20


async def test_a_flood_that_looks_valid_is_bounded_by_the_inbox() -> None:
    async def behave(visit: Visit) -> None:
        newer = await visit.start()
        for index in range(3_000):
            visit.publish(TOPIC, index.to_bytes(4, "big") + bytes(1_020), newer=newer)
            await visit.writer.drain()
        await stall(visit)

    async with joined(behave) as one:
        async with asyncio.timeout(10):
            while one.dropped < 500:
                await asyncio.sleep(0.01)
        frames = one.received()
        first = await anext(frames)
        assert first[:4] == bytes(4)


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
        async with asyncio.timeout(5):
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
        async with asyncio.timeout(5):
            assert await anext(one.received()) == b"good"
        assert one.status.state is LinkState.CONNECTED
    assert "the frame is dropped" in caplog.text


async def test_being_sent_away_is_told_with_its_reason() -> None:
    async def behave(visit: Visit) -> None:
        assert await visit.start()
        visit.writer.write(b"\xe0\x01\x8e")
        await stall(visit)

    async with joined(behave) as one:
        _, sentence = await left(one)
    assert sentence == "Another connection took over our name at the broker; we take a new one."


async def test_a_broker_that_sends_us_away_again_and_again_is_not_hammered() -> None:
    visits: list[float] = []

    async def behave(visit: Visit) -> None:
        visits.append(time.perf_counter())
        await visit.start()

    async with joined(behave) as one, asyncio.timeout(10):
        async for _ in one.statuses():
            if len(visits) == 4:
                break
            if one.status.state is LinkState.CONNECTED:
                await one.send(b"and go")
    pauses = [later - sooner for sooner, later in pairwise(visits)]
    assert pauses[0] > 0.12
    assert pauses[2] > pauses[0]
    assert pauses[2] > 0.45


async def test_a_broker_that_carries_nothing_is_told() -> None:
    async def behave(visit: Visit) -> None:
        newer = await visit.welcome()
        heard = 0
        while True:
            packet = await visit.packet()
            if packet.kind == 12:
                visit.writer.write(b"\xd0\x00")
            elif packet.kind == 3:
                heard += 1
                if heard == 2:
                    visit.writer.write(packet.raw)
                    assert newer

    async with HostileBroker(behave) as broker:
        one = MqttTransport(
            MqttOptions(
                BrokerAddress.parse(f"mqtt://127.0.0.1:{broker.port}"), TOPIC, echo_deadline=0.2
            )
        )
        await one.open()
        states = one.statuses()
        async with asyncio.timeout(10):
            assert (await anext(states)).state is LinkState.CONNECTED
            await one.send(b"lost")
            unheard = await anext(states)
            assert unheard.state is LinkState.UNHEARD
            assert "access list" in unheard.sentence
            await one.send(b"heard")
            assert (await anext(states)).state is LinkState.CONNECTED
        await one.close()


@settings(max_examples=300, deadline=None)
@given(
    stream=st.binary(max_size=2_000),
    cuts=st.lists(st.integers(min_value=0, max_value=2_000), max_size=8),
    level=st.sampled_from([LEVEL_3_1_1, LEVEL_5]),
)
def test_any_bytes_pass_the_gate_the_same_way_however_they_are_cut(
    stream: bytes, cuts: list[int], level: int
) -> None:
    def passed(chunks: list[bytes]) -> tuple[bytes, bool]:
        gate = Gate(level=level, topic=TOPIC, admit=lambda _payload: True)
        out = b""
        try:
            gate.pass_on(b"\x20\x02\x00\x00")
            for chunk in chunks:
                out += gate.pass_on(chunk)
        except PacketError:
            return out, True
        return out, False

    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    pieces = [stream[one:other] for one, other in pairwise(places)]
    _, refused = passed([stream])
    in_pieces, refused_in_pieces = passed(pieces)
    assert refused == refused_in_pieces
    if not refused:
        assert in_pieces == passed([stream])[0]


@given(st.lists(st.binary(max_size=300), max_size=10), st.integers(min_value=1, max_value=50))
def test_packets_are_cut_as_they_were_joined(bodies: list[bytes], step: int) -> None:
    stream = b"".join(b"\x30" + remaining_length(len(body)) + body for body in bodies)
    cutter = PacketCutter()
    found = []
    for place in range(0, len(stream), step):
        found += cutter.feed(stream[place : place + step])
    assert [packet.body for packet in found] == bodies
