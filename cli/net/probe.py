"""A check whether a broker serves for a table, with two connections of our own on our own topic.

It tries what a table needs: to connect, to write and read a topic of its form, and to carry the
largest frame. It also reports the round-trip time, and messages that others left retained under our
topics.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass
from statistics import median
from typing import Final

from cli.bounds import KEPT_WITHIN, MOST_LEFT, PROBE_WITHIN
from cli.net.address import BrokerAddress
from cli.net.credentials import Credentials
from cli.net.mqtt import MqttOptions, MqttTransport, open_connection
from cli.net.packets import LEVEL_3_1_1
from cli.net.transport import TransportError

# A choice: enough for a median, and soon done.
ECHOES: Final = 20  #: Frames whose way there and back is measured.
# Bytes of the smallest frame of a table (specs 7.1).
SMALL: Final = 1_024
# One level: `#` would take what lies below as well.
_ALL_TOPICS: Final = "p2p304/+"


@dataclass(frozen=True, slots=True)
class Finding:
    """One result in a sentence; `good` is None if it is only reported, not judged."""

    name: str
    good: bool | None
    sentence: str
    seconds: float | None = None  #: Of a round trip, in the median; None for other findings.


async def probe(
    address: BrokerAddress,
    credentials: Credentials,
    *,
    largest: int,
    count: int = ECHOES,
) -> AsyncGenerator[Finding]:
    """Yield the findings one by one, until one makes the rest impossible; `largest` is the size in
    bytes of the largest frame that is tried, `count` how many round trips are measured.

    Raises TransportError if the broker cannot be reached, or no broker answers.
    """
    # Random: no table meets there.
    topic = f"p2p304/{secrets.token_hex(16)}"
    options = MqttOptions((address,), topic, credentials, largest_frame=largest)
    # Both connections subscribe, as seats do.
    async with MqttTransport(options) as one, MqttTransport(options) as other:
        yield Finding("login", True, "The broker lets us in.")
        times = await _echoes(one, other, count)
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
        if await _time_frame(one, other, frame) is None:
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
            # The median, for one slow echo says nothing.
            median(times),
        )
    # Over a connection of its own: a transport subscribes to its own topic alone, and this to all.
    yield await _leftovers(address, credentials)


async def _echoes(one: MqttTransport, other: MqttTransport, count: int) -> list[float]:
    """Return the seconds of so many round trips; empty if one frame does not come through."""
    times = []
    for _ in range(count):
        there = await _time_frame(one, other, secrets.token_bytes(SMALL))
        # Not tried once the way there has failed: each failure takes PROBE_WITHIN seconds.
        if there is None:
            return []
        back = await _time_frame(other, one, secrets.token_bytes(SMALL))
        if back is None:
            return []
        times.append(there + back)
    return times


async def _time_frame(sender: MqttTransport, receiver: MqttTransport, frame: bytes) -> float | None:
    """Return the seconds until the receiver has the frame; None if it does not come within
    `PROBE_WITHIN` seconds.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    await sender.send(frame)
    # Each sender's frame goes to the other: what comes back to oneself proves less.
    try:
        async with asyncio.timeout(PROBE_WITHIN):
            async for heard in receiver.frames():
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

    It never raises for a failed connection, and is not judged (`good` is None). Asked with MQTT
    3.1.1, which more brokers speak than MQTT 5.
    """
    left: set[bytes] = set()

    def note(topic: bytes, _payload: bytes, kept: bool) -> None:
        """Keep the topic of a message that was kept, each once, unless `MOST_LEFT` are kept
        already.
        """
        if kept and len(left) < MOST_LEFT:
            left.add(topic)

    # `largest_frame` is 0 because nothing is sent: a broker's limit of packets forbids no looking.
    options = MqttOptions((address,), _ALL_TOPICS, credentials, largest_frame=0)
    kept: int | None = None
    # The check is a courtesy: its failure changes no verdict.
    with suppress(OSError, TransportError):
        connection = await open_connection(
            options, address, LEVEL_3_1_1, note, deadline=PROBE_WITHIN
        )
        try:
            # A connection that has ended has not told all.
            with suppress(TimeoutError):
                async with asyncio.timeout(KEPT_WITHIN):
                    await connection.receive()
            kept = len(left)
        finally:
            connection.end()
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
