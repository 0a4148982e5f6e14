"""Presence: what we say of ourselves at fixed times, and what was heard of the others.

It decides nothing: no seat is waited for less, or ended without, because of it. When we say
something depends on the clock alone, never on what happens at the table, and every word has the
same size.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

from cli.front.presence import GONE, Seen, Where
from cli.seat.channel import SealedLine
from cli.seat.rates import CHANGES
from cli.seat.setup import Setup
from cli.tasks import never
from p2p304.seats import Seat
from protocol.rates import Allowance
from protocol.wire import lobby
from protocol.wire.charter import Charter
from protocol.wire.identity import Seal, SigningKey
from protocol.wire.presence import CONNECTION_BYTES, Presence, Whereabouts

BEAT: Final = 5.0
"""Seconds between two words of ours."""
SILENT_AFTER: Final = 16.0
"""Seconds after which nothing is heard of a seat: three of its words are missing."""
RETIRED: Final = 8
"""Earlier connections of a seat whose words are known to be old."""

Heard = Callable[[Seat, Seen], Awaitable[None]]
_WHERE: Final = {
    Whereabouts.HERE: Where.HERE,
    Whereabouts.AWAY: Where.AWAY,
    Whereabouts.DONE: Where.DONE,
    Whereabouts.LOST: Where.LOST,
}


class OwnPresence:
    """What our seat says of itself, on one connection after another."""

    def __init__(self, setup: Setup, key: SigningKey) -> None:
        self._setup = setup
        self._key = key
        self._connection = secrets.token_bytes(CONNECTION_BYTES)
        self._serial = 0

    def will(self) -> bytes:
        """Begin another connection, and return the frame that the broker is to publish when it
        loses it."""
        self._connection = secrets.token_bytes(CONNECTION_BYTES)
        self._serial = 0
        invite = self._setup.invite
        seal = Seal(invite.table_key, invite.table)
        payload = self.said(Whereabouts.LOST)
        return seal.seal(payload, seat=int(self._setup.seat), entropy=secrets.token_bytes)

    def said(self, state: Whereabouts) -> bytes:
        """Return the payload of a frame with our next word."""
        founding = self._setup.founding
        word = Presence.make(
            table=self._setup.invite.table,
            seat=self._setup.seat,
            key=self._key,
            connection=self._connection,
            serial=self._serial,
            state=state,
            serves=founding is not None and founding.broker_here,
        )
        self._serial += 1
        return lobby.to_bytes(word)


@dataclass
class _Entry:
    """What was heard of one seat: of a size that nobody can make grow."""

    connection: bytes
    serial: int
    heard: float
    seen: Seen
    retired: tuple[bytes, ...] = ()


class Attendance:
    """What was heard of the other seats of a table."""

    def __init__(self, charter: Charter, own: Seat) -> None:
        self._charter = charter
        self._own = own
        self._entries: dict[Seat, _Entry] = {}
        self._changes = Allowance(CHANGES)

    @property
    def seen(self) -> Mapping[Seat, Seen]:
        """Where everybody of whom anything was heard is."""
        return {seat: each.seen for seat, each in self._entries.items()}

    def hear(self, word: Presence, now: float) -> Seen | None:
        """Take a word of a seat; return what is new by it, if anything is."""
        if word.seat == self._own or self._is_old(word):
            return None
        key = self._charter.key_of(word.seat)
        if key is None or not word.holds(key):
            return None
        where, entry = _WHERE[word.state], self._entries.get(word.seat)
        if entry is None:
            entry = _Entry(word.connection, -1, now, Seen(where, now, word.serves))
            self._entries[word.seat] = entry
            before = None
        else:
            before = entry.seen
        if entry.connection != word.connection:
            entry.retired = (*entry.retired, entry.connection)[-RETIRED:]
            entry.connection = word.connection
        if where is not Where.LOST:
            entry.serial = word.serial
        entry.heard = now
        if before is not None and before.where is where and before.serves == word.serves:
            return None
        if not self._changes.take(word.seat, now):
            return None  # what it says after that is shown
        entry.seen = Seen(where, now, word.serves)
        return entry.seen

    def _is_old(self, word: Presence) -> bool:
        """Tell whether a word says nothing that was not said, or taken back, before."""
        entry, lost = self._entries.get(word.seat), word.state is Whereabouts.LOST
        if entry is None:
            return False
        if word.connection in entry.retired:
            return True
        if word.connection != entry.connection:
            return lost
        if lost:
            return entry.seen.where in GONE or entry.seen.where is Where.LOST
        return word.serial <= entry.serial

    def passed(self, now: float, *, connected: bool) -> list[tuple[Seat, Seen]]:
        """Return of whom nothing is heard any more. While we are cut off, that is nobody's fault
        but ours."""
        silent = []
        for seat, entry in self._entries.items():
            if not connected:
                entry.heard = now
            elif entry.seen.where is Where.HERE and now - entry.heard >= SILENT_AFTER:
                entry.seen = Seen(Where.SILENT, entry.heard, entry.seen.serves)
                silent.append((seat, entry.seen))
        return silent


class Presences:
    """Ours, told at fixed times, and the others', told to the player as soon as it changes."""

    def __init__(
        self,
        own: OwnPresence | None,
        line: SealedLine,
        tell: Heard,
        clock: Callable[[], float],
    ) -> None:
        """Say and hear nothing where there is no `own`; `clock` gives seconds of the monotonic
        clock."""
        self._own = own
        self._line = line
        self._tell = tell
        self._clock = clock
        self._attendance: Attendance | None = None
        self.connected = True

    def begin(self, charter: Charter, seat: Seat) -> None:
        """Hear of the seats of this charter from now on."""
        if self._own is not None:
            self._attendance = Attendance(charter, seat)

    async def run(self) -> NoReturn:
        """Say that we are here, and see who is not heard of, at fixed times."""
        if self._own is None:
            await never()
        while True:
            await self._line.send(self._own.said(Whereabouts.HERE))
            await asyncio.sleep(BEAT)
            if self._attendance is not None:
                now = self._clock()
                for seat, seen in self._attendance.passed(now, connected=self.connected):
                    await self._tell(seat, seen)

    async def hear(self, word: Presence) -> None:
        """Take a word of a seat."""
        if self._attendance is None:
            return
        seen = self._attendance.hear(word, self._clock())
        if seen is not None:
            await self._tell(word.seat, seen)

    async def goodbye(self, *, done: bool) -> None:
        """Say that we leave; with `done` that we have played as much as we were to play."""
        if self._own is not None:
            await self._line.send(self._own.said(Whereabouts.DONE if done else Whereabouts.AWAY))
