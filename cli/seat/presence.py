"""The lobby while a table plays: presence (specs 7.10), and answers to claims that come late and to
spectators (7.4).

Presence is sent at fixed times, and shown of the other seats. It decides nothing: no seat is waited
for less, and no hand ended, because of it. The times of our messages depend on the clock alone,
never on the table, and all have the same size.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from cli.bounds import BEAT, CHANGES, LATECOMERS, RETIRED, SILENT_AFTER
from cli.front.narrator import GONE, Seen, Where
from cli.seat.channel import SealedLine
from cli.seat.setup import Setup, Surroundings
from cli.tasks import never
from p2p304.seats import Seat
from protocol.rates import Allowance
from protocol.seat.session import Session
from protocol.table.sync import far_behind, messages_for
from protocol.table.table import TableState
from protocol.wire import lobby
from protocol.wire.charter import Charter
from protocol.wire.contents import Head
from protocol.wire.identity import Seal, SigningKey
from protocol.wire.lobby import CONNECTION_BYTES, Presence, Whereabouts

Heard = Callable[[Seat, Seen], Awaitable[None]]


class OwnPresence:
    """The presence messages of our seat, on one connection after another."""

    def __init__(self, setup: Setup, key: SigningKey) -> None:
        """Set up the presence of the seat of `setup`, whose `key` signs it."""
        self._setup = setup
        self._key = key
        # Of words over transports that ask for no `will`, such as those in memory.
        self._connection = secrets.token_bytes(CONNECTION_BYTES)
        self._serial = 0

    def will(self) -> bytes:
        """Begin another connection; return the frame that the broker publishes if it loses the
        connection.
        """
        # New for each connection, or the last will of the old one would end the new.
        self._connection = secrets.token_bytes(CONNECTION_BYTES)
        self._serial = 0
        invite = self._setup.invite
        seal = Seal(invite.table_key, invite.table)
        # Signed in advance: the broker publishes it when we cannot.
        payload = self.next_word(Whereabouts.LOST)
        return seal.seal(payload, seat=self._setup.seat, entropy=secrets.token_bytes)

    def next_word(self, state: Whereabouts) -> bytes:
        """Return the payload of our next presence message, with this state."""
        founding = self._setup.founding
        word = Presence(
            table=self._setup.invite.table,
            seat=self._setup.seat,
            connection=self._connection,
            serial=self._serial,
            state=state,
            # Others are told that the broker ends with this program.
            serves=founding is not None and founding.broker_here,
        ).with_signature(self._key)
        # A higher serial makes a repeated word an old one.
        self._serial += 1
        return lobby.to_bytes(word)


# Changed in place, unlike other values: there is one for each seat, and nobody else holds it.
@dataclass
class _Entry:
    """What one seat's presence messages said, in bounded memory: the newest connection and
    serial, when the seat was last heard, its state as it is shown, and its earlier connections.
    """

    connection: bytes
    serial: int
    heard: float
    seen: Seen
    retired: tuple[bytes, ...] = ()


class Attendance:
    """The presence of the other seats of a table."""

    def __init__(self, charter: Charter, own: Seat) -> None:
        """Set up the presence at a table; nothing is heard of the `own` seat."""
        self._charter = charter
        self._own = own
        self._entries: dict[Seat, _Entry] = {}
        self._changes = Allowance(CHANGES)

    @property
    def states(self) -> Mapping[Seat, Seen]:
        """The state of every seat that has sent a presence message."""
        return {seat: each.seen for seat, each in self._entries.items()}

    def hear(self, word: Presence, now: float) -> Seen | None:
        """Take a presence message of a seat; return the seat's new state. Return None if nothing
        has changed, for a message that is old, of our own seat or not signed by its seat, and
        for changes beyond the rate.
        """
        if word.seat == self._own or self._is_old(word):
            return None
        # Anybody with the table key can name our seat: only the seat's own key counts (specs 7.10).
        key = self._charter.key_of(word.seat)
        if key is None or not word.holds(key):
            return None
        # Both have the same names for what a seat or the broker says; SILENT we find ourselves.
        where, entry = Where[word.state.name], self._entries.get(word.seat)
        if entry is None:
            # -1, before the first serial: a last will may be heard before the words of its
            # connection.
            entry = _Entry(word.connection, -1, now, Seen(where, now, word.serves))
            self._entries[word.seat] = entry
            before = None
        else:
            before = entry.seen
        if entry.connection != word.connection:
            # A word of an earlier connection that comes late says nothing of now.
            entry.retired = (*entry.retired, entry.connection)[-RETIRED:]
            entry.connection = word.connection
        # A last will has a serial of the connection's beginning.
        if where is not Where.LOST:
            entry.serial = word.serial
        entry.heard = now
        if before is not None and before.where is where and before.serves == word.serves:
            return None
        # A seat may send signed changes as fast as it likes: the screen shows so many.
        if not self._changes.take(word.seat, now):
            # `seen` stays as it is shown: the seat's next word is compared with that.
            return None
        entry.seen = Seen(where, now, word.serves)
        return entry.seen

    def _is_old(self, word: Presence) -> bool:
        """Return whether a message is not newer than what the seat said before, or is a last
        will that comes after the seat's goodbye or is of a connection that we did not hear of.
        False if the seat has said nothing before.
        """
        entry, lost = self._entries.get(word.seat), word.state is Whereabouts.LOST
        if entry is None:
            return False
        if word.connection in entry.retired:
            return True
        if word.connection != entry.connection:
            # A last will from a connection that we never heard of is none of this one's.
            return lost
        if lost:
            # After a goodbye the broker may still publish the will.
            return entry.seen.where in GONE or entry.seen.where is Where.LOST
        return word.serial <= entry.serial

    def newly_silent(self, now: float, *, connected: bool) -> list[tuple[Seat, Seen]]:
        """Mark as silent the seats that were here and from which nothing was heard for
        `SILENT_AFTER` seconds; return them with their new states.

        While we are not `connected` it returns none, and their time begins anew.
        """
        silent = []
        for seat, entry in self._entries.items():
            # While we are cut off the others are not silent: the count begins when we are back.
            if not connected:
                entry.heard = now
            elif entry.seen.where is Where.HERE and now - entry.heard >= SILENT_AFTER:
                # Since it was heard last, and not since we noticed.
                entry.seen = Seen(Where.SILENT, entry.heard, entry.seen.serves)
                silent.append((seat, entry.seen))
        return silent


class Presences:
    """Sends our presence at fixed times, and shows the player every change of the others'."""

    def __init__(
        self,
        own: OwnPresence | None,
        line: SealedLine,
        tell: Heard,
        clock: Callable[[], float],
    ) -> None:
        """Set up presence; without `own` nothing is sent or heard. `tell` is called with a seat
        and its new state, `clock` returns monotonic seconds.
        """
        self._own = own
        self._line = line
        self._tell = tell
        self._clock = clock
        self._attendance: Attendance | None = None
        # The transport is open when a driver is made; its states are told from then on.
        self.connected = True

    def begin(self, charter: Charter, seat: Seat) -> None:
        """Start to follow the other seats of this charter; `seat` is ours. Without `own` do
        nothing.
        """
        if self._own is not None:
            self._attendance = Attendance(charter, seat)

    async def run(self) -> NoReturn:
        """Send our presence, and tell of seats that have become silent, at fixed times, for
        ever; without `own` only wait.
        """
        if self._own is None:
            # Nothing to send: the task stays, so that `first` does not end the driver.
            await never()
        while True:
            await self._line.send(self._own.next_word(Whereabouts.HERE))
            # After sending, not after answers: the time of our words depends on nothing else
            # (attacks MQ24).
            await asyncio.sleep(BEAT)
            if self._attendance is not None:
                now = self._clock()
                for seat, seen in self._attendance.newly_silent(now, connected=self.connected):
                    await self._tell(seat, seen)

    async def hear(self, word: Presence) -> None:
        """Take a presence message of a seat, and tell the player if the seat's state has
        changed; before `begin` do nothing.
        """
        # No charter yet, and so no keys that a word could be checked by.
        if self._attendance is None:
            return
        seen = self._attendance.hear(word, self._clock())
        if seen is not None:
            await self._tell(word.seat, seen)

    async def goodbye(self, *, done: bool) -> None:
        """Send that we leave, or with `done` that we have played all we were to play; without
        `own` do nothing.
        """
        if self._own is not None:
            await self._line.send(
                self._own.next_word(Whereabouts.DONE if done else Whereabouts.AWAY)
            )


