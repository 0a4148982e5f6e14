"""A spectator of a table: verifies every message itself, and signs none.

Messages are judged as at a seat or in an audit (`TableState`). For messages that it missed it asks
the seats in turn, which answer at a bounded rate and need not be trusted. Nobody proves a charter
to a spectator: the owner of the table key could show another game. The fingerprint distinguishes
them, and a second charter is reported.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from cli.bounds import SILENCE, SPECTATOR_ASKS_EVERY, SPECTATOR_KEEPS, SPECTATOR_TICK
from cli.errors import UserError
from cli.seat.channel import SealedLine
from cli.seat.charter_text import game_of
from cli.seat.setup import ONE_MATCH, Goal, Surroundings
from cli.seat.way_in import charter_on
from p2p304.seats import Seat
from protocol.bounds import HEADS_INTERVAL, MAX_RESENT, MAX_SEATS
from protocol.seat.watcher import Watcher
from protocol.table.events import (
    Event,
    HandEnded,
    HandRuled,
    HandUnfinished,
    MessagesMissed,
    Persist,
    RefereeBlamed,
    SeatBlamed,
    Waiting,
)
from protocol.table.sync import our_heads
from protocol.wire import lobby
from protocol.wire.charter import Charter
from protocol.wire.identity import SigningKey
from protocol.wire.messages import Agreement

# Asked in turn while the number of seats is unknown; four is the usual one.
_UNKNOWN_SEATS: Final = 4
# A choice: each of them four times, as inquiries and answers may be lost.
#: Inquiries after which we believe that the table's game is one we do not know.
_MOST_FRUITLESS: Final = 4 * _UNKNOWN_SEATS

Tell = Callable[[Event, "Spectator"], Awaitable[None]]
TellCharter = Callable[[Charter], Awaitable[None]]


class Spectator:
    """A spectator of one table. `run` returns after the last hand of its goal."""

    def __init__(
        self,
        *,
        line: SealedLine,
        around: Surroundings,
        tell: Tell,
        show: TellCharter,
        accepted: Callable[[bytes], None] = lambda _raw: None,
        fingerprint: str | None = None,
        goal: Goal = ONE_MATCH,
        referee: SigningKey | None = None,
    ) -> None:
        """Set up a spectator.

        `tell` is called with each event and this spectator; `show` with the charter, and with any
        other charter that is heard later; `accepted` with every verified message of the ledgers.
        With a `fingerprint` no other charter is accepted. `around` stores transcripts and evidence.
        `referee` is the key of a referee, who reads challenges.
        """
        self._line = line
        self._around = around
        self._tell = tell
        self._show = show
        self._accepted = accepted
        self._fingerprint = fingerprint
        self._goal = goal
        self._referee = referee
        #: What was seen and verified; None before there is a charter.
        self._watcher: Watcher | None = None
        self._early: list[bytes] = []  #: Messages of the game that came before the charter.
        # Digests of charters other than ours, each shown once.
        self._others: set[bytes] = set()
        #: The error of the last charter that this program cannot play; raised if no seat shows a
        #: better one.
        self._unknown: UserError | None = None
        self._over = False
        #: Whom we ask next, counted on beyond the last seat: the charter alone tells how many.
        self._turn = 0
        self._fruitless = 0  #: Inquiries in a row that brought nothing new.
        self._gained = 0  #: Messages that came since the last inquiry and were new.
        # Long ago by a monotonic clock, so that the first inquiry is sent at once.
        self._asked_at = 0.0
        #: When the last new message came; at first the start.
        self._moved_at = self._around.clock()
        #: For whom the table waits, as it was told last.
        self._announced: tuple[Seat, ...] | None = None

    @property
    def watcher(self) -> Watcher:
        """What was seen and verified; it may be asked for only once there is a charter."""
        # Asked for after `show` was called with the charter.
        assert self._watcher is not None
        return self._watcher

    @property
    def transcripts(self) -> Sequence[Path]:
        """The transcripts that were written, in order."""
        return self._around.hands.transcripts

    async def run(self) -> None:
        """Ask for the charter, verify what is heard and give the events to `tell`, until the goal
        is reached or the seats have ended a hand unfinished.

        Raises UserError when the connection ends, a seat or referee is convicted, or this program
        cannot read the table's charter.
        """
        closed = "The connection was closed: watch again."
        while not self._over:
            # Asked before listening: the first thing a spectator needs is the charter.
            await self._inquire()
            await self._tell_awaited()
            payload = await self._line.next_payload(within=SPECTATOR_TICK, closed=closed)
            if payload is not None and payload[:1] == lobby.PREFIX:
                await self._hear_lobby(payload)
            elif payload is not None:
                await self._hear(payload)

    # --- what was missed --------------------------------------------------------------------------

    async def _inquire(self) -> None:
        """Send an Inquiry to the next seat in turn, if our last one is `SPECTATOR_ASKS_EVERY`
        seconds old: until there is a charter, and after that until a whole turn of the seats
        brought nothing, then again after SILENCE seconds without news.

        Raises UserError if only charters that this program cannot play were shown, and
        `_MOST_FRUITLESS` inquiries brought no other.
        """
        now = self._around.clock()
        # Seats answer at a bounded rate: asking faster gains nothing.
        if now - self._asked_at < SPECTATOR_ASKS_EVERY:
            return
        table_state = None if self._watcher is None else self._watcher.table_state
        seats = _UNKNOWN_SEATS if table_state is None else len(table_state.charter.seats)
        silent = now - max(self._moved_at, self._asked_at) >= SILENCE
        # Half of what an answer resends at most: with so many new messages there may be more.
        if self._gained >= MAX_RESENT // 2:
            self._fruitless = 0
        # All seats were asked in vain: nothing is missing, until the table is silent for long.
        if table_state is not None and self._fruitless >= seats and not silent:
            return
        # A stranger's board may be first: the error counts only if no seat brings a better one.
        if table_state is None and self._unknown is not None and self._fruitless >= _MOST_FRUITLESS:
            raise self._unknown
        # Counted before the answer: a lost one is asked for again.
        self._asked_at, self._gained = now, 0
        self._fruitless += 1
        # Seats in turn: a seat need not be trusted to answer, or to answer wholly.
        asked = Seat(self._turn % seats)
        self._turn += 1
        table = self._line.invite.table
        heads = () if table_state is None else our_heads(table_state)
        inquiry = lobby.Inquiry(table, asked, table_state is not None, heads)
        await self._line.send(lobby.to_bytes(inquiry))

    async def _tell_awaited(self) -> None:
        """Once nothing new has come for HEADS_INTERVAL seconds, tell which seats the table waits
        for; the same seats only once until something new comes.
        """
        if self._watcher is None or self._around.clock() - self._moved_at < HEADS_INTERVAL:
            return
        seats = self._watcher.awaited_seats
        if seats and seats != self._announced:
            self._announced = seats
            await self._tell(Waiting(seats, self._moved_at), self)

    # --- what is heard ----------------------------------------------------------------------------

    async def _hear_lobby(self, payload: bytes) -> None:
        """Take the table's charter from a Board, if it is the wanted one and its game is known,
        and judge what came before it; later show each other charter of the table once, up to a
        bound.
        """
        # As many as any table has: how many this one has is known by its charter alone.
        message = lobby.from_bytes(payload, seats=MAX_SEATS, table=self._line.invite.table)
        try:
            charter = charter_on(message) if isinstance(message, lobby.Board) else None
        except UserError as error:
            # Any stranger may show one: others are awaited, and it is raised if no seat shows a
            # better one.
            self._unknown = error
            return
        wanted = self._fingerprint
        # A board of another table, which was sealed with the same key.
        if charter is None or charter.table != self._line.invite.table:
            return
        if wanted is not None and charter.fingerprint != wanted:
            return
        if self._watcher is None:
            self._watcher = Watcher(charter=charter, game=game_of(charter), referee=self._referee)
            self._line.begin(charter)
            self._fruitless = 0
            await self._show(charter)
            early, self._early = self._early, []
            # Judged now: without the charter nothing could be verified.
            for each in early:
                await self._hear(each)
            return
        known = {self._watcher.charter.digest, *self._others}
        # Bounded by a number that is a choice: each is shown, and strangers may make any number.
        if charter.digest not in known and len(known) < MAX_SEATS:
            self._others.add(charter.digest)
            await self._show(charter)

    async def _hear(self, payload: bytes) -> None:
        """Judge an envelope and carry out its events; before there is a charter keep it,
        SPECTATOR_KEEPS at most.
        """
        if self._watcher is None:
            if len(self._early) < SPECTATOR_KEEPS:
                self._early.append(payload)
            return
        judge = partial(self._watcher.receive, payload, now=self._around.clock())
        for event in await self._around.work(judge):
            await self._happen(event)

    async def _happen(self, event: Event) -> None:
        """Carry out an event. A new message is only counted and given to `accepted`. For others
        write the file of a hand that ended or was ruled on, note whether watching is over, and
        tell the event; then raise UserError if it convicts a seat or a referee.
        """
        match event:
            case Persist(raw):
                self._accepted(raw)
                self._gained += 1
                self._moved_at = self._around.clock()
                # Something moved, so the same seats may be waited for anew.
                self._announced = None
                return
            case MessagesMissed():
                # The seats have more than we asked for: begin to ask again.
                self._fruitless = 0
                return
            case HandEnded(number):
                await self._save(number)
                self._over = self._over or self._goal.reached(self.watcher)
            case HandRuled(ruling, _):
                # A ruling may speak of a hand that we never saw.
                if self.watcher.table_state.hand(ruling.content.hand) is not None:
                    await self._save(ruling.content.hand)
                self._over = self._over or self._goal.reached(self.watcher)
            case HandUnfinished(number):
                await self._save(number, self.watcher.agreed_end())
                self._over = True
            case _:
                pass
        # After the file is written: whoever is told of the end may read it.
        await self._tell(event, self)
        # A table that has stopped brings nothing more: this ends `run`.
        if isinstance(event, SeatBlamed | RefereeBlamed):
            why = await self._around.work(self._around.hands.why_stopped, self.watcher, event)
            raise UserError(why)

    async def _save(self, number: int, agreed: tuple[Agreement, ...] = ()) -> None:
        """Write the transcript of hand `number`, which the caller knows to be counted, ruled, or
        ended by the seats' agreements `agreed`. Raises StoreError.
        """
        await self._around.work(self._around.hands.save, self.watcher.table_state, number, agreed)
