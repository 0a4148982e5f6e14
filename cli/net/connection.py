"""One MQTT connection: opened, used once, and ended without leaving anything behind.

aiomqtt speaks MQTT over one end of a socket pair; between the other end and the broker stand our
own link (TCP, TLS or websocket, cancellable, with deadlines) and the gate. So the library's
threads never wait for a network, a broker that stalls can always be left, and ending the pair
ends the library's side for certain. Every wait on the library is a task of its own beside the
connection's end and a deadline, because cancelling its waits directly loses cancellations.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
import string
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Final, TypeVar

import aiomqtt
from paho.mqtt.client import MQTT_CLEAN_START_FIRST_ONLY
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from cli.net.address import BrokerAddress
from cli.net.credentials import Credentials
from cli.net.gate import Gate
from cli.net.link import Link, open_link
from cli.net.packets import LEVEL_5, MAX_PACKET, PacketError
from cli.net.reasons import FULL, QUOTA_EXCEEDED, why_not_let_in, why_sent_away
from cli.net.transport import TransportError, Trouble

ANSWER_DEADLINE: Final = 5.0
WRITE_DEADLINE: Final = 20.0
KEEPALIVE: Final = 4
"""Seconds of silence after which the broker is asked for a sign of life; it has as long to answer.
A connection of which only our half is left ends within 10 seconds so, ticks of 1 s included."""

ANNOUNCED_KEEPALIVE: Final = 20
"""Seconds of our own silence that we ask the broker to bear: a machine may be slow."""

LIBRARY_QUEUE: Final = 512
PUBLISH_OVERHEAD: Final = 7
"""Bytes of a PUBLISH beside topic and frame: type, length (3), length of the topic, properties."""
_LETTERS: Final = string.ascii_letters + string.digits

_SILENT: Final = logging.Logger("cli.net.library", level=logging.CRITICAL + 1)

T = TypeVar("T")


def random_client_id() -> str:
    """A name for one connection: 22 characters, 131 bits, the form every broker accepts."""
    return "".join(secrets.choice(_LETTERS) for _ in range(22))


class Connection:
    """A connection that is subscribed to one topic with QoS 0. Made by `open_connection`."""

    def __init__(
        self, link: Link, client: aiomqtt.Client, gate: Gate, keepalive: int, *, named: bool
    ) -> None:
        """`named` says whether the broker was told who we are."""
        self._named = named
        self._link = link
        self._client = client
        self._gate = gate
        self._keepalive = keepalive
        self._patience = 2.5 * keepalive
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._dialled = threading.Event()
        self._dialling = False
        self._error: TransportError | None = None
        # aiomqtt offers no other way to the socket that its library uses.
        self._paho = client._client
        self._give_socket()
        self._pumps: set[asyncio.Task[None]] = set()

    def _give_socket(self) -> None:
        """Let paho dial into the socket pair, and note when its dialling thread is through."""
        dial = self._paho.connect

        def connect(*arguments: Any, **named: Any) -> Any:
            try:
                return dial(*arguments, **named)
            finally:
                self._dialled.set()

        # paho is given a socket and a watched dial of ours: it has no other door for either.
        self._paho._create_socket = lambda: self._theirs  # type: ignore[method-assign]  # see above
        self._paho.connect = connect  # type: ignore[method-assign]  # see above

    async def establish(self, topic: str, *, largest: int) -> None:
        """Greet the broker and subscribe; raises TransportError with a sentence, also where it
        takes no packets with frames of `largest` bytes."""
        self._pumps = {
            asyncio.create_task(self._pump_out(), name="mqtt: to the broker"),
            asyncio.create_task(self._pump_in(), name="mqtt: from the broker"),
        }
        self._dialling = True
        await self._settled(self._client.__aenter__(), "The broker did not answer our greeting")
        needed = largest + len(topic) + PUBLISH_OVERHEAD
        if self._gate.largest is not None and self._gate.largest < needed:
            raise TransportError(
                Trouble.SIZE,
                f"The broker takes packets of {self._gate.largest:,} bytes at most, and a table"
                f" needs {needed:,}: ask the one who runs it for more, or use another broker.",
            )
        # What we announce is the broker's patience with us; this is ours with the broker.
        self._paho._keepalive = min(self._paho._keepalive or self._keepalive, self._keepalive)
        granted = await self._settled(
            self._client.subscribe(topic, qos=0, timeout=2 * ANSWER_DEADLINE),
            "The broker did not answer our subscription",
        )
        codes = [code if isinstance(code, int) else code.value for code in granted]
        if QUOTA_EXCEEDED in codes:
            raise TransportError(Trouble.REFUSED, FULL)
        if any(code >= 0x80 for code in codes):
            raise TransportError(
                Trouble.ACCESS,
                "The broker does not let us read the table's topic:"
                " its access list must allow this user to read and write it.",
            )

    async def publish(self, frame: bytes, topic: str) -> None:
        """Hand `frame` to the broker's socket; raises TransportError where it is not taken."""
        await self._settled(
            self._client.publish(topic, frame, qos=0, retain=False, timeout=2 * WRITE_DEADLINE),
            "The broker does not take what we send",
            deadline=WRITE_DEADLINE,
        )

    async def frames(self) -> AsyncIterator[bytes]:
        """The payloads that pass the gate; ends with the connection."""
        try:
            async for message in self._client.messages:
                if isinstance(message.payload, bytes):
                    yield message.payload
        except aiomqtt.MqttError as error:
            self._error = self._error or TransportError(
                Trouble.LOST, f"The connection to the broker was lost ({error})."
            )

    async def over(self) -> None:
        """Return when the connection has ended, for whatever reason; `why` then says it."""
        await asyncio.wait(self._pumps, return_when=asyncio.FIRST_COMPLETED)

    def why(self) -> TransportError:
        """Why the connection ended, or failed to begin."""
        if self._gate.answer:
            return why_not_let_in(self._gate.answer, named=self._named)
        if self._gate.farewell:
            return why_sent_away(self._gate.farewell)
        lost = self._error is None or self._error.trouble is Trouble.LOST
        if self._gate.answer is None and lost:
            return TransportError(
                Trouble.PROTOCOL,
                "The broker ended the connection before any answer: the port may be one for TLS"
                " (mqtts://), for websockets, or of another service, or the broker may be full, or"
                " ask for a client certificate.",
            )
        if self._error is not None:
            return self._error
        return TransportError(Trouble.LOST, "The broker ended the connection.")

    async def leave(self, *, deadline: float) -> None:
        """Say goodbye, let what was sent reach the broker within `deadline` seconds, and end."""
        await asyncio.sleep(0)
        self._hang_up()
        if self._pumps:
            await asyncio.wait(self._pumps, timeout=deadline, return_when=asyncio.FIRST_COMPLETED)
        await self.end()

    async def end(self) -> None:
        """End everything now: the link, the library's side, every task and socket."""
        if self._dialling:
            await _until(self._dialled.is_set, deadline=2.0)
        # One turn of the loop, for the turns that the library has asked for.
        await asyncio.sleep(0)
        self._hang_up()
        for pump in self._pumps:
            pump.cancel()
        self._link.abort()
        self._ours.close()
        for _ in range(64):
            if self._paho.socket() is None:
                break
            self._paho.loop_read()
        self._theirs.close()
        over = self._client._disconnected
        if over.done() and not over.cancelled():
            over.exception()  # else the loop tells of it on the terminal, when it is collected
        if self._pumps:
            await asyncio.wait(self._pumps, timeout=2.0)
        await asyncio.sleep(0)

    def _hang_up(self) -> None:
        """Let the library say goodbye into the pair and close its end of it."""
        # Without its callback the library sets no exception on a future that nobody awaits.
        self._paho.on_disconnect = None
        # Without this one it writes at once, and asks for no turn after its socket is closed.
        self._paho.on_socket_register_write = None
        self._paho.disconnect()

    async def _settled(
        self, work: Coroutine[Any, Any, T], late: str, *, deadline: float = ANSWER_DEADLINE
    ) -> T:
        """The result of the library's `work`, unless the connection ends or time runs out."""
        task = asyncio.create_task(work)
        try:
            await asyncio.wait(
                {task, *self._pumps}, timeout=deadline, return_when=asyncio.FIRST_COMPLETED
            )
            if task.done():
                return task.result()
            if any(pump.done() for pump in self._pumps):
                raise self.why()
            raise TransportError(
                Trouble.TIMEOUT,
                f"{late} within {deadline:g} seconds: the port may be one for TLS (mqtts://),"
                " or the broker is overloaded.",
            )
        except aiomqtt.MqttError as error:
            raise self.why() from error
        finally:
            if self._dialling and not task.done():
                await _until(self._dialled.is_set, deadline=2.0)
            await reap(task)

    async def _pump_out(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while data := await loop.sock_recv(self._ours, 65_536):
                async with asyncio.timeout(WRITE_DEADLINE):
                    await self._link.write(data)
        except TimeoutError:
            self._lost("The broker takes nothing any more.")
        except OSError as error:
            self._lost(f"The connection to the broker broke ({error.strerror or error}).")

    async def _pump_in(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while True:
                async with asyncio.timeout(self._patience):
                    chunk = await self._link.read()
                if not chunk:
                    return
                admitted = self._gate.pass_on(chunk)
                if admitted:
                    await loop.sock_sendall(self._ours, admitted)
                if self._gate.answer:
                    return
                # A flood must not keep the rest of the program from running.
                await asyncio.sleep(0)
        except PacketError as error:
            self._error = TransportError(Trouble.PROTOCOL, f"{error} We left it.")
        except TimeoutError:
            self._lost("The broker has been silent for too long.")
        except OSError as error:
            self._lost(f"The connection to the broker broke ({error.strerror or error}).")

    def _lost(self, sentence: str) -> None:
        self._error = self._error or TransportError(Trouble.LOST, sentence)


async def open_connection(
    address: BrokerAddress,
    credentials: Credentials,
    *,
    level: int,
    topic: str,
    admit: Callable[[bytes], bool],
    deadline: float,
    largest: int,
    keepalive: int = KEEPALIVE,
) -> Connection:
    """Connect to `address` with MQTT of `level` and subscribe to `topic` with QoS 0.

    Raises TransportError with a sentence; then, and when cancelled, nothing is left behind.
    """
    link = await open_link(address, credentials, deadline=deadline)
    try:
        client = _client(address, credentials, level, keepalive)
        gate = Gate(level=level, topic=topic, admit=admit)
        named = credentials.user is not None or credentials.certificate is not None
        connection = Connection(link, client, gate, keepalive, named=named)
    except BaseException:
        link.abort()
        raise
    try:
        await connection.establish(topic, largest=largest)
    except BaseException:
        await connection.end()
        raise
    return connection


def _client(
    address: BrokerAddress, credentials: Credentials, level: int, keepalive: int
) -> aiomqtt.Client:
    newer = level >= LEVEL_5
    properties = None
    if newer:
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # paho's
        properties.MaximumPacketSize = MAX_PACKET
    return aiomqtt.Client(
        address.host,
        address.port,
        identifier=random_client_id(),
        username=credentials.user,
        password=credentials.password.reveal() if credentials.password else None,
        protocol=aiomqtt.ProtocolVersion.V5 if newer else aiomqtt.ProtocolVersion.V311,
        clean_session=None if newer else True,
        clean_start=True if newer else MQTT_CLEAN_START_FIRST_ONLY,
        properties=properties,
        keepalive=max(keepalive, ANNOUNCED_KEEPALIVE),
        timeout=2 * ANSWER_DEADLINE,
        max_queued_incoming_messages=LIBRARY_QUEUE,
        logger=_SILENT,
    )


async def reap(task: asyncio.Task[Any], *, deadline: float = 2.0) -> None:
    """Cancel `task` until it has ended: the library's waits may swallow a cancellation or two."""
    loop = asyncio.get_running_loop()
    until = loop.time() + deadline
    while not task.done() and loop.time() < until:
        task.cancel()
        await asyncio.wait({task}, timeout=0.2)
    if task.done() and not task.cancelled():
        task.exception()


async def _until(condition: Callable[[], bool], *, deadline: float) -> None:
    loop = asyncio.get_running_loop()
    until = loop.time() + deadline
    while not condition() and loop.time() < until:
        await asyncio.sleep(0.001)
