"""The interfaces that a seat runs on: journal, stored hands, clock and executor.

They let the seat run in a terminal or a browser.
"""

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
    """The journal of a seat: what it drew, signed and learned, in order."""

    @property
    # An older copy could sign again what was signed otherwise (specs 7.5).
    def fresh(self) -> bool:
        """Whether the journal began with this seat, so that it is no older copy."""
        ...

    async def records(self, *, shown: bool = False) -> Iterable[tuple[int, bytes]]:
        """Return all records, each a kind and its bytes; `shown` shows how far reading has come."""
        ...

    async def append(self, kind: int, *payloads: bytes) -> None:
        """Add records of one kind. When this returns, they survive a crash, and may be
        published. Raises StoreError.
        """
        ...


class KeptHands(Protocol):
    """The files of a table: transcripts for audits, and evidence. Every method that writes
    raises StoreError.
    """

    @property
    def transcripts(self) -> Sequence[Path]:
        """The transcripts written since this seat started, in order."""
        ...

    async def keep(self, event: Event, session: Session) -> None:
        """Write the transcript of a hand that ended or was ruled on, and the open file of one
        that lacks only signatures; remove those of hands that became void or go on. Ignore other
        events.
        """
        ...

    async def save(
        self, table_state: TableState, number: int, agreed: tuple[Agreement, ...] = ()
    ) -> None:
        """Write the transcript of a counted hand, or of one that all present seats `agreed` to
        end, in place of the file that `save_open` wrote.
        """
        ...

    async def save_open(self, session: Session) -> None:
        """Write the hand in play as far as it goes; nothing if no hand is in play, or the table
        has stopped.
        """
        ...

    async def save_missing(self, session: Session) -> bool:
        """Write the transcripts that a crash prevented, and remove those of hands that a ruling
        made void.

        Return whether there are files of later hands than the session's: then the journal is an
        older copy.
        """
        ...

    async def older(self, table: bytes, heads: tuple[Head, ...]) -> tuple[bytes, ...]:
        """Return, from transcripts of `table`, the envelopes that a peer with these heads lacks,
        at most MAX_RESENT; empty if no file has them, or one that is needed is damaged.
        """
        ...

    async def why_stopped(self, table: TableView, blame: SeatBlamed | RefereeBlamed) -> str:
        """Write the evidence against a seat or a referee, if there is any, and return why the
        table stopped.
        """
        ...


class Executor(Protocol):
    """A function that runs a call without blocking the event loop, such as `asyncio.to_thread`."""

    async def __call__(self, call: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> T:
        """Return the call's result, or raise its error."""
        ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The files of hands, the clock and the executor that seats and spectators of one table
    share.
    """

    hands: KeptHands
    clock: Callable[[], float]  #: Gives seconds of the monotonic clock.
    work: Executor
