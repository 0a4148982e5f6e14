"""The embedded broker: amqtt in this process, behind a door of our own.

Its one port takes plain MQTT and MQTT in websockets (RFC 6455), which begin with an HTTP request;
browsers have nothing else. amqtt serves MQTT 3.1.1 and has no limit of packets, keep-alive,
retained messages, sessions of absent clients, or data for a slow reader. The door keeps all of that
away from it. It owns the listening socket, reads whole packets up to the limit, answers a CONNECT
of another protocol version at once, strips retained flags, refuses retained or QoS 1 wills,
persistent sessions, QoS 2 and wildcards, ends silent and slow connections, and slows floods down.
When all connections are taken, a client that knows a table's topic, which nobody can guess or
overhear, goes before others. Reasons and figures: specs/decisions/023-embedded-broker.md.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Callable
from enum import IntEnum
from typing import Final, NamedTuple, Self

from amqtt.adapters import ReaderAdapter, WriterAdapter
from amqtt.broker import Broker
from amqtt.contexts import BrokerConfig, ListenerConfig, ListenerType
from paho.mqtt.enums import MessageType
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.typing import Origin, Subprotocol

from cli.bounds import (
    CONNECTION_LIMIT,
    GREETING_DEADLINE,
    MAX_PACKET,
    PACKETS_A_SECOND,
    PACKETS_AT_ONCE,
    READ_AT_ONCE,
    STOPPING_DEADLINE,
    SUBSCRIPTION_LIMIT,
    WAITING_BYTES_LIMIT,
)
from cli.errors import UserError
from cli.net.address import DEFAULT_WEBSOCKET_PATH, LOOPBACK, BrokerAddress, bracketed
from cli.net.packets import LEVEL_3_1_1, Packet, PacketCutter, PacketError, text_at

NO_PAGE: Final = "Here is a broker of p2p304: tables are joined with 'p2p304 join'.\n"
#: CONNACK of MQTT 3.1.1 with return code 1, unacceptable protocol version (section 3.2.2.3).
WRONG_VERSION: Final = bytes((0x20, 2, 0, 1))

# Of MQTT 3.1.1; a PUBREL and its kin belong to QoS 2, which is refused. CONNECT is not among them:
# the door admits the first itself, and a second breaks the standard (3.1).
FROM_CLIENTS: Final = frozenset(
    {
        MessageType.PUBLISH,
        MessageType.PUBACK,
        MessageType.SUBSCRIBE,
        MessageType.UNSUBSCRIBE,
        MessageType.PINGREQ,
        MessageType.DISCONNECT,
    }
)


class DoorRank(IntEnum):
    """The rank of a connection by what it has shown; a higher rank is let in before a lower one."""

    GREETED = 0  #: Nothing: the oldest of these makes room for whoever comes.
    LISTENS = 1  #: A topic that this process knows nothing of: it makes room for a seat.
    SEAT = 2  #: The topic of a table of ours.


class BrokerError(UserError):
    """The embedded broker cannot be started; one sentence says why and what to do."""


class Greeting(NamedTuple):
    """The parts of a CONNECT that the door decides by."""

    level: int
    keepalive: int  #: Seconds; 0 for no keep-alive.
    #: Whether the broker shall keep something: its session, or a will that is retained or has a QoS
    #: above 0.
    lasting: bool


def read_topics(packet: Packet) -> list[bytes]:
    """Return the topics of a SUBSCRIBE of MQTT 3.1.1; raises PacketError if it is broken."""
    # After two bytes of packet number; behind each topic stands its QoS.
    topics: list[bytes] = []
    position = 2
    while position < len(packet.body):
        topic, position = text_at(packet.body, position)
        topics.append(topic)
        # The QoS is not judged here: amqtt, which reads the packet after us, grants it.
        position += 1
    return topics


def read_connect(packet: Packet) -> Greeting:
    """Return the parts of a client's first packet; raises PacketError unless it is a CONNECT."""
    if packet.kind is not MessageType.CONNECT:
        raise PacketError("The first packet of a client is no CONNECT.")
    name, position = text_at(packet.body, 0)
    # MQIsdp is the name in MQTT 3.1, which is answered with the version's refusal.
    if name not in (b"MQTT", b"MQIsdp") or len(packet.body) < position + 4:
        raise PacketError("The first packet of a client is no CONNECT of MQTT.")
    level, flags = packet.body[position], packet.body[position + 1]
    keepalive = int.from_bytes(packet.body[position + 2 : position + 4], "big")
    # 0x02 is clean session (3.1.2.4); 0x38 are the will's QoS and RETAIN, which are 0 without a
    # will (3.1.2.6 and 3.1.2.7).
    return Greeting(level, keepalive, lasting=flags & (0x02 | 0x38) != 0x02)


