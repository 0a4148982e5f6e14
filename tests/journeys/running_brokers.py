"""Brokers for tests: real ones in processes of their own, and hostile ones in this process; the
transports that join them."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest
from paho.mqtt.enums import MessageType

from cli.net.address import BrokerAddress
from cli.net.mqtt import MqttOptions, MqttTransport
from cli.net.packets import Packet, PacketCutter
from cli.net.transport import LinkState, LinkStatus, Transport, TransportError, Trouble
from cli.seat.setup import JournalKind
from cli.store.journal import Journal
from protocol.errors import MalformedMessage
from protocol.places import Place
from protocol.wire import lobby
from protocol.wire.identity import Envelope, Purpose, Seal
from protocol.wire.messages import decode_body

MOSQUITTO = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
needs_mosquitto = pytest.mark.skipif(
    MOSQUITTO is None, reason="mosquitto is not installed (apt-get install mosquitto)"
)
DEFAULT = "allow_anonymous true\n"
TOPIC = "p2p304/0123456789abcdef"


_KEPT: list[socket.socket] = []


def free_port() -> int:
    """A port on loopback that nobody listens on, and that nobody else is given.

    On Linux it stays bound here: whoever asks for any port gets another one, now and while what
    listens there is started again, and who names it, as brokers do, may listen on it.
    """
    probe = socket.socket()
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    probe.bind(("127.0.0.1", 0))
    port: int = probe.getsockname()[1]
    if sys.platform == "linux":
        _KEPT.append(probe)
    else:
        probe.close()
    return port


def transport(
    *nodes: int | str,
    topic: str = TOPIC,
    accept: Callable[[bytes], bool] | None = None,
    **options: Any,
) -> MqttTransport:
    """A transport to a broker at these ports of loopback, or at these addresses."""
    places = tuple(
        BrokerAddress.parse(node if isinstance(node, str) else f"mqtt://127.0.0.1:{node}")
        for node in nodes
    )
    one = MqttTransport(MqttOptions(places, topic, **options))
    if accept is not None:
        one.admit(accept)
    return one


async def carries(one: Transport, other: Transport, frame: bytes = b"hello") -> None:
    """Have `one` send a frame, which must be the next that `other` receives."""
    await one.send(frame)
    async with asyncio.timeout(60):
        assert await anext(other.frames()) == frame


async def until(one: Transport, state: LinkState, words: str = "") -> LinkStatus:
    """The next status with this state and these words in its sentence."""
    async with asyncio.timeout(60):
        async for status in one.statuses():
            if status.state is state and words in status.sentence:
                return status
    raise AssertionError("the transport was closed")


async def refused(one: Transport, *, deadline: float = 60) -> TransportError:
    """Why it is not let in, in one sentence, with nothing left of it."""
    with pytest.raises(TransportError) as caught:
        await one.open(deadline=deadline)
    said = str(caught.value)
    assert said.endswith(".")
    assert "\n" not in said
    assert nothing_left()
    return caught.value


def nothing_left() -> bool:
    """Whether no task of a transport or a broker of ours is left."""
    names = [task.get_name() for task in asyncio.all_tasks()]
    return not [name for name in names if name.startswith(("mqtt", "embedded"))]


class Mosquitto:
    """A mosquitto on a free port of loopback. `config` follows its listener line; it logs `log`."""

    def __init__(
        self, place: Path, config: str = DEFAULT, *, port: int | None = None, log: str = "all"
    ) -> None:
        self.port = port or free_port()
        self._file = place / f"mosquitto-{self.port}.conf"
        self._log = place / f"mosquitto-{self.port}.log"
        self._file.write_text(
            f"listener {self.port} 127.0.0.1\n{config}"
            f"user root\nlog_dest file {self._log}\nlog_type {log}\nconnection_messages true\n"
        )
        self._ports = [
            int(line.split()[1])
            for line in self._file.read_text().splitlines()
            if line.startswith("listener ")
        ]
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        """Start it and wait until it listens."""
        self._process = subprocess.Popen(
            [MOSQUITTO, "-c", str(self._file)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        async with asyncio.timeout(60):
            for port in self._ports:
                while not await self._listens(self._process, port):
                    await asyncio.sleep(0.02)

    async def _listens(self, process: subprocess.Popen[bytes], port: int) -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            if process.poll() is not None:
                pytest.fail(f"mosquitto: {process.stderr.read().decode()}")
            return False
        writer.close()
        return True

    def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(timeout=60)
            if self._process.stderr is not None:
                self._process.stderr.close()
            self._process = None

    def log(self) -> str:
        """What it logged so far."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""


@asynccontextmanager
async def mosquitto(
    place: Path, config: str = DEFAULT, *, log: str = "all"
) -> AsyncIterator[Mosquitto]:
    """A running mosquitto, killed at the end."""
    broker = Mosquitto(place, config, log=log)
    await broker.start()
    try:
        yield broker
    finally:
        broker.kill()


