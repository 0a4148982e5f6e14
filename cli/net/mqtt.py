"""The MQTT client: connections to a broker, and the transport that uses one after another (specs
7.2).

Every connection has one topic, QoS 0, a clean session, a fresh random client id and a new client
object. Nothing is retained, and neither order nor acknowledgements are relied on: the ledger sends
lost messages again. A will says only that we are gone.

paho writes MQTT and reads the broker's answers; only its public parts are used. It connects to a
unix socket in a folder that no other user can enter, and its bytes are carried here between that
socket and our own link (TCP, TLS or websocket, cancellable, with deadlines). So we can always leave
a broker that stalls, we notice a silent one, and the library never sees the network.
specs/decisions/024-a-local-socket-for-paho.md has the reasons, each with what the library cannot
do.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
import socket
import string
import struct
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from itertools import count
from math import inf
from tempfile import TemporaryDirectory
from typing import Any, Final, NoReturn

from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion, MessageType, MQTTProtocolVersion
from paho.mqtt.exception import MQTTException
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from cli.bounds import (
    ANNOUNCED_KEEPALIVE,
    ANSWER_DEADLINE,
    CHUNK,
    DIAL_DEADLINE,
    ECHO_TICK,
    FIRST_PAUSE,
    KEEPALIVE,
    LONGEST_PAUSE,
    MAX_ANSWER,
    MAX_FRAME,
    MAX_PACKET,
    NODE_DEADLINE,
    ONLY_NODE_DEADLINE,
    REMEMBERED_FRAMES,
    STEADY_AFTER,
    WRITE_DEADLINE,
)
from cli.net.address import BrokerAddress, checked_nodes
from cli.net.credentials import NO_CREDENTIALS, Credentials
from cli.net.link import Link, open_link
from cli.net.packets import (
    LEVEL_3_1_1,
    LEVEL_5,
    PINGREQ,
    Packet,
    PacketCutter,
    PacketError,
    read_publish,
)
from cli.net.transport import (
    LinkState,
    LinkStatus,
    Transport,
    TransportClosedError,
    TransportError,
    Trouble,
    checked_frame,
)
from cli.tasks import first, happens, stop

#: Bytes of a PUBLISH beside topic and frame: type (1), length (3, as packets are below 2 MiB),
#: length of the topic (2), no properties (1).
PUBLISH_OVERHEAD: Final = 7
_LETTERS: Final = string.ascii_letters + string.digits


# Not the refusal of a version alone: old brokers end the connection at a CONNECT of MQTT 5, or keep
# silent.
#: Troubles after which an older version of MQTT may do.
_OF_A_VERSION: Final = (Trouble.VERSION, Trouble.PROTOCOL, Trouble.TIMEOUT)
UNHEARD: Final = "The broker takes what we send and does not pass it on"
# No `#`, `+` or `$`, which mean more than themselves in MQTT.
_TOPIC: Final = re.compile(r"[a-z0-9-]+(/[a-z0-9-]+){0,4}")


class MqttVersion(Enum):
    """The versions of MQTT that are tried, in order."""

    AUTOMATIC = (LEVEL_5, LEVEL_3_1_1)
    MQTT_5 = (LEVEL_5,)
    MQTT_3_1_1 = (LEVEL_3_1_1,)


@dataclass(frozen=True, slots=True)
class MqttOptions:
    """The parameters of a transport, and of its connections.

    A broker that announces a limit below `largest_frame` is refused. Deadlines are in seconds;
    after `echo_deadline` without an own frame back from the broker the status says so.
    `other_nodes` are further addresses of the cluster, tried in turn; with them such a silence ends
    the connection. `will` is called for every connection, and returns the frame that the broker
    publishes if it loses that connection.
    """

    address: BrokerAddress
    topic: str
    credentials: Credentials = NO_CREDENTIALS
    version: MqttVersion = MqttVersion.AUTOMATIC
    keepalive: int = KEEPALIVE  #: Seconds without a packet after which the broker is pinged.
    largest_frame: int = MAX_FRAME
    # A choice, as many as an inbox holds.
    #: Frames that may wait to be published; `send` says what happens to more.
    outbox_limit: int = 512
    # A choice: a slow broker must not pass for one that forbids the topic.
    echo_deadline: float = 10.0
    other_nodes: tuple[BrokerAddress, ...] = ()
    will: Callable[[], bytes] | None = None  #: None: the broker publishes nothing when it loses us.

    def __post_init__(self) -> None:
        checked_nodes(self.nodes)

    @property
    def nodes(self) -> tuple[BrokerAddress, ...]:
        """All addresses, in the order in which they are tried."""
        return (self.address, *self.other_nodes)


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
SILENCE: Final = "The broker has been silent for too long, or takes nothing any more."

#: Called with the topic and the payload of a message, and whether the broker had kept it (RETAIN,
#: 3.3.1.3).
Heard = Callable[[bytes, bytes, bool], object]


class Connection:
    """A connection with MQTT of one level, subscribed to one topic with QoS 0, made by
    `open_connection`.

    paho reads packets of 256 MB into memory, keeps 65,535 half-delivered messages of QoS 2, and
    raises whatever a broken packet leads to. So a broker's stream is cut into packets here, and
    whatever no broker sends to a client that subscribed once with QoS 0 ends the connection;
    messages are given to `heard`, and paho reads the answers alone. Source: MQTT 3.1.1 and 5.0,
    section 3; specs/attacks.md, MQ4, MQ5, MQ7.
    """

    def __init__(self, link: Link, options: MqttOptions, level: int, heard: Heard) -> None:
        """Set up a connection; raises TransportError, and ends the link, if the library gets no
        socket.
        """
        self._link = link
        self._options = options
        self._level = level
        self._heard = heard
        self._cutter = PacketCutter()
        self._answered = False  #: Whether the broker has let us in.
        #: When we wrote something last, by the clock of the loop; infinity while we do.
        self._spoke = 0.0
        #: Bytes of the largest packet that the broker takes, if it said so.
        self._largest: int | None = None
        self._granted: list[int] | None = None  #: The codes of its answer to our subscription.
        # A new name each time: a broker ends the older of two connections of one id.
        self._paho = client = paho.Client(
            CallbackAPIVersion.VERSION2,
            random_client_id(),
            protocol=MQTTProtocolVersion(level),
            # No address of the broker: our own link carries the bytes to it (decisions 024).
            transport="unix",
            reconnect_on_failure=False,
        )
        client.on_connect = self._on_connect
        client.on_subscribe = self._on_subscribe
        user, password = options.credentials.user, options.credentials.password
        client.username_pw_set(user, password.reveal() if password else None)
        if options.will is not None:
            client.will_set(options.topic, options.will())
        properties = None
        if level >= LEVEL_5:
            properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # paho's
            # The broker must not send more than we read (MQTT 5.0, 3.1.2.11.4).
            properties.MaximumPacketSize = MAX_PACKET
        # We ask for signs of life often, but let the broker bear longer silences of ours.
        keepalive = max(options.keepalive, ANNOUNCED_KEEPALIVE)
        try:
            # A folder of mode 0700: other users cannot reach the socket in it. It may be gone
            # already: a cleaner of temporary files takes it.
            with (
                TemporaryDirectory(prefix="p2p304-", ignore_cleanup_errors=True) as place,
                socket.socket(socket.AF_UNIX) as door,
            ):
                door.bind(f"{place}/mqtt")
                door.listen(1)
                client.connect(f"{place}/mqtt", keepalive=keepalive, properties=properties)
                self._socket, _ = door.accept()
        except OSError as error:
            link.abort()
            raise TransportError(
                Trouble.UNREACHABLE,
                "No socket can be made in the folder for temporary files"
                f" ({error.strerror or error}): name another one in TMPDIR.",
            ) from error
        self._socket.setblocking(False)

    async def establish(self) -> None:
        """Connect and subscribe.

        Raises TransportError with a sentence, also if the broker takes no packets with frames of
        the wanted size.
        """
        topic = self._options.topic
        # A client of MQTT waits for CONNACK before it subscribes.
        await self._ask("greeting", lambda: self._answered)
        needed = self._options.largest_frame + len(topic) + PUBLISH_OVERHEAD
        # Found out at the beginning, not at the first large frame in the middle of a hand.
        if self._largest is not None and self._largest < needed:
            raise TransportError(
                Trouble.SIZE,
                f"The broker takes packets of {self._largest:,} bytes at most, and a table"
                f" needs {needed:,}: ask the one who runs it for more, or use another broker.",
            )
        self._paho.subscribe(topic)
        await self._ask("subscription", lambda: self._granted is not None)
        # Before the general refusal: waiting helps here, and another access list does not.
        if QUOTA_EXCEEDED in (self._granted or ()):
            raise TransportError(Trouble.REFUSED, FULL)
        # From 0x80 on a code is a failure (3.9.3), and so is an answer without any.
        if max(self._granted or (0x80,)) >= 0x80:
            raise TransportError(
                Trouble.ACCESS,
                "The broker does not let us read the table's topic:"
                " its access list must allow this user to read and write it.",
            )

    async def _ask(self, what: str, answered: Callable[[], bool]) -> None:
        """Write what the library asks, and handle packets until it is answered."""
        try:
            async with asyncio.timeout(ANSWER_DEADLINE):
                await self._write(self._said())
                while not answered():
                    await self._read()
        except TimeoutError:
            raise TransportError(
                Trouble.TIMEOUT,
                f"The broker did not answer our {what} within {ANSWER_DEADLINE:g} seconds: the"
                " port may be one for TLS (mqtts://), or the broker is overloaded.",
            ) from None

    def _said(self) -> bytes:
        """Return what the library has written since the last call; at first the CONNECT."""
        said = b""
        # Until nothing more is there.
        with suppress(BlockingIOError):
            while piece := self._socket.recv(CHUNK):
                said += piece
                # What there was no room for: some systems hold 8 KiB.
                self._paho.loop_write()
        return said

    async def publish(self, frame: bytes) -> None:
        """Write `frame` to the broker; raises TransportError if that fails."""
        self._paho.publish(self._options.topic, frame)
        await self._write(self._said())

    async def receive(self) -> NoReturn:
        """Handle packets until the connection ends, and raise why it did as a TransportError.

        Ping a silent broker, and leave it if no whole packet follows: bytes that drip in one by one
        are no sign of life.
        """
        loop, patience, asked = asyncio.get_running_loop(), self._options.keepalive, False
        while True:
            try:
                async with asyncio.timeout(patience):
                    # The broker is owed a sign of life, too, however much it says itself.
                    if asked or loop.time() - self._spoke > patience:
                        await self._write(PINGREQ)
                    while not await self._read():
                        pass
                asked = False
            except TimeoutError:
                # One ping, and its answer did not come in time.
                if asked:
                    raise self._lost(SILENCE) from None
                asked = True

    async def _read(self) -> int:
        """Wait for some bytes, handle them, and return how many packets they complete."""
        try:
            chunk = await self._link.read()
            if not chunk:
                raise self._lost("The broker ended the connection.")
            packets = self.take(chunk)
        except PacketError as error:
            raise TransportError(Trouble.PROTOCOL, f"{error} We left it.") from error
        except OSError as error:
            raise self._broken(error) from error
        # A flood must not keep the rest of the program from running.
        await asyncio.sleep(0)
        return packets

    async def _write(self, data: bytes) -> None:
        """Write bytes to the broker."""
        # No sign of life is due meanwhile: it would wait behind them, and nothing be read.
        self._spoke = inf
        try:
            async with asyncio.timeout(WRITE_DEADLINE):
                await self._link.write(data)
        # Before OSError, of which TimeoutError is one.
        except TimeoutError as error:
            raise self._lost(SILENCE) from error
        except OSError as error:
            raise self._broken(error) from error
        finally:
            self._spoke = asyncio.get_running_loop().time()

    def _broken(self, error: OSError) -> TransportError:
        """Return the error for a link that broke."""
        return self._lost(f"The connection to the broker broke ({error.strerror or error}).")

    def _lost(self, sentence: str) -> TransportError:
        """Return the error for a connection that has ended, with its sentence if it had begun."""
        if self._answered:
            return TransportError(Trouble.LOST, sentence)
        # No answer at all: the port speaks something else, which the library cannot know.
        return TransportError(
            Trouble.PROTOCOL,
            "The broker ended the connection before any answer: the port may be one for TLS"
            " (mqtts://), for websockets, or of another service, or the broker may be full, or"
            " ask for a client certificate.",
        )

    def take(self, chunk: bytes) -> int:
        """Handle a broker's bytes, and return how many packets they complete.

        Raises PacketError for packets that it must not send, TransportError if it refuses us or
        sends us away.
        """
        packets = self._cutter.feed(chunk)
        for packet in packets:
            if self._answered:
                self._take(packet)
            else:
                self._take_answer(packet)
        return len(packets)

    def _take_answer(self, packet: Packet) -> None:
        """Handle the first packet, which must be the answer to our CONNECT (MQTT 3.1.1, 3.2)."""
        if packet.kind is not MessageType.CONNACK:
            raise PacketError("The broker began with something else than its answer.")
        # Behind the byte of flags stands the code (3.2.2).
        if len(packet.body) < 2:
            raise PacketError("The broker's answer to our connection is too short.")
        if code := packet.body[1]:
            other = Trouble.REFUSED, f"The broker refuses our connection with code {code}."
            trouble, sentence = _REFUSALS.get(code, other)
            # Without a name no name was refused: another advice.
            unnamed = trouble is Trouble.CREDENTIALS and not self._options.credentials.named
            raise TransportError(trouble, _UNNAMED if unnamed else sentence)
        self._let_library_read(packet)
        self._answered = True

    def _take(self, packet: Packet) -> None:
        """Handle a packet of a broker that has let us in."""
        match packet.kind:
            case MessageType.PUBLISH:
                # Only QoS 0 was asked for, and a broker may lower that, never raise it (3.8.4).
                if packet.qos:
                    raise PacketError("The broker sent a message of a quality not asked for.")
                self._heard(*read_publish(packet, self._level), bool(packet.flags & 1))
            # Once: the library reads it slowly, and a flood of them would hold up the program.
            case MessageType.SUBACK if self._granted is None:
                self._let_library_read(packet)
            # A sign of life, and nothing more.
            case MessageType.PINGRESP:
                pass
            case MessageType.DISCONNECT if self._level >= LEVEL_5:
                # No reason code means 0, a normal end (MQTT 5.0, 3.14.2.1).
                code = packet.body[0] if packet.body else 0
                told = f" with code {code}" if code else ""
                other = Trouble.LOST, f"The broker ended the connection{told}."
                raise TransportError(*_FAREWELLS.get(code, other))
            case _:
                raise PacketError(
                    f"The broker sent a packet {packet.kind.name} that is not for us."
                )

    def _let_library_read(self, packet: Packet) -> None:
        """Let the library read an answer; raises PacketError if it cannot."""
        if len(packet.body) > MAX_ANSWER:
            raise PacketError("The broker's answer is too long.")
        try:
            self._socket.sendall(packet.raw)
            read = self._paho.loop_read() == paho.MQTT_ERR_SUCCESS
        # What paho raises at broken answers: strangers write them.
        except (MQTTException, LookupError, ValueError, struct.error, OSError):
            read = False
        if not read:
            raise PacketError("The broker's answer is broken.")

    def _on_connect(
        self, _c: paho.Client, _data: Any, _flags: Any, _code: ReasonCode, found: Properties | None
    ) -> None:
        """Keep the limit that the broker's answer names."""
        # paho gives its object an attribute for each property that came, and no other.
        self._largest = getattr(found, "MaximumPacketSize", None)

    def _on_subscribe(
        self, _c: paho.Client, _data: Any, _number: int, codes: list[ReasonCode], _properties: Any
    ) -> None:
        """Keep the answer to our subscription."""
        self._granted = [code.value for code in codes]

    async def leave(self, *, deadline: float) -> None:
        """Send DISCONNECT, and wait up to `deadline` seconds until the broker has ended."""
        self._paho.disconnect()
        # Leaving is a courtesy: an error in it changes nothing.
        with suppress(OSError):
            async with asyncio.timeout(deadline):
                await self._link.write(self._said())
                # The broker closes after a DISCONNECT: then all bytes were read.
                while await self._link.read():
                    pass

    def end(self) -> None:
        """End everything at once."""
        # Abort, since a broker that does not read would hold a close for ever.
        self._link.abort()
        # The library closes its own socket behind a DISCONNECT, which nobody reads.
        self._paho.disconnect()
        self._socket.close()