class _Doorway(WriterAdapter):  # type: ignore[misc]  # amqtt ships no types
    """The bytes of MQTT from and to one client, plain or in a websocket. amqtt writes without
    waiting; a client that does not read is cut off.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, origin: str
    ) -> None:
        """Set up a doorway; a websocket is refused to a browser's page of another origin than
        `origin`.
        """
        self._reader = reader
        self._writer = writer
        # A browser sends the Origin of its page: another site's page must not play here.
        self._origin = Origin(origin)
        self._websocket: ServerProtocol | None = None
        self._begun = False
        self._frames = 0
        # Kept: amqtt asks twice, and the peer may have gone in between, or before.
        peer = writer.get_extra_info("peername") or ("gone", 0)
        self._peer = (str(peer[0]), int(peer[1]))

    def get_peer_info(self) -> tuple[str, int]:
        """Return the client's address and port; ("gone", 0) if it has gone."""
        return self._peer

    def get_ssl_info(self) -> ssl.SSLObject | None:
        """Return None: the embedded broker speaks no TLS, and the frames are sealed anyway."""
        return None

    def take_count(self) -> int:
        """Return how many websocket frames have come since the last call."""
        frames, self._frames = self._frames, 0
        return frames

    async def read(self) -> bytes:
        """Wait for the next bytes of MQTT, plain or out of a websocket, whose handshake is answered
        here, and return them; empty at the end, and after a websocket that was refused, closed or
        faulty.

        Raises OSError if the connection breaks.
        """
        while data := await self._reader.read(READ_AT_ONCE):
            # A CONNECT begins with 0x10, a GET with its G.
            if not self._begun and data[:1] == b"G":
                self._websocket = ServerProtocol(
                    # None: programs other than browsers send no Origin.
                    origins=[None, self._origin],
                    subprotocols=[Subprotocol("mqtt")],
                    # The library would otherwise take a mebibyte of one message.
                    max_size=MAX_PACKET,
                )
            self._begun = True
            if self._websocket is None:
                return data
            try:
                found = self._unwrap(self._websocket, data)
            # Strangers' bytes end their own connection, and nothing else.
            except Exception:  # noqa: BLE001 - the library asserts, and encodes, what strangers wrote
                break
            if found is None:
                break
            # A frame may be incomplete: read on.
            if found:
                return found
        return b""

    def _unwrap(self, websocket: ServerProtocol, data: bytes) -> bytes | None:
        """Return the MQTT bytes in websocket data, None if the websocket is refused, closed or
        faulty, and queue the answers of the websocket protocol: the handshake's, or a refusal of
        another path, of text, pings and empty frames.
        """
        websocket.receive_data(data)
        events = websocket.events_received()
        # Counted also if they are refused below: reading them has cost us.
        self._frames += len(events)
        # A client must await our answer: frames in the same read are no websocket client's.
        hasty = len(events) > 1 and isinstance(events[0], Request)
        if websocket.parser_exc is not None or hasty:
            return None
        found, fits = b"", True
        for event in events:
            match event:
                case Request(path=path):
                    # Any other path is a person with a browser: told in words where it is.
                    fits = path == DEFAULT_WEBSOCKET_PATH
                    answer = websocket.accept(event) if fits else websocket.reject(404, NO_PAGE)
                    websocket.send_response(answer)
                case Frame(opcode=Opcode.BINARY | Opcode.CONT, data=payload) if payload:
                    found += payload
                case _:  # words, pings and empty frames, which cost us more than who sends them
                    # 1003: a kind of data that is not accepted (RFC 6455, 7.4.1).
                    websocket.fail(1003)
                    break
        self._queue(b"".join(websocket.data_to_send()))
        # Whatever the library has refused or closed is over here, too.
        living = fits and websocket.handshake_exc is None
        return found if living and websocket.state in (State.CONNECTING, State.OPEN) else None

    def write(self, data: bytes) -> None:
        """Queue bytes for the client, in a websocket as one message; drop them if the websocket
        is not open. If too many bytes wait already, end the connection instead.
        """
        if self._websocket is not None:
            if self._websocket.state is not State.OPEN:
                return
            # One message for what may be several packets: MQTT allows it (MQTT 5.0, 6).
            self._websocket.send_binary(data)
            data = b"".join(self._websocket.data_to_send())
        self._queue(data)

    def _queue(self, data: bytes) -> None:
        """Queue bytes for the client, or end the connection if too many wait; do nothing while
        it closes.
        """
        transport = self._writer.transport
        # asyncio warns of each write to a closing transport.
        if transport.is_closing() or not data:
            return
        # Judged before, not after: one packet may go beyond the limit.
        if transport.get_write_buffer_size() > WAITING_BYTES_LIMIT:
            # Not `close`, which waits until the slow reader has read (decisions 023).
            transport.abort()
            return
        self._writer.write(data)

    async def drain(self) -> None:
        """Return at once: one slow client must not hold up the others."""
        # amqtt awaits this before it serves the next client; `write` bounds what waits.

    async def close(self) -> None:
        """End the connection after the queued bytes are sent."""
        # Closing twice is an error for some transports.
        if not self._writer.transport.is_closing():
            self._writer.close()

    def abort(self) -> None:
        """End the connection at once."""
        self._writer.transport.abort()


