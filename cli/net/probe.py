"""A check whether a broker serves for a table, with two connections of our own on our own topic.

It tries what a table needs: to connect, to write and read a topic of its form, and to carry the
largest frame. It also reports the round-trip time, and messages that others left retained under our
topics.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass
from statistics import median
from typing import Final

from cli.net.address import BrokerAddress
from cli.net.connection import random_client_id
from cli.net.credentials import Credentials
from cli.net.link import Link, open_link
from cli.net.mqtt import MqttOptions, MqttTransport, MqttVersion
from cli.net.packets import (
    LEVEL_3_1_1,
    Packet,
    PacketCutter,
    PacketError,
    PacketType,
    connack_code,
    read_publish,
)
from cli.net.transport import TransportError

ECHOES: Final = 20
"""Frames whose way there and back is measured."""
# Bytes; about the size of a move.
SMALL: Final = 1_024
PATIENCE: Final = 5.0
"""Seconds for a frame to come through, and for each packet of the broker."""
LATER: Final = 0.3
"""Seconds that a broker has for what it kept, after it has answered what we asked after that."""
# More would only make the same sentence with a larger number.
MOST_LEFT: Final = 1_000
# One level: `#` would take what lies below as well.
_ALL_TOPICS: Final = b"p2p304/+"
_GRANTED: Final = (b"\x00", b"\x01", b"\x02")
"""What a SUBACK says to one subscription that it allows: the quality of service."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One result in a sentence; `good` is None if it is only reported, not judged."""

    name: str
    good: bool | None
    sentence: str


async def probe(
    address: BrokerAddress, credentials: Credentials, version: MqttVersion, *, largest: int
) -> AsyncIterator[Finding]:
    """Yield the findings one by one, until one makes the rest impossible.

    Raises TransportError if the broker cannot be reached, or no broker answers.
    """
    # Random: no table meets there.
    topic = f"p2p304/{secrets.token_hex(16)}"
    options = MqttOptions(address, topic, credentials, version, largest_frame=largest)
    one, other = MqttTransport(options), MqttTransport(options)
    try:
        await one.open()
        # Both connections subscribe, as seats do.
        await other.open()
        yield Finding("login", True, "The broker lets us in.")
        times = await _echoes(one, other)
        if not times:
            yield Finding(
                "publish",
                False,
                "It does not pass on what we publish: its access list must allow this user to read"
                " and to write the topics p2p304/+ (mosquitto: topic readwrite p2p304/+).",
            )
            return
        yield Finding("publish", True, "We may write and read a table's topic.")
        # Random: it is known by its bytes when it comes.
        frame = secrets.token_bytes(largest)
        if await time_frame(one, other, frame) is None:
            yield Finding(
                "size",
                False,
                f"It does not pass on a frame of {largest:,} bytes, which a table needs: ask the"
                " one who runs it for larger packets, or use another broker.",
            )
            return
        yield Finding("size", True, f"It passes on the largest frame, {largest:,} bytes.")
        yield Finding(
            "round trip",
            None,
            f"A frame is there and back in {1_000 * median(times):.1f} ms, at most"
            f" {1_000 * max(times):.1f} ms ({len(times)} tried).",
        )
    finally:
        await one.close()
        await other.close()
    # Over a connection of its own: a transport subscribes to its own topic alone, and this to all.
    yield await _leftovers(address, credentials)


async def _echoes(one: MqttTransport, other: MqttTransport) -> list[float]:
    """Return the seconds of `ECHOES` round trips; empty if one frame does not come through."""
    times = []
    for _ in range(ECHOES):
        there = await time_frame(one, other, secrets.token_bytes(SMALL))
        back = (
            await time_frame(other, one, secrets.token_bytes(SMALL)) if there is not None else None
        )
        if there is None or back is None:
            return []
        times.append(there + back)
    return times