def random_client_id() -> str:
    """Return a random client id: 22 characters with 131 bits, in the form that every broker
    accepts.
    """
    # MQTT 3.1.1 promises 23 letters and digits alone (3.1.3.1); 22 are the fewest with 128 bits.
    return "".join(secrets.choice(_LETTERS) for _ in range(22))


async def open_connection(
    options: MqttOptions, node: BrokerAddress, level: int, heard: Heard, *, deadline: float
) -> Connection:
    """Connect to a broker's `node`, within `deadline` seconds, with MQTT of `level`, and subscribe.

    Raises TransportError with a sentence. After an error or a cancellation nothing is left behind.
    """
    link = await open_link(node, options.credentials, deadline=deadline)
    connection = Connection(link, options, level, heard)
    try:
        await connection.establish()
    # BaseException: a cancellation, too, leaves no socket behind.
    except BaseException:
        connection.end()
        raise
    return connection


def pauses() -> Iterator[float]:
    """Yield the seconds before each next attempt: at random between half and all of a pause that
    doubles up to the longest.
    """
    pause = FIRST_PAUSE
    while True:
        # Jitter, so that seats of one lost broker do not all come back at once.
        yield pause * (0.5 + secrets.randbelow(1_001) / 2_000)
        pause = min(2 * pause, LONGEST_PAUSE)


