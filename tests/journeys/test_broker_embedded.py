"""The embedded broker, and strangers' tricks that it keeps away from amqtt; which of other brokers
will do for a table, and why not."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import os
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Final, NamedTuple

import aiomqtt
import pytest
from paho.mqtt.enums import MessageType

from cli.commands.host import public_broker
from cli.errors import UserError
from cli.lines.console import Console
from cli.local.sitting import SeatOptions, keep_setup, new_setup, new_table, open_seat
from cli.net import broker as embedded
from cli.net import public
from cli.net.address import BrokerAddress
from cli.net.broker import BrokerError, EmbeddedBroker
from cli.net.credentials import NO_CREDENTIALS, Credentials
from cli.net.mqtt import MqttOptions, MqttTransport
from cli.net.probe import probe
from cli.seat.bots import BotSeat
from protocol.wire.identity import FRAME_SIZES
from tests.forked import start_program
from tests.journeys.running_brokers import (
    TOPIC,
    Behaviour,
    HostileBroker,
    Visit,
    carries,
    connect_packet,
    free_port,
    mosquitto,
    needs_mosquitto,
    passwords,
    publish_packet,
    remaining_length,
    saying,
    serving,
    stall,
    subscribe_packet,
    transport,
)

pytestmark = pytest.mark.timeout(180)


class Raw:
    """A client that says whatever the test wants."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def at(cls, port: int) -> Raw:
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    @classmethod
    async def connected(cls, port: int) -> Raw:
        raw = await cls.at(port)
        raw.writer.write(connect_packet())
        assert await raw.read(4) == b"\x20\x02\x00\x00"
        return raw

    async def read(self, count: int) -> bytes:
        async with asyncio.timeout(60):
            return await self.reader.readexactly(count)

    async def ended(self) -> bytes:
        """What else comes before the broker ends the connection."""
        try:
            async with asyncio.timeout(60):
                return await self.reader.read()
        except ConnectionError:
            return b""

    async def answered(self) -> None:
        """Return once the broker has answered, or ended the connection."""
        with suppress(ConnectionError):
            await self.reader.read(1)

    def close(self) -> None:
        self.writer.transport.abort()


@pytest.fixture
async def broker() -> AsyncIterator[EmbeddedBroker]:
    async with EmbeddedBroker() as running:
        yield running


