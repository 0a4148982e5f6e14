"""A hostile broker can stop a table and do nothing else: no memory, no stalls, no lies believed."""

from __future__ import annotations

import asyncio
import gc
import os
import stat
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paho.mqtt.enums import MessageType

from cli.bounds import KEEPALIVE, MAX_PACKET
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.net.link import Link
from cli.net.mqtt import Connection, MqttOptions
from cli.net.packets import LEVEL_3_1_1, LEVEL_5, Packet, PacketCutter, PacketError
from cli.net.transport import LinkState, Transport, TransportError, Trouble
from tests.campaigns.faults.real_table import Roughness, RoughWay
from tests.journeys.running_brokers import (
    PATIENT,
    TOPIC,
    HostileBroker,
    Visit,
    joined,
    left,
    mosquitto,
    needs_mosquitto,
    nothing_left,
    peak_memory,
    publish_packet,
    refused,
    remaining_length,
    saying,
    stall,
    transport,
    until,
)

pytestmark = pytest.mark.timeout(240)


@pytest.mark.parametrize(
    "answer",
    [
        b"\x30" + b"\xff\xff\xff\xff\x01",
        b"\x20\x02\x00\x00",
        b"\x90\x02\x00\x01",
        b"\x90\x00",
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
        (3, 0x88, Trouble.REFUSED, "too busy or shut down"),
    ],
)
async def test_refusals_are_told_apart_and_nothing_is_left_of_them(
    code: int, newer_code: int, trouble: Trouble, told: str
) -> None:
    answers = (b"\x20\x02\x00" + bytes([code]), b"\x20\x03\x00" + bytes([newer_code]) + b"\x00")
    async with HostileBroker(saying(*answers, after="connect")) as broker:
        error = await refused(transport(broker.port, levels=(LEVEL_5,)))
        assert error.trouble is trouble
        assert told in str(error)
        await refused(transport(broker.port))
        async with asyncio.timeout(60):
            while broker.present:
                await asyncio.sleep(0.001)


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
        one = transport(broker.port, levels=(LEVEL_3_1_1,), keepalive=1)
        if step < 3:
            await refused(one, deadline=2.0)
            return
        await one.open()
        await left(one)
        await one.close()


async def test_retained_poison_is_a_message_like_any_other_and_other_topics_are_none() -> None:
    async def behave(visit: Visit) -> None:
        newer = await visit.start()
        visit.publish(TOPIC + "x", b"other", newer=newer)
        visit.publish("p2p304/#", b"wild", newer=newer)
        visit.publish(TOPIC, b"retained", newer=newer, flags=1)
        visit.publish(TOPIC, b"again", newer=newer, flags=8)
        await stall(visit)

    async with joined(behave) as one:
        frames = one.frames()
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
            assert await anext(one.frames()) == b"good"
        assert one.status.state is LinkState.CONNECTED
    assert "the frame is dropped" in caplog.text


