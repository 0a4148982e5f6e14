"""MQTT packets cut out of a stream of bytes, without holding more than the limit.

Both sides use it: the gate before the client library, which accepts 256 MB of anything, and the
door before the embedded broker, which has no limit either. Sources: the fixed header in MQTT 3.1.1,
2.2, and MQTT 5.0, 2.1; in both 3.3 (PUBLISH). Comments cite 3.1.1.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from paho.mqtt.enums import MessageType

from cli.bounds import MAX_PACKET

# Type 12 in the upper half, no flags, no body (3.12).
PINGREQ: Final = b"\xc0\x00"
# Protocol levels as in a CONNECT: 4 is MQTT 3.1.1, 5 is MQTT 5.
LEVEL_3_1_1: Final = 4
LEVEL_5: Final = 5


class PacketError(ConnectionError):
    """The other side sent a packet that it must not; one sentence says what."""

    # A kind of ConnectionError, since the connection is of no more use.


class Packet(NamedTuple):
    """One whole packet: its type, the four flag bits, the body, and all its bytes."""

    kind: MessageType
    flags: int
    body: bytes
    #: For whoever passes the packet on: a packet encoded again might differ in its length field.
    raw: bytes

    @property
    def qos(self) -> int:
        """The quality of service of a PUBLISH: 0 to 2, or 3, which the standard forbids."""
        # Bits 1 and 2 of a PUBLISH's flags (3.3.1).
        return self.flags >> 1 & 3


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
            raw = bytes(held[start:end])
            # The type is in the upper half; 0 is none (2.2.1).
            if not raw[0] & 0xF0:
                raise PacketError("The other side sent a packet without a type.")
            kind = MessageType(raw[0] & 0xF0)
            packets.append(Packet(kind, raw[0] & 15, raw[body_at - start :], raw))
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


def text_at(body: bytes, position: int) -> tuple[bytes, int]:
    """Return the length-prefixed field at `position` and its end."""
    # A length has two bytes, the higher one first (1.5.3).
    end_of_length = position + 2
    if len(body) < end_of_length:
        raise PacketError("A packet ends inside a length.")
    end = end_of_length + int.from_bytes(body[position:end_of_length], "big")
    if len(body) < end:
        raise PacketError("A packet ends inside a field.")
    return body[end_of_length:end], end


def after_properties(body: bytes, position: int, level: int) -> int:
    """Return the end of the properties that begin at `position`, which MQTT before 5 has not."""
    if level < LEVEL_5:
        return position
    # An incomplete length: any size that reaches beyond the body, so that it is refused below.
    size, end = _length_at(body, position) or (len(body), position)
    if end + size > len(body):
        raise PacketError("A packet ends inside its properties.")
    return end + size


def read_publish(packet: Packet, level: int) -> tuple[bytes, bytes]:
    """Return topic and payload of a PUBLISH with QoS 0 of protocol `level`; raises PacketError if
    it is broken.
    """
    topic, position = text_at(packet.body, 0)
    return topic, packet.body[after_properties(packet.body, position, level) :]
