"""aiomqtt, used through a local socket, so that it never waits for a network.

aiomqtt connects to a unix socket in a folder that no other user can enter. The owner of the other
end carries its bytes to the broker and back, and ends aiomqtt for certain by ending that socket.
Only public parts of aiomqtt are used; specs/decisions/024-a-local-socket-for-aiomqtt.md has the
reasons.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
import string
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from tempfile import TemporaryDirectory
from typing import Final, NoReturn

import aiomqtt
from paho.mqtt.client import MQTT_CLEAN_START_FIRST_ONLY
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from cli.net.credentials import Credentials
from cli.net.packets import LEVEL_5, MAX_PACKET, REFUSAL_3_1_1, REFUSAL_5
from cli.net.transport import TransportError, Trouble
from cli.tasks import first, never, stop

ANSWER_DEADLINE: Final = 10.0
WRITE_DEADLINE: Final = 40.0
"""Seconds that the library waits for an answer, or until a frame is out: longer than its users."""
ENDING_DEADLINE: Final = 2.0
# The most that one read takes.
CHUNK: Final = 65_536
# Messages between the library and us; beyond that the library drops.
MOST_QUEUED: Final = 512
_LETTERS: Final = string.ascii_letters + string.digits
# Not from `getLogger`: nothing that a broker writes reaches the user's log.
_SILENT: Final = logging.Logger("cli.net.library", level=logging.CRITICAL + 1)

LibraryError = aiomqtt.MqttError
"""What the library's own calls raise."""


def random_client_id() -> str:
    """Return a random client id: 22 characters with 131 bits, in the form that every broker
    accepts.
    """
    # MQTT 3.1.1 promises 23 letters and digits alone (3.1.3.1).
    return "".join(secrets.choice(_LETTERS) for _ in range(22))