async def time_frame(sender: MqttTransport, receiver: MqttTransport, frame: bytes) -> float | None:
    """Return the seconds until the receiver has the frame; None if it does not come within
    `PATIENCE` seconds.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    await sender.send(frame)
    # Each sender's frame goes to the other: what comes back to oneself proves less.
    try:
        async with asyncio.timeout(PATIENCE):
            async for heard in receiver.received():
                # An old frame may come late: only this one counts.
                if heard == frame:
                    return loop.time() - began
    # A frame that does not come is a finding, and no error.
    except TimeoutError:
        pass
    return None


async def _leftovers(address: BrokerAddress, credentials: Credentials) -> Finding:
    """Return a finding on how many retained messages lie under our topics, or that they cannot be
    seen.

    It never fails and counts neither for nor against the broker. Asked with MQTT 3.1.1.
    """
    try:
        # A bound for the whole: each packet has PATIENCE of its own, and there may be many.
        async with asyncio.timeout(3 * PATIENCE):
            link = await open_link(address, credentials, deadline=PATIENCE)
            try:
                kept = await _count_retained(link, credentials)
            finally:
                link.abort()
    # The check is a courtesy: its failure changes no verdict.
    except (TransportError, PacketError, OSError, TimeoutError):
        kept = None
    match kept:
        case None:
            said = (
                "What was kept under the topics p2p304/+ cannot be seen: we may not read them all."
            )
        case 0:
            said = "Nothing was left behind under the topics p2p304/+."
        case _:
            said = (
                f"{kept} retained messages lie under the topics p2p304/+, which no table has"
                " left there: tables drop them; whoever runs the broker may delete them."
            )
    return Finding("leftovers", None, said)


async def _count_retained(link: Link, credentials: Credentials) -> int | None:
    """Return how many retained messages lie under our topics, `MOST_LEFT` at most; None if we
    may not connect or subscribe.
    """
    cutter, waiting = PacketCutter(), list[Packet]()

    async def packet() -> Packet:
        while not waiting:
            async with asyncio.timeout(PATIENCE):
                chunk = await link.read()
            if not chunk:
                raise ConnectionError("the broker has gone")
            waiting.extend(cutter.feed(chunk))
        return waiting.pop(0)

    await link.write(_connect(credentials))
    answer = await packet()
    # A code other than 0.
    if answer.kind is not PacketType.CONNACK or connack_code(answer):
        return None
    # SUBSCRIBE with packet number 1 and QoS 0; its lower four bits must be 0010 (3.8.1).
    await link.write(_packet(0x82, b"\x00\x01" + _field(_ALL_TOPICS) + b"\x00"))
    # A PINGREQ behind it: brokers handle one packet after the other, so its answer comes once the
    # SUBSCRIBE was handled. The standard does not promise that: `LATER` is for what comes behind.
    await link.write(_packet(0xC0, b""))
    left: set[bytes] = set()
    until: float | None = None
    while len(left) < MOST_LEFT:
        try:
            # Without an end until the PINGRESP has come: each packet has its own patience before.
            async with asyncio.timeout_at(until):
                came = await packet()
        except TimeoutError:
            if until is None:
                # Before the PINGRESP a timeout means that the broker is gone.
                raise
            break
        # The return code stands behind two bytes of packet identifier (3.9).
        if came.kind is PacketType.SUBACK and came.body[2:3] not in _GRANTED:
            return None
        # RETAIN is set only on what lay there before (3.3.1.3).
        if came.kind is PacketType.PUBLISH and came.flags & 1:
            left.add(read_publish(came, LEVEL_3_1_1)[0])
        if came.kind is PacketType.PINGRESP:
            until = asyncio.get_running_loop().time() + LATER
    return len(left)


def _connect(credentials: Credentials) -> bytes:
    """Return a CONNECT of MQTT 3.1.1 with a clean session."""
    # 0x02: a clean session.
    flags, body = 0x02, _field(random_client_id().encode())
    if credentials.user is not None:
        # 0x80 says that a user name follows, 0x40 a password (3.1.2).
        flags, body = flags | 0x80, body + _field(credentials.user.encode())
    if credentials.password is not None:
        flags, body = flags | 0x40, body + _field(credentials.password.reveal().encode())
    # Level 4, the flags, and a keep-alive of 0x3c, a minute.
    return _packet(0x10, b"\x00\x04MQTT\x04" + bytes((flags,)) + b"\x00\x3c" + body)


def _field(text: bytes) -> bytes:
    """Return a text behind its length in two bytes, as MQTT writes it."""
    return len(text).to_bytes(2, "big") + text


def _packet(first: int, body: bytes) -> bytes:
    """Return an MQTT packet: first byte, length, body."""
    size, left = bytearray(), len(body)
    while True:
        # Seven bits a byte, the lowest first; 0x80 says that more follow (2.2.3).
        size.append(left % 128 | (0x80 if left > 127 else 0))
        left //= 128
        if not left:
            return bytes((first,)) + bytes(size) + body