@pytest.mark.parametrize(
    ("code", "trouble", "told"),
    [
        (0x8E, None, "Another connection took our name at the broker; we take a new one."),
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
            if packet.kind is MessageType.PINGREQ:
                visit.writer.write(b"\xd0\x00")
            elif packet.kind is MessageType.PUBLISH:
                heard += 1
                visit.writer.write(packet.raw if heard == 2 else b"")

    async with HostileBroker(behave) as broker:
        one = transport(broker.port, echo_deadline=0.2, keepalive=PATIENT)
        async with one:
            await one.send(b"lost")
            assert "access list" in (await until(one, LinkState.UNHEARD)).sentence
            await one.send(b"heard")
            await until(one, LinkState.CONNECTED)


# --- limits, and connections that do not last -----------------------------------------------------


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
        error = await refused(transport(broker.port, levels=(LEVEL_5,)))
    assert error.trouble is Trouble.REFUSED
    assert "quota exceeded" in str(error)


def welcome(properties: bytes) -> bytes:
    """An answer of MQTT 5 that lets us in, with these properties."""
    body = b"\x00\x00" + remaining_length(len(properties)) + properties
    return b"\x20" + remaining_length(len(body)) + body


@pytest.mark.parametrize(
    ("properties", "largest"),
    [
        (b"", None),
        (b"\x27\x00\x00\x27\x10", 10_000),
        (b"\x21\x00\x14\x12\x00\x02id\x26\x00\x01a\x00\x01b\x27\x00\x00\x40\x00", 0x4000),
        (b"\x24\x01\x25\x00\x1f\x00\x04full", None),
        (b"\x26\x00\x01k\x00\xc8" + b"v" * 200 + b"\x27\x00\x00\x40\x00", 0x4000),
    ],
)
async def test_the_largest_packet_is_read_among_other_properties(
    properties: bytes, largest: int | None
) -> None:
    async with HostileBroker(saying(welcome(properties), after="connect")) as broker:
        one = transport(broker.port, levels=(LEVEL_5,))
        error = await refused(one, deadline=60 if largest else 1.0)
    assert error.trouble is (Trouble.SIZE if largest else Trouble.TIMEOUT)
    assert largest is None or f"takes packets of {largest:,} bytes" in str(error)


@pytest.mark.parametrize("properties", [b"\x27\x00\x00", b"\x12\x00\x09id", b"\x21\x00", b"\x26"])
def test_broken_properties_are_no_answer(properties: bytes) -> None:
    body = b"\x00\x00" + bytes([len(properties)]) + properties
    for broken in (body, body[:2] + b"\xff", body[:-1]):
        with pytest.raises(PacketError, match="broken"):
            gate_of(LEVEL_5).take(b"\x20" + bytes([len(broken)]) + broken)


def test_an_answer_of_many_properties_is_none_or_they_are_not_read() -> None:
    many = b"\x26\x00\x00\x00\x00" * 1_000
    with pytest.raises(PacketError, match="too long"):
        gate_of(LEVEL_5).take(welcome(many))
    granted = b"\x00\x01" + remaining_length(len(many)) + many + b"\x00"
    began = time.process_time()
    assert opened(LEVEL_5).take(b"\x90" + remaining_length(len(granted)) + granted) == 1
    assert time.process_time() - began < 0.05


def test_a_second_answer_to_the_subscription_ends_the_connection() -> None:
    gate, granted = opened(), b"\x90\x03\x00\x01\x00"
    assert gate.take(granted) == 1
    with pytest.raises(PacketError, match="not for us"):
        gate.take(granted)


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
        frames = other.frames()
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
        while (await visit.packet()).kind is not MessageType.PINGREQ:
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


async def test_a_program_that_was_suspended_asks_before_it_leaves_its_broker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    visits = 0

    async def behave(visit: Visit) -> None:
        nonlocal visits
        visits += 1
        newer = await visit.start()
        with suppress(OSError):
            while True:
                if (await visit.packet()).kind is MessageType.PINGREQ:
                    visit.publish(TOPIC, b"asked", newer=newer)

    async with joined(behave, keepalive=1) as one:
        loop, passed = asyncio.get_running_loop(), 0.0
        clock = loop.time
        monkeypatch.setattr(loop, "time", lambda: clock() + passed)
        for _ in range(3):
            async with asyncio.timeout(60):
                assert await anext(one.frames()) == b"asked"
            await asyncio.sleep(0.3)  # between two questions
            passed += 3.0
        assert visits == 1


async def test_a_broker_that_talks_all_the_time_hears_of_a_client_that_only_listens() -> None:
    asked = asyncio.Event()

    async def behave(visit: Visit) -> None:
        newer = await visit.start()

        async def talk() -> None:
            while True:
                visit.publish(TOPIC, b"news", newer=newer)
                await asyncio.sleep(0.1)

        talking = asyncio.create_task(talk())
        with suppress(OSError):
            while (await visit.packet()).kind is not MessageType.PINGREQ:
                pass
            asked.set()
        talking.cancel()
        await stall(visit)

    async with joined(behave, keepalive=1), asyncio.timeout(60):
        await asked.wait()


async def _send_much(line: Transport, frames: int) -> None:
    """Send so many of the largest frames, each once the line takes it."""
    for _ in range(frames):
        await line.send(os.urandom(16_384))


async def test_a_broker_that_talks_and_takes_nothing_for_a_while_is_heard_and_kept() -> None:
    async def behave(visit: Visit) -> None:
        newer = await visit.welcome()
        visit.writer.transport.pause_reading()  # type: ignore[attr-defined]
        for _ in range(50):
            visit.publish(TOPIC, b"news", newer=newer)
            await asyncio.sleep(0.1)
        await asyncio.sleep(30)

    async with HostileBroker(behave) as broker:
        one = transport(broker.port, keepalive=1, outbox_limit=64)
        await one.open()
        sending = asyncio.create_task(_send_much(one, 4_000))
        async with asyncio.timeout(60):
            for _ in range(50):
                assert await anext(one.frames()) == b"news"
        assert broker.visits == 1
        assert not sending.done(), "nothing is written any more"
        sending.cancel()
        await one.close(deadline=0.1)


# --- floods and huge packets ----------------------------------------------------------------------


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
    announced = f"The other side announced a packet of {HUGE} bytes"
    assert sentence == f"{announced}; the limit is {MAX_PACKET}. We left it."
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


async def test_a_close_that_is_cancelled_leaves_nothing_running() -> None:
    async def behave(visit: Visit) -> None:
        await visit.welcome()
        visit.writer.transport.pause_reading()  # type: ignore[attr-defined]
        await asyncio.sleep(30)

    async with HostileBroker(behave) as broker:
        one = transport(broker.port, outbox_limit=64)
        await one.open()
        sending = asyncio.create_task(_send_much(one, 4_000))
        await asyncio.wait({sending}, timeout=1)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await one.close(deadline=30)
        assert nothing_left()
        assert one.status.state is LinkState.CLOSED
        await asyncio.wait({sending}, timeout=60)
        assert sending.exception() is not None


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
            async for frame in one.frames():
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

    came = asyncio.Event()

    def accept(payload: bytes) -> bool:
        if payload[:4] == (2_999).to_bytes(4, "big"):
            came.set()
        return True

    async with joined(behave, accept) as one, asyncio.timeout(60):
        await came.wait()
        kept = [await anext(one.frames())]
        while kept[-1][:4] != (2_999).to_bytes(4, "big"):
            kept.append(await anext(one.frames()))
    assert len(kept) == 512


# --- the library behind a transport ---------------------------------------------------------------


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
        one = transport(broker.port, levels=(LEVEL_5,))
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
    modes: list[int] = []

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect" and str(arguments[1]).startswith(str(tmp_path)):
            modes.append(stat.S_IMODE(Path(arguments[1]).parent.stat().st_mode))

    sys.addaudithook(watch)
    gate_of()
    assert modes == [0o700]
    assert not list(tmp_path.iterdir())


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


# --- transport gate -------------------------------------------------------------------------------

# The gate and its packets: any bytes, however they are cut, pass the same way or not at all.


def gate_of(
    level: int = LEVEL_3_1_1, admit: Callable[[bytes, bytes, bool], object] = lambda *_: None
) -> Connection:
    """A connection before the broker's answer, over a link that nobody uses."""
    options = MqttOptions((BrokerAddress.parse("localhost"),), TOPIC)
    return Connection(cast(Link, None), options, level, admit)


def opened(
    level: int = LEVEL_3_1_1, admit: Callable[[bytes, bytes, bool], object] = lambda *_: None
) -> Connection:
    """A connection that was let in."""
    gate = gate_of(level, admit)
    assert gate.take(welcome(b"") if level >= LEVEL_5 else b"\x20\x02\x00\x00") == 1
    return gate


@settings(max_examples=300, deadline=None)
@given(
    stream=st.binary(max_size=2_000),
    cuts=st.lists(st.integers(min_value=0, max_value=2_000), max_size=8),
    level=st.sampled_from([LEVEL_3_1_1, LEVEL_5]),
)
def test_any_bytes_pass_the_gate_the_same_way_however_they_are_cut(
    stream: bytes, cuts: list[int], level: int
) -> None:
    def passed(chunks: list[bytes]) -> tuple[list[object], bool]:
        out: list[object] = []
        gate = opened(level, lambda *message: out.append(message))
        try:
            for chunk in chunks:
                out.append(gate.take(chunk))
        except (PacketError, TransportError):
            return out, True
        return [each for each in out if not isinstance(each, int)], False

    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    whole = passed([stream])
    in_pieces = passed([stream[one:other] for one, other in pairwise(places)])
    assert in_pieces[1] == whole[1]
    assert whole[1] or in_pieces == whole


@pytest.mark.parametrize("size", [MAX_PACKET + 1, 1 << 20, 268_435_455])
def test_a_packet_over_the_limit_is_refused_at_its_header(size: int) -> None:
    with pytest.raises(PacketError, match="announced"):
        PacketCutter().feed(b"\x30" + remaining_length(size))


async def test_the_gate_asks_nobody_about_other_topics() -> None:
    async def behave(visit: Visit) -> None:
        newer = await visit.start()
        for topic, payload in ((TOPIC, b"junk"), ("other", b"ours"), (TOPIC, b"ours")):
            visit.publish(topic, payload, newer=newer)
        await stall(visit)

    asked: list[bytes] = []
    admit: Callable[[bytes], bool] = lambda payload: asked.append(payload) or payload == b"ours"  # type: ignore[func-returns-value]  # noqa: E731 - a short name
    async with joined(behave, admit) as one, asyncio.timeout(60):
        assert await anext(one.frames()) == b"ours"
    assert asked == [b"junk", b"ours"]


@pytest.mark.parametrize("flags", [2, 4, 6])
def test_messages_of_a_quality_not_asked_for_are_refused(flags: int) -> None:
    """The library keeps every half-delivered message of QoS 2: 65,535 of them, 4 GB."""
    with pytest.raises(PacketError, match="quality"):
        opened().take(publish_packet(TOPIC, b"x", newer=False, flags=flags))


@pytest.mark.parametrize(
    ("level", "stream", "said"),
    [
        (LEVEL_3_1_1, b"\xd0\x00", "began with something else than its answer"),
        (LEVEL_3_1_1, b"\x20\x01\x00", "answer to our connection is too short"),
        (LEVEL_3_1_1, b"\x20\x03\x00\x00\x00", "broken"),
        (LEVEL_5, b"\x20\x07\x00\x00" + b"\x80" * 4 + b"\x00", "broken"),
    ],
)
def test_an_answer_that_is_none_ends_the_connection(level: int, stream: bytes, said: str) -> None:
    with pytest.raises(PacketError, match=said):
        gate_of(level).take(stream)


@pytest.mark.parametrize("size", [0, 1, 127, 128, 16_383, 16_384, MAX_PACKET])
def test_a_packet_up_to_the_limit_is_cut_out(size: int) -> None:
    (packet,) = PacketCutter().feed(b"\x30" + remaining_length(size) + bytes(size))
    assert len(packet.body) == size