class MqttTransport(Transport):
    """A transport through an MQTT broker, reconnecting for ever.

    MQTT 5 is tried first, then 3.1.1, and the version that works is kept. In a cluster with several
    addresses a lost connection goes on at the next. `accept` is a cheap test that junk on the topic
    fails, as `admit` takes it.
    """

    def __init__(
        self, options: MqttOptions, *, accept: Callable[[bytes], bool] | None = None
    ) -> None:
        super().__init__()
        # 200 is a choice, far above the 39 characters of a table's topic.
        if len(options.topic) > 200 or not _TOPIC.fullmatch(options.topic):
            raise ValueError("a topic is one to five levels of a-z, 0-9 and '-'")
        self._options = options
        self._topic = options.topic.encode()
        if accept is not None:
            self.admit(accept)
        self._nodes = deque(options.nodes)
        # Each node has its own: a cluster may be in the middle of an update.
        self._levels: dict[BrokerAddress, tuple[int, ...]] = dict.fromkeys(
            options.nodes, options.version.value
        )
        self._outbox: deque[bytes] = deque()
        self._outbox_changed = asyncio.Event()
        self._closing = asyncio.Event()
        self._main: asyncio.Task[None] | None = None
        self._connection: Connection | None = None
        # Fingerprints with the time of sending, oldest first.
        self._sent: OrderedDict[bytes, float] = OrderedDict()
        #: When we sent the first frame since our last echo; None if none was sent since.
        self._unheard_since: float | None = None
        self._carried = False  #: Whether the connection has brought a frame, of ours or of others.

    async def open(self, *, deadline: float = 15.0) -> None:
        """Connect to the first node that lets us in, within `deadline` seconds, and go on in a task
        until `close`.

        Raises TransportError if every node fails; TransportClosedError when called twice.
        """
        if self._main is not None or self._closing.is_set():
            raise TransportClosedError("A transport is opened once.")
        troubles: list[TransportError] = []
        loop = asyncio.get_running_loop()
        until = loop.time() + deadline
        while self._connection is None:
            try:
                # Each node gets its part: one that is silent must leave time for the others.
                await self._join(deadline / len(self._nodes))
            except TransportError as error:
                troubles.append(error)
                if len(troubles) >= len(self._nodes):
                    # All nodes were tried: only one that had begun to work is worth another time.
                    if error.trouble is not Trouble.LOST or loop.time() + FIRST_PAUSE >= until:
                        # Of each node its latest error.
                        raise _of_all(troubles[-len(self._nodes) :]) from error
                    await asyncio.sleep(FIRST_PAUSE)
                self._nodes.rotate(-1)
        # No group: it outlives this call; `close` ends it.
        self._main = asyncio.create_task(self._stay_connected(), name="mqtt transport")

    async def send(self, frame: bytes) -> None:
        """Queue a frame: while connected wait for room, else drop the oldest frame."""
        checked_frame(frame)
        while len(self._outbox) >= self._options.outbox_limit and not self._closing.is_set():
            if self._status.state in (LinkState.CONNECTED, LinkState.UNHEARD):
                # Cleared and awaited with nothing in between: a change is not missed.
                self._outbox_changed.clear()
                await self._outbox_changed.wait()
            else:
                # Nobody hears it now: who returns asks for the newest state, so the oldest frame
                # goes.
                # Never the newest: the ledger sends again what is asked for.
                self._outbox.popleft()
        # Looked at after the wait, in which the transport may have been closed.
        if self._closing.is_set():
            raise TransportClosedError("The transport is closed.")
        self._outbox.append(frame)
        self._outbox_changed.set()

    async def close(self, *, deadline: float = 5.0) -> None:
        """Send the queued frames, as far as `deadline` seconds allow, then disconnect and end
        all iterations.
        """
        self._closing.set()
        self._outbox_changed.set()
        # Taken out: a second close has nothing to wait for.
        main, self._main = self._main, None
        try:
            if main is not None:
                await asyncio.wait({main}, timeout=deadline)
        finally:
            # Whoever closes may be cancelled: even then nothing goes on.
            if main is not None:
                await stop(main)
            self._end()
        if main is not None and not main.cancelled():
            # An error of the task is raised here, or nobody would hear of it.
            main.result()

    async def _join(self, deadline: float) -> None:
        """Connect to the first node, within `deadline` seconds, with the first version of MQTT that
        works, which alone is tried afterwards.

        Each version has its part of the time: an old broker may not answer a newer one at all.
        """
        loop, node = asyncio.get_running_loop(), self._nodes[0]
        late = trouble = TransportError(
            Trouble.TIMEOUT,
            f"{node.format()} could not be joined within {deadline:g} seconds:"
            " check the address and the network.",
        )
        until = loop.time() + deadline
        levels = self._levels[node]
        for level in levels:
            # The oldest alone gets no share: what is left of the deadline is its own.
            share = until if level is levels[-1] else loop.time() + deadline / len(levels)
            try:
                async with asyncio.timeout_at(share):
                    self._connection = await open_connection(
                        self._options, node, level, self._hear, deadline=DIAL_DEADLINE
                    )
            # An old broker may ignore a CONNECT that it does not know: the older version is next.
            except TimeoutError:
                trouble = late
            except TransportError as error:
                trouble = error
                # Other troubles are the same in every version.
                if error.trouble not in _OF_A_VERSION:
                    break
            else:
                # A node that speaks a version is not asked for a newer one again after each loss.
                self._levels[node] = (level,)
                self._say_connected()
                return
        raise trouble

    async def _stay_connected(self) -> None:
        """Use connections one after another until the transport is closed."""
        waits = pauses()
        loop = asyncio.get_running_loop()
        try:
            while self._connection is not None:
                since, self._carried = loop.time(), False
                trouble = await self._use(self._connection)
                self._connection = None
                if trouble is None:
                    return
                self._say(LinkStatus(LinkState.DISCONNECTED, str(trouble), trouble=trouble.trouble))
                # Whoever waits for room may drop old frames now.
                self._outbox_changed.set()
                # A connection that worked was worth it, however short: only others grow the pause.
                if self._carried or loop.time() - since > STEADY_AFTER:
                    waits = pauses()
                await self._join_again(trouble, waits)
        finally:
            # Whoever waits for frames must not wait for ever, whatever ended this task.
            self._inbox.close()

    async def _join_again(self, trouble: TransportError, waits: Iterator[float]) -> None:
        """Connect again, however long it takes, unless we are closing."""
        for attempt in count():
            if self._closing.is_set():
                break
            # The node that was lost is tried last.
            self._nodes.rotate(-1)
            # The pause grows when all nodes were tried, so that a living one is found at once. The
            # first attempt counts, or a broker that soon ends each connection would see no growth.
            all_tried = attempt % len(self._nodes) == 0
            pause = next(waits if all_tried else pauses())
            self._say(LinkStatus(LinkState.WAITING, str(trouble), pause, trouble.trouble))
            if await happens(self._closing, within=pause):
                break
            deadline = NODE_DEADLINE if len(self._nodes) > 1 else ONLY_NODE_DEADLINE
            try:
                # A close need not wait for a broker that does not answer.
                await first(self._join(deadline), self._closing.wait())
            except TransportError as error:
                trouble = error
            # Although we may be closing: whoever uses it ends it.
            if self._connection is not None:
                break

    async def _use(self, connection: Connection) -> TransportError | None:
        """Send and receive until the connection ends, and return the reason; None if we close."""
        # A new connection has sent nothing yet.
        self._unheard_since = None
        try:
            await first(self._publish(connection), connection.receive(), self._watch_echoes())
            # Everything is sent: DISCONNECT, so that the broker does not publish our will. A second
            # is a choice: whoever closes waits for it.
            await connection.leave(deadline=1.0)
            return None
        except TransportError as error:
            # A broken connection is a reason to reconnect, and no error. Lost because we leave is
            # no trouble to tell.
            return None if self._closing.is_set() else error
        finally:
            connection.end()

    async def _publish(self, connection: Connection) -> None:
        """Publish the outbox in order; return when we are closing and everything is sent."""
        loop = asyncio.get_running_loop()
        while True:
            while not self._outbox:
                if self._closing.is_set():
                    return
                self._outbox_changed.clear()
                await self._outbox_changed.wait()
            # It stays first until it is published, so that a broken connection loses no frame.
            frame = self._outbox[0]
            # Before it is published: the echo may be back before `publish` returns.
            self._sent[_fingerprint(frame)] = now = loop.time()
            if len(self._sent) > REMEMBERED_FRAMES:
                self._sent.popitem(last=False)
            # Only the oldest frame without an echo counts.
            if self._unheard_since is None:
                self._unheard_since = now
            await connection.publish(frame)
            # While it was published a full outbox may have dropped it.
            if self._outbox and self._outbox[0] is frame:
                self._outbox.popleft()
            self._outbox_changed.set()

    def _hear(self, topic: bytes, payload: bytes, _kept: bool) -> None:
        """Put a message on our topic into the inbox, unless it is a frame of our own, or junk."""
        if topic != self._topic:
            return
        # A broker sends our own frames back too: they are the proof that it passes them on.
        if _fingerprint(payload) in self._sent:
            self._carried = True
            self._unheard_since = None
            if self._status.state is LinkState.UNHEARD:
                self._say_connected()
        # Junk of strangers shows nothing of the broker.
        elif self._accepts(payload):
            self._carried = True
            self._inbox.put(payload)

    async def _watch_echoes(self) -> None:
        """Report when none of our frames comes back for too long; raise TransportError then if
        there is another node, which may pass on what this one does not.
        """
        loop, patience = asyncio.get_running_loop(), self._options.echo_deadline
        why = f"{UNHEARD}: its access list may forbid this user to write the table's topic."
        while True:
            await asyncio.sleep(ECHO_TICK)
            since = self._unheard_since
            if since is not None and loop.time() - since > patience:
                self._say(LinkStatus(LinkState.UNHEARD, why, trouble=Trouble.ACCESS))
                if len(self._nodes) > 1:
                    # LOST, which heals, and not ACCESS: the next node may let us write.
                    raise TransportError(Trouble.LOST, f"{UNHEARD}.")

    def _say_connected(self) -> None:
        """Report that we are connected to the first node."""
        self._say(LinkStatus(LinkState.CONNECTED, f"Connected to {self._nodes[0].format()}."))


def _of_all(troubles: list[TransportError]) -> TransportError:
    """Return one error for those of all nodes: a single one itself; of several a new one that
    says that none lets us in, with the first that waiting does not heal, else the last.
    """
    # A wrong password stays wrong at every node: it is told before a timeout.
    worst = next((each for each in troubles if not each.trouble.heals), troubles[-1])
    if len(troubles) == 1:
        return worst
    return TransportError(
        worst.trouble, f"None of the broker's {len(troubles)} addresses lets us in. {worst}"
    )


def _fingerprint(frame: bytes) -> bytes:
    """Return a short hash by which a frame of ours is recognised."""
    # Not the frame itself: 512 of the largest would be 24 MiB. No two share 16 bytes by chance.
    return hashlib.blake2b(frame, digest_size=16).digest()
