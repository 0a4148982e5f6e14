"""The MQTT client: connections to a broker, and the transport that uses one after another (specs
7.2).

Every connection has one topic, QoS 0, a clean session, a fresh random client id and a new client
object. Nothing is retained, and neither order nor acknowledgements are relied on: the ledger sends
lost messages again. A will says only that we are gone.

paho writes MQTT and reads properties; only its public parts are used. It connects to a unix socket
in a folder that no other user can enter, and what it writes there is carried to our own link (TCP,
TLS or websocket, cancellable). So we can always leave a broker that stalls, we notice a silent one,
and the library never sees the network.
specs/decisions/024-a-local-socket-for-paho.md has the reasons, each with what the library cannot
do.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import socket
import string
import struct
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from tempfile import TemporaryDirectory
from typing import Final, NoReturn

from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion, MessageType, MQTTProtocolVersion
from paho.mqtt.exception import MQTTException
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from cli.bounds import (
    ANNOUNCED_KEEPALIVE,
    CHUNK,
    ECHO_TICK,
    FIRST_PAUSE,
    JOIN_DEADLINE,
    KEEPALIVE,
    LONGEST_PAUSE,
    MAX_ANSWER,
    MAX_FRAME,
    MAX_PACKET,
    REMEMBERED_FRAMES,
    STEADY_AFTER,
    WRITE_DEADLINE,
)
from cli.net.address import BrokerAddress
from cli.net.credentials import NO_CREDENTIALS, Credentials
from cli.net.link import Link, open_link, why_unreached
from cli.net.packets import (
    LEVEL_3_1_1,
    LEVEL_5,
    PINGREQ,
    Packet,
    PacketCutter,
    PacketError,
    after_properties,
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


@dataclass(frozen=True, slots=True)
class MqttOptions:
    """The parameters of a transport, and of its connections.

    A broker that announces a limit below `largest_frame` is refused. Deadlines are in seconds;
    after `echo_deadline` without an own frame back from the broker the status says so.
    Of several `nodes`, the addresses of a cluster, each is tried in turn, and such a silence ends
    the connection. `will` is called for every connection, and returns the frame that the broker
    publishes if it loses that connection.
    """

    nodes: tuple[BrokerAddress, ...]  #: In the order in which they are tried.
    topic: str
    credentials: Credentials = NO_CREDENTIALS
    levels: tuple[int, ...] = (LEVEL_5, LEVEL_3_1_1)  #: Versions of MQTT, in the order of trial.
    keepalive: int = KEEPALIVE  #: Seconds between two questions for a sign of life.
    largest_frame: int = MAX_FRAME
    # A choice, as many as an inbox holds.
    #: Frames that may wait to be published; `send` says what happens to more.
    outbox_limit: int = 512
    # A choice: a slow broker must not pass for one that forbids the topic.
    echo_deadline: float = 10.0
    will: Callable[[], bytes] | None = None  #: None: the broker publishes nothing when it loses us.


# What the codes of a broker mean, in sentences. Source: MQTT 3.1.1, 3.2; MQTT 5.0, 3.2, 3.9, 3.14.

_UNNAMED: Final = (
    "The broker lets in only those whom it knows: give your user name and password with --login,"
    " or a file of them with --credentials."
)
_DISTRUSTED: Final = (
    "The broker refuses our user name, password or certificate: check the credentials file, or"
    " type them again."
)
#: Codes of a CONNACK that refuse who we are: user or password, the right to connect, the method of
#: authentication. Codes below 0x80 are of MQTT 3.1.1, the others of MQTT 5.
_OF_CREDENTIALS: Final = (4, 5, 0x86, 0x87, 0x8C)
_VERSION: Final = Trouble.VERSION, "The broker does not speak this version of MQTT."
_BUSY: Final = Trouble.REFUSED, "The broker is too busy or shut down for now: wait, or use another."
_FULL: Final = Trouble.REFUSED, "The broker is full, or our quota exceeded: wait, or use another."
_ACCESS: Final = (
    Trouble.ACCESS,
    "The broker does not allow this user what a table needs: its access list must allow it to read"
    " and write the table's topic.",
)
#: What all other codes mean with which a broker refuses us, or our subscription, or sends us away.
_REASONS: Final = {
    1: _VERSION,
    0x84: _VERSION,
    3: _BUSY,  # not available
    0x88: _BUSY,  # not available
    0x89: _BUSY,
    0x8B: _BUSY,  # shutting down
    0x87: _ACCESS,
    0x8A: (Trouble.ACCESS, "The broker has banned us: ask the one who runs it."),
    0x8E: (Trouble.LOST, "Another connection took our name at the broker; we take a new one."),
    0x95: (Trouble.SIZE, "A packet of ours is too large for the broker: use another one."),
    0x96: _FULL,  # too many messages in too short a time
    0x97: _FULL,
    0x98: (Trouble.REFUSED, "Whoever runs the broker ended our connection: ask them why."),
    0x9F: (Trouble.REFUSED, "The broker takes no more connections for a moment: wait."),
}
SILENCE: Final = "The broker has been silent for too long, or takes nothing any more."

#: Called with the topic and the payload of a message, and whether the broker had kept it (RETAIN,
#: 3.3.1.3).
Heard = Callable[[bytes, bytes, bool], object]


class Connection:
    """A connection with MQTT of one level, subscribed to one topic with QoS 0, made by
    `open_connection`.

    paho reads packets of 256 MB into memory, keeps 65,535 half-delivered messages of QoS 2, and
    raises whatever a broken packet leads to. So a broker's stream is cut into packets and read
    here, and whatever no broker sends to a client that subscribed once with QoS 0 ends the
    connection; messages are given to `heard`. Source: MQTT 3.1.1 and 5.0, section 3;
    specs/attacks.md, MQ4, MQ5, MQ7.
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
        #: The answer that comes next, to our CONNECT and to our SUBSCRIBE; None after both.
        self._awaits: MessageType | None = MessageType.CONNACK
        self._paho = client = paho.Client(
            CallbackAPIVersion.VERSION2,
            # A new name each time: a broker ends the older of two connections of one id. MQTT 3.1.1
            # promises 23 letters and digits alone (3.1.3.1); 22 are the fewest with 128 bits.
            "".join(secrets.choice(_LETTERS) for _ in range(22)),
            protocol=MQTTProtocolVersion(level),
            # No address of the broker: our own link carries the bytes to it (decisions 024).
            transport="unix",
        )
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

    @property
    def let_in(self) -> bool:
        """Whether the broker has let us in."""
        return self._awaits is not MessageType.CONNACK

    async def establish(self) -> None:
        """Connect and subscribe; raises TransportError if the broker refuses us, OSError if the
        connection ends.
        """
        await self._write(self._said())
        # A client of MQTT waits for CONNACK before it subscribes.
        while not self.let_in:
            await self._read()
        self._paho.subscribe(self._options.topic)
        await self._write(self._said())
        while self._awaits is not None:
            await self._read()

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
        """Write `frame` to the broker; raises OSError if that fails."""
        self._paho.publish(self._options.topic, frame)
        await self._write(self._said())

    async def ask(self) -> NoReturn:
        """Ask the broker for signs of life, which it is owed as well, until the connection ends;
        raises OSError then.
        """
        while True:
            await asyncio.sleep(self._options.keepalive)
            await self._write(PINGREQ)

    async def receive(self) -> NoReturn:
        """Handle packets until the connection ends, and raise why it did, as OSError or
        TransportError.

        Leave a broker of which no whole packet comes although it was asked: bytes that drip in one
        by one are no sign of life.
        """
        asked = False
        while True:
            try:
                async with asyncio.timeout(self._options.keepalive):
                    while not await self._read():
                        pass
                asked = False
            # Once for the question, and as long again for its answer. Not twice as long at once: a
            # program that was suspended finds all its time past, and has not read what came.
            except TimeoutError:
                if asked:
                    raise
                asked = True

    async def _read(self) -> int:
        """Wait for some bytes, handle them, and return how many packets they complete."""
        packets = self.take(await self._link.read())
        # A flood must not keep the rest of the program from running.
        await asyncio.sleep(0)
        return packets

    async def _write(self, data: bytes) -> None:
        """Write bytes to the broker."""
        async with asyncio.timeout(WRITE_DEADLINE):
            await self._link.write(data)

    def take(self, chunk: bytes) -> int:
        """Handle a broker's bytes, and return how many packets they complete.

        Raises PacketError for packets that it must not send, TransportError if it refuses us or
        sends us away.
        """
        packets = self._cutter.feed(chunk)
        for packet in packets:
            self._take(packet)
        return len(packets)

    def _take(self, packet: Packet) -> None:
        """Handle a packet; first comes the answer to our CONNECT (MQTT 3.1.1, 3.2)."""
        body, level = packet.body, self._level
        match packet.kind:
            case MessageType.CONNACK if self._awaits is MessageType.CONNACK:
                self._be_let_in(body)
                self._awaits = MessageType.SUBACK
            case _ if self._awaits is MessageType.CONNACK:
                raise PacketError("The broker began with something else than its answer.")
            case MessageType.SUBACK if self._awaits is MessageType.SUBACK:
                # Behind the number of our packet, from 0x80 on, a code is a failure (3.9.3), and so
                # is an answer without any.
                code = max(body[after_properties(body, 2, level) :], default=0x80)
                if code >= 0x80:
                    raise TransportError(*_REASONS.get(code, _ACCESS))
                self._awaits = None
            case MessageType.PUBLISH:
                # Only QoS 0 was asked for, and a broker may lower that, never raise it (3.8.4).
                if packet.qos:
                    raise PacketError("The broker sent a message of a quality not asked for.")
                self._heard(*read_publish(packet, level), bool(packet.flags & 1))
            # A sign of life, and nothing more.
            case MessageType.PINGRESP:
                pass
            case MessageType.DISCONNECT if level >= LEVEL_5:
                # No reason code means 0, a normal end (MQTT 5.0, 3.14.2.1).
                code = body[0] if body else 0
                other = Trouble.LOST, f"The broker ended the connection with code {code}."
                raise TransportError(*_REASONS.get(code, other))
            case kind:
                raise PacketError(f"The broker sent a packet {kind.name} that is not for us.")

    def _be_let_in(self, body: bytes) -> None:
        """Read the answer to our CONNECT; raises TransportError if it refuses us, or takes no
        packets with frames of the wanted size, PacketError if it is broken.
        """
        # Behind the byte of flags stands the code (3.2.2).
        if len(body) < 2:
            raise PacketError("The broker's answer to our connection is too short.")
        if body[1] in _OF_CREDENTIALS:
            # Without a name no name was refused: another advice.
            named = self._options.credentials.named
            raise TransportError(Trouble.CREDENTIALS, _DISTRUSTED if named else _UNNAMED)
        if code := body[1]:
            other = Trouble.REFUSED, f"The broker refuses our connection with code {code}."
            raise TransportError(*_REASONS.get(code, other))
        # The library reads many properties slowly.
        if len(body) > MAX_ANSWER:
            raise PacketError("The broker's answer is too long.")
        found = Properties(PacketTypes.CONNACK)  # type: ignore[no-untyped-call]  # paho's
        try:
            if self._level >= LEVEL_5:
                found.unpack(body[2:])  # type: ignore[no-untyped-call]  # paho's
        # What paho raises at broken properties: strangers write them.
        except (MQTTException, LookupError, ValueError, struct.error) as error:
            raise PacketError("The broker's answer is broken.") from error
        if after_properties(body, 2, self._level) != len(body):
            raise PacketError("The broker's answer is broken.")
        needed = self._options.largest_frame + len(self._options.topic) + PUBLISH_OVERHEAD
        # An attribute for each property that came, and no other.
        largest = getattr(found, "MaximumPacketSize", needed)
        # Found out at the beginning, not at the first large frame in the middle of a hand.
        if largest < needed:
            raise TransportError(
                Trouble.SIZE,
                f"The broker takes packets of {largest:,} bytes at most, and a table needs"
                f" {needed:,}: ask the one who runs it for more, or use another broker.",
            )

    async def leave(self) -> None:
        """Send DISCONNECT, and wait a second at the most until the broker has ended."""
        self._paho.disconnect()
        # Leaving is a courtesy: an error in it changes nothing.
        with suppress(OSError):
            # A choice: whoever closes waits for it.
            async with asyncio.timeout(1.0):
                await self._link.write(self._said())
                # The broker closes after a DISCONNECT: then all bytes were read.
                while True:
                    await self._link.read()

    def end(self) -> None:
        """End everything at once."""
        # Abort, since a broker that does not read would hold a close for ever.
        self._link.abort()
        # The library closes its own socket behind a DISCONNECT, which nobody reads.
        self._paho.disconnect()
        self._socket.close()


