"""What a seat is given, wherever it runs: what it writes to, a clock, and who works for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, Protocol, TypeVar

from protocol.seat.session import Session
from protocol.seat.view import TableView
from protocol.table.events import Event, RefereeBlamed, SeatBlamed
from protocol.table.table import TableState
from protocol.wire.contents import Head
from protocol.wire.messages import Agreement

P = ParamSpec("P")
T = TypeVar("T")


class SeatJournal(Protocol):
    """What a seat drew, signed and learned, in the order in which it happened."""

    @property
    def fresh(self) -> bool:
        """Whether it began with this seat, and is no older copy of another one."""
        ...

    async def records(self, *, shown: bool = False) -> Iterable[tuple[int, bytes]]:
        """Return all records, each a kind and its bytes. What is `shown`, if anything, is how far
        whoever takes them has come."""
        ...

    async def append(self, kind: int, *payloads: bytes) -> None:
        """Add records of one kind. When this returns, they are there after any crash, and may be
        published. Raises StoreError."""
        ...


class KeptHands(Protocol):
    """The hands of a table that are kept for an audit, and what convicts somebody. All that writes
    raises StoreError."""

    @property
    def written(self) -> Sequence[Path]:
        """The transcripts that were written since this seat was taken, in their order."""
        ...

    async def keep(self, event: Event, session: Session) -> None:
        """Write, or remove, what an event of the session asks for."""
        ...

    async def save(
        self, table_state: TableState, number: int, agreed: tuple[Agreement, ...] = ()
    ) -> None:
        """Write a counted hand, or one that all who were present `agreed` to end."""
        ...

    async def save_open(self, session: Session) -> None:
        """Write the hand that waits for somebody, as far as it is."""
        ...

    async def save_missing(self, session: Session) -> bool:
        """Write and remove what something that died before did not. Returns whether there are
        later hands than the session has come to: its journal is older."""
        ...

    async def older(self, table: bytes, heads: tuple[Head, ...]) -> tuple[bytes, ...]:
        """Return, from transcripts of `table`, the envelopes that a peer with these heads lacks."""
        ...

    async def why_stopped(self, table: TableView, blame: SeatBlamed | RefereeBlamed) -> str:
        """Write what convicts a seat or a referee, if anything does; return why a table stopped."""
        ...


class Executor(Protocol):
    """Does a call without holding up the event loop, where it can: `asyncio.to_thread`."""

    async def __call__(self, call: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> T:
        """Return what the call returns, or raise what it raises."""
        ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the seats and spectators of one table share at one place."""

    hands: KeptHands
    clock: Callable[[], float]
    """Gives seconds of the monotonic clock."""
    work: Executor