class _DoorReader(ReaderAdapter):  # type: ignore[misc]  # amqtt ships no types
    """Gives amqtt the bytes of packets that pass the door, and an end of file after a bad one."""

    def __init__(
        self, doorway: _Doorway, shows: Callable[[_DoorReader, frozenset[bytes]], bool]
    ) -> None:
        """Set up a reader; `shows` is called with the topics of a SUBSCRIBE, and returns whether
        it may pass.
        """
        self.doorway = doorway
        self._shows = shows
        self._cutter = PacketCutter()
        self._cut: list[Packet] = []  #: Whole packets that are not returned yet.
        self._ready = bytearray()  #: Bytes of packets that have passed, for amqtt to read.
        self._subscriptions = 0
        #: Packets that may come now without a pause; below zero the client waits.
        self._allowance = float(PACKETS_AT_ONCE)
        self._heard_at = self._counted_at = asyncio.get_running_loop().time()
        self._ended = False
        self._greeted = False  #: Whether its first byte was that of a CONNECT.
        #: Seconds of silence after which it is ended; None for never.
        self._patience: float | None = GREETING_DEADLINE

    async def next_packet(self) -> Packet | None:
        """Return the next whole packet, after a pause if packets come too fast; None at the end,
        after too long a silence, at a packet that is malformed or too large, or if the first
        bytes begin no CONNECT.
        """
        # amqtt cancels and repeats its reads, so patience is counted from the last packet.
        until = None if self._patience is None else self._heard_at + self._patience
        try:
            while not self._cut:
                # The pause of a flood counts as silence: it may last into the deadline.
                async with asyncio.timeout_at(until):
                    # The frames of the read before, which alone are known; those that held whole
                    # packets cost both, as empty ones cost us, too.
                    await self._slow_floods(self.doorway.take_count())
                    chunk = await self.doorway.read()
                # The first byte is judged at once: another protocol is not read to its end.
                if not chunk or not (self._greeted or chunk[0] == MessageType.CONNECT):
                    # None ends the connection.
                    return None
                self._greeted = True
                self._cut = self._cutter.feed(chunk)
        # PacketError and TimeoutError, too. All are the client's doing: its connection ends, and
        # nothing is told.
        except OSError:
            return None
        packet = self._cut.pop(0)
        self._heard_at = asyncio.get_running_loop().time()
        await self._slow_floods(1)
        return packet

    def expect_signs_of_life(self, keepalive: int) -> None:
        """From now on end the connection after 1.5 × `keepalive` seconds of silence (MQTT 3.1.1,
        3.1.2.10); never if that is 0.
        """
        # 0 means no keep-alive in MQTT: then no deadline (3.1.2.10).
        self._patience = 1.5 * keepalive or None

    async def _slow_floods(self, came: int) -> None:
        """Count `came` packets, and sleep if there were more than the rate allows."""
        # A bucket of tokens: full at first, filled with the rate, below zero it waits.
        now = asyncio.get_running_loop().time()
        earned = (now - self._counted_at) * PACKETS_A_SECOND
        self._allowance = min(self._allowance + earned, float(PACKETS_AT_ONCE)) - came
        self._counted_at = now
        if self._allowance < 0:
            # Not reading lets TCP slow the client down; nothing of it is lost.
            await asyncio.sleep(-self._allowance / PACKETS_A_SECOND)

    def admit(self, packet: Packet) -> None:
        """Queue `packet` for amqtt to read, a PUBLISH without its retained flag."""
        retained = packet.kind is MessageType.PUBLISH and packet.flags & 1
        # The lowest bit of the first byte is RETAIN (MQTT 3.1.1, 3.3.1.3): amqtt would keep it for
        # ever.
        self._ready += bytes((packet.raw[0] & 0xFE,)) + packet.raw[1:] if retained else packet.raw

    def _passes(self, packet: Packet) -> bool:
        """Return whether a packet may go to amqtt: not if its kind is none that clients send, a
        PUBLISH has QoS 2, or a SUBSCRIBE is malformed, has a wildcard, is one too many or is
        refused by `shows`.
        """
        if packet.kind is MessageType.SUBSCRIBE:
            try:
                topics = read_topics(packet)
            # No SUBSCRIBE by the standard.
            except PacketError:
                return False
            # One at least: a packet without topics is one that amqtt reads, too.
            self._subscriptions += max(1, len(topics))
            # Whoever heard `#` would learn the topics of tables.
            if any(b"+" in each or b"#" in each for each in topics):
                return False
            if not self._shows(self, frozenset(topics)):
                return False
        return (
            packet.kind in FROM_CLIENTS
            # QoS 2 keeps state of both sides for each message.
            and (packet.kind is not MessageType.PUBLISH or packet.qos < 2)
            and self._subscriptions <= SUBSCRIPTION_LIMIT
        )

    # -1 is the default of amqtt's interface; amqtt itself always says how many.
    async def read(self, n: int = -1) -> bytes:
        """Return exactly `n` bytes of packets that passed, as amqtt expects.

        Raises IncompleteReadError if the connection ends before, also at a packet that may not
        pass.
        """
        while len(self._ready) < n and not self._ended:
            packet = await self.next_packet()
            if packet is None or not self._passes(packet):
                self._ended = True
                # Remembered: amqtt asks again after an error.
                break
            self.admit(packet)
        if len(self._ready) < n:
            raise asyncio.IncompleteReadError(bytes(self._ready), n)
        taken = bytes(self._ready[:n])
        del self._ready[:n]
        return taken

    def feed_eof(self) -> None:
        """End the reading: no further packet is read for amqtt."""
        self._ended = True