async def open_connection(
    options: MqttOptions, node: BrokerAddress, level: int, heard: Heard, *, deadline: float
) -> Connection:
    """Connect to a broker's `node`, within `deadline` seconds, with MQTT of `level`, and subscribe.

    Raises TransportError with a sentence. After an error or a cancellation nothing is left behind.
    """
    try:
        async with asyncio.timeout(deadline):
            link = await open_link(node, options.credentials)
            connection = Connection(link, options, level, heard)
            try:
                await connection.establish()
            # BaseException: a cancellation, too, leaves no socket behind.
            except BaseException as error:
                connection.end()
                # It had begun to work: another attempt may last.
                if connection.let_in and isinstance(error, ConnectionError):
                    raise _lost(error) from error
                raise
    except OSError as error:
        raise TransportError(*why_unreached(node.format(), error)) from error
    return connection


def _lost(error: OSError) -> TransportError:
    """Return the error to tell for a connection that broke, fell silent or was left."""
    if isinstance(error, PacketError):
        return TransportError(Trouble.PROTOCOL, f"{error} We left it.")
    if isinstance(error, TimeoutError):
        return TransportError(Trouble.LOST, SILENCE)
    why = f"The connection to the broker broke ({error.strerror or error})."
    return TransportError(Trouble.LOST, why)


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
    addresses a lost connection goes on at the next.
    """

    def __init__(self, options: MqttOptions) -> None:
        super().__init__()
        self._options = options
        self._topic = options.topic.encode()
        self._nodes = deque(options.nodes)
        # Each node has its own: a cluster may be in the middle of an update.
        self._levels: dict[BrokerAddress, tuple[int, ...]] = dict.fromkeys(
            options.nodes, options.levels
        )
        # Full, it drops its oldest frame.
        self._outbox: deque[bytes] = deque(maxlen=options.outbox_limit)
        self._outbox_changed = asyncio.Event()
        self._closing = asyncio.Event()
        self._main: asyncio.Task[None] | None = None
        self._connection: Connection | None = None
        # Fingerprints, oldest first.
        self._sent: OrderedDict[bytes, None] = OrderedDict()
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
        # Each node gets its part: one that is silent must leave time for the others.
        while (trouble := await self._join(deadline / len(self._nodes))) is not None:
            troubles.append(trouble)
            if len(troubles) >= len(self._nodes):
                # All nodes were tried: only one that had begun to work is worth another time.
                if trouble.trouble is not Trouble.LOST or loop.time() + FIRST_PAUSE >= until:
                    # Of each node its latest error.
                    raise _of_all(troubles[-len(self._nodes) :])
                await asyncio.sleep(FIRST_PAUSE)
            self._nodes.rotate(-1)
        # No group: it outlives this call; `close` ends it.
        self._main = asyncio.create_task(self._stay_connected(), name="mqtt transport")

    async def send(self, frame: bytes) -> None:
        """Queue a frame: while connected wait for room, else drop the oldest frame."""
        checked_frame(frame)
        # While nobody hears it, the oldest frame goes and not the newest: whoever returns asks for
        # the newest state, and the ledger sends again what is asked for.
        while (
            len(self._outbox) == self._outbox.maxlen
            and self._status.state in (LinkState.CONNECTED, LinkState.UNHEARD)
            and not self._closing.is_set()
        ):
            # Cleared and awaited with nothing in between: a change is not missed.
            self._outbox_changed.clear()
            await self._outbox_changed.wait()
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

    async def _join(self, deadline: float) -> TransportError | None:
        """Connect to the first node, within `deadline` seconds, with the first version of MQTT that
        works, which alone is tried afterwards; return why not, or None.

        Each version has its part of the time: an old broker may not answer a newer one at all.
        """
        node = self._nodes[0]
        levels = self._levels[node]
        trouble: TransportError | None = None
        for level in levels:
            try:
                self._connection = await open_connection(
                    self._options, node, level, self._hear, deadline=deadline / len(levels)
                )
            except TransportError as error:
                trouble = error
                # Other troubles are the same in every version.
                if error.trouble not in _OF_A_VERSION:
                    break
            else:
                # A node that speaks a version is not asked for a newer one again after each loss.
                self._levels[node] = (level,)
                self._say_connected()
                return None
        return trouble

    async def _stay_connected(self) -> None:
        """Use connections one after another until the transport is closed."""
        waits = pauses()
        loop = asyncio.get_running_loop()
        try:
            while (connection := self._connection) is not None:
                # A new connection has sent nothing yet.
                since, self._carried, self._unheard_since = loop.time(), False, None
                try:
                    await first(
                        self._publish(connection),
                        connection.receive(),
                        connection.ask(),
                        self._watch_echoes(),
                    )
                    # Everything is sent: DISCONNECT, so that the broker does not publish our will.
                    await connection.leave()
                    return
                except (OSError, TransportError) as error:
                    # Lost because we leave is no trouble to tell.
                    if self._closing.is_set():
                        return
                    trouble = error if isinstance(error, TransportError) else _lost(error)
                finally:
                    connection.end()
                self._connection = None
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
            # The node that was lost is tried last.
            self._nodes.rotate(-1)
            # The pause grows when all nodes were tried, so that a living one is found at once. The
            # first attempt counts, or a broker that soon ends each connection would see no growth.
            all_tried = attempt % len(self._nodes) == 0
            pause = next(waits if all_tried else pauses())
            self._say(LinkStatus(LinkState.WAITING, str(trouble), pause, trouble.trouble))
            if await happens(self._closing, within=pause):
                return
            # A close need not wait for a broker that does not answer.
            why = await first(self._join(JOIN_DEADLINE), self._closing.wait())
            # Connected, although we may be closing: whoever uses it ends it.
            if not isinstance(why, TransportError):
                return
            trouble = why

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
            self._sent[_fingerprint(frame)] = None
            if len(self._sent) > REMEMBERED_FRAMES:
                self._sent.popitem(last=False)
            # Only the oldest frame without an echo counts.
            if self._unheard_since is None:
                self._unheard_since = loop.time()
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
