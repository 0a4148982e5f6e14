"""One connection to a broker, subscribed to one topic: opened, used once, and ended.

aiomqtt speaks MQTT, and only its public parts are used. It connects to a unix socket in a folder
that no other user can enter; its bytes are carried here between that socket and our own link (TCP,
TLS or websocket, cancellable, with deadlines), through the gate. So we can always leave a broker
that stalls, we notice a silent one, and the library never sees the end of a broker's connection.
specs/decisions/024-a-local-socket-for-aiomqtt.md has the reasons, each with what the library cannot
do.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import string
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, ExitStack, suppress
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any, Final, NoReturn, TypeVar

import aiomqtt
from paho.mqtt.client import MQTT_CLEAN_START_FIRST_ONLY
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from cli.net.address import BrokerAddress
from cli.net.credentials import Credentials
from cli.net.link import CHUNK, Link, open_link
from cli.net.packets import (
    LEVEL_5,
    MAX_PACKET,
    PINGREQ,
    REFUSAL_3_1_1,
    REFUSAL_5,
    Packet,
    PacketCutter,
    PacketError,
    PacketType,
    connack_code,
    largest_packet,
    read_publish,
)
from cli.net.transport import TransportError, Trouble
from cli.tasks import first, stop

# A choice: a broker that needs longer would make every table wait.
#: Seconds for the broker's answer to our CONNECT, and to our SUBSCRIBE.
ANSWER_DEADLINE: Final = 5.0
# Longer than an answer's: our own uplink may be slow.
WRITE_DEADLINE: Final = 20.0
#: Seconds that the library waits by itself: longer than whoever waits for it.
LIBRARY_DEADLINE: Final = 40.0
# A choice: the library answers within this process; whoever leaves waits for it.
ENDING_DEADLINE: Final = 2.0  #: Seconds in which the library ends its own socket.
# Messages between the library and us; beyond that the library drops.
# A choice, as many as a transport's inbox holds.
MOST_QUEUED: Final = 512
# Two of these and some slack make the ten seconds of a lost connection.
#: Seconds without a packet after which the broker is asked for a sign of life; it has as long to
#: answer. So a connection of which only our half is left ends within 10 seconds.
KEEPALIVE: Final = 4

#: Seconds of our own silence that we ask the broker to bear: a machine may be slow.
ANNOUNCED_KEEPALIVE: Final = 20


@dataclass(frozen=True, slots=True)
class ConnectionWanted:
    """The parameters of a connection: one `topic`, and MQTT of `level`.

    `admit` is called with the payload of every message there. Frames of `largest` bytes must get
    through. After `keepalive` seconds without a packet the broker is pinged.
    """

    level: int
    topic: str
    admit: Callable[[bytes], bool]
    largest: int
    keepalive: int = KEEPALIVE
    will: bytes | None = None  #: What the broker publishes there once it has lost the connection.
    #: Called with the topic of each message that a broker had kept (RETAIN, 3.3.1.3), for the check
    #: of a broker; None at a table, which judges them like any other.
    kept: Callable[[bytes], object] | None = None


# --- the gate in front of the client library: what a broker may make it read ----------------------
#
# paho reads packets of 256 MB into memory, keeps 65,535 half-delivered messages of QoS 2, and dies
# silently of exceptions; so it never sees the network. The gate cuts the broker's stream into
# packets, refuses what no broker of ours sends, drops messages that are not for us, and hands on
# the rest. Source: MQTT 3.1.1 and 5.0, section 3; specs/attacks.md, MQ4, MQ5, MQ7.


class Gate:
    """Passes on the packets that a broker may send to a client that subscribed once with QoS 0.

    A message on our topic that is not admitted, or on another topic, is dropped here, at the cost
    of one call.
    """

    def __init__(self, wanted: ConnectionWanted) -> None:
        self._wanted = wanted
        # Bytes, because topics of packets are compared undecoded.
        self._topic = wanted.topic.encode("ascii")
        self._cutter = PacketCutter()
        #: The code of the broker's CONNACK, once it came: 0 is success.
        self.answer: int | None = None
        #: Bytes of the largest packet that the broker takes, if it said so.
        self.largest: int | None = None
        self.packets = 0  #: How many whole packets the broker has sent.
        #: The reason code of a DISCONNECT of MQTT 5, if the broker sent one.
        self.farewell: int | None = None

    def pass_on(self, chunk: bytes) -> bytes:
        """Return the bytes of `chunk` that the library may read; raises PacketError if the
        connection must end.
        """
        # Joined: one write for a batch.
        return b"".join(packet.raw for packet in self._cutter.feed(chunk) if self._passes(packet))

    def _passes(self, packet: Packet) -> bool:
        """Return whether the library may read a packet; raises PacketError if the connection
        must end.
        """
        self.packets += 1
        if self.answer is None:
            # Before the CONNACK no packet may come (MQTT 3.1.1, 3.2).
            if packet.kind is not PacketType.CONNACK:
                raise PacketError("The broker began with something else than its answer.")
            self.answer = connack_code(packet)
            # Only an accepting CONNACK of MQTT 5 carries a limit; 3.1.1 has none.
            if self._wanted.level >= LEVEL_5 and self.answer == 0:
                self.largest = largest_packet(packet)
            # A refusal is not passed on: the library would raise its own sentence.
            return self.answer == 0
        match packet.kind:
            case PacketType.PUBLISH:
                # Only QoS 0 was asked for; the library would keep half-delivered messages of QoS 2.
                # A broker may lower the QoS that was asked for, never raise it (3.8.4).
                if packet.qos:
                    raise PacketError("The broker sent a message of a quality not asked for.")
                topic, payload = read_publish(packet, self._wanted.level)
                if self._wanted.kept is not None and packet.flags & 1:
                    self._wanted.kept(topic)
                # Other topics and frames that no table seals are dropped here, before the library
                # sees them.
                return topic == self._topic and self._wanted.admit(payload)
            # Answers to our SUBSCRIBE and PINGREQ.
            case PacketType.SUBACK | PacketType.PINGRESP:
                return True
            case PacketType.DISCONNECT if self._wanted.level >= LEVEL_5:
                # No reason code means 0, a normal end (MQTT 5.0, 3.14.2.1).
                self.farewell = packet.body[0] if packet.body else 0
                return True
            case _:
                raise PacketError(
                    f"The broker sent a packet {packet.kind.name} that is not for us."
                )


# What refusals of a broker mean, in sentences. Source: MQTT 3.1.1, 3.2; MQTT 5.0, 3.2 and 3.14.

QUOTA_EXCEEDED: Final = 0x97
FULL: Final = (
    "The broker is full, or we have used up what it allows us (quota exceeded): wait, or use"
    " another."
)
_TOO_MANY: Final = "The broker takes no more connections for a moment: wait, or use another."
_BUSY: Final = "The broker is too busy or closed for now: wait, or use another."
_VERSION: Final = "The broker does not speak this version of MQTT."
_UNNAMED: Final = (
    "The broker lets in only those whom it knows: give your user name and password with --login,"
    " or a file of them with --credentials."
)
_DISTRUSTED: Final = (
    "The broker refuses our user name, password or certificate: check the credentials file, or"
    " type them again."
)
#: What a CONNACK says that lets nobody in.
_REFUSALS: Final = {
    # Codes below 0x80 are of MQTT 3.1.1 (3.2.2.3), the others of MQTT 5 (3.2.2.2): 1 and 0x84
    # refuse the version; 4 and 0x86 user or password, 5 and 0x87 the right to connect, 0x8C the
    # method of authentication; 3 and 0x88 say unavailable, 0x89 busy.
    **dict.fromkeys((1, 0x84), (Trouble.VERSION, _VERSION)),
    **dict.fromkeys((4, 5, 0x86, 0x87, 0x8C), (Trouble.CREDENTIALS, _DISTRUSTED)),
    **dict.fromkeys((3, 0x88, 0x89), (Trouble.REFUSED, _BUSY)),
    # 0x8A: banned; 0x9F: connection rate exceeded (MQTT 5.0, 3.2.2.2).
    0x8A: (Trouble.ACCESS, "The broker has banned us: ask the one who runs it."),
    QUOTA_EXCEEDED: (Trouble.REFUSED, FULL),
    0x9F: (Trouble.REFUSED, _TOO_MANY),
}

#: What a DISCONNECT of MQTT 5 says (section 3.14.2.1).
_FAREWELLS: Final = {
    # 0x87: not authorised; 0x89: server busy; 0x8B: shutting down; 0x8E: session taken over.
    # 0x95: packet too large; 0x96: rate too high; 0x98: administrative action.
    0x87: (
        Trouble.ACCESS,
        "The broker ended the connection: it does not allow this user what a table needs.",
    ),
    0x89: (Trouble.REFUSED, "The broker sent us away because it is too busy: we try again."),
    0x8B: (Trouble.REFUSED, "The broker is being shut down: we try again."),
    0x8E: (
        Trouble.LOST,
        "Another connection took over our name at the broker; we take a new one.",
    ),
    0x95: (
        Trouble.SIZE,
        "The broker ended the connection because a packet of ours was too large for it: ask the one"
        " who runs it for more, or use another broker.",
    ),
    0x96: (Trouble.REFUSED, "The broker sent us away because we sent too much at once."),
    QUOTA_EXCEEDED: (Trouble.REFUSED, FULL),
    0x98: (Trouble.REFUSED, "Whoever runs the broker ended our connection: ask them why."),
    0x9F: (Trouble.REFUSED, _TOO_MANY),
}


#: Bytes of a PUBLISH beside topic and frame: type (1), length (3, as packets are below 2 MiB),
#: length of the topic (2), no properties (1).
PUBLISH_OVERHEAD: Final = 7

T = TypeVar("T")
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
_LETTERS: Final = string.ascii_letters + string.digits
# Not from `getLogger`: nothing that a broker writes reaches the user's log.
_SILENT: Final = logging.Logger("cli.net.aiomqtt", level=logging.CRITICAL + 1)


def random_client_id() -> str:
    """Return a random client id: 22 characters with 131 bits, in the form that every broker
    accepts.
    """
    # MQTT 3.1.1 promises 23 letters and digits alone (3.1.3.1); 22 are the fewest with 128 bits.
    return "".join(secrets.choice(_LETTERS) for _ in range(22))


class Connection:
    """A connection subscribed to one topic with QoS 0, made by `open_connection`."""

    def __init__(self, link: Link, wanted: ConnectionWanted, credentials: Credentials) -> None:
        self._link = link
        self._wanted = wanted
        self._credentials = credentials
        # The gate is new for each connection: packets are counted from its beginning.
        self._gate = Gate(wanted)
        #: The client's own context: leaving it says goodbye to the broker.
        self._entered = AsyncExitStack()
        # No group: the client breaks when its greeting is cancelled; `end` refuses it instead.
        self._greeting = asyncio.create_task(self._greet(), name="mqtt: greeting")
        # Its error is read, if nobody awaits the greeting any more.
        self._greeting.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        #: Our end of the library's socket, once it has connected.
        self._dialled: asyncio.Future[Streams] = asyncio.get_running_loop().create_future()
        self._spoken = asyncio.Event()  #: Set once the library has begun to speak.
        self._carrying: set[asyncio.Task[None]] = set()
        #: Set once the connection has ended; then `why` returns the reason.
        self.over = asyncio.Event()
        # The first error alone is told: later ones follow from it.
        self._error: TransportError | None = None

    async def establish(self) -> None:
        """Connect and subscribe.

        Raises TransportError with a sentence, also if the broker takes no packets with frames of
        the wanted size.
        """
        # A client of MQTT waits for CONNACK before it subscribes.
        await self._settle(self._greeted(), "The broker did not answer our greeting")
        topic = self._wanted.topic
        needed = self._wanted.largest + len(topic) + PUBLISH_OVERHEAD
        # Found out at the beginning, not at the first large frame in the middle of a hand.
        if self._gate.largest is not None and self._gate.largest < needed:
            raise TransportError(
                Trouble.SIZE,
                f"The broker takes packets of {self._gate.largest:,} bytes at most, and a table"
                f" needs {needed:,}: ask the one who runs it for more, or use another broker.",
            )
        granted = await self._settle(
            self._client.subscribe(topic, qos=0), "The broker did not answer our subscription"
        )
        # Version 3.1.1 gives numbers, 5 objects.
        codes = [code if isinstance(code, int) else code.value for code in granted]
        # Before the general refusal: waiting helps here, and another access list does not.
        if QUOTA_EXCEEDED in codes:
            raise TransportError(Trouble.REFUSED, FULL)
        # From 0x80 on a code is a failure (3.9.3), and so is an answer without any.
        if max(codes, default=0x80) >= 0x80:
            raise TransportError(
                Trouble.ACCESS,
                "The broker does not let us read the table's topic:"
                " its access list must allow this user to read and write it.",
            )

    async def _greeted(self) -> None:
        """Wait until the broker has accepted us."""
        # `wait` leaves the greeting running if we are cancelled; awaiting it would cancel it.
        await asyncio.wait({self._greeting})
        self._greeting.result()

    async def _greet(self) -> None:
        """Let the client connect to a private socket, and wait for the broker's answer."""
        with ExitStack() as opened:

            def let_in(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                """Carry the client's bytes, once the socket and its folder are gone."""
                opened.close()
                self._dialled.set_result((reader, writer))
                # `end` may have come before the library has dialled.
                if not self.over.is_set():
                    # No group: it outlives the call that opens the connection; `end` ends it.
                    carrying = self._carry(reader, writer)
                    self._carrying.add(asyncio.create_task(carrying, name="mqtt: carrying"))

            try:
                # A folder of mode 0700: other users cannot reach the socket in it. It may be gone
                # already: a cleaner of temporary files takes it.
                place = opened.enter_context(
                    TemporaryDirectory(prefix="p2p304-", ignore_cleanup_errors=True)
                )
                path = f"{place}/mqtt"
                # One client dials, once: `let_in` closes the socket behind it.
                door = await asyncio.start_unix_server(let_in, path, backlog=1)
            except OSError as error:
                raise TransportError(
                    Trouble.UNREACHABLE,
                    "No socket can be made in the folder for temporary files"
                    f" ({error.strerror or error}): name another one in TMPDIR.",
                ) from error
            opened.callback(door.close)
            self._client = self._make_client(path)
            await self._entered.enter_async_context(self._client)

    def _make_client(self, path: str) -> aiomqtt.Client:
        """Return a client that dials the unix socket at `path`."""
        wanted, credentials = self._wanted, self._credentials
        newer, password = wanted.level >= LEVEL_5, credentials.password
        properties = None
        if newer:
            properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # paho's
            # The broker must not send more than we read (MQTT 5.0, 3.1.2.11.4).
            properties.MaximumPacketSize = MAX_PACKET
        return aiomqtt.Client(
            # No address of the broker: our own link carries the bytes to it (decisions 024).
            path,
            transport="unix",
            # New each time: a broker ends the older of two connections of one id.
            identifier=random_client_id(),
            username=credentials.user,
            password=password.reveal() if password else None,
            protocol=aiomqtt.ProtocolVersion.V5 if newer else aiomqtt.ProtocolVersion.V311,
            # Each version has its own word for a new session; the other's must be None or default.
            clean_session=None if newer else True,
            clean_start=True if newer else MQTT_CLEAN_START_FIRST_ONLY,
            properties=properties,
            # We ask for signs of life often, but let the broker bear longer silences of ours.
            keepalive=max(wanted.keepalive, ANNOUNCED_KEEPALIVE),
            will=None if wanted.will is None else aiomqtt.Will(wanted.topic, wanted.will),
            timeout=LIBRARY_DEADLINE,
            # The library's own is unbounded.
            max_queued_incoming_messages=MOST_QUEUED,
            logger=_SILENT,
        )

    async def publish(self, frame: bytes) -> None:
        """Write `frame` to the broker's socket; raises TransportError if that fails."""
        late = "The broker does not take what we send"
        writing = self._client.publish(self._wanted.topic, frame)
        await self._settle(writing, late, deadline=WRITE_DEADLINE)

    async def frames(self) -> AsyncIterator[bytes]:
        """Yield the payloads that pass the gate, until the connection ends."""
        try:
            async for message in self._client.messages:
                # For the type alone: aiomqtt's payloads are bytes whenever they were received.
                if isinstance(message.payload, bytes):
                    yield message.payload
        except aiomqtt.MqttError as error:
            self._lost(f"The connection to the broker was lost ({error}).")

    def why(self) -> TransportError:
        """Return the error with which the connection ended, or failed to begin."""
        # Not 0 and not None: a refusal.
        if code := self._gate.answer:
            other = Trouble.REFUSED, f"The broker refuses our connection with code {code}."
            trouble, sentence = _REFUSALS.get(code, other)
            # Without a name no name was refused: another advice.
            unnamed = trouble is Trouble.CREDENTIALS and not self._credentials.named
            return TransportError(trouble, _UNNAMED if unnamed else sentence)
        # 0 is a normal end, which needs no sentence.
        if code := self._gate.farewell:
            other = Trouble.LOST, f"The broker ended the connection with code {code}."
            return TransportError(*_FAREWELLS.get(code, other))
        lost = self._error is None or self._error.trouble is Trouble.LOST
        # No answer at all: the port speaks something else, which the library cannot know.
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
        """Send DISCONNECT after everything else, within `deadline` seconds, and end."""
        # Leaving is a courtesy: an error in it changes nothing.
        with suppress(aiomqtt.MqttError, TimeoutError):
            async with asyncio.timeout(deadline):
                await self._entered.aclose()
                # The broker closes after a DISCONNECT: then all bytes were read.
                await self.over.wait()
        await self.end()

    async def end(self) -> None:
        """End everything at once: the link, the library, every task and socket."""
        # First of all, so that nothing is carried for a connection that ends.
        self.over.set()
        await stop(*self._carrying)
        # Abort, since a broker that does not read would hold a close for ever.
        self._link.abort()
        # A library that hangs, or whose socket has gone, is left to the lines below.
        with suppress(TimeoutError, OSError):
            async with asyncio.timeout(ENDING_DEADLINE):
                await self._end_library()
        await stop(self._greeting)
        # Not done: the library never dialled, and there is nothing of it to close.
        if self._dialled.done():
            self._dialled.result()[1].close()
            with suppress(aiomqtt.MqttError):
                # Nothing is sent, as there is no connection: the client then reads the error with
                # which its own ended, of which asyncio would else tell on the terminal.
                await self._client.publish("ended", timeout=0)

    async def _end_library(self) -> None:
        """Wait until the library has ended its socket, for which nobody carries bytes any more."""
        # A client that could not connect, or has not yet, has no socket.
        if self._greeting.done() and not self._dialled.done():
            return
        reader, writer = await self._dialled
        # A greeting that is cancelled breaks the client's callbacks: it is answered as a broker
        # does that refuses. The client dials in a thread: an answer before it has spoken would make
        # it close a socket of which the loop hears afterwards.
        if not self._greeting.done():
            if not self._spoken.is_set():
                await reader.read(CHUNK)
            writer.write(REFUSAL_5 if self._wanted.level >= LEVEL_5 else REFUSAL_3_1_1)
            await asyncio.wait({self._greeting})
        # The client reads an end of file and closes its half.
        writer.write_eof()
        while await reader.read(CHUNK):
            pass

    async def _settle(
        self, work: Coroutine[Any, Any, T], late: str, *, deadline: float = ANSWER_DEADLINE
    ) -> T:
        """Return the result of the library's `work`.

        Raises TransportError if the connection ends first, or with the sentence `late` after
        `deadline` seconds.
        """
        try:
            # The broken connection ends the wait at once, instead of the deadline.
            async with asyncio.timeout(deadline):
                return await first(work, self._broken())
        except TimeoutError:
            raise TransportError(
                Trouble.TIMEOUT,
                f"{late} within {deadline:g} seconds: the port may be one for TLS (mqtts://),"
                " or the broker is overloaded.",
            ) from None
        except aiomqtt.MqttError as error:
            # The library's error says only that its socket ended: `why` knows the reason.
            raise self.why() from error

    async def _broken(self) -> NoReturn:
        """Raise the reason once the connection has ended."""
        await self.over.wait()
        raise self.why()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry bytes between the library and the broker until the connection ends, and note
        why.
        """
        try:
            await first(self._carry_out(reader), self._carry_in(writer))
        except PacketError as error:
            self._error = TransportError(Trouble.PROTOCOL, f"{error} We left it.")
        except TimeoutError:
            # Before OSError, of which TimeoutError is one.
            self._lost("The broker has been silent for too long, or takes nothing any more.")
        except OSError as error:
            self._lost(f"The connection to the broker broke ({error.strerror or error}).")
        finally:
            self.over.set()

    async def _carry_out(self, reader: asyncio.StreamReader) -> None:
        """Carry the library's packets to the broker, whole ones alone, so that our own fit
        between two.
        """
        cutter = PacketCutter()
        while data := await reader.read(CHUNK):
            self._spoken.set()
            # Whole packets: a PINGREQ of ours goes between two (decisions 024).
            if packets := b"".join(packet.raw for packet in cutter.feed(data)):
                async with asyncio.timeout(WRITE_DEADLINE):
                    await self._link.write(packets)

    async def _carry_in(self, writer: asyncio.StreamWriter) -> None:
        """Carry what the gate admits to the library; ping a silent broker, and leave it if no whole
        packet follows: bytes that drip in one by one are no sign of life.
        """
        gate, loop, patience = self._gate, asyncio.get_running_loop(), self._wanted.keepalive
        # Until the first packet the callers' deadline holds.
        packets, asked, due = 0, False, None
        # An answer before the library has begun would confuse it.
        await self._spoken.wait()
        # A refused connection has nothing more to say.
        # None, no answer yet, and 0, accepted, go on.
        while not gate.answer:
            if gate.packets != packets:
                packets, asked, due = gate.packets, False, loop.time() + patience
            try:
                async with asyncio.timeout_at(due):
                    chunk = await self._link.read()
            except TimeoutError:
                # One ping, and its answer did not come in time.
                if asked:
                    raise
                asked, due = True, loop.time() + patience
                # A broker that does not read cannot hold the ping for longer.
                async with asyncio.timeout_at(due):
                    await self._link.write(PINGREQ)
                continue
            if not chunk:
                return
            if admitted := gate.pass_on(chunk):
                writer.write(admitted)
                await writer.drain()
            # A flood must not keep the rest of the program from running.
            await asyncio.sleep(0)

    def _lost(self, sentence: str) -> None:
        """Note why the connection was lost, unless a reason is known."""
        # The first cause is told: later errors follow from it.
        self._error = self._error or TransportError(Trouble.LOST, sentence)


async def open_connection(
    address: BrokerAddress, credentials: Credentials, wanted: ConnectionWanted, *, deadline: float
) -> Connection:
    """Connect to `address` within `deadline` seconds, and subscribe with QoS 0.

    Raises TransportError with a sentence. After an error or a cancellation nothing is left behind.
    """
    link = await open_link(address, credentials, deadline=deadline)
    connection = Connection(link, wanted, credentials)
    try:
        await connection.establish()
    # BaseException: a cancellation, too, leaves no socket behind.
    except BaseException:
        await connection.end()
        raise
    return connection
