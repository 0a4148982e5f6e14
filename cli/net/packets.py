"""MQTT packets cut out of a stream of bytes, without holding more than the limit.

Both sides use it: the gate before the client library, which accepts 256 MB of anything, and the
door before the embedded broker, which has no limit either. Sources: the fixed header in MQTT 3.1.1,
2.2, and MQTT 5.0, 2.1; in both 3.1 (CONNECT), 3.2 (CONNACK), 3.3 (PUBLISH). Comments cite 3.1.1.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Final, NamedTuple

from paho.mqtt.exception import MQTTException
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

# A choice: room for `MAX_FRAME` of transports and what MQTT adds, and little for a flood.
#: The largest remaining length that is read; our own frames have at most 16 KiB.
MAX_PACKET: Final = 65_536

#: The largest CONNACK that is read: of properties the client library reads twice as many in four
#: times the time.
MAX_ANSWER: Final = 4_096

# Type 12 in the upper half, no flags, no body (3.12).
PINGREQ: Final = b"\xc0\x00"
# CONNACK 3.1.1 with return code 3: server unavailable.
REFUSAL_3_1_1: Final = b"\x20\x02\x00\x03"
# CONNACK 5 with reason code 0x88, server unavailable, and no properties.
REFUSAL_5: Final = b"\x20\x03\x00\x88\x00"
# Protocol levels as in a CONNECT: 4 is MQTT 3.1.1, 5 is MQTT 5.
LEVEL_3_1_1: Final = 4
LEVEL_5: Final = 5


class PacketType(IntEnum):
    """The packet types, numbered as in the upper half of the first byte."""

    RESERVED = 0
    CONNECT = 1
    CONNACK = 2
    PUBLISH = 3
    PUBACK = 4
    PUBREC = 5
    PUBREL = 6
    PUBCOMP = 7
    SUBSCRIBE = 8
    SUBACK = 9
    UNSUBSCRIBE = 10
    UNSUBACK = 11
    PINGREQ = 12
    PINGRESP = 13
    DISCONNECT = 14
    AUTH = 15


class PacketError(Exception):
    """The other side sent a packet that it must not; one sentence says what."""


class Packet(NamedTuple):
    """One whole packet: its type, the four flag bits, the body, and all its bytes."""

    kind: PacketType
    flags: int
    body: bytes
    #: For whoever passes the packet on: a packet encoded again might differ in its length field.
    raw: bytes

    @property
    def qos(self) -> int:
        """The quality of service of a PUBLISH: 0 to 2, or 3, which the standard forbids."""
        # Bits 1 and 2 of a PUBLISH's flags (3.3.1).
        return self.flags >> 1 & 3


class Greeting(NamedTuple):
    """The parts of a CONNECT that the door decides by."""

    level: int
    clean: bool  #: Whether the broker shall keep nothing of the session (clean session, 3.1.2.4).
    lasting_will: bool  #: Whether it leaves a will that is retained, or with a QoS above 0.
    keepalive: int  #: Seconds; 0 for no keep-alive.


class PacketCutter:
    """Cuts a stream into packets, holding at most one incomplete packet of `limit` bytes."""

    def __init__(self, limit: int = MAX_PACKET) -> None:
        self._limit = limit
        self._held = bytearray()

    def feed(self, chunk: bytes) -> list[Packet]:
        """Return the packets that `chunk` completes, in order.

        Raises PacketError as soon as a fixed header announces more than the limit, or is longer
        than the standard allows, without waiting for the body.
        """
        # The same buffer: nothing is copied before a packet is whole.
        held = self._held
        held += chunk
        packets: list[Packet] = []
        start = 0
        # The length stands behind the byte of type and flags (2.2).
        while (header := _length_at(held, start + 1)) is not None:
            size, body_at = header
            if size > self._limit:
                raise PacketError(
                    f"The other side announced a packet of {size} bytes;"
                    f" the limit is {self._limit}."
                )
            end = body_at + size
            # The body has not come wholly.
            if end > len(held):
                break
            first = held[start]
            raw = bytes(held[start:end])
            packets.append(Packet(PacketType(first >> 4), first & 15, raw[body_at - start :], raw))
            start = end
        # Once at the end: cutting the front off for each packet would take quadratic time.
        del held[:start]
        return packets


def _length_at(data: bytes | bytearray, position: int) -> tuple[int, int] | None:
    """Return the length that is written at `position`, and its end; None while it is incomplete.

    Raises PacketError for one of more than four bytes.
    """
    size = 0
    # Seven bits in each byte; the upper one says that another follows (2.2.3).
    for index, byte in enumerate(data[position : position + 4]):
        size |= (byte & 0x7F) << (7 * index)
        if not byte & 0x80:
            return size, position + index + 1
    if len(data) < position + 4:
        return None
    raise PacketError("The other side sent a length of more than four bytes.")


def _text_at(body: bytes, position: int) -> tuple[bytes, int]:
    """Return the length-prefixed field at `position` and its end."""
    # A length has two bytes, the higher one first (1.5.3).
    end_of_length = position + 2
    if len(body) < end_of_length:
        raise PacketError("A packet ends inside a length.")
    end = end_of_length + int.from_bytes(body[position:end_of_length], "big")
    if len(body) < end:
        raise PacketError("A packet ends inside a field.")
    return body[end_of_length:end], end


def _skip_properties(body: bytes, position: int) -> int:
    """Return the end of the MQTT 5 properties that begin at `position`."""
    # An incomplete length: any size that reaches beyond the body, so that it is refused below.
    size, end = _length_at(body, position) or (len(body), position)
    if end + size > len(body):
        raise PacketError("A packet ends inside its properties.")
    return end + size


def read_publish(packet: Packet, level: int) -> tuple[bytes, bytes]:
    """Return topic and payload of a PUBLISH of protocol `level`; raises PacketError if it is
    broken.
    """
    topic, position = _text_at(packet.body, 0)
    # A packet number, which QoS 0 does not have (3.3.2).
    if packet.qos:
        position += 2
    if level >= LEVEL_5:
        position = _skip_properties(packet.body, position)
    if position > len(packet.body):
        raise PacketError("A published message ends inside its packet number.")
    return topic, packet.body[position:]


def read_topics(packet: Packet) -> frozenset[bytes]:
    """Return the topics of a SUBSCRIBE of MQTT 3.1.1; raises PacketError if it is broken."""
    # After two bytes of packet number; behind each topic stands its QoS.
    topics, position = set(), 2
    while position < len(packet.body):
        topic, position = _text_at(packet.body, position)
        topics.add(topic)
        # The QoS is not judged here: amqtt, which reads the packet after us, grants it.
        position += 1
    return frozenset(topics)


def connack_code(packet: Packet) -> int:
    """Return the return code (3.1.1) or reason code (5) of a CONNACK; its kind is not checked.

    Raises PacketError for a body that is too short.
    """
    # Two at least: behind them MQTT 5 has its properties.
    if len(packet.body) < 2:
        raise PacketError("The broker's answer to our connection is too short.")
    # Behind the byte of flags (3.2.2).
    return packet.body[1]


def largest_packet(packet: Packet) -> int | None:
    """Return the Maximum Packet Size of a CONNACK of MQTT 5; None if the broker names none.

    Raises PacketError if the client library could not read its properties.
    """
    # No properties: a broker may leave their length out.
    if len(packet.body) <= 2:
        return None
    if len(packet.body) > MAX_ANSWER:
        raise PacketError("The broker's answer to our connection is too long.")
    properties = Properties(PacketTypes.CONNACK)  # type: ignore[no-untyped-call]  # paho's
    try:
        whole = packet.body[2 : _skip_properties(packet.body, 2)]
        properties.unpack(whole)  # type: ignore[no-untyped-call]  # paho's
    # What paho raises at broken properties: strangers write them.
    except (MQTTException, LookupError, ValueError, struct.error) as error:
        raise PacketError("A packet ends inside its properties, or has broken ones.") from error
    # paho gives its object an attribute for each property that came, and no other.
    largest: int | None = getattr(properties, "MaximumPacketSize", None)
    return largest


def read_connect(packet: Packet) -> Greeting:
    """Return the parts of a client's first packet; raises PacketError unless it is a CONNECT."""
    if packet.kind is not PacketType.CONNECT:
        raise PacketError("The first packet of a client is no CONNECT.")
    name, position = _text_at(packet.body, 0)
    # MQIsdp is the name in MQTT 3.1, which is answered with the version's refusal.
    if name not in (b"MQTT", b"MQIsdp") or len(packet.body) < position + 4:
        raise PacketError("The first packet of a client is no CONNECT of MQTT.")
    level, flags = packet.body[position], packet.body[position + 1]
    keepalive = int.from_bytes(packet.body[position + 2 : position + 4], "big")
    return Greeting(
        # 0x02 is clean session; 0x38 are the will's QoS and RETAIN, which are 0 without a will
        # (3.1.2.6 and 3.1.2.7).
        level=level,
        clean=bool(flags & 0x02),
        lasting_will=bool(flags & 0x38),
        keepalive=keepalive,
    )
