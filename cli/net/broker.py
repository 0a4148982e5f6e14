"""The embedded broker: MQTT 3.1.1 in this process, as much of it as a table needs.

Its one port takes plain MQTT and MQTT in websockets (RFC 6455), which begin with an HTTP request;
browsers have nothing else. A message goes with QoS 0 to all who subscribed to its very topic, and
so does the will of a client that is lost; nothing is retained, and no session outlives its
connection. A CONNECT of another protocol version is answered at once; retained or QoS 1 wills,
persistent sessions, QoS 2 and wildcards end the connection, and so do silence, reading too slowly
and whatever breaks the standard; floods are slowed down. When all connections are taken, a client
that knows a table's topic, which nobody can guess or overhear, goes before others. Reasons and
figures: specs/decisions/023-embedded-broker.md.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from enum import IntEnum
from typing import Final, NamedTuple, Self

from paho.mqtt.enums import MessageType
from paho.mqtt.properties import VariableByteIntegers
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
    SUBSCRIPTION_LIMIT,
    WAITING_BYTES_LIMIT,
)
from cli.errors import UserError
from cli.net.address import DEFAULT_WEBSOCKET_PATH, BrokerAddress, bracketed
from cli.net.packets import LEVEL_3_1_1, Packet, PacketCutter, PacketError, text_at
from cli.tasks import stop

NO_PAGE: Final = "Here is a broker of p2p304: tables are joined with 'p2p304 join'.\n"
# Answers of MQTT 3.1.1: CONNACK with return codes 0 and 1, unacceptable protocol version (3.2.2.3),
# and PINGRESP (3.13).
WELCOME: Final = b"\x20\x02\x00\x00"
WRONG_VERSION: Final = b"\x20\x02\x00\x01"
PINGRESP: Final = b"\xd0\x00"


class Rank(IntEnum):
    """The rank of a connection by what it has shown; a higher rank is let in before a lower one."""

    GREETED = 0  #: Nothing: the oldest of these makes room for whoever comes.
    LISTENS = 1  #: A topic that this process knows nothing of: it makes room for a seat.
    SEAT = 2  #: The topic of a table of ours.


class BrokerError(UserError):
    """The embedded broker cannot be started; one sentence says why and what to do."""


class Greeting(NamedTuple):
    """The parts of a CONNECT that the broker decides by."""

    level: int
    keepalive: int  #: Seconds; 0 for no keep-alive.
    #: Whether the broker shall keep something: its session, or a will that is retained or has a QoS
    #: above 0.
    lasting: bool
    #: The topic and the payload of a message for when it is lost; None for none.
    will: tuple[bytes, bytes] | None


def read_topics(packet: Packet) -> list[bytes]:
    """Return the topics of a SUBSCRIBE or an UNSUBSCRIBE; raises PacketError if it is broken, or
    has none.
    """
    # After two bytes of packet number; behind each topic of a SUBSCRIBE stands its QoS.
    topics: list[bytes] = []
    position = 2
    while position < len(packet.body):
        topic, position = text_at(packet.body, position)
        topics.append(topic)
        # The QoS is not judged: 0 is granted, whatever it is (3.8.4).
        position += packet.kind is MessageType.SUBSCRIBE
    if not topics:
        raise PacketError("A packet names no topic.")
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
    lasting = flags & (0x02 | 0x38) != 0x02
    will = None
    # Of another version nothing more is read than that (3.1.2.5). Names of clients mean nothing
    # here: whoever has that of another takes nothing over.
    if level == LEVEL_3_1_1 and flags & 0x04:
        _, position = text_at(packet.body, position + 4)
        topic, position = text_at(packet.body, position)
        payload, _ = text_at(packet.body, position)
        will = topic, payload
    return Greeting(level, keepalive, lasting, will)


def _publish(topic: bytes, payload: bytes) -> bytes:
    """Return the bytes of a PUBLISH with QoS 0 (3.3)."""
    body = len(topic).to_bytes(2, "big") + topic + payload
    length: bytes = VariableByteIntegers.encode(len(body))  # type: ignore[no-untyped-call]  # paho's
    return bytes((MessageType.PUBLISH,)) + length + body


class _Client:
    """One client: its packets, plain or out of a websocket, and what is written to it.

    Nothing waits for it: a client that does not read is cut off.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, origin: str
    ) -> None:
        """Set up a client; a websocket is refused to a browser's page of another origin than
        `origin`.
        """
        self.topics: set[bytes] = set()  #: Those to which it subscribes.
        #: What is published when it is lost; None for nothing.
        self.will: tuple[bytes, bytes] | None = None
        self._reader = reader
        self._writer = writer
        # A browser sends the Origin of its page: another site's page must not play here.
        self._origin = Origin(origin)
        self._websocket: ServerProtocol | None = None
        self._begun = False
        self._cutter = PacketCutter()
        self._cut: list[Packet] = []  #: Whole packets that are not returned yet.
        self._greeted = False  #: Whether its first byte was that of a CONNECT.
        #: Packets that may come now without a pause; below zero the client waits.
        self._allowance = float(PACKETS_AT_ONCE)
        self._counted_at = asyncio.get_running_loop().time()
        self._frames = 0  #: Of the websocket, since they were counted last.
        #: Seconds of silence after which it is ended; None for never.
        self._patience: float | None = GREETING_DEADLINE

    async def next_packet(self) -> Packet | None:
        """Return the next whole packet, after a pause if packets come too fast; None at the end,
        after too long a silence, at a packet that is malformed or too large, or if the first
        bytes begin no CONNECT.
        """
        try:
            # The pause of a flood counts as silence: it may last into the deadline.
            async with asyncio.timeout(self._patience):
                while not self._cut:
                    # The frames of the read before, which alone are known; those that held whole
                    # packets cost both, as empty ones cost us, too.
                    frames, self._frames = self._frames, 0
                    await self._slow_floods(frames)
                    chunk = await self._read()
                    # The first byte is judged at once: another protocol is not read to its end.
                    if not chunk or not (self._greeted or chunk[0] == MessageType.CONNECT):
                        # None ends the connection.
                        return None
                    self._greeted = True
                    self._cut = self._cutter.feed(chunk)
        # PacketError is one, too, and TimeoutError. All are the client's doing: its connection
        # ends, and nothing is told.
        except OSError:
            return None
        await self._slow_floods(1)
        return self._cut.pop(0)

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
        # Not reading lets TCP slow the client down; nothing of it is lost. Others have their turn
        # behind each packet in any case.
        await asyncio.sleep(max(0.0, -self._allowance / PACKETS_A_SECOND))

    async def _read(self) -> bytes:
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

    def abort(self) -> None:
        """End the connection at once."""
        self._writer.transport.abort()


