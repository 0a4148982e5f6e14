"""The interface of a transport: frames out, frames in, and the state of the connection.

It knows no game. A transport may lose, repeat and reorder frames, and never returns the frames that
it sent itself; the session above sends lost messages again (specs 7.6). All queues are bounded: a
full inbox drops its oldest frame; a full outbox blocks the sender while connected, and else drops
its oldest frame.
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final, Generic, Self, TypeVar

from cli.bounds import MAX_FRAME
from cli.errors import UserError

T = TypeVar("T")
_log = logging.getLogger(__name__)


class LinkState(Enum):
    """The state of the connection."""

    WAITING = "waiting"  #: Not connected; the next attempt comes by itself.
    CONNECTED = "connected"
    #: Connected, but what we publish does not come back: the broker may forbid the topic.
    UNHEARD = "unheard"
    DISCONNECTED = "disconnected"  #: The connection has just ended.
    CLOSED = "closed"  #: We closed the transport; nothing follows.


class Trouble(Enum):
    """The kinds of failure of a connection, for callers that act on them."""

    UNREACHABLE = "unreachable"
    REFUSED = "refused"  #: The broker is full, busy, or sent us away: later it may let us in.
    #: TLS cannot be agreed on or trusted, or a password would go unencrypted.
    CERTIFICATE = "certificate"
    CREDENTIALS = "credentials"
    ACCESS = "access"  #: The broker knows us, and bans us or forbids the topic.
    VERSION = "version"
    PROTOCOL = "protocol"  #: What answers is no broker, or breaks the rules of MQTT.
    TIMEOUT = "timeout"
    LOST = "lost"  #: A connection that had begun to work has ended.
    PROXY = "proxy"
    SIZE = "size"  #: The broker carries no packets as large as ours.

    @property
    def heals(self) -> bool:
        """Whether trying again later may help."""
        return self not in _LASTING


# These need a person. The others may be over in a minute: what stands before a broker that starts,
# such as a proxy or a balancer, may answer for it (PROXY, PROTOCOL, VERSION).
_LASTING: Final = (Trouble.CERTIFICATE, Trouble.CREDENTIALS, Trouble.ACCESS, Trouble.SIZE)


class TransportError(UserError):
    """A connection failed: `trouble` is for the program, the sentence for the person."""

    def __init__(self, trouble: Trouble, sentence: str) -> None:
        """Say in one sentence what failed; `trouble` is its kind."""
        super().__init__(sentence)
        self.trouble = trouble


class TransportClosedError(Exception):
    """The transport was closed by our side."""


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """A change of the connection: the state, a sentence for the person, the seconds to the next
    attempt and the kind of trouble, each None if there is none.
    """

    state: LinkState
    sentence: str
    retry_in: float | None = None  #: None unless the state is WAITING.
    trouble: Trouble | None = None


class Inbox(Generic[T]):
    """A bounded queue, which drops its oldest item when it is full: the newest is what counts.
    `put` never blocks; iterating ends when it is closed, which asyncio's own queue cannot be before
    Python 3.13.
    """

    def __init__(self, limit: int) -> None:
        self._items: deque[T] = deque(maxlen=limit)
        self._changed = asyncio.Event()
        self._closed = False

    def __len__(self) -> int:
        """Return how many items wait: whoever iterates may take those together."""
        return len(self._items)

    def put(self, item: T) -> None:
        """Add `item`; does nothing after `close`."""
        # A closed queue takes nothing: its readers may have gone.
        if not self._closed:
            self._items.append(item)
            self._changed.set()

    def close(self) -> None:
        """End every iteration after the remaining items are taken."""
        self._closed = True
        self._changed.set()

    def __aiter__(self) -> AsyncIterator[T]:
        return self

    async def __anext__(self) -> T:
        while not self._items:
            if self._closed:
                raise StopAsyncIteration
            # Cleared before the wait, with nothing awaited in between: no item is missed.
            self._changed.clear()
            await self._changed.wait()
        return self._items.popleft()


class Transport(ABC):
    """Carries opaque frames among all that share a topic. Open it once, then send and iterate."""

    def __init__(self) -> None:
        """Set up, not connected. Of received frames the newest 512 wait for a reader, of statuses
        the newest 64.
        """
        # 512 frames are 24 MiB at most; what is dropped beyond, the session asks for again (specs
        # 7.6). 64 statuses are a choice: a reader who is that far behind needs the newest alone.
        self._inbox: Inbox[bytes] = Inbox(512)
        self._statuses: Inbox[LinkStatus] = Inbox(64)
        self._status = LinkStatus(LinkState.WAITING, "Not connected yet.")
        # Before `admit` is called, every frame is received.
        self._accept: Callable[[bytes], bool] = lambda _: True

    @property
    def status(self) -> LinkStatus:
        """The present state of the connection."""
        return self._status

    def admit(self, accept: Callable[[bytes], bool]) -> None:
        """Receive from now on only frames for which `accept` is true: a cheap test, made before
        queueing.
        """
        self._accept = accept

    def frames(self) -> AsyncIterator[bytes]:
        """Return the iterator over the frames of others, one for all callers: each frame is
        given once. It ends when the transport is closed.
        """
        return self._inbox

    def statuses(self) -> AsyncIterator[LinkStatus]:
        """Return the iterator over the changes of the connection, one for all callers; if nobody
        reads, the newest 64 are kept. It ends when the transport is closed.
        """
        return self._statuses

    # This time and that of `close` are choices: a person waits for both.
    @abstractmethod
    async def open(self, *, deadline: float = 15.0) -> None:
        """Connect for the first time, within `deadline` seconds.

        Raises TransportError if that first attempt fails; then nothing is left running. Afterwards
        a lost connection is made again by itself, however long it takes.
        """

    @abstractmethod
    async def send(self, frame: bytes) -> None:
        """Queue `frame` for all others.

        Raises ValueError if it is larger than MAX_FRAME, TransportClosedError after the close.
        """

    @abstractmethod
    async def close(self, *, deadline: float = 5.0) -> None:
        """Send the queued frames, as far as `deadline` seconds allow, and leave nothing running."""

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _accepts(self, frame: bytes) -> bool:
        """Return whether a frame of somebody else passes the test that `admit` took. Never raises:
        a stranger's bytes must end nothing by a fault of ours.
        """
        try:
            return self._accept(frame)
        except Exception:  # noqa: BLE001 - logged; a stranger's bytes chose the moment
            _log.exception("The test of a received frame failed; the frame is dropped.")
            return False

    def _end(self) -> None:
        """Say that the transport is closed, and end the iterations."""
        # The status first: whoever finds the inbox closed finds the reason in it.
        self._say(LinkStatus(LinkState.CLOSED, "Closed."))
        self._inbox.close()
        self._statuses.close()

    def _say(self, status: LinkStatus) -> None:
        """Log a status, make it the present one and queue it for readers, unless it is that
        already.
        """
        # Equal to the present one: readers would be told the same twice.
        if status != self._status:
            _log.info("%s: %s", status.state.value, status.sentence)
            self._status = status
            self._statuses.put(status)


def checked_frame(frame: bytes) -> bytes:
    """Return `frame`; raises ValueError if it is larger than MAX_FRAME."""
    if len(frame) > MAX_FRAME:
        raise ValueError(f"a frame of {len(frame)} bytes is larger than {MAX_FRAME}")
    return frame