class Library:
    """One connection of aiomqtt, with MQTT of `level`. `end` must be called after use.

    `called` is called with our end of its socket once it has connected. `keepalive` is the interval
    that it announces, `will` the topic and payload that the broker publishes if it loses us.
    """

    def __init__(
        self,
        credentials: Credentials,
        *,
        level: int,
        keepalive: int,
        called: Callable[[socket.socket], None],
        will: tuple[str, bytes] | None = None,
    ) -> None:
        self._will = None if will is None else aiomqtt.Will(*will, qos=0, retain=False)
        self._credentials = credentials
        self._level = level
        self._keepalive = keepalive
        self._on_call = called
        self._entered = AsyncExitStack()
        """The client's own context: leaving it says goodbye to the broker."""
        self._greeting: asyncio.Task[None] | None = None
        self._ours: socket.socket | None = None
        self._called = asyncio.Event()
        """Set once the client has dialled, and `_ours` brings its greeting."""

    async def greet(self) -> None:
        """Connect, and return once the broker has accepted; raises LibraryError or
        TransportError.
        """
        # No group: the client breaks when its greeting is cancelled; `end` refuses it instead.
        self._greeting = asyncio.create_task(self._greet(), name="mqtt: greeting")
        # Its error is read there, if nobody awaits the greeting any more.
        self._greeting.add_done_callback(_read)
        # `wait` leaves the greeting running if we are cancelled; awaiting it would cancel it.
        await asyncio.wait({self._greeting})
        self._greeting.result()

    async def _greet(self) -> None:
        """Open the private socket, let the client dial it, and wait for the broker's answer."""
        # The socket's folder is gone as soon as the client is in, whatever happens.
        with ExitStack() as opened:
            path, door = opened.enter_context(_private_door())
            self._client = self._make_client(path)
            # No group: it would cancel the client's greeting where nobody can be let in.
            letting = asyncio.create_task(self._let_in(door, opened), name="mqtt: the door")
            try:
                await self._entered.enter_async_context(self._client)
            finally:  # still waiting if the client could not dial
                await stop(letting)
                if not letting.cancelled():
                    letting.exception()  # read: the closed door has told the client

    def _make_client(self, path: str) -> aiomqtt.Client:
        """Return a client that dials the unix socket at `path`."""
        newer, password = self._level >= LEVEL_5, self._credentials.password
        properties = None
        if newer:
            properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # paho's
            # The broker must not send more than we read (MQTT 5.0, 3.1.2.11.4).
            properties.MaximumPacketSize = MAX_PACKET
        return aiomqtt.Client(
            path,
            transport="unix",
            # New each time: a broker ends the older of two connections of one id.
            identifier=random_client_id(),
            username=self._credentials.user,
            password=password.reveal() if password else None,
            protocol=aiomqtt.ProtocolVersion.V5 if newer else aiomqtt.ProtocolVersion.V311,
            # Each version has its own word for a new session; the other's must be None or default.
            clean_session=None if newer else True,
            clean_start=True if newer else MQTT_CLEAN_START_FIRST_ONLY,
            properties=properties,
            keepalive=self._keepalive,
            will=self._will,
            timeout=ANSWER_DEADLINE,
            # The library's own is unbounded.
            max_queued_incoming_messages=MOST_QUEUED,
            logger=_SILENT,
        )

    async def _let_in(self, door: socket.socket, opened: ExitStack) -> None:
        """Accept the client's connection, and close the listening socket."""
        with opened:
            # The client dials in a thread, at a time of its own.
            await _readable(door)  # `sock_accept` may complain when it is cancelled
            self._ours, _ = door.accept()
        # The loop's socket calls refuse a blocking socket.
        self._ours.setblocking(False)
        # It dials in a thread, and the loop hears of its socket later. An answer that came earlier
        # would make it close that socket, and the loop complain of what it then hears of.
        await _readable(self._ours)
        self._called.set()
        self._on_call(self._ours)

    async def subscribe(self, topic: str) -> list[int]:
        """Subscribe with QoS 0 and return the broker's reason codes; raises LibraryError."""
        granted = await self._client.subscribe(topic, qos=0)
        # Version 3.1.1 gives numbers, 5 objects.
        return [code if isinstance(code, int) else code.value for code in granted]

    async def publish(self, topic: str, frame: bytes) -> None:
        """Write `frame` to our end of the socket; raises LibraryError."""
        await self._client.publish(topic, frame, qos=0, retain=False, timeout=WRITE_DEADLINE)

    async def frames(self) -> AsyncIterator[bytes]:
        """Yield received payloads; raises LibraryError when the client has ended."""
        async for message in self._client.messages:
            if isinstance(message.payload, bytes):
                yield message.payload

    async def leave(self) -> None:
        """Send DISCONNECT to the broker; raises LibraryError."""
        await self._entered.aclose()

    async def end(self) -> None:
        """End the client, its tasks and its socket, which nobody carries bytes for any more."""
        greeting = self._greeting
        # A greeting that is cancelled breaks the client's callbacks: it is refused instead.
        if greeting is not None and not greeting.done():
            with suppress(TimeoutError, OSError):
                async with asyncio.timeout(ENDING_DEADLINE):
                    await self._refuse(greeting)
            await stop(greeting)
        if self._ours is None:
            # Nobody has dialled.
            return  # if the client dials now it finds nobody
        with suppress(TimeoutError):
            async with asyncio.timeout(ENDING_DEADLINE):
                # Whichever is first: a goodbye, or the end of the file.
                await first(self._hang_up(), _drained(self._ours))
        self._ours.close()
        with suppress(LibraryError):
            # Refused, as there is no connection; but then the client has told us of its end. Else
            # the loop tells of it on the terminal, when it is collected.
            await self._client.publish("ended", timeout=0)

    async def _refuse(self, greeting: asyncio.Task[None]) -> None:
        """Answer the client's CONNECT like a broker that refuses, so that it ends."""
        # Only a client that has dialled can be answered.
        await self._called.wait()
        # Set before `_called` is.
        assert self._ours is not None
        refusal = REFUSAL_5 if self._level >= LEVEL_5 else REFUSAL_3_1_1
        await asyncio.get_running_loop().sock_sendall(self._ours, refusal)
        await asyncio.wait({greeting})

    async def _hang_up(self) -> NoReturn:
        """Let the client disconnect if it can, then wait until cancelled: `_drained` tells when
        it has closed its socket.
        """
        # The broker may be gone: then there is nobody to say goodbye to.
        with suppress(LibraryError):
            await self._entered.aclose()
        # `_drained` decides when it is over.
        await never()


def _read(greeting: asyncio.Task[None]) -> None:
    """Retrieve a failed greeting's exception, so that the event loop does not report it as
    unread.
    """
    if not greeting.cancelled():
        greeting.exception()


@contextmanager
def _private_door() -> Iterator[tuple[str, socket.socket]]:
    """Yield the path of a listening unix socket that only this user can reach, and the socket."""
    with ExitStack() as opened:
        try:
            place = opened.enter_context(
                # The folder may be gone already: a cleaner of temporary files takes it.
                TemporaryDirectory(prefix="p2p304-", ignore_cleanup_errors=True)
            )
            # A folder of mode 0700: other users cannot reach the socket in it (decisions 024).
            door = opened.enter_context(socket.socket(socket.AF_UNIX))
            path = f"{place}/mqtt"
            door.bind(path)
        except OSError as error:
            raise TransportError(
                Trouble.UNREACHABLE,
                "No socket can be made in the folder for temporary files"
                f" ({error.strerror or error}): name another one in TMPDIR.",
            ) from error
        # One caller is awaited.
        door.listen(1)
        door.setblocking(False)
        yield path, door


async def _readable(one: socket.socket) -> None:
    """Wait until `one` can be read, or has a connection to accept."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(one, ready.set)
    try:
        await ready.wait()
    finally:
        # A reader left behind would be called for another socket of the same number.
        loop.remove_reader(one)


async def _drained(ours: socket.socket) -> None:
    """Send an end of file on our end of the socket, and read until the client has closed its
    end.
    """
    with suppress(OSError):
        # Our half ends: the client reads an end of file and closes.
        ours.shutdown(socket.SHUT_WR)
        while await asyncio.get_running_loop().sock_recv(ours, CHUNK):
            pass