class EmbeddedBroker:
    """An MQTT 3.1.1 broker in this process. `async with` starts and stops it.

    `host` is loopback by default, or an address of this machine in the local network. `port` 0
    picks a free one. Of `connections` at a time, an eighth is kept for clients that have shown
    nothing yet, or no seat could come in once all are taken. Everything runs in the calling event
    loop; nothing is written to the disk.
    """

    def __init__(
        self, host: str = LOOPBACK, port: int = 0, *, connections: int = CONNECTION_LIMIT
    ) -> None:
        self.host = host
        self.port = port
        self._connections = connections
        self._broker: Broker | None = None
        self._server: asyncio.Server | None = None
        self._visits: set[asyncio.Task[None]] = set()
        #: Of every connection, in the order of arrival.
        self._ranks: dict[_DoorReader, DoorRank] = {}
        #: The topics of tables of ours, which `serve_first` was told.
        self._tables: set[bytes] = set()

    @property
    def address(self) -> BrokerAddress:
        """The address at which it listens."""
        return BrokerAddress.parse(f"mqtt://{bracketed(self.host)}:{self.port}")

    def serve_first(self, topic: str) -> None:
        """Give clients that subscribe to this table's topic from now on the highest rank."""
        self._tables.add(topic.encode())

    async def start(self) -> int:
        """Start to listen, and return the port. Raises BrokerError if the address cannot be
        used.
        """
        # amqtt, with `transitions` below it, and websockets log what clients send, and errors of
        # theirs with tracebacks.
        for name in ("amqtt", "transitions", "websockets.server"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        broker = Broker(
            BrokerConfig(
                # amqtt opens no socket of its own: the door brings the connections.
                listeners={"default": ListenerConfig(type=ListenerType.EXTERNAL)},
                plugins={
                    # No passwords here: the table's key and topic are what others lack.
                    "amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}
                },
            )
        )
        await broker.start()
        self._broker = broker
        try:
            self._server = await asyncio.start_server(self._welcome, self.host, self.port)
        except OSError as error:
            # amqtt has started already.
            await self.stop()
            # Without what asyncio puts before the system's reason: address and port, as a tuple.
            why = (error.strerror or str(error)).rpartition(": ")[2]
            raise BrokerError(
                f"The broker cannot listen on {self.host} port {self.port}"
                f" ({why}): choose another port, or an address of this machine."
            ) from error
        # Port 0 lets the system choose: this is the port that it chose.
        self.port = self._server.sockets[0].getsockname()[1]
        return self.port

    async def stop(self) -> bool:
        """End every connection and the broker; return False if amqtt failed, or did not end in
        time.

        The sockets are ours and are closed in any case; a broker that hangs is abandoned.
        """
        server, self._server = self._server, None
        if server is not None:
            # First the door, then the guests, then amqtt: nobody comes in meanwhile.
            server.close()
        for door in tuple(self._ranks):
            door.doorway.abort()
        broker, self._broker = self._broker, None
        if broker is None:
            return True
        # No group: where amqtt hangs it is left behind, which a group would wait for.
        stopping = asyncio.create_task(broker.shutdown(), name="embedded broker: stop")
        tasks = {stopping, *self._visits}
        # A deadline for amqtt and all visits together.
        _, late = await asyncio.wait(tasks, timeout=STOPPING_DEADLINE)
        for task in late:
            task.cancel()
        if late:
            # A cancelled task may still hang in a shield of amqtt's.
            # The second is a choice: whoever stops a broker has waited already.
            await asyncio.wait(late, timeout=1.0)
        for task in tasks:
            if task.done() and not task.cancelled():
                # Read, or asyncio tells of it on the terminal.
                task.exception()
        return stopping.done() and not stopping.cancelled() and stopping.exception() is None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    # False of `stop` is passed over: that amqtt hung at its end is no error of the block.
    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a new connection until it ends; if there are too many, the oldest that has not
        subscribed is ended to make room, or, if all have subscribed, the new one.
        """
        task = asyncio.current_task()
        # Full: the oldest that has shown nothing gives way, so that idle connections lock nobody
        # out.
        if len(self._ranks) >= self._connections:
            self._push_out_below(DoorRank.LISTENS)
        # No task: for the type alone, as a coroutine runs in one.
        # Abort sends RST: no answer, which would cost more than the attack.
        if task is None or len(self._ranks) >= self._connections:
            writer.transport.abort()
            return
        # As browsers write it in Origin (RFC 6454 6.2).
        doorway = _Doorway(reader, writer, f"http://{self.address.netloc}")
        door = _DoorReader(doorway, self._shown)
        self._visits.add(task)
        self._ranks[door] = DoorRank.GREETED
        try:
            await self._serve(door)
        finally:
            # Whatever ended the visit: amqtt keeps no socket.
            doorway.abort()
            # None: `_push_out_below` may have taken it out already.
            self._ranks.pop(door, None)
            self._visits.discard(task)

    def _push_out_below(self, rank: DoorRank, *, least: DoorRank = DoorRank.GREETED) -> None:
        """End the oldest connection with a rank from `least` to below `rank`; do nothing if
        there is none.
        """
        # A dict keeps the order of arrival: the oldest is first.
        for door, its in self._ranks.items():
            if least <= its < rank:
                door.doorway.abort()
                del self._ranks[door]
                # The loop must end here, as its dict has changed.
                return

    def _shown(self, door: _DoorReader, topics: frozenset[bytes]) -> bool:
        """Raise a client's rank by the topics to which it subscribes, and return whether it may
        subscribe: if too many have, the oldest of a lower rank is ended for it, and without one it
        may not.

        A client that was itself pushed out may not, either.
        """
        rank = DoorRank.SEAT if self._tables & topics else DoorRank.LISTENS
        before = self._ranks.get(door)
        # A door that was pushed out is no longer in the list: its SUBSCRIBE must not pass.
        # A rank never falls, whatever else a client subscribes to.
        if before is None or rank <= before:
            return before is not None
        # An eighth stays for those who have shown nothing yet, or no seat could ever come in.
        places = self._connections - max(1, self._connections // 8)
        if before is DoorRank.GREETED and self._listen() >= places:
            self._push_out_below(rank, least=DoorRank.LISTENS)
            if self._listen() >= places:
                return False
        self._ranks[door] = rank
        return True

    def _listen(self) -> int:
        """Return how many connections have subscribed."""
        return sum(each > DoorRank.GREETED for each in self._ranks.values())

    async def _serve(self, door: _DoorReader) -> None:
        """Read the CONNECT, and hand the connection to amqtt until it ends; a CONNECT of another
        version than 3.1.1 is answered with a refusal, one with a lasting will or session with
        nothing.
        """
        packet = await door.next_packet()
        if packet is None or self._broker is None:
            return
        try:
            hello = read_connect(packet)
        # Closed without an answer (MQTT 3.1.1, 3.1.4): it may be no MQTT at all.
        except PacketError:
            return
        # amqtt hangs at a CONNECT of MQTT 5 (decisions 023): the answer sends the client to 3.1.1.
        if hello.level != LEVEL_3_1_1:
            door.doorway.write(WRONG_VERSION)
            return
        # A lasting will or session would stay in memory after its client.
        if hello.lasting:
            return
        # Before amqtt, which has no such deadline.
        door.expect_signs_of_life(hello.keepalive)
        door.admit(packet)
        await self._broker.external_connected(door, door.doorway, "default")
