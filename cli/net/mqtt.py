"""The MQTT transport: one topic, QoS 0, reconnecting for ever (specs 7.2).

Every connection has a clean session, a fresh random client id and a new client object, and
subscribes anew. Nothing is retained, and neither order nor acknowledgements are relied on: the
ledger sends lost messages again. A will says only that we are gone. MQTT 5 is tried first, then
3.1.1, and the version that works is kept. In a cluster with several addresses a lost connection
goes on at the next.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from itertools import count
from typing import Final

from cli.net.address import BrokerAddress, checked_nodes
from cli.net.connection import KEEPALIVE, Connection, ConnectionWanted, open_connection
from cli.net.credentials import NO_CREDENTIALS, Credentials
from cli.net.packets import LEVEL_3_1_1, LEVEL_5
from cli.net.transport import (
    MAX_FRAME,
    LinkState,
    LinkStatus,
    Transport,
    TransportClosedError,
    TransportError,
    Trouble,
    checked_frame,
)
from cli.tasks import first, happens, stop

# Short: most lost connections are back at once.
#: Seconds before the second attempt to connect; each pause is twice as long as the one before.
FIRST_PAUSE: Final = 0.25
# A broker that comes back is found within this time.
LONGEST_PAUSE: Final = 15.0
# A choice: a broker that lets us in and soon ends the connection must not be asked all the time.
STEADY_AFTER: Final = 10.0  #: Seconds of a connection after which the pauses begin anew.
# Seconds between two looks for echoes, a choice: far less than `echo_deadline`.
TICK: Final = 1.0
# A choice: within `ONLY_NODE_DEADLINE` both versions of MQTT are tried.
DIAL_DEADLINE: Final = 10.0  #: Seconds in which a broker must let us in.

# Shorter than the deadline of a broker without other nodes: the next may live.
NODE_DEADLINE: Final = 8.0  #: Seconds for one node to let us in again, where there are others.

# Long, since there is no other node to try instead.
ONLY_NODE_DEADLINE: Final = 60.0

# As many as wait in the outbox at a time: each of them may come back.
#: Frames of ours that may come back from the broker, and are known then.
REMEMBERED_FRAMES: Final = 512
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
    """The parameters of an MQTT transport.

    `topic` has at most five levels of a-z, 0-9 and `-`. A broker that announces a limit below
    `largest_frame` is refused. Deadlines are in seconds; after `echo_deadline` without an own frame
    back from the broker the status says so. `other_nodes` are further addresses of the cluster,
    tried in turn; with them such a silence ends the connection. `will` is called for every
    connection, and returns the frame that the broker publishes if it loses that connection.
    """

    address: BrokerAddress
    topic: str
    credentials: Credentials = NO_CREDENTIALS
    version: MqttVersion = MqttVersion.AUTOMATIC
    keepalive: int = KEEPALIVE  #: Seconds without a packet after which the broker is pinged.
    largest_frame: int = MAX_FRAME
    # A choice, as many as an inbox holds; REMEMBERED_FRAMES goes with it.
    #: Frames that may wait to be published; `send` says what happens to more.
    outbox_limit: int = 512
    # A choice: a slow broker must not pass for one that forbids the topic.
    echo_deadline: float = 10.0
    other_nodes: tuple[BrokerAddress, ...] = ()
    will: Callable[[], bytes] | None = None  #: None: the broker publishes nothing when it loses us.

    def __post_init__(self) -> None:
        checked_nodes(self.nodes)
        # 200 is a choice, far above the 39 characters of a table's topic.
        if len(self.topic) > 200 or not _TOPIC.fullmatch(self.topic):
            raise ValueError("a topic is one to five levels of a-z, 0-9 and '-'")

    @property
    def nodes(self) -> tuple[BrokerAddress, ...]:
        """All addresses, in the order in which they are tried."""
        return (self.address, *self.other_nodes)


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
    """A transport through an MQTT broker. `accept` is a cheap test that junk on the topic fails.

    It is what `admit` takes. If it raises, the frame is dropped and the error is logged: a
    stranger's bytes must never end a connection by a defect of ours.
    """

    def __init__(
        self, options: MqttOptions, *, accept: Callable[[bytes], bool] | None = None
    ) -> None:
        super().__init__()
        self._options = options
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
        connection: Connection | None = None
        troubles: list[TransportError] = []
        loop = asyncio.get_running_loop()
        until = loop.time() + deadline
        while connection is None:
            try:
                # Each node gets its part: one that is silent must leave time for the others.
                connection = await self._join(deadline / len(self._nodes))
            except TransportError as error:
                troubles.append(error)
                if len(troubles) >= len(self._nodes):
                    # All nodes were tried: only one that had begun to work is worth another time.
                    if error.trouble is not Trouble.LOST or loop.time() + FIRST_PAUSE >= until:
                        # Of each node its latest error.
                        raise _of_all(troubles[-len(self._nodes) :]) from error
                    await asyncio.sleep(FIRST_PAUSE)
                self._nodes.rotate(-1)
        self._say_connected()
        # No group: it outlives this call; `close` ends it.
        self._main = asyncio.create_task(self._stay_connected(connection), name="mqtt transport")

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
        if main is not None:
            _, late = await asyncio.wait({main}, timeout=deadline)
            await stop(*late)
        self._end()
        if main is not None and not main.cancelled():
            # An error of the task is raised here, or nobody would hear of it.
            main.result()

    async def _join(self, deadline: float) -> Connection:
        """Return a connection to the next node, within `deadline` seconds, with the first version
        of MQTT that works, which alone is tried afterwards.

        Each version has its part of the time: an old broker may not answer a newer one at all.
        """
        # The oldest alone gets no share: what is left of the deadline is its own.
        *newer, oldest = levels = self._levels[self._nodes[0]]
        try:
            async with asyncio.timeout(deadline):
                for level in newer:
                    # An old broker may ignore a CONNECT that it does not know: the older version
                    # is next.
                    with suppress(TimeoutError):
                        try:
                            async with asyncio.timeout(deadline / len(levels)):
                                return await self._connect(level)
                        except TransportError as error:
                            # Other troubles are the same in every version.
                            if error.trouble not in _OF_A_VERSION:
                                raise
                return await self._connect(oldest)
        except TimeoutError as error:
            raise TransportError(
                Trouble.TIMEOUT,
                f"{self._nodes[0].format()} could not be joined within {deadline:g} seconds:"
                " check the address and the network.",
            ) from error

    async def _connect(self, level: int) -> Connection:
        """Return a connection to the first node with MQTT of `level`."""
        options, node = self._options, self._nodes[0]
        # New for each connection: a will names its connection (specs 7.10).
        will = None if options.will is None else options.will()
        wanted = ConnectionWanted(
            level, options.topic, self._admit, options.largest_frame, options.keepalive, will
        )
        connection = await open_connection(
            node, options.credentials, wanted, deadline=DIAL_DEADLINE
        )
        # A node that speaks a version is not asked for a newer one again after each loss.
        self._levels[node] = (level,)
        return connection

    async def _stay_connected(self, first: Connection) -> None:
        """Use connections one after another until the transport is closed."""
        connection: Connection | None = first
        waits = pauses()
        loop = asyncio.get_running_loop()
        try:
            while connection is not None:
                since, self._carried = loop.time(), False
                trouble = await self._use(connection)
                # Lost because we leave is no trouble to tell.
                if self._closing.is_set():
                    return
                self._say(LinkStatus(LinkState.DISCONNECTED, str(trouble), trouble=trouble.trouble))
                # Whoever waits for room may drop old frames now.
                self._outbox_changed.set()
                # A connection that worked was worth it, however short: only others grow the pause.
                if self._carried or loop.time() - since > STEADY_AFTER:
                    waits = pauses()
                connection = await self._again(trouble, waits)
        finally:
            # Whoever waits for frames must not wait for ever, whatever ended this task.
            self._inbox.close()

    async def _again(self, trouble: TransportError, waits: Iterator[float]) -> Connection | None:
        """Return a new connection, however long it takes; None when we are closing."""
        several = len(self._nodes) > 1
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
            deadline = NODE_DEADLINE if several else ONLY_NODE_DEADLINE
            # A list, because `first` returns no result of a task that ended together with another.
            joined: list[Connection] = []
            try:
                # A close need not wait for a broker that does not answer.
                await first(self._join_into(joined, deadline), self._closing.wait())
            except TransportError as error:
                trouble = error
            if joined:  # although we may be closing: whoever uses it ends it
                self._say_connected()
                return joined[0]
        return None

    async def _join_into(self, joined: list[Connection], deadline: float) -> None:
        """Append a new connection to `joined`, where a cancelled caller still finds it."""
        joined.append(await self._join(deadline))

    async def _use(self, connection: Connection) -> TransportError:
        """Send and receive until the connection ends or we close; return the reason."""
        # A new connection has sent nothing yet.
        self._unheard_since = None
        try:
            await first(
                self._publish(connection),
                self._deliver(connection),
                connection.over.wait(),
                self._watch_echoes(),
            )
            # Everything is sent: DISCONNECT, so that the broker does not publish our will. A second
            # is a choice: whoever closes waits for it.
            if self._closing.is_set() and not self._outbox:
                await connection.leave(deadline=1.0)
            return connection.why()
        except TransportError as error:
            # A broken connection is a reason to reconnect, and no error.
            return error
        finally:
            await connection.end()

    async def _deliver(self, connection: Connection) -> None:
        """Put the connection's frames into the inbox."""
        async for frame in connection.frames():
            self._inbox.put(frame)

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

    def _admit(self, payload: bytes) -> bool:
        """Return whether `payload` goes to the inbox: no frame of our own, and no junk."""
        # A broker sends our own frames back too: they are the proof that it passes them on.
        if _fingerprint(payload) in self._sent:
            self._carried = True
            self._unheard_since = None
            if self._status.state is LinkState.UNHEARD:
                self._say_connected()
            return False
        accepted = self._accepts(payload)
        # Junk of strangers shows nothing of the broker.
        self._carried |= accepted
        return accepted

    async def _watch_echoes(self) -> None:
        """Report when none of our frames comes back for too long; raise TransportError then if
        there is another node, which may pass on what this one does not.
        """
        loop, patience = asyncio.get_running_loop(), self._options.echo_deadline
        why = f"{UNHEARD}: its access list may forbid this user to write the table's topic."
        while True:
            await asyncio.sleep(TICK)
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