# --- answers: to claims that come late, and to spectators -----------------------------------------


class LobbyResponder:
    """Our seat's answers to lobby messages once it has its charter; presence messages are passed
    on.
    """

    def __init__(
        self,
        setup: Setup,
        charter: Charter,
        line: SealedLine,
        around: Surroundings,
        present: Callable[[Presence], Awaitable[None]] | None = None,
    ) -> None:
        """Set up the answers.

        `around` stores hands that the session has forgotten; `present` is called with the presence
        messages of seats.
        """
        self._present = present
        self._around = around
        self._setup = setup
        self._charter = charter
        self._line = line
        self._left = Allowance(LATECOMERS)
        self._registrar: lobby.Registrar | None = None
        if setup.founding is not None:
            # The same answers as before a restart, made from the charter.
            self._registrar = lobby.Registrar.of(charter, setup.founding.tokens)

    async def hear(self, payload: bytes, session: Session | None) -> None:
        """Answer a claim, at the founder's seat alone, or an inquiry to our seat, one of each kind
        in a second at most; give a presence message to `present`; ignore any other lobby message.

        An inquirer gets the charter if it lacks it, all challenges and rulings, and the messages
        that it lacks; without a `session` the charter alone.
        """
        seats, table = len(self._charter.seats), self._charter.table
        match lobby.from_bytes(payload, seats=seats, table=table):
            case lobby.Claim() as claim if self._registrar is not None:
                answer = self._registrar.take(claim)
                # Bounded whoever asks: claims and inquiries carry no identity that costs anything.
                if answer is not None and self._may_answer(lobby.Claim):
                    await self._line.send(lobby.to_bytes(answer))
            # A spectator asks one seat at a time, so that not all answer at once.
            case lobby.Inquiry(_, asked, knows_charter, heads) if asked == self._setup.seat:
                if not self._may_answer(lobby.Inquiry):
                    return
                if not knows_charter:
                    await self._line.send(lobby.to_bytes(lobby.Board.of(self._charter)))
                # The referee's words first: they may be why the hand stands still. All of them each
                # time: heads are of ledgers, and these words belong to none.
                if session is not None:
                    said = session.referee_envelopes()
                    for raw in await self._lacked_envelopes(session.table_state, heads, said):
                        await self._line.say(raw, session.game)
            case Presence() as word if self._present is not None:
                await self._present(word)
            case _:
                pass

    async def _lacked_envelopes(
        self, table_state: TableState, heads: tuple[Head, ...], said: tuple[bytes, ...]
    ) -> list[bytes]:
        """Return the envelopes to send to a spectator with these heads: all of `said`, which are
        challenges and rulings, then at most MAX_RESENT messages that it lacks, from our files
        where the session has forgotten them.
        """
        # The session forgets settled hands; their files still have them.
        if far_behind(table_state, heads):
            files, table = self._around.hands, self._charter.table
            older = await self._around.work(files.older, table, heads)
            if older:
                return [*said, *older]
        return [*said, *(each.raw for each in messages_for(table_state, heads))]

    def _may_answer(self, kind: type[lobby.LobbyMessage]) -> bool:
        """Take an answer to this kind of message from the allowance; return False if none is
        left.
        """
        # By kind, and not by sender: who asks has no identity that would cost anything. The kind's
        # name, as the type checker holds a class for no key.
        return self._left.take(kind.__name__, self._around.clock())
