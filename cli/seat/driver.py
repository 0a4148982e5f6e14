"""The asynchronous driver of one seat, which joins lobby, session, journal and transport.

Session and disk are slow for an event loop, so every call of them runs in a worker thread, one at a
time. A message is on the disk before it is sealed and sent.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn, TypeVar

from cli.bounds import ASKING, NEXT_DECK_AFTER, SEAT_TICK, STAYS_FOR
from cli.errors import StoreError, UserError
from cli.front.player_commands import AnswerGoingOn, GoOn, PlayerCommand
from cli.net.transport import LinkState, Transport
from cli.seat.bots import BotSeat
from cli.seat.channel import SealedLine
from cli.seat.charter_text import game_of
from cli.seat.player import SeatPlayer, word_of
from cli.seat.presence import LobbyResponder, OwnPresence, Presences
from cli.seat.sentences import (
    SeatLeft,
    TableStopped,
    plays_elsewhere,
)
from cli.seat.setup import (
    Goal,
    JournalKind,
    PlayOptions,
    SeatJournal,
    Setup,
    Surroundings,
    charter_in,
)
from cli.seat.way_in import sit_down
from cli.tasks import first, happens, never
from p2p304.errors import RulesError
from p2p304.seats import Seat
from protocol.cards.secrets import Secrets
from protocol.errors import LocalError
from protocol.seat.session import Session
from protocol.seat.view import SeatView
from protocol.table.events import (
    ConfirmationDue,
    ContinuationAgreed,
    ContinuationReady,
    EndUndone,
    Event,
    FellBehind,
    HandEnded,
    HandRuled,
    HandUnfinished,
    JournalBehind,
    MatchEnded,
    Persist,
    PublishingDue,
    RefereeBlamed,
    RematchAgreed,
    RoundClosed,
    SeatBlamed,
    SeatSuspected,
    Send,
    SessionStopped,
    TurnOpened,
    Waiting,
)
from protocol.table.sync import QUESTION_BYTES
from protocol.topics.commands import Ask, Command, Confirm, Say, VoteContinuation
from protocol.topics.step import SessionStatus
from protocol.wire.charter import Charter
from protocol.wire.identity import SigningKey

# --- what a driver asks of its session, each in a worker thread, until the table has ended --------
#
# Time passes every second, and at once when the connection is there again.

#: Calls a door of the session, at a time of the monotonic clock.
SessionCall = Callable[[Session, float], list[Event]]


def take_all(session: Session, now: float, *, payloads: list[bytes]) -> list[Event]:
    """Give the session the envelopes in `payloads`, in the order of their arrival, and return
    the events; `now` is in seconds of the seat's clock.
    """
    # One call for a batch: a worker thread is entered once.
    return [event for each in payloads for event in session.receive(each, now=now)]


def time_passes(session: Session, now: float) -> list[Event]:
    """Let the session do whatever is due at the time `now`, and return the events."""
    return session.tick(now=now)


def act(session: Session, now: float, *, choice: Any) -> list[Event]:
    """Let the session carry out the player's choice, an action or a command, and return the
    events; `now` is in seconds of the seat's clock. Raises RulesError or LocalError if it is
    refused.
    """
    return session.act(choice, now=now)


class AfterMatch:
    """How the last hand of one table ended, and what all seats agreed to do after that."""

    def __init__(self, goal: Goal) -> None:
        """Begin with what was asked for; nothing is agreed yet."""
        #: How much is played here: what was asked for, and what was agreed to since.
        self.goal = goal
        #: Whether all agree to go on without somebody; whether the charter of it is there.
        self.agreed, self.moved = asyncio.Event(), asyncio.Event()
        #: The charter of the table at which the match goes on, once it is there.
        self.next_charter: Charter | None = None
        #: The events with which the last hand ended, and the match with it.
        self.endings: tuple[Event, ...] = ()

    def begin(self, session: Session) -> None:
        """Take over from the session what all had agreed to before a restart."""
        # What was agreed to before a restart is in the journal.
        self._agree_to(session.matches_agreed)
        if session.going_on() is not None:
            self.agreed.set()

    def _agree_to(self, matches: int) -> None:
        """Raise the wanted number of matches to `matches`; it is never lowered, and no limit
        stays none.
        """
        if self.goal.matches is not None:
            # Never less: the player asked for so many matches.
            self.goal = self.goal._replace(matches=max(self.goal.matches, matches))

    def hear(self, event: Event, session: Session) -> None:
        """Note how a hand or match ended, that all agreed to another match at the same seating or
        to go on at another table, and that the charter of that table is there.
        """
        match event:
            # EndUndone: an end that was told did not come about.
            case HandEnded() | HandUnfinished() | EndUndone():
                self.endings = (event,)
            case HandRuled():
                self.endings = ()  # what is left of the hand is told next
            case MatchEnded():
                self.endings += (event,)
            # Seating 0 is the table as it sits; another seating is another table.
            case RematchAgreed(0):
                self._agree_to(session.matches_over + 1)
            case ContinuationAgreed():
                self.agreed.set()
            case ContinuationReady(charter):
                self.next_charter = charter
                self.moved.set()
            case _:
                pass

    def no_more_here(self, session: Session) -> bool:
        """Return whether nothing more is played at this table: the goal is reached, the table is
        closed, or its hand was ended unfinished and the match does not go on elsewhere.
        """
        # By what the session remembers, so that a restart finds the same.
        ended = session.status is SessionStatus.UNFINISHED
        # An agreed end that leads on to another table still needs this one.
        ended = session.table_state.closed or (ended and session.going_on() is None)
        return self.goal.reached(session) or ended

    def may_go_on(self, session: Session | None) -> bool:
        """Return whether a match is over at this table and another may follow; False without a
        session, or once the table is closed.
        """
        if session is None or session.table_state.closed:
            return False
        return session.table_state.match_over is not None


async def _nothing() -> None:
    """Do nothing: nobody waits for this moment."""
    return


class SeatDriver:
    """A seat of ours at one table. `run` returns when the wanted hands are played."""

    def __init__(
        self,
        *,
        journal: SeatJournal,
        around: Surroundings,
        setup: Setup,
        key: SigningKey,
        transport: Transport,
        player: SeatPlayer,
        options: PlayOptions,
        own: OwnPresence | None = None,
    ) -> None:
        """Set up a driver; it does nothing before `run`.

        After the hands that `options` ask for, it answers others for as long as they say, and for
        STAYS_FOR seconds more while a seat may lack the end of the last hand. The journal is locked
        by us and holds the `setup`, and the transport is open; their opener closes them. `own`
        announces our presence.
        """
        self.session: Session | None = None
        self._journal = journal
        self.setup = setup  #: Of our seat; another one once it meets at another broker.
        self._key = key
        self._transport = transport
        self._player = player
        self.around = around
        self.options = options
        #: Who has claimed a seat so far, before there is a charter.
        self.sitting: dict[int, str] = {}
        #: Awaited once, when all have claimed their seats and before the player sees the table.
        self.gathered: Callable[[], Awaitable[None]] = _nothing
        self.after_match = AfterMatch(options.goal)
        self._agreed = False  #: Whether our player agreed to the charter, here or before a restart.
        self._line = SealedLine(setup.invite, transport, around.clock)
        # Lambdas, here and in `run` and `_play`: the player may be replaced while the driver runs.
        self._presences = Presences(
            own, self._line, lambda *seen: self._player.presence(*seen), around.clock
        )
        #: Wakes the clock of the seat before its time.
        self._wake = asyncio.Event()
        #: Whether the connection is there again, and nobody was asked yet what we missed.
        self._rejoined = False
        # Session, journal and sending share one lock: a message is on the disk before it is sent,
        # in order.
        self._lock = asyncio.Lock()
        self._turns = Turns(self._lock)
        #: The decision that the session told to be due, until it is made.
        self._due: TurnOpened | ConfirmationDue | None = None
        #: Set while nothing more is played here, or the run has failed; another match clears it.
        self._over = asyncio.Event()
        #: Set once nothing more is carried out: after an error, or at the next table's start.
        self._failed = asyncio.Event()
        #: Answers lobby messages; None before there is a charter.
        self._responder: LobbyResponder | None = None
        #: The first error that ended the run, raised when it ends.
        self._failure: Exception | None = None
        #: Our seat at the table at which the match goes on.
        self.following: SeatDriver | None = None
        # Last: the player may give a command at once.
        player.bind(self.do)

    @property
    def last(self) -> SeatDriver:
        """The driver of our seat at the newest table of the match; this one, unless the match
        went on.
        """
        return self if self.following is None else self.following.last

    @property
    def next_table(self) -> tuple[Charter, bytes, int] | None:
        """What the charter of the next table is made from: this charter, the head of the last
        hand and the new seating; None unless all have agreed to another match in other seats.
        """
        return None if self.session is None else self.session.next_table()

    async def run(self) -> None:
        """Sit down, play, and return after the last hand and the time of answering others; in any
        case send that we leave.

        Raises UserError if it cannot go on, SeatLeft if the player leaves first.
        """
        said = self._presences.run()
        try:
            # `first` ends the others; with the lock, so that none is cut off between disk and
            # network.
            await first(self._sit(), self._leave(), self._watch_link(), said, lock=self._lock)
        finally:
            # Also after an error: without a goodbye the broker's last will would say we were lost.
            await self._presences.goodbye(done=self._over.is_set() and self._failure is None)

    async def _leave(self) -> NoReturn:
        """Raise SeatLeft once the player leaves."""
        await self._player.leaving()
        raise SeatLeft("You left the table; nothing is lost: 'p2p304 resume' goes on.")

    async def _sit(self) -> None:
        """Get the charter, from the journal or by claiming our seat, and play under it."""
        # Journal before network: what was signed before a restart decides how to go on.
        records = await self._journal.records()
        charter, confirmed = await self.around.work(charter_in, records)
        early: list[bytes] = []
        # A journal that may be an older copy asks the others what we had signed (specs 7.5).
        returning = charter is not None or not self._journal.fresh  # or of before the charter
        if charter is None:
            charter, early = await sit_down(
                self.setup,
                self._key,
                self._line,
                tell=self._lobby,
                keep=lambda charter: self._journal.append(JournalKind.CHARTER, charter.to_bytes()),
                work=self.around.work,
            )
            await self.gathered()
        # From here on frames that the seats signed go first.
        self._line.begin(charter)
        self._presences.begin(charter, self.setup.seat)
        self._responder = LobbyResponder(
            self.setup, charter, self._line, self.around, self._presences.hear
        )
        await self._play(charter, early, returning=returning, confirmed=confirmed)

    async def _lobby(self, names: dict[int, str], seats: int) -> None:
        """Keep the names of the seats claimed so far, and show the player these and the number
        of all `seats`.
        """
        # A copy: the caller's goes on changing.
        self.sitting = dict(names)
        await self._player.lobby(names, seats)

    # --- the game ---------------------------------------------------------------------------------

    async def _play(
        self, charter: Charter, early: list[bytes], *, returning: bool, confirmed: bool
    ) -> None:
        """Make the session, or resume it from the journal if `returning`, and run it until the
        table is over and this seat has lingered; note in the journal if the end is final. Raises
        the error that ended the run, if one did.

        The session gets the messages that came `early` first. The player is not asked about a
        charter that is `confirmed`.
        """
        feels = self._player.feels_delay
        # Reading a long journal takes seconds: a person is shown how far it has come.
        records = await self._journal.records(shown=feels) if returning else None
        self.session = session = await self.around.work(
            session_of,
            charter,
            self.setup,
            self._key,
            records=records,
            # A bot feels no delay, so proofs for the next deck are made at once.
            patience=NEXT_DECK_AFTER if feels else 0.0,
            vouched=self.options.vouched,
        )
        # Files that a crash prevented; a later file than the journal shows an older copy of it.
        behind = await self.around.work(self.around.hands.save_missing, session)
        await self._player.begin(lambda: session.snapshot)
        if behind:
            await self._player.tell(JournalBehind(self.setup.seat), session.snapshot)
        self.after_match.begin(session)
        # A conviction is repeated: the table stays stopped after a restart.
        blame = session.blamed_rulings()
        if blame is not None:  # told before a restart, perhaps
            await self._carry_out([blame], session)
        self._see_whether_over(session)
        works = (
            self._receive(),
            self._tick(),
            self._agree(charter, early, confirmed=confirmed),
            self._turns.play(
                lambda: session.snapshot,
                # Lambdas: `leave_player` puts another player here.
                lambda seen: self._player.decide(seen),
                partial(self._choose, session),
                lambda why: self._player.refused(why),
            ),
        )
        try:
            # `over` alone ends them: `_ending_with` keeps a work's error, and sets the events for
            # which `over` waits.
            over = self._until_over(session)
            await first(over, *map(self._ending_with, works), lock=self._lock)
            if self._failure is not None:
                # Raised here, after `first` has ended the tasks: the first error is kept.
                raise self._failure
            if session.status is SessionStatus.UNFINISHED:
                await self._note(JournalKind.UNFINISHED)
            elif session.table_state.closed or self.after_match.goal.matches_over(session):
                await self._note(JournalKind.ENDED)  # else 'resume' goes on
        finally:
            # The file of an open hand shows what is owed, if somebody never comes back.
            if not self._over.is_set():
                # At once: we may be cancelled.
                self.around.hands.save_open(session)

    async def _until_over(self, session: Session) -> None:
        """Wait until the table is over and this seat may leave; never return if the match goes on
        at another table, whose driver ends this run.

        The seat stays for `linger` seconds after the end, and up to `STAYS_FOR` seconds longer
        while a seat may lack the last hand, which it asks the others about every second; it tells
        the player, once, for whom it stays longer. It stays as long as our player may want another
        match. Returns at once after a failure; waits for the end again when another match begins.
        """
        loop, linger = asyncio.get_running_loop(), self.options.linger
        while True:
            await self._over.wait()
            # Lingering begins anew whenever the table is over again: a match may follow a match.
            began, told = loop.time(), False
            while self._over.is_set() and not self._failed.is_set():
                # Looked at in each turn: seats tell what they have as they answer.
                now, stays = loop.time(), self._stays()
                lacking = session.snapshot.seats_without_end()
                if stays:  # a late agreement may be lacking, too: STAYS_FOR counts from now on
                    began = max(began, now - linger)
                stayed = now - began - linger
                # A seat that never says it has the end must not hold us for ever.
                if not stays and stayed >= (STAYS_FOR if lacking else 0.0):
                    break
                if lacking and stayed >= 0.0 and not told:
                    # By the seat's clock, as in every event; the rest is counted by the loop's.
                    waiting = Waiting(lacking, self.around.clock())
                    await self._player.tell(waiting, session.snapshot)
                    told = True
                if lacking:
                    await self._ask()
                # No longer than lingering has left, so that the end is exact.
                pause = ASKING if lacking or stayed >= 0.0 else min(ASKING, -stayed)
                await happens(self._failed, within=pause)
            if self._over.is_set():
                break
        # The next table's driver ends us; until then we answer seats that do not know of it.
        if self.after_match.moved.is_set() and self._failure is None:
            await never()

    async def _ending_with(self, work: Coroutine[Any, Any, None]) -> NoReturn:
        """Await `work`, and never return. If it fails, its error ends the run, and nothing more
        is carried out.
        """
        try:
            await work
        except Exception as error:  # noqa: BLE001 - `_play` raises it
            self._end_with(error)
        # Never returns: `first` must not take an ended task for the end of the run.
        await never()

    def _see_whether_over(self, session: Session) -> None:
        """Set the event `_over` if nothing more is played at this table, also by what happened
        before a restart; else clear it, unless a failure ended the seat.
        """
        if self.after_match.no_more_here(session):
            self._over.set()
        elif self._failure is None:
            # Another match was agreed to while we lingered.
            self._over.clear()

    async def _agree(self, charter: Charter, early: list[bytes], *, confirmed: bool) -> None:
        """Feed messages that came early to the session, and ask the player to agree to the
        charter, unless it is `confirmed` or the table is over; then let the session go on.
        Raises UserError if the player does not agree.
        """
        # First what came early: the confirmations of others may be among it.
        await self._call(partial(take_all, payloads=early))
        # Asked once in a table's life: a restart reads it from the journal.
        if not confirmed and not self._over.is_set():
            unnamed = tuple(key for key in charter.referees if key not in self.options.trusted)
            if not await self._player.confirm(charter, unnamed):
                raise UserError("You did not agree to the charter, so that nothing was played.")
            # On the disk before it is signed.
            await self._note(JournalKind.CONFIRMED)
            confirmed = True
        if confirmed:  # who goes on from here under the same referees is not asked again
            self.options = replace(self.options, trusted=self.options.trusted | {*charter.referees})
        # The call below makes the confirmation that is due, as `_call` does from now on.
        self._agreed = True
        await self._call(time_passes)

    async def _watch_link(self) -> NoReturn:
        """Follow the state of the connection for ever: show the player each change, note for the
        presences whether we are connected, and wake the seat's clock whenever we are.
        """
        async for status in self._transport.statuses():
            await self._player.link(status)
            before, now = self._presences.connected, status.state is LinkState.CONNECTED
            self._presences.connected = now
            if now:
                # Kept until the question is asked: the link may drop and come back before `_tick`
                # wakes.
                self._rejoined = self._rejoined or not before
                # The session may owe what could not be sent while the link was down.
                self._wake.set()
        # The transport has closed: the receiver tells of it, this task only stays.
        await never()

    async def _tick(self) -> None:
        """Give the session the time at least every SEAT_TICK seconds, for ever, and ask the others
        for news after each reconnection.
        """
        while True:
            await happens(self._wake, within=SEAT_TICK)
            # Cleared before the calls: what happens during them wakes the next turn.
            self._wake.clear()
            if self._rejoined:  # what was said meanwhile need not wait until somebody misses us
                self._rejoined = False
                await self._ask()
            await self._call(time_passes)

    async def _ask(self) -> None:
        """Send our heads with a question, which every other seat answers with its heads (specs
        7.6).
        """
        # Random, so that an answer cannot be sent from before the question (specs 7.6).
        await self._call(partial(act, choice=Ask(secrets.token_bytes(QUESTION_BYTES))))

    async def _receive(self) -> None:
        """Give received envelopes to the session; raise UserError once the connection is closed."""
        async for payloads in self._line.batches(self._hear_lobby):
            await self._call(partial(take_all, payloads=payloads))
        raise UserError("The connection was closed: 'p2p304 resume' goes on.")

    async def _hear_lobby(self, payload: bytes) -> None:
        """Give a lobby message to the responder; before there is a charter drop it."""
        if self._responder is not None:
            await self._responder.hear(payload, self.session)

    async def _call(self, work: SessionCall) -> None:
        """Call the session once in a worker thread, and carry out the events; confirm a further
        match if one is due.
        """
        session = self.session
        # Called once the session is made (see `_play`).
        assert session is not None
        # The session is not safe in two threads: one call at a time.
        async with self._lock:
            await self._call_locked(work, session)
            agreed = self._agreed and not self._over.is_set()
            # Our player agreed to the charter before: a later match of it needs no second question.
            if agreed and isinstance(self._due, ConfirmationDue):
                self._due = None
                await self._call_locked(partial(act, choice=Confirm()), session)

    async def _call_locked(
        self, work: SessionCall, session: Session, made: Callable[[], Awaitable[None]] = _nothing
    ) -> None:
        """Call the session, whose lock is held, and carry out the events; messages are sent once
        `made` returns. If an event says that messages are owed, let the player be shown the events
        first, and then let the session make those messages, which take no decision. At last open
        the player's turn if a decision is due, else withdraw it.
        """
        # The same time for both calls: the time of the disk is no pause of the table.
        now = self.around.clock()
        events = await self.around.work(work, session, now)
        # Bots hold back what they made until the moment of their answer.
        await self._carry_out(events, session, made)
        # The player sees the events before the thread is busy with proofs.
        if any(isinstance(event, PublishingDue) for event in events):
            await self._player.shown()
            due = await self.around.work(time_passes, session, now)
            await self._carry_out(due, session, made)
        if session.status is not SessionStatus.PLAYING:
            # The session halts or agrees to an end: a choice made now would be refused.
            self._due = None  # told again if we go on
        turn = self._due if isinstance(self._due, TurnOpened) else None
        self._turns.show(None if self._over.is_set() else turn)

    async def _carry_out(
        self,
        events: list[Event],
        session: Session,
        made: Callable[[], Awaitable[None]] = _nothing,
    ) -> None:
        """Carry out events: first on the disk, then on the network, last for the player. `made` is
        awaited before the network.

        Does nothing once the run has failed or moved to the next table. Raises StoreError, and ends
        the run, if the disk fails.
        """
        # After a failed write the session knows what the disk does not: sending now could publish
        # what a restart does not know (specs 7.5).
        if self._failed.is_set():
            return
        # Append all records at once, with one sync of the disk.
        records = [each.record for each in events if isinstance(each, Persist)]
        try:
            if records:
                await self._journal.append(JournalKind.MESSAGE, *records)
        # The disk is full or gone: nothing more is signed.
        except StoreError as error:
            self._end_with(error)
            raise
        note(events, session)
        # After the disk and before the network: a crash while a bot waits loses nothing.
        await made()
        # In the order of the events: others read them so.
        for sent in (each for each in events if isinstance(each, Send)):
            await self._line.say(sent.envelope, session.game)
        told = [each for each in events if not isinstance(each, Persist | Send | PublishingDue)]
        for event in told:
            self.after_match.hear(event, session)
            match event:
                case TurnOpened() | ConfirmationDue():
                    self._due = event
                case FellBehind(_, heads):
                    # The session forgets settled hands; their files still have them.
                    hands, table = self.around.hands, session.charter.table
                    for raw in await self.around.work(hands.older, table, heads):
                        await self._line.say(raw, session.game)
                case SeatBlamed() | RefereeBlamed() as blame:
                    # While we linger, what convicts is sent again to those who missed it.
                    why = await self.around.work(self.around.hands.why_stopped, session, blame)
                    # Not at once: the others need the evidence, so we go on answering.
                    self._end_with(TableStopped(why), at_once=False)
                case SessionStopped(reason):
                    # Our own key signs elsewhere: silence at once, or we would convict ourselves
                    # (specs 7.5).
                    self._end_with(TableStopped(plays_elsewhere(reason)))
                case HandEnded() | HandRuled() | HandUnfinished() | EndUndone() | Waiting():
                    if isinstance(event, HandRuled):
                        self._due = None  # what was due of that hand never will be
                    await self.around.work(self.around.hands.keep, event, session)
                case RematchAgreed():
                    self._due = None  # the session has confirmed what all want
                    # A table that the journal called ended is played at again: the latest counts.
                    # Not by `_note`, which would wait for the lock that we hold.
                    await self._journal.append(JournalKind.CONFIRMED, b"")
                    self._see_whether_over(session)
            await self._player.tell(event, session.snapshot)
            # After the player has been told: the end is shown before the driver may return.
            if isinstance(event, HandEnded | HandRuled | HandUnfinished | MatchEnded | EndUndone):
                self._see_whether_over(session)

    def _stays(self) -> bool:
        """Return whether our player may want another match, or wants one that others have not
        agreed to yet.
        """
        over = self.after_match.may_go_on(self.session)
        return over and self._failure is None and self._player.considers()

    async def _note(self, kind: JournalKind) -> None:
        """Append a record without content to the journal."""
        async with self._lock:  # no other record is being written then
            await self._journal.append(kind, b"")

    def _end_with(self, error: Exception, *, at_once: bool = True) -> None:
        """Note the error that ends the run, at once or after lingering; an error noted before
        stays.
        """
        # The first failure is the cause; later ones follow from it.
        self._failure = self._failure or error
        self._over.set()
        if at_once:
            self._failed.set()

    async def _choose(self, session: Session, choice: Any) -> str:
        """Carry out the player's choice; return the reason if it is refused, else ""."""
        # Taken out before the call: a choice is carried out once.
        due, self._due = self._due, None  # what comes of it may open another turn
        try:
            await self._call_locked(partial(act, choice=choice), session, self._player.made)
        except (RulesError, LocalError) as error:
            # Put back: the player is asked again.
            self._due = due
            return str(error)
        return ""

    def go_on_under(self, charter: Charter) -> None:
        """Go on at the next table under this charter, and sign nothing more at this one."""
        self.after_match.next_charter = charter
        self.after_match.moved.set()
        # `failed` without an error: nothing more is signed here.
        self._failed.set()

    async def keep(self, setup: Setup) -> None:
        """Write this setup to the journal, and use it from now on, also after a restart: another
        broker.
        """
        async with self._lock:  # no other record is being written then
            await self._journal.append(JournalKind.SETUP, setup.to_bytes())
            self.setup = setup

    async def leave_player(self) -> None:
        """Give this table a bot that decides nothing, as the player goes to the next table, and
        note in the journal that the last hand here is unfinished; go on answering other seats.
        """
        # A bot without commands: it decides nothing where nothing more is played.
        # Any seed: a bot that decides nothing searches nothing.
        self._player = BotSeat(0)
        await self._note(JournalKind.UNFINISHED)

    # --- what the player may do at any time, its turn or not --------------------------------------

    async def do(self, wanted: PlayerCommand) -> None:
        """Carry out a command of the player; if the session refuses it, tell the player why.

        Chat is dropped before there is a table, and whenever the session is not playing; any other
        command needs a table.
        """
        session = self.session
        # Words said in the lobby or after a stop have no ledger to go to.
        playing = session is not None and session.status is SessionStatus.PLAYING
        if isinstance(wanted, Say) and not playing:
            return
        # The player commands only at a table.
        assert session is not None
        try:
            command: Command
            if isinstance(wanted, GoOn | AnswerGoingOn):
                command = VoteContinuation(word_of(session.snapshot, wanted, secrets.token_bytes))
            else:
                command = wanted
            await self._command(command, session)
        # What the player saw has changed on the way: told, not raised.
        except LocalError as error:
            await self._player.refused(str(error))

    async def tell_charter(self, charter: Charter) -> None:
        """Send the charter that we made, as the founder of the next table, to the seats that go
        on with us. All must have agreed to go on.
        """
        session = self.session
        found = None if session is None else session.going_on()
        # Only called at a table, once all have agreed to go on.
        assert session is not None
        assert found is not None
        # Our vote: all have agreed to its other fields.
        told = replace(found[0], charter=charter.to_bytes())
        await self._command(VoteContinuation(told), session)

    async def _command(self, command: Command, session: Session) -> None:
        """Give a player's command to the session, and carry out the events. Raises RulesError or
        LocalError if the session refuses it.
        """
        async with self._lock:
            await self._call_locked(partial(act, choice=command), session)


