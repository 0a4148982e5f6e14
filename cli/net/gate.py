"""The gate in front of the client library: what a broker may make it read.

paho reads packets of 256 MB into memory, keeps 65,535 half-delivered messages of QoS 2, and dies
silently of exceptions; so it never sees the network. The gate cuts the broker's stream into
packets, refuses what no broker of ours sends, drops messages that are not for us, and hands on
the rest. Source: MQTT 3.1.1 and 5.0, section 3; specs/attacks.md, MQ4, MQ5, MQ7.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cli.net.packets import (
    LEVEL_5,
    Packet,
    PacketCutter,
    PacketError,
    PacketType,
    connack_code,
    largest_packet,
    published,
)

SESSION_TAKEN_OVER: Final = 0x8E


class Gate:
    """Passes on what a broker may send to a client that subscribed once with QoS 0.

    `admit` is asked about the payload of every message on our topic; a message that it refuses,
    or on another topic, is dropped here, at the cost of one call.
    """

    def __init__(self, *, level: int, topic: str, admit: Callable[[bytes], bool]) -> None:
        self._level = level
        self._topic = topic.encode("ascii")
        self._admit = admit
        self._cutter = PacketCutter()
        self.answer: int | None = None
        """The code of the broker's CONNACK, once it came: 0 is success."""
        self.largest: int | None = None
        """Bytes of the largest packet that the broker takes, if it said so."""
        self.packets = 0
        """How many whole packets the broker has sent."""
        self.farewell: int | None = None
        """The reason code of a DISCONNECT of MQTT 5, if the broker sent one."""

    def pass_on(self, chunk: bytes) -> bytes:
        """Return what the library may read of `chunk`; PacketError where the connection must
        end."""
        return b"".join(packet.raw for packet in self._cutter.feed(chunk) if self._passes(packet))

    def _passes(self, packet: Packet) -> bool:
        self.packets += 1
        if self.answer is None:
            if packet.kind is not PacketType.CONNACK:
                raise PacketError("The broker began with something else than its answer.")
            self.answer = connack_code(packet)
            if self._level >= LEVEL_5 and self.answer == 0:
                self.largest = largest_packet(packet)
            return self.answer == 0
        match packet.kind:
            case PacketType.PUBLISH:
                if packet.qos:
                    raise PacketError("The broker sent a message of a quality not asked for.")
                topic, payload = published(packet, self._level)
                return topic == self._topic and self._admit(payload)
            case PacketType.SUBACK | PacketType.PINGRESP:
                return True
            case PacketType.DISCONNECT if self._level >= LEVEL_5:
                self.farewell = packet.body[0] if packet.body else 0
                return True
            case _:
                raise PacketError(
                    f"The broker sent a packet {packet.kind.name} that is not for us."
                )