class EmbeddedBroker:
    """An MQTT 3.1.1 broker in this process. `async with` starts and stops it.

    `host` is loopback by default, or an address of this machine in the local network. `port` 0
    picks a free one. Of `connections` at a time, an eighth is kept for clients that have shown
    nothing yet, or no seat could come in once all are taken. Everything runs in the calling event
    loop; nothing is written to the disk.
    """

    def __init__(
        self, host: str = "127.0.0.1", port: int = 0, *, connections: int = CONNECTION_LIMIT
    ) -> None:
        self.host = host
        self.port = port
        self._connections = connections
        self._server: asyncio.Server | None = None
        self._visits: set[asyncio.Task[None]] = set()
        #: Of every connection, in the order of arrival.
        self._ranks: dict[_Client, Rank] = {}
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
        # The library logs what clients send, and errors of its own with tracebacks.
        logging.getLogger("websockets.server").setLevel(logging.CRITICAL + 1)
        try:
            self._server = await asyncio.start_server(self._welcome, self.host, self.port)
        except OSError as error:
            raise BrokerError(
                f"The broker cannot listen on {self.host} port {self.port}"
                f" ({error.strerror or error}): choose another port, or an address of this machine."
            ) from error
        # Port 0 lets the system choose: this is the port that it chose.
        self.port = self._server.sockets[0].getsockname()[1]
        return self.port

    async def stop(self) -> None:
        """End every connection, and listen no more."""
        if self._server is not None:
            # First the door, then the guests: nobody comes in meanwhile.
            self._server.close()
        for client in self._ranks:
            client.abort()
        await stop(*self._visits)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

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
            self._push_out_below(Rank.LISTENS)
        # No task: for the type alone, as a coroutine runs in one.
        # Abort sends RST: no answer, which would cost more than the attack.
        if task is None or len(self._ranks) >= self._connections:
            writer.transport.abort()
            return
        # As browsers write it in Origin (RFC 6454 6.2).
        client = _Client(reader, writer, f"http://{self.address.netloc}")
        self._visits.add(task)
        self._ranks[client] = Rank.GREETED
        try:
            # What breaks the standard ends the connection, and nothing is told. Nor of a
            # cancellation, of which asyncio's server complains: the task ends here in any case.
            with suppress(PacketError, asyncio.CancelledError):
                await self._serve(client)
        finally:
            client.abort()
            # None: `_push_out_below` may have taken it out already.
            self._ranks.pop(client, None)
            self._visits.discard(task)
            if client.will is not None:
                self._pass_on(*client.will)

    def _push_out_below(self, rank: Rank, *, least: Rank = Rank.GREETED) -> None:
        """End the oldest connection with a rank from `least` to below `rank`; do nothing if
        there is none.
        """
        # A dict keeps the order of arrival: the oldest is first.
        for client, its in self._ranks.items():
            if least <= its < rank:
                client.abort()
                del self._ranks[client]
                # The loop must end here, as its dict has changed.
                return

    def _shown(self, client: _Client, topics: list[bytes]) -> bool:
        """Raise a client's rank by the topics to which it subscribes, and return whether it may
        subscribe: if too many have, the oldest of a lower rank is ended for it, and without one it
        may not.

        A client that was itself pushed out may not, either.
        """
        rank = Rank.SEAT if self._tables.intersection(topics) else Rank.LISTENS
        before = self._ranks.get(client)
        # A client that was pushed out is no longer in the list: its SUBSCRIBE must not pass.
        # A rank never falls, whatever else a client subscribes to.
        if before is None or rank <= before:
            return before is not None
        # An eighth stays for those who have shown nothing yet, or no seat could ever come in.
        places = self._connections - max(1, self._connections // 8)
        if before is Rank.GREETED and self._listen() >= places:
            self._push_out_below(rank, least=Rank.LISTENS)
            if self._listen() >= places:
                return False
        self._ranks[client] = rank
        return True

    def _listen(self) -> int:
        """Return how many connections have subscribed."""
        return sum(each > Rank.GREETED for each in self._ranks.values())

    async def _serve(self, client: _Client) -> None:
        """Serve a client until it ends; a CONNECT of another version than 3.1.1 is answered with a
        refusal, one with a lasting will or session with nothing. Raises PacketError for a packet
        that is broken.
        """
        packet = await client.next_packet()
        if packet is None:
            return
        hello = read_connect(packet)
        if hello.level != LEVEL_3_1_1:
            client.write(WRONG_VERSION)
            return
        # A lasting will or session would stay in memory after its client.
        if hello.lasting:
            return
        client.expect_signs_of_life(hello.keepalive)
        client.will = hello.will
        client.write(WELCOME)
        while (packet := await client.next_packet()) is not None:
            if not self._take(client, packet):
                return

    def _take(self, client: _Client, packet: Packet) -> bool:
        """Do what a packet asks for, and return whether the connection goes on: not if its kind is
        none that clients send, a PUBLISH has QoS 2, or a SUBSCRIBE has a wildcard, is one too many
        or is refused by its rank. Raises PacketError for a packet that is broken.
        """
        number = packet.body[:2]
        match packet.kind:
            # QoS 2 keeps state of both sides for each message.
            case MessageType.PUBLISH if packet.qos < 2:
                topic, position = text_at(packet.body, 0)
                if packet.qos:
                    number, position = packet.body[position : position + 2], position + 2
                    client.write(b"\x40\x02" + number)
                self._pass_on(topic, packet.body[position:])
            case MessageType.SUBSCRIBE:
                topics = read_topics(packet)
                # Whoever heard `#` would learn the topics of tables.
                if any(b"+" in each or b"#" in each for each in topics):
                    return False
                if not self._shown(client, topics):
                    return False
                client.topics.update(topics)
                if len(topics) > SUBSCRIPTION_LIMIT or len(client.topics) > SUBSCRIPTION_LIMIT:
                    return False
                client.write(bytes((0x90, 2 + len(topics))) + number + bytes(len(topics)))
            case MessageType.UNSUBSCRIBE:
                client.topics.difference_update(read_topics(packet))
                client.write(b"\xb0\x02" + number)
            case MessageType.PINGREQ:
                client.write(PINGRESP)
            case MessageType.DISCONNECT:
                # A client that says goodbye is not lost (3.14.4).
                client.will = None
                return False
            case _:
                return False
        return True

    def _pass_on(self, topic: bytes, payload: bytes) -> None:
        """Publish a message to all who subscribed to its topic."""
        packet = _publish(topic, payload)
        for client in self._ranks:
            if topic in client.topics:
                client.write(packet)