def session_of(
    charter: Charter,
    setup: Setup,
    key: SigningKey,
    *,
    records: Iterable[tuple[int, bytes]] | None,
    patience: float,
    vouched: frozenset[Seat],
) -> Session:
    """Return our session at the table of a charter; every message among `records` is verified.

    `records` is None for a new table. An empty journal is read like any other, because it may be an
    older copy. `patience` are the seconds without a move before work on the next deck; `vouched`
    see `Session.resume`.
    """
    session = Session(
        charter=charter,
        game=game_of(charter),
        seat=setup.seat,
        key=key,
        secrets=Secrets(setup.seed),
        patience=patience,
    )
    # A new table: nothing to verify, and nobody has to answer a claim.
    if records is None:
        return session
    # Other kinds of records are the driver's own.
    messages = (payload for kind, payload in records if kind == JournalKind.MESSAGE)
    return session.resume(messages, entropy=secrets.token_bytes, vouched=vouched)


# --- what the log says of a session: kinds of events and their places, no content -----------------

_log = logging.getLogger(__name__)


def note(events: Iterable[Event], session: SeatView) -> None:
    """Write a line to the log: how many events of each kind there are, and the session's status;
    no content. Nothing if the log does not take it.
    """
    # Looked at first: counting events costs time at each call.
    if not _log.isEnabledFor(logging.INFO):
        return
    # Kinds and counts alone: a log must hold no card, key or word.
    told = Counter(_told_words(event) for event in events if not isinstance(event, Persist))
    if told:
        said = ", ".join(f"{number} x {each}" for each, number in told.items())
        where = f"{session.status.value}, {session.phase.name}"
        _log.info("seat %d, %s: %s", session.seat, where, said)


