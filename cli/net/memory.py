"""Tables in the memory of this process, and how they come to have a broker once friends are asked
for.

Frames go from seat to seat as they would by a broker, sealed, and each seat judges them as it does
those of strangers. A broker that is opened later gets all of them, and gives what others say.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Final, Self

from cli.net.address import LOOPBACK, BrokerAddress
from cli.net.packets import LEVEL_3_1_1
from cli.net.transport import (
    LinkState,
    LinkStatus,
    Transport,
    TransportClosedError,
    checked_frame,
)
from cli.tasks import Errands

# Of a table in memory: no other machine can use it.
#: What invites name while there is no broker.
NOWHERE: Final = BrokerAddress.parse(f"mqtt://{LOOPBACK}")


class MemoryBroker:
    """Carries frames among the seats of this process, each table's on its topic; as a context it
    ends what it has opened."""

    def __init__(self, *, largest_frame: int) -> None:
        """Set up without a broker; `largest_frame` is the size in bytes that a broker must
        carry.
        """
        self._largest = largest_frame
        self._members: dict[str, list[MemoryTransport]] = {}
        #: By topic, its connection to our broker; empty while there is no broker.
        self._bridges: dict[str, Transport] = {}
        self._address: BrokerAddress | None = None
        self._serve_first: Callable[[str], None] | None = None
        self._lock = asyncio.Lock()
        self._carrying = Errands()
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the broker and its connections, if there are any; the seats stay joined."""
        # The bridges first: what `_carry` reads from ends with them.
        await self._open.aclose()
        await self._carrying.end()

    def transport(self, topic: str) -> MemoryTransport:
        """Return a seat's way to the others on a topic, not open yet."""
        return MemoryTransport(self, topic)

    async def open(self) -> BrokerAddress:
        """Start a broker on this machine alone, unless there is one, and return its address: all
        tables of this process meet there, too. Raises BrokerError and TransportError."""
        async with self._lock:
            # Once, however many ask at the same time.
            if self._address is None:
                from cli.net.broker import EmbeddedBroker  # few tables need it

                # On success its contents stay open; on failure all is closed.
                async with AsyncExitStack() as opening:
                    broker = await opening.enter_async_context(EmbeddedBroker())
                    self._serve_first = broker.serve_first
                    # Tables that began in memory go on there with the same topic. A copy: another
                    # may join meanwhile, and then waits for the lock to get its bridge.
                    for topic in tuple(self._members):
                        await self._bridge(topic, broker.address, opening)
                    self._open = opening.pop_all()
                self._address = broker.address
            return self._address

    async def join(self, member: MemoryTransport, topic: str) -> None:
        """Let a seat hear what others say on a topic from now on; if there is a broker and the
        topic is not connected to it yet, connect it. Raises TransportError if that fails.
        """
        self._members.setdefault(topic, []).append(member)
        # Under the lock: a broker that is being opened must not miss the newcomer.
        async with self._lock:
            if self._address is not None and topic not in self._bridges:
                await self._bridge(topic, self._address, self._open)

    def leave(self, member: MemoryTransport, topic: str) -> None:
        """Give a seat nothing more that is said on a topic; do nothing if it has not joined."""
        # None: a seat may be closed that was never opened.
        members = self._members.get(topic, [])
        if member in members:
            members.remove(member)

    async def publish(self, frame: bytes, topic: str, sender: MemoryTransport) -> None:
        """Give a frame to all others on the topic: at once to the seats of this process, then to
        the broker, if there is one.
        """
        # First here: seats of this process do not wait for the broker.
        self._give(frame, topic, sender)
        if topic in self._bridges:
            await self._bridges[topic].send(frame)

    async def _bridge(self, topic: str, address: BrokerAddress, stack: AsyncExitStack) -> None:
        """Connect a table's topic to the broker, so that frames go both ways."""
        # Few tables need it.
        from cli.net.mqtt import MqttOptions, MqttTransport

        # `open` sets it before it makes a bridge.
        assert self._serve_first is not None
        # Before the first client can come.
        self._serve_first(topic)
        options = MqttOptions(
            (address,),
            topic,
            levels=(LEVEL_3_1_1,),  # our broker speaks no other
            largest_frame=self._largest,
        )
        # By size alone: each seat judges junk for itself, and a frame dropped here all would miss.
        bridge = MqttTransport(options)
        bridge.admit(lambda frame: len(frame) <= self._largest)
        self._bridges[topic] = await stack.enter_async_context(bridge)
        # A bridge that is closed, also because another cannot be opened, carries nothing.
        stack.callback(self._bridges.pop, topic)
        self._carrying.start(self._carry(bridge, topic))

    async def _carry(self, bridge: Transport, topic: str) -> None:
        """Give the frames that come over the broker's `bridge` to the seats of this process on
        `topic`, until the bridge ends.
        """
        async for frame in bridge.frames():
            self._give(frame, topic, None)

    def _give(self, frame: bytes, topic: str, sender: MemoryTransport | None) -> None:
        """Give a frame to all seats on a topic but its sender."""
        # None: a seat may send before anybody has joined, itself included.
        for member in self._members.get(topic, ()):
            # A broker gives a sender its own frames back; here nothing needs that.
            if member is not sender:
                member.take(frame)


class MemoryTransport(Transport):
    """One seat's way to a table in memory, which loses and repeats nothing."""

    def __init__(self, broker: MemoryBroker, topic: str) -> None:
        super().__init__()
        self._broker = broker
        self._topic = topic

    async def open(self, *, deadline: float = 15.0) -> None:
        """Join the topic, within `deadline` seconds: a broker of this process that is being opened
        is waited for, and the topic's first connection to it.

        Raises TimeoutError after that time, TransportError if that broker cannot be reached.
        """
        # Joining waits while a broker is being opened, or for one's first connection.
        async with asyncio.timeout(deadline):
            await self._broker.join(self, self._topic)
        self._say(LinkStatus(LinkState.CONNECTED, "At the table in this process."))

    async def send(self, frame: bytes) -> None:
        """Give a frame to all others on the topic. Raises ValueError if it is too large,
        TransportClosedError after the close.
        """
        # As a broker's transport does: a frame that is too large fails here, too.
        checked_frame(frame)
        if self._status.state is LinkState.CLOSED:
            raise TransportClosedError("The transport is closed.")
        await self._broker.publish(frame, self._topic, self)

    async def close(self, *, deadline: float = 5.0) -> None:  # noqa: ARG002 - nothing is queued
        """Leave the topic and end all iterations; nothing has to be sent first."""
        self._broker.leave(self, self._topic)
        # After the leave: no frame comes into a closed inbox.
        self._end()

    def take(self, frame: bytes) -> None:
        """Put a frame of somebody else into the inbox, unless the test given to `admit` refuses
        it.
        """
        if self._accepts(frame):
            self._inbox.put(frame)