@pytest.fixture
def quiet(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing is printed, and nobody is warned of anything."""
    caplog.set_level(logging.DEBUG)
    yield
    shown = capfd.readouterr()
    assert shown.out + shown.err == ""
    warned = [each for each in caplog.get_records("call") if each.levelno >= logging.WARNING]
    assert warned == []


async def still_serves(broker: EmbeddedBroker) -> None:
    async with transport(broker.port) as one, transport(broker.port) as other:
        await carries(one, other, b"still serving")


@pytest.mark.usefixtures("quiet")
async def test_it_is_quiet(broker: EmbeddedBroker) -> None:
    raw = await Raw.connected(broker.port)
    raw.writer.write(b"\x82\x00" + b"\x30\x02\xff\xff" + b"\x82\x03abc")
    async with transport(broker.port) as one:
        await one.send(b"x")


async def test_an_address_that_is_taken_or_not_ours_is_said(broker: EmbeddedBroker) -> None:
    with pytest.raises(BrokerError, match=r"port \d+ \(address already in use\): choose"):
        await EmbeddedBroker(port=broker.port).start()
    with pytest.raises(BrokerError, match="an address of this machine"):
        await EmbeddedBroker("203.0.113.7").start()


async def test_another_version_is_answered_at_once_and_not_left_hanging(
    broker: EmbeddedBroker,
) -> None:
    raw = await Raw.at(broker.port)
    raw.writer.write(connect_packet(level=5))
    assert await raw.ended() == b"\x20\x02\x00\x01"


FIRST = {
    "no http": b"GARBAGE\r\n\r\n",
    "a long line": b"G" * 100_000,
    "huge": b"\x10" + remaining_length(268_435_455),
    "short": b"\x10\x02\x00\x04",
    "publish": b"\x30\x05\x00\x01axx",
    "tls": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "session": connect_packet(flags=0),
    "sure will": connect_packet(flags=0x0E, extra=b"\x00\x01w\x00\x01x"),
    "retained will": connect_packet(flags=0x26, extra=b"\x00\x01w\x00\x01x"),
}


@pytest.mark.parametrize("first", FIRST.values(), ids=FIRST)
async def test_who_begins_with_anything_else_is_sent_away(
    first: bytes, broker: EmbeddedBroker
) -> None:
    """Also a session that outlives its connection, and a will that is kept or sent for certain:
    nobody here needs either."""
    raw = await Raw.at(broker.port)
    raw.writer.write(first)
    assert await raw.ended() == b""
    await still_serves(broker)


async def test_a_websocket_and_mqtt_alone_meet_at_one_port(broker: EmbeddedBroker) -> None:
    browser = MqttTransport(
        MqttOptions((BrokerAddress.parse(f"ws://127.0.0.1:{broker.port}"),), TOPIC)
    )
    async with browser, transport(broker.port) as other:
        await carries(browser, other, b"to the terminal")
        await carries(other, browser, bytes(max(FRAME_SIZES)))


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        (b"GET / HTTP/1.1", b"HTTP/1.1 404 "),
        (b"GET /mqtt HTTP/1.1", b"HTTP/1.1 426 "),
        (b"GET /favicon.ico HTTP/1.1", b"HTTP/1.1 404 "),
    ],
)
async def test_a_browser_that_asks_for_a_page_is_answered_and_sent_away(
    request_line: bytes, status: bytes, broker: EmbeddedBroker
) -> None:
    raw = await Raw.at(broker.port)
    raw.writer.write(request_line + b"\r\nHost: x\r\n\r\n")
    assert (await raw.ended()).startswith(status)


def masked(opcode: int, payload: bytes, *, fin: bool = True) -> bytes:
    length = len(payload)
    size = bytes((length,)) if length < 126 else b"\x7e" + length.to_bytes(2, "big")
    return bytes((fin << 7 | opcode, size[0] | 0x80)) + size[1:] + bytes(4) + payload


UPGRADE = (
    b"GET /mqtt HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Protocol: mqtt\r\n\r\n"
)


NO_WEBSOCKETS = {
    "junk": b"GET / HTTP/1.1\r\n\r\nXX",
    "bad and junk": UPGRADE.replace(b"13", b"12") + b"XX",
    "no ascii": UPGRADE.replace(b": Upgrade", b": \x80"),
    "no key": UPGRADE.replace(b"Key: A", b"Key: \x80"),
    "another page": UPGRADE.replace(b"\r\n\r\n", b"\r\nOrigin: http://example.org\r\n\r\n"),
    "broken": UPGRADE + masked(2, connect_packet()) + b"\xff\xff",
    "hasty": UPGRADE + masked(2, connect_packet()),
}


@pytest.mark.parametrize("said", NO_WEBSOCKETS.values(), ids=NO_WEBSOCKETS)
@pytest.mark.usefixtures("quiet")
async def test_who_opens_no_websocket_is_sent_away_without_a_word_of_ours(
    said: bytes, broker: EmbeddedBroker
) -> None:
    raw = await Raw.at(broker.port)
    raw.writer.write(said)
    assert b" 101 " not in await raw.ended()
    await still_serves(broker)


async def upgraded(port: int) -> Raw:
    """A websocket of which nothing but the way in is of any library."""
    raw = await Raw.at(port)
    raw.writer.write(UPGRADE)
    assert (await raw.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101 ")
    return raw


@pytest.mark.parametrize(("host", "written"), [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")])
async def test_a_page_of_the_brokers_own_address_opens_a_websocket(host: str, written: str) -> None:
    if ":" in host and not _has(host):
        pytest.skip("no IPv6 here")
    async with EmbeddedBroker(host) as broker:
        reader, writer = await asyncio.open_connection(host, broker.port)
        own = f"Origin: http://{written}:{broker.port}\r\n\r\n"
        writer.write(UPGRADE.replace(b"\r\n\r\n", b"\r\n" + own.encode()))
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101 ")
        writer.close()


def _has(host: str) -> bool:
    """Tell whether a server can listen at this address."""
    try:
        socket.create_server((host, 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


async def test_packets_come_in_any_pieces_of_a_websocket(broker: EmbeddedBroker) -> None:
    raw = await upgraded(broker.port)
    whole = connect_packet() + subscribe_packet(TOPIC)
    raw.writer.write(masked(2, whole[:1], fin=False) + masked(0, whole[1:5], fin=False))
    raw.writer.write(
        masked(0, whole[5:]) + masked(2, publish_packet(TOPIC, b"mine", newer=False)[:7])
    )
    raw.writer.write(masked(2, publish_packet(TOPIC, b"mine", newer=False)[7:]))
    heard = b""
    while b"mine" not in heard:
        heard += await raw.read(1)
    assert heard[:6] == b"\x82\x04\x20\x02\x00\x00"


NO_MQTT = {
    "text": masked(1, b"words"),
    "ping": masked(9, b"") * 3,
    "pong": masked(10, b"x"),
    "empty": masked(2, b""),
    "close": masked(8, b"\x03\xe8"),
    "another version": masked(2, connect_packet(level=5)),
    "unknown": masked(3, b"x"),
    "not masked": b"\x82\x01x",
    "endless": b"\x82\xff" + b"\xff" * 12,
}


@pytest.mark.parametrize("later", NO_MQTT.values(), ids=NO_MQTT)
async def test_what_is_no_way_to_talk_mqtt_ends_a_websocket_alone(
    later: bytes, broker: EmbeddedBroker
) -> None:
    raw = await upgraded(broker.port)
    raw.writer.write(later)
    await raw.ended()
    await still_serves(broker)


@pytest.mark.parametrize(
    "later",
    [
        b"\x30" + remaining_length(65_537),
        b"\x34\x07\x00\x01a\x00\x01xx",
        b"\x10\x00",
        b"\x20\x02\x00\x00",
        b"\x62\x02\x00\x01",
        b"\x00\x00",
        b"\xf0\x00",
        b"\x30\x80\x80\x80\x80\x01",
        subscribe_packet("a/b") * 40,
        b"\x82" + remaining_length(2 + 6 * 40) + b"\x00\x01" + b"\x00\x03a/b\x00" * 40,
    ],
)
async def test_packets_that_no_player_sends_end_the_connection_alone(later: bytes) -> None:
    async with (
        EmbeddedBroker() as broker,
        transport(broker.port) as one,
        transport(broker.port) as other,
    ):
        raw = await Raw.connected(broker.port)
        raw.writer.write(later)
        await raw.ended()
        await carries(one, other, b"still serving")


async def test_nothing_is_retained(broker: EmbeddedBroker) -> None:
    raw = await Raw.connected(broker.port)
    raw.writer.write(publish_packet(TOPIC, b"poison", newer=False, flags=1))
    raw.writer.write(b"\xc0\x00")
    assert await raw.read(2) == b"\xd0\x00"
    async with transport(broker.port) as one, transport(broker.port) as other:
        await carries(one, other, b"fresh")
    raw.close()


async def test_a_reader_that_does_not_read_holds_up_nobody(broker: EmbeddedBroker) -> None:
    lazy = await Raw.connected(broker.port)
    lazy.writer.write(subscribe_packet(TOPIC))
    assert await lazy.read(5) == b"\x90\x03\x00\x01\x00"
    lazy.writer.transport.pause_reading()  # type: ignore[attr-defined]
    async with transport(broker.port) as one, transport(broker.port) as other:
        heard = asyncio.create_task(_hear(other, 700))
        for _ in range(700):
            await one.send(os.urandom(16_384))
        async with asyncio.timeout(90):
            assert await heard == 700
    lazy.writer.transport.resume_reading()  # type: ignore[attr-defined]
    got = len(await lazy.ended())
    assert got < 690 * 16_384, "what nobody reads must not be kept without end"
    lazy.close()


async def _hear(one: MqttTransport, count: int) -> int:
    frames = one.frames()
    for _ in range(count):
        await anext(frames)
    return count


async def test_bytes_of_a_websocket_that_make_no_packet_are_slowed_down_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(embedded, "PACKETS_AT_ONCE", 10)
    monkeypatch.setattr(embedded, "PACKETS_A_SECOND", 0.001)
    async with EmbeddedBroker() as broker:
        raw = await upgraded(broker.port)
        raw.writer.write(masked(2, connect_packet()))
        assert (await raw.read(6))[2:] == b"\x20\x02\x00\x00"
        raw.writer.write(masked(2, b"\x30\xff\x7f") + masked(2, b"x") * 8_000_000)
        with pytest.raises(TimeoutError):  # it is not read on, so that it does not end
            async with asyncio.timeout(1):
                await raw.writer.drain()
        raw.close()


async def test_floods_on_another_topic_are_slowed_down_and_do_not_stop_a_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With smaller bounds than anybody's, for each packet that passes costs a millisecond."""
    at_once, a_second = 100, 50
    monkeypatch.setattr(embedded, "PACKETS_AT_ONCE", at_once)
    monkeypatch.setattr(embedded, "PACKETS_A_SECOND", a_second)
    async with EmbeddedBroker() as broker:
        onlooker = await Raw.connected(broker.port)
        onlooker.writer.write(subscribe_packet("junk"))
        assert await onlooker.read(5) == b"\x90\x03\x00\x01\x00"
        flooding = [await Raw.connected(broker.port) for _ in range(2)]
        began = time.perf_counter()
        tasks = [asyncio.create_task(_flood(raw)) for raw in flooding]
        passed = [len(await onlooker.read(at_once * len(FLOOD)))]  # both have begun
        tasks.append(asyncio.create_task(_count(onlooker, passed)))
        async with transport(broker.port) as one, transport(broker.port) as other:
            async with asyncio.timeout(90):
                for _ in range(20):
                    await one.send(os.urandom(1_024))
                    await anext(other.frames())
        allowed = at_once + a_second * (time.perf_counter() - began)
        assert sum(passed) <= len(flooding) * (allowed + 1) * len(FLOOD)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for raw in (*flooding, onlooker):
            raw.close()


FLOOD = publish_packet("junk", os.urandom(1_000), newer=False)


async def _flood(raw: Raw) -> None:
    while True:
        raw.writer.write(FLOOD * 50)
        await raw.writer.drain()


async def _count(raw: Raw, passed: list[int]) -> None:
    """Note how many bytes come."""
    while more := await raw.reader.read(65_536):
        passed.append(len(more))


@pytest.mark.parametrize("listening", [False, True], ids=["greeted", "listening"])
async def test_who_holds_a_tables_topic_is_let_in_though_strangers_hold_all_connections(
    listening: bool,
) -> None:
    async with EmbeddedBroker(connections=16) as broker:
        broker.serve_first(TOPIC)
        async with transport(broker.port) as one, asyncio.timeout(60):
            strangers = [await Raw.connected(broker.port) for _ in range(20)]
            if listening:
                for number, raw in enumerate(strangers):
                    raw.writer.write(subscribe_packet(f"p2p304/{number:032x}"))
                    await raw.answered()
            async with transport(broker.port) as other:
                await carries(one, other, b"a seat that was there before")
                more = [await Raw.connected(broker.port) for _ in range(40)]
                await carries(other, one, b"and one that came later")
        for raw in (*strangers, *more):
            raw.close()


async def test_whoever_holds_the_topic_of_a_later_table_is_let_in_too(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        broker = await stack.enter_async_context(EmbeddedBroker(connections=16))
        options = SeatOptions(serve_first=broker.serve_first)
        await stack.enter_async_context(asyncio.timeout(120))
        for nickname in ("first", "second"):
            invite = new_table(broker.address, "304", "pagat").invites[0]
            setup = new_setup(invite, nickname)
            sitting = open_seat(
                keep_setup(tmp_path, setup), setup, BotSeat(1), root=tmp_path, options=options
            )
            await stack.enter_async_context(sitting)
            strangers = [await Raw.connected(broker.port) for _ in range(20)]
            for number, raw in enumerate(strangers):
                stack.callback(raw.close)
                raw.writer.write(subscribe_packet(f"p2p304/{number:032x}"))
                await raw.answered()
            one = transport(broker.port, topic=invite.topic)
            other = transport(broker.port, topic=invite.topic)
            async with one, other:
                await carries(one, other)


@pytest.mark.parametrize("topic", ["#", "p2p304/#", "p2p304/+"])
async def test_nobody_hears_of_topics_that_it_does_not_know(
    topic: str, broker: EmbeddedBroker
) -> None:
    raw = await Raw.connected(broker.port)
    raw.writer.write(subscribe_packet(topic))
    assert await raw.ended() == b""


async def test_clients_of_other_makes_are_served() -> None:
    async with (
        EmbeddedBroker() as broker,
        aiomqtt.Client("127.0.0.1", broker.port, timeout=60) as client,
        asyncio.timeout(60),
    ):
        await client.subscribe(TOPIC, qos=1)
        await client.publish(TOPIC, b"hello", qos=1)
        message = await anext(client.messages)
        assert message.payload == b"hello"


async def test_silent_and_half_greeted_clients_are_ended_by_their_keep_alive(
    broker: EmbeddedBroker,
) -> None:
    raw = await Raw.at(broker.port)
    began = time.perf_counter()
    raw.writer.write(connect_packet(keepalive=1))
    assert await raw.read(4) == b"\x20\x02\x00\x00"
    assert await raw.ended() == b""
    assert time.perf_counter() - began > 1


# --- broker check ---------------------------------------------------------------------------------

# `p2p304 broker check`: whether a broker will do is told before friends come, and why not.

SECRET = "amara-geheim"


class Told(NamedTuple):
    code: int
    output: str
    error: str

    def found(self) -> dict[str, bool | None]:
        """What was judged how, of one JSON object on the output."""
        return {each["name"]: each["good"] for each in json.loads(self.output)["checks"]}


async def check(*arguments: str) -> Told:
    process = await start_program(
        *("broker", "check", *arguments), variables=os.environ, stdin=asyncio.subprocess.DEVNULL
    )
    output, error = await process.communicate()
    told = Told(process.returncode or 0, output.decode(), error.decode())
    assert SECRET not in told.output + told.error
    assert "Traceback" not in told.error
    return told


def credentials(place: Path, *more: str, user: str = "amara") -> str:
    file = place / "credentials.txt"
    file.touch(mode=0o600)
    file.write_text("\n".join((f"user = {user}", f"password = {SECRET}", *more)))
    return str(file)


async def test_the_embedded_broker_will_do(broker: EmbeddedBroker) -> None:
    told = await check(f"mqtt://127.0.0.1:{broker.port}")
    assert told.code == 0, told.error
    assert told.output.endswith(f"mqtt://127.0.0.1:{broker.port} will do for a table.\n")
    assert "16,384 bytes" in told.output
    assert "we may not read them all" in told.output  # nobody hears of topics it does not know


@needs_mosquitto
async def test_a_mosquitto_with_passwords_and_access_lists_will_do_or_not(tmp_path: Path) -> None:
    acl = tmp_path / "acl"
    config = passwords(tmp_path, amara=SECRET, ruwan=SECRET) + f"acl_file {acl}\n"
    acl.write_text("user amara\ntopic readwrite p2p304/+\nuser ruwan\ntopic read p2p304/+\n")
    async with mosquitto(tmp_path, config) as broker:
        url, file = f"mqtt://127.0.0.1:{broker.port}", credentials(tmp_path)
        told = await check(url, "--credentials", file, "--json")
        assert told.code == 0, told.error
        assert json.loads(told.output)["fit"] is True
        assert told.found() == {
            "login": True,
            "publish": True,
            "size": True,
            "round trip": None,
            "leftovers": None,
        }
        told = await check(url, "--json")
        assert (told.code, told.found()) == (1, {"login": False})
        assert "--credentials" in told.error
        told = await check(url, "--credentials", credentials(tmp_path, user="ruwan"))
        assert told.code == 1
        assert "publish     NO" in told.output
        assert "access list" in told.error


@needs_mosquitto
async def test_a_broker_for_small_packets_will_not_do(tmp_path: Path) -> None:
    """It says so itself, or it drops what is larger."""
    async with mosquitto(tmp_path, "allow_anonymous true\nmax_packet_size 10000\n") as broker:
        told = await check(f"mqtt://127.0.0.1:{broker.port}", "--json")

    visitors: list[Visit] = []

    async def behave(visit: Visit) -> None:
        await visit.welcome()
        visitors.append(visit)
        while packet := await visit.packet():
            if packet.kind is MessageType.PUBLISH and len(packet.raw) < 10_000:
                for each in visitors:
                    each.writer.write(packet.raw)

    async with HostileBroker(behave) as silent:
        good, _ = (await found_at(silent.port))["size"]
    assert told.code == 1
    assert told.found()["size"] is False
    assert "broker" in told.error
    assert good is False


@needs_mosquitto
async def test_a_certificate_that_is_not_trusted_is_found(
    tmp_path: Path, certificates: Path
) -> None:
    config = f"allow_anonymous true\n{serving(certificates)}"
    async with mosquitto(tmp_path, config) as broker:
        url = f"mqtts://localhost:{broker.port}"
        told = await check(url, "--json")
        assert told.code == 1
        assert told.found() == {"certificate": False}
        file = credentials(tmp_path, f"ca = {certificates}/ca.crt")
        assert (await check(url, "--credentials", file)).code == 0


async def test_where_nothing_can_be_examined_the_code_is_another_one() -> None:
    nowhere = await check(f"mqtt://127.0.0.1:{free_port()}")
    assert nowhere.code == 2
    assert "Nothing listens" in nowhere.error
    async with HostileBroker(Visit.packet) as other:
        told = await check(f"mqtt://127.0.0.1:{other.port}", "--json")
    assert (told.code, told.found()) == (2, {"connection": False})


# --- brokers of a list ----------------------------------------------------------------------------


LARGEST: Final = 16_384


def console() -> tuple[Console, io.StringIO]:
    said = io.StringIO()
    with Path(os.devnull).open() as nothing:
        return Console(descriptor=nothing.fileno(), output=said), said


async def chosen(root: Path, credentials: Credentials = NO_CREDENTIALS) -> tuple[str, str]:
    """The address of the public broker that is chosen, and what is said of all of them."""
    asked, said = console()
    found = await public_broker(root, asked, credentials)
    return found.format(), said.getvalue()


def address(port: int) -> str:
    return f"mqtt://127.0.0.1:{port}"


async def hang_up(visit: Visit) -> None:
    """End the connection at the first packet."""
    await visit.packet()


async def test_of_the_brokers_in_the_list_the_quickest_that_answers_is_chosen(
    tmp_path: Path,
) -> None:
    root = tmp_path / "home"
    dead = address(free_port())
    async with EmbeddedBroker() as broker:
        live = broker.address.format()
        root.mkdir(mode=0o700)
        (root / public.FILE_NAME).write_text(f"# mine\n\n{dead}\n{live}\n{live}\n")
        found, said = await chosen(root)
    assert found == live
    assert said.count(live) == 2  # its time, and that the table meets there
    assert f"  {dead}: no. Nothing listens" in said
    assert "It sees your address" in said


async def test_where_no_broker_of_the_list_will_do_the_table_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.net.public.MEASURED_FOR", 0.3)
    async with HostileBroker(stall) as silent, HostileBroker(hang_up) as rude:
        listed = [address(silent.port), address(rude.port)]
        (tmp_path / public.FILE_NAME).write_text("\n".join(listed))
        asked, said = console()
        with pytest.raises(UserError, match="No public broker will do now"):
            await public_broker(tmp_path, asked, NO_CREDENTIALS)
    assert f"{listed[0]}: no. {listed[0]} is too slow." in said.getvalue()
    assert f"{listed[1]}: no. " in said.getvalue()


async def test_nobody_is_told_a_name_at_a_public_broker(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="leave --login and --credentials out"):
        await chosen(tmp_path / "home", Credentials(user="amara"))
    assert not (tmp_path / "home").exists()


def test_the_list_is_written_once_and_an_own_one_stays(tmp_path: Path) -> None:
    usual = public.public_brokers(tmp_path)
    assert public.broker_list_file(tmp_path) == tmp_path / public.FILE_NAME
    assert public.public_brokers(tmp_path) == usual
    mine = tmp_path / public.FILE_NAME
    mine.write_text("mqtt://127.0.0.1:1883\n")
    public.broker_list_file(tmp_path)
    assert public.public_brokers(tmp_path) == (BrokerAddress.parse("mqtt://127.0.0.1:1883"),)
    with pytest.raises(public.ListError, match="cannot be written"):
        public.broker_list_file(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (b"\xff\xfe", "cannot be read"),
        (b"#" * 9_000, "it is larger than"),
        (b"# none\n", "names 0 brokers: a list has 1 to 8"),
        (b"mqtt://127.0.0.1\n" * 9, "names 9 brokers"),
        (b"# a mistake\nhttp://127.0.0.1\n", "Line 2 of "),
    ],
)
def test_a_list_with_a_mistake_is_refused_with_its_place(
    tmp_path: Path, written: bytes, said: str
) -> None:
    (tmp_path / public.FILE_NAME).write_bytes(written)
    with pytest.raises(public.ListError, match=said):
        public.public_brokers(tmp_path)


# --- what 'broker check' finds --------------------------------------------------------------------


async def found_at(port: int) -> dict[str, tuple[bool | None, str]]:
    """What a probe finds, by name: whether it is good, and its sentence."""
    at = BrokerAddress.parse(address(port))
    return {
        each.name: (each.good, each.sentence)
        async for each in probe(at, NO_CREDENTIALS, largest=LARGEST)
    }


def relay(asked: Behaviour) -> Behaviour:
    """A broker that passes on what two publish; who comes third, to ask what was left behind,
    meets `asked`."""
    relayed: list[Visit] = []

    async def behave(visit: Visit) -> None:
        if len(relayed) == 2:
            await asked(visit)
            return
        await visit.welcome()
        relayed.append(visit)
        while packet := await visit.packet():
            for each in relayed if packet.kind is MessageType.PUBLISH else ():
                each.writer.write(packet.raw)

    return behave


async def welcome(visit: Visit) -> None:
    """Let in, and pass on nothing."""
    await visit.welcome()
    await stall(visit)


async def test_a_broker_that_passes_nothing_on_will_not_do_and_nothing_more_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cli.net.probe.PROBE_WITHIN", 0.1)
    async with HostileBroker(welcome) as broker:
        found = await found_at(broker.port)
    assert {name: good for name, (good, _) in found.items()} == {"login": True, "publish": False}


LEFT = b"".join(
    publish_packet(topic, b"old", newer=False, flags=flags)
    for topic, flags in (("p2p304/one", 1), ("p2p304/two", 1), ("p2p304/new", 0))
)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            saying(b"\x90\x03\x00\x01\x00" + LEFT + b"\xd0\x00", after="subscribe"),
            "2 retained messages lie under the topics",
        ),
        (saying(b"\x90\x03\x00\x01\x80", after="subscribe"), "cannot be seen"),
        (
            saying(b"\x20\x02\x00\x05\x90\x03\x00\x01\x00\xd0\x00", after="connect"),
            "cannot be seen",
        ),
        (saying(b"\x90\x02\x00\x01", after="subscribe"), "cannot be seen"),
        (hang_up, "cannot be seen"),
    ],
    ids=["some are left", "not allowed", "not let in", "cut short", "hangs up"],
)
async def test_what_lies_under_the_topics_is_counted_where_the_broker_tells_it(
    asked: Behaviour, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.net.probe.ECHOES", 1)
    async with HostileBroker(relay(asked)) as broker:
        found = await found_at(broker.port)
    assert said in found["leftovers"][1]
    assert [good for good, _ in found.values()] == [True, True, True, None, None]
