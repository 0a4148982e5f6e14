"""A transport in memory: everything that is sent reaches every other one on the same wire.

A `Wire` may lose, repeat and reorder frames, by a decision that the test makes for each frame and
receiver.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cli.net.transport import (
    LinkState,
    LinkStatus,
    Transport,
    TransportClosedError,
    TransportError,
    Trouble,
    checked_frame,
)

#: How many copies of a frame the receiver with this number gets now: 0 loses it.
Carry = Callable[[bytes, int], int]


def _carry_once(_frame: bytes, _receiver: int) -> int:
    return 1


class Wire:
    """What several loopback transports share. `up` false is a broker that is away."""

    def __init__(self, carry: Carry = _carry_once) -> None:
        self._carry = carry
        self._ends: dict[int, LoopbackTransport] = {}
        self._made = 0
        self._up = True

    @property
    def up(self) -> bool:
        """Whether frames are carried."""
        return self._up

    def transport(self) -> LoopbackTransport:
        """Return a new transport on this wire; it must be opened like any other."""
        self._made += 1
        return LoopbackTransport(self, self._made - 1)

    def cut(self) -> None:
        """Lose every connection; what is sent from now on is lost too, until `mend`."""
        self._up = False
        for end in self._ends.values():
            end.lose()

    def mend(self) -> None:
        """Connect every opened transport again."""
        self._up = True
        for end in self._ends.values():
            end.regain()

    def attach(self, number: int, end: LoopbackTransport) -> None:
        """Let `end` receive; TransportError while the wire is cut."""
        if not self._up:
            raise TransportError(Trouble.UNREACHABLE, "The wire is cut: mend it.")
        self._ends[number] = end

    def detach(self, number: int) -> None:
        """Let the transport with this number receive nothing more."""
        self._ends.pop(number, None)

    def carry(self, frame: bytes, *, sender: int) -> None:
        """Give `frame` to all but its sender, as often as the wire's decision says."""
        for number, end in tuple(self._ends.items()):
            if number != sender:
                for _ in range(self._carry(frame, number)):
                    end.take(frame)


_CONNECTED: Final = LinkStatus(LinkState.CONNECTED, "Connected in memory.")


class LoopbackTransport(Transport):
    """One end of a `Wire`. Frames sent while the wire is cut are lost."""

    def __init__(self, wire: Wire, number: int) -> None:
        super().__init__(inbox_limit=4_096)
        self._wire = wire
        self._number = number
        self._closed = False

    async def open(self, *, deadline: float = 15.0) -> None:
        """See Transport.open."""
        if self._closed:
            raise TransportClosedError("A transport is opened once.")
        self._wire.attach(self._number, self)
        self._say(_CONNECTED)

    async def send(self, frame: bytes) -> None:
        """See Transport.send."""
        if self._closed:
            raise TransportClosedError("The transport is closed.")
        checked_frame(frame)
        if self._wire.up:
            self._wire.carry(frame, sender=self._number)

    async def close(self, *, deadline: float = 5.0) -> None:
        """See Transport.close."""
        self._closed = True
        self._wire.detach(self._number)
        self._say(LinkStatus(LinkState.CLOSED, "Closed."))
        self._inbox.close()
        self._statuses.close()

    def take(self, frame: bytes) -> None:
        """Receive `frame`; the wire calls this."""
        self._inbox.put(frame)

    def lose(self) -> None:
        """Cut the wire."""
        self._say(LinkStatus(LinkState.DISCONNECTED, "The wire was cut.", trouble=Trouble.LOST))

    def regain(self) -> None:
        """Mend the wire."""
        self._say(_CONNECTED)
