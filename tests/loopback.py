"""A wire in memory, on which a test decides for each frame and receiver whether it is lost or comes
again, and the drivers of seats at it."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path

from cli.bounds import MAX_FRAME
from cli.local.sitting import SeatOptions
from cli.local.transcripts import JournalOnDisk, surroundings
from cli.net.memory import MemoryBroker, MemoryTransport
from cli.seat.driver import SeatDriver
from cli.seat.player import SeatPlayer
from cli.seat.setup import Setup
from cli.store.identity import IdentityStore
from cli.store.journal import Journal
from cli.store.paths import table_directory
from protocol.wire.identity import SigningKey

#: How many copies of a frame the receiver with this number gets now: 0 loses it.
Carry = Callable[[bytes, int], int]


class Wire(MemoryBroker):
    """One table's; its transports are numbered as they are opened."""

    def __init__(self, carry: Carry = lambda _frame, _receiver: 1) -> None:
        super().__init__(largest_frame=MAX_FRAME)
        self._carry = carry
        self._ends: list[MemoryTransport] = []

    def transport(self, topic: str = "") -> MemoryTransport:
        """Return a new transport on this wire; it must be opened like any other."""
        return super().transport(topic)

    async def join(self, member: MemoryTransport, topic: str) -> None:
        """Let a transport hear what others send."""
        await super().join(member, topic)
        self._ends.append(member)

    async def publish(self, frame: bytes, topic: str, sender: MemoryTransport) -> None:
        """Give a frame to all others, as often as the wire's decision says."""
        for number, end in enumerate(self._ends):
            for _ in range(0 if end is sender else self._carry(frame, number)):
                end.take(frame)


def driver_on(
    transport: MemoryTransport,
    root: Path,
    journal: Journal,
    setup: Setup,
    player: SeatPlayer,
    options: SeatOptions,
    key: SigningKey | None = None,
) -> SeatDriver:
    """The driver of a seat whose home is `root`, with that home's key unless another is given."""
    return SeatDriver(
        journal=JournalOnDisk(journal),
        setup=setup,
        key=key or IdentityStore(root).key(secrets.token_bytes),
        transport=transport,
        player=player,
        around=surroundings(table_directory(root, setup.invite.table)),
        options=options,
    )
