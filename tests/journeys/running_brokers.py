"""Brokers for tests: real ones in processes of their own, and hostile ones in this process."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from cli.net.packets import Kind, Packet, PacketCutter

MOSQUITTO = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
needs_mosquitto = pytest.mark.skipif(
    MOSQUITTO is None, reason="mosquitto is not installed (apt-get install mosquitto)"
)
DEFAULT = "allow_anonymous true\n"


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
        assert MOSQUITTO is not None
        self._process = subprocess.Popen(
            [MOSQUITTO, "-c", str(self._file)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
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
                assert process.stderr is not None
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
        assert packet.kind is Kind.CONNECT
        newer = packet.body[6] == 5
        self.writer.write(b"\x20\x03\x00\x00\x00" if newer else b"\x20\x02\x00\x00")
        return newer

    async def welcome(self) -> bool:
        """Accept the CONNECT and the SUBSCRIBE; whether the client speaks MQTT 5."""
        newer = await self.greet()
        packet = await self.packet()
        assert packet.kind is Kind.SUBSCRIBE
        number = packet.body[:2]
        self.writer.write(
            b"\x90\x04" + number + b"\x00\x00" if newer else b"\x90\x03" + number + b"\x00"
        )
        return newer

    async def start(self) -> bool:
        """Welcome the client and wait until it publishes; whether it speaks MQTT 5."""
        newer = await self.welcome()
        while (await self.packet()).kind is not Kind.PUBLISH:
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


def remaining_length(size: int) -> bytes:
    """The variable length of a fixed header."""
    shown = bytearray()
    while True:
        shown.append(size % 128 | (0x80 if size > 127 else 0))
        size //= 128
        if not size:
            return bytes(shown)


Behaviour = Callable[[Visit], Awaitable[None]]


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
        assert task is not None
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


async def stall(visit: Visit) -> None:
    """Keep the connection open and say nothing more, until the client goes."""
    while await visit.reader.read(65_536):
        pass


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
        (place / "server.ext").write_text("subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE")
        (place / "client.ext").write_text("extendedKeyUsage=clientAuth\nbasicConstraints=CA:FALSE")
        subprocess.run(
            ["openssl", *command.split()], cwd=place, check=True, capture_output=True, timeout=60
        )