class Visit:
    """One client at a hostile broker: reads its packets, writes whatever the test wants."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self._cutter = PacketCutter()
        self._packets: list[Packet] = []

    async def packet(self) -> Packet:
        """The client's next packet; ConnectionError at the end."""
        while not self._packets:
            chunk = await self.reader.read(65_536)
            if not chunk:
                raise ConnectionError("the client is gone")
            self._packets = self._cutter.feed(chunk)
        return self._packets.pop(0)

    async def greet(self) -> bool:
        """Accept the CONNECT as a well-behaved broker; whether the client speaks MQTT 5."""
        packet = await self.packet()
        assert packet.kind is MessageType.CONNECT
        newer = packet.body[6] == 5
        self.writer.write(b"\x20\x03\x00\x00\x00" if newer else b"\x20\x02\x00\x00")
        return newer

    async def welcome(self) -> bool:
        """Accept the CONNECT and the SUBSCRIBE; whether the client speaks MQTT 5."""
        newer = await self.greet()
        packet = await self.packet()
        assert packet.kind is MessageType.SUBSCRIBE
        number = packet.body[:2]
        self.writer.write(
            b"\x90\x04" + number + b"\x00\x00" if newer else b"\x90\x03" + number + b"\x00"
        )
        return newer

    async def start(self) -> bool:
        """Welcome the client and wait until it publishes; whether it speaks MQTT 5."""
        newer = await self.welcome()
        while (await self.packet()).kind is not MessageType.PUBLISH:
            pass
        return newer

    def publish(self, topic: str, payload: bytes, *, newer: bool, flags: int = 0) -> None:
        """Write a PUBLISH with these flags."""
        self.writer.write(publish_packet(topic, payload, newer=newer, flags=flags))


def publish_packet(topic: str, payload: bytes, *, newer: bool, flags: int = 0) -> bytes:
    """The bytes of a PUBLISH."""
    name = topic.encode()
    number = b"\x00\x07" if flags >> 1 & 3 else b""
    properties = b"\x00" if newer else b""
    body = len(name).to_bytes(2, "big") + name + number + properties + payload
    return bytes([0x30 | flags]) + remaining_length(len(body)) + body


def connect_packet(
    *, flags: int = 2, keepalive: int = 60, level: int = 4, extra: bytes = b""
) -> bytes:
    """The bytes of a CONNECT with a name of its own; `extra` is what its flags announce."""
    body = b"\x00\x04MQTT" + bytes([level, flags]) + keepalive.to_bytes(2, "big")
    body += b"\x00" * (level == 5) + _text(os.urandom(8).hex()) + extra
    return b"\x10" + remaining_length(len(body)) + body


def subscribe_packet(topic: str) -> bytes:
    """The bytes of a SUBSCRIBE at QoS 0."""
    body = b"\x00\x01" + _text(topic) + b"\x00"
    return b"\x82" + remaining_length(len(body)) + body


def _text(text: str) -> bytes:
    return len(text).to_bytes(2, "big") + text.encode()


def remaining_length(size: int) -> bytes:
    """The variable length of a fixed header."""
    shown = bytearray()
    while True:
        shown.append(size % 128 | (0x80 if size > 127 else 0))
        size //= 128
        if not size:
            return bytes(shown)


Behaviour = Callable[[Visit], Awaitable[object]]


class HostileBroker:
    """Listens on loopback and treats every client as `behaviour` says."""

    def __init__(self, behaviour: Behaviour, tls: ssl.SSLContext | None = None) -> None:
        self._behaviour = behaviour
        self._tls = tls
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0
        self.visits = 0
        self.failures: list[BaseException] = []

    @property
    def present(self) -> int:
        """How many clients are connected now."""
        return len(self._tasks)

    async def __aenter__(self) -> HostileBroker:
        self._server = await asyncio.start_server(
            self._serve, "127.0.0.1", 0, ssl=self._tls, limit=1 << 20
        )
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)
        assert not self.failures, self.failures

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self._tasks.add(task)
        self.visits += 1
        try:
            await self._behaviour(Visit(reader, writer))
        except (OSError, asyncio.CancelledError):
            pass
        except Exception as error:  # noqa: BLE001 - told at the end of the test
            self.failures.append(error)
        finally:
            writer.transport.abort()
            self._tasks.discard(task)


def saying(*answers: bytes, after: str = "publish") -> Behaviour:
    """A broker that says this after the client's CONNECT, SUBSCRIBE or first PUBLISH, and no more;
    of two answers the second is for a client that speaks MQTT 5."""

    async def behave(visit: Visit) -> None:
        if after == "connect":
            newer = (await visit.packet()).body[6] == 5
        elif after == "subscribe":
            newer = await visit.greet()
            await visit.packet()
        else:
            newer = await visit.start()
        visit.writer.write(answers[-1 if newer else 0])
        await stall(visit)

    return behave


async def stall(visit: Visit) -> None:
    """Keep the connection open and say nothing more, until the client goes."""
    while await visit.reader.read(65_536):
        pass