def _told_words(event: Event) -> str:
    """Return the log's words for an event: its kind, and for some kinds the seats, the round,
    the failed check or the reason.
    """
    kind = type(event).__name__
    match event:
        case RoundClosed(ledger, number):
            return f"{kind} {ledger.lane.name} {ledger.number} {number}"
        case Waiting(seats):
            return f"{kind} for {[*seats]}"
        case SeatBlamed(seat, check):
            return f"{kind} {seat} {check}"
        case SeatSuspected(seat, reason):
            return f"{kind} {seat} {reason}"
        case SessionStopped(reason):
            return f"{kind} {reason}"
        case _:
            return kind


# Our player's turns: it is asked while a decision is due, and what it answers late is dropped.

SeenT = TypeVar("SeenT")


class Turns:
    """The decision that is due from our player, which may be withdrawn or replaced."""

    def __init__(self, lock: asyncio.Lock) -> None:
        """Begin without a due decision. Changes are made under the `lock`."""
        self._due: TurnOpened | None = None
        # A condition on the driver's lock: a turn shown is seen under the same lock.
        self._shown = asyncio.Condition(lock)

    def show(self, due: TurnOpened | None) -> None:
        """Set the decision that is due, or None; call it with the lock held."""
        self._due = due
        self._shown.notify_all()

    async def play(
        self,
        look: Callable[[], SeenT],
        ask: Callable[[SeenT], Awaitable[Any]],
        make: Callable[[Any], Awaitable[str]],
        refused: Callable[[str], Awaitable[None]],
    ) -> NoReturn:
        """Ask our player whenever a decision is due, for ever.

        Args:
            look: returns what the player may know; called with the lock held once the decision is
                due, because later the session may have moved on.
            ask: asks the player with that view, and returns the choice; it is cancelled once that
                decision is not due.
            make: carries out a choice with the lock held, and returns why it is refused, or "". It
                calls `show` for the next decision.
            refused: is called with that reason; then the player is asked again.
        """
        while True:
            async with self._shown:
                await self._shown.wait_for(lambda: self._due is not None)
                # Looked at under the lock: session and decision belong together.
                due, seen = self._due, look()
            # Whichever is first: the answer, or the end of its question.
            chosen = await first(_one(ask(seen)), self._other_than(due))
            if chosen is None:
                continue
            async with self._shown:
                # Somebody else may have held the lock, and withdrawn it, when the answer came.
                why = await make(chosen[0]) if self._due is due else ""
            if why:
                await refused(why)

    async def _other_than(self, due: TurnOpened | None) -> None:
        """Return once `due` is withdrawn or replaced by another decision."""
        async with self._shown:
            await self._shown.wait_for(lambda: self._due is not due)


async def _one(answer: Awaitable[Any]) -> tuple[Any] | None:
    """Return an answer in a tuple, which tells it from no answer."""
    # In a tuple, because None may be a choice.
    return (await answer,)