def passwords(place: Path, **users: str) -> str:
    """Write a file of passwords, and return the lines of a configuration that asks for them."""
    file = place / "passwords"
    file.touch(mode=0o600)
    for name, password in users.items():
        words = ["mosquitto_passwd", "-b", str(file), name, password]
        subprocess.run(words, check=True, capture_output=True, timeout=60)
    return f"allow_anonymous false\npassword_file {file}\n"


def make_certificates(place: Path) -> None:
    """An authority, a server certificate for localhost, and a client certificate, with openssl."""
    for command in (
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
        " -keyout ca.key -out ca.crt -subj /CN=test-authority"
        " -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign",
        "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout server.key"
        " -out server.csr -subj /CN=localhost",
        "x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2"
        " -extfile server.ext -out server.crt",
        "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout client.key"
        " -out client.csr -subj /CN=amara",
        "x509 -req -in client.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2"
        " -extfile client.ext -out client.crt",
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
        " -keyout other.key -out other.crt -subj /CN=other-authority",
    ):
        (place / "server.ext").write_text(
            "subjectAltName=DNS:localhost,DNS:broker.example.org\nbasicConstraints=CA:FALSE"
        )
        (place / "client.ext").write_text("extendedKeyUsage=clientAuth\nbasicConstraints=CA:FALSE")
        subprocess.run(
            ["openssl", *command.split()], cwd=place, check=True, capture_output=True, timeout=60
        )


def serving(certificates: Path) -> str:
    """Lines of a configuration that has the server's certificate."""
    return (
        f"cafile {certificates}/ca.crt\ncertfile {certificates}/server.crt\n"
        f"keyfile {certificates}/server.key\n"
    )


#: Seconds: a broker that is held up for a moment is not taken for one that says nothing.
PATIENT = 20


def peak_memory() -> int:
    """The most memory that this process ever held, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


@asynccontextmanager
async def joined(
    behaviour: Behaviour, accept: Callable[[bytes], bool] | None = None, **options: Any
) -> AsyncIterator[MqttTransport]:
    async with HostileBroker(behaviour) as broker:
        one = transport(broker.port, accept=accept, **{"keepalive": PATIENT, **options})
        await one.open()
        await one.send(b"begin")
        try:
            yield one
        finally:
            async with asyncio.timeout(60):
                await one.close()
            assert nothing_left()


async def left(one: MqttTransport) -> tuple[Trouble | None, str]:
    """Why the transport left the broker."""
    status = await until(one, LinkState.DISCONNECTED)
    return status.trouble, status.sentence


# --- table traffic --------------------------------------------------------------------------------

# What goes over a table's broker, heard by somebody who may watch, and judged afterwards.

_ACCUSING: Final = re.compile(r"broke the protocol|signs nothing more|Traceback|defect")


class Traffic:
    """The messages of one table: which places were filled, when first, and whether twice."""

    def __init__(self, table: bytes, changed: asyncio.Event) -> None:
        """`changed` is set whenever something is heard."""
        self.heard: list[float] = []  #: When each message was heard for the first time.
        self._table = table
        self._changed = changed
        self._bodies: dict[Place, set[bytes]] = {}

    @property
    def published(self) -> int:
        """How many messages were published so far."""
        return len(self._bodies)

    @asynccontextmanager
    async def listening(self, transport: Transport, seal: Seal) -> AsyncIterator[None]:
        """Inside, whatever comes through an open transport is noted."""
        hearing = asyncio.create_task(self._hear(transport, seal))
        try:
            yield
        finally:
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)

    async def _hear(self, transport: Transport, seal: Seal) -> None:
        async for frame in transport.frames():
            with suppress(MalformedMessage):
                payload = seal.open(frame).payload
                if payload[:1] != lobby.PREFIX:
                    self._note(payload)
                    self._changed.set()

    def _note(self, raw: bytes) -> None:
        envelope = Envelope.from_bytes(raw)
        if envelope.purpose is Purpose.LEDGER:
            body = decode_body(envelope)
            bodies = self._bodies.setdefault(body.place, set())
            if not bodies:
                self.heard.append(time.monotonic())
            bodies.add(raw)

    def read_journal(self, directory: Path) -> None:
        """Note what a seat has kept, too: not all that it has signed need have been heard."""
        with Journal.open(directory, self._table) as journal:
            for record in journal.records():
                if record.kind == JournalKind.MESSAGE:
                    self._note(record.payload)

    def signed_twice(self) -> list[str]:
        """A sentence for each place for which two messages were signed."""
        twice = [place for place, bodies in self._bodies.items() if len(bodies) > 1]
        return [f"two messages were signed for {place}" for place in twice]


def accusations(name: str, said: str) -> list[str]:
    """A sentence where a seat's program said that somebody cheated, or that it is broken itself."""
    accusing = _ACCUSING.search(said)
    if accusing is None:
        return []
    return [f"{name} said: {said[max(accusing.start() - 200, 0) :][:600]}"]
