"""The state of a seat's session, one call of a session as a value, and what a topic does in it.

The value holds whose seat it is, the time, the state and the events so far. Functions from one step
to the next do everything in a call; one that raises has changed nothing. Sessions and watchers pass
messages and commands to the topic that has them, and ask all topics what follows, without naming
any: `protocol.topics.listed` is the one place that does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeVar

from p2p304.game import AnyGame
from p2p304.seats import Seat
from p2p304.view import Knowledge
from protocol.bounds import BURST, PERIOD, REMEMBERED_NOTICES
from protocol.cards.secrets import Secrets
from protocol.errors import LocalError, PeerFault
from protocol.places import Lane, LedgerName
from protocol.table.events import Event, Persist, Send, Waiting
from protocol.table.replica import AnyReplica
from protocol.table.sync import Gossip
from protocol.table.table import TableState
from protocol.topics.commands import Command
from protocol.wire.charter import Charter
from protocol.wire.contents import Heads, NoticeContent, Ruling
from protocol.wire.identity import Purpose, SigningKey, sign
from protocol.wire.messages import (
    Agreement,
    Notice,
    SignedMessage,
    SignedNotice,
    SignedRuling,
)


@dataclass(frozen=True, slots=True)
class OwnSeat:
    """The constants of our seat: charter, seat, key, secrets and patience."""

    charter: Charter
    seat: Seat
    key: SigningKey
    secrets: Secrets
    #: For how many seconds the table must have been quiet before we work on a deck that nobody
    #: waits for yet.
    patience: float = 0.0


class SessionStatus(Enum):
    """Whether the session goes on, and if not, why."""

    PLAYING = "playing"
    RETURNING = "catching up after a restart"
    AGREEING = "agreed to end the hand unfinished, if the others do"
    UNFINISHED = "ended unfinished"
    HALTED = "stopped"


class StatusEvent(Enum):
    """The events that change a status."""

    RESTARTED = "rebuilt from a journal"
    CAUGHT_UP = "every peer has told what it has of ours"
    AGREED = "our agreement to end the hand"
    WENT_ON = "the hand is over, or goes on, that was to end unfinished"
    WENT_ON_BEHIND = "the same, before every peer has told what it has of ours"
    ALL_AGREED = "the agreement of all who are present"
    RULED = "a referee's word that the hand ends"
    FAULT = "a fault that stops the table"


_ACTIVE: Final = (SessionStatus.PLAYING, SessionStatus.RETURNING, SessionStatus.AGREEING)
#: In these we sign no more, and hear whether others do.
WAITS: Final = (SessionStatus.AGREEING, SessionStatus.UNFINISHED)
_NOT_HALTED: Final = (*_ACTIVE, SessionStatus.UNFINISHED)

#: In which statuses each event can happen, and to which it leads. Nothing else does.
CHANGES: Final[Mapping[StatusEvent, tuple[tuple[SessionStatus, ...], SessionStatus]]] = {
    StatusEvent.RESTARTED: ((SessionStatus.PLAYING,), SessionStatus.RETURNING),
    StatusEvent.CAUGHT_UP: ((SessionStatus.RETURNING,), SessionStatus.PLAYING),
    # While AGREEING once more, when the hand has moved.
    StatusEvent.AGREED: (_ACTIVE, SessionStatus.AGREEING),
    # UNFINISHED: a seat that agreed went on all the same, and the agreement is void (specs 5.6, no.
    # 2).
    StatusEvent.WENT_ON: (WAITS, SessionStatus.PLAYING),
    StatusEvent.WENT_ON_BEHIND: (WAITS, SessionStatus.RETURNING),
    # While PLAYING without us.
    StatusEvent.ALL_AGREED: (_ACTIVE, SessionStatus.UNFINISHED),
    # UNFINISHED: the ruling counts, and the agreement has no effect any more (specs 5.8, no. 2).
    StatusEvent.RULED: (_NOT_HALTED, SessionStatus.UNFINISHED),
    StatusEvent.FAULT: (_NOT_HALTED, SessionStatus.HALTED),
}


def next_status(status: SessionStatus, cause: StatusEvent) -> SessionStatus:
    """Return the status after an event; raises LocalError if the event cannot happen in this
    status.
    """
    before, after = CHANGES[cause]
    if status not in before:
        raise LocalError(f"a seat cannot be {status.value} and then {cause.value}")
    return after


@dataclass(frozen=True, slots=True)
class NoticesHeard:
    """The latest notices that ask something of our player: the last REMEMBERED_NOTICES of all
    seats, and each seat's times. Immutable and bounded.
    """

    heard: tuple[bytes, ...] = ()
    times: Mapping[Seat, tuple[float, ...]] = field(default_factory=dict)

    def after(self, seat: Seat, notice: bytes, now: float) -> NoticesHeard | None:
        """Return the state with the envelope `notice` of `seat`, heard at the time `now` (seconds).

        None if it was heard before, or if the seat has sent BURST of them in the last PERIOD
        seconds.
        """
        # A broker may repeat it: the player is asked once.
        if notice in self.heard:
            return None
        recent = tuple(each for each in self.times.get(seat, ()) if now - each < PERIOD)
        # A player is not flooded with questions (CH24, CH31).
        if len(recent) >= BURST:
            return None
        heard = (*self.heard, notice)[-REMEMBERED_NOTICES:]
        return replace(self, heard=heard, times={**self.times, seat: (*recent, now)})


# A named tuple, since every message replaces it: a dataclass takes several times as long.
class SessionState(NamedTuple):
    """Everything in a session that changes."""

    table_state: TableState
    status: SessionStatus
    gossip: Gossip
    knowledge: Mapping[int, Knowledge]  #: What our seat knows of each hand that is kept.
    confirmed: int = 0  #: How many setups of matches our player has confirmed.
    #: When a message was last accepted, by the caller's clock; None after a restart.
    moved_at: float | None = None
    #: Ledger and round of our last decision that was told to be due, so that each is told once.
    turn_told: tuple[LedgerName, int] | None = None
    wait_told: Waiting | None = None  #: The last Waiting that was told, until nobody is waited for.
    #: Seats whose open claims a ClaimsOpen has told after a restart.
    claims_told: frozenset[Seat] = frozenset()
    #: Whether a JournalBehind was told: we have signed what our journal does not hold.
    behind_told: bool = False
    serial: int = 0  #: That of our next notice.
    #: What peers asked of our player lately: more than a few in a while are not heard.
    proposals: NoticesHeard = NoticesHeard()
    #: What was said of each topic, by its name; nothing of one that nobody has spoken of.
    topic_states: Mapping[str, Any] = MappingProxyType({})
    #: Envelopes that the others must see although we have stopped: sent again at intervals.
    repeating: tuple[bytes, ...] = ()


def awaited_others(own: OwnSeat, state: SessionState) -> frozenset[Seat]:
    """Return the other seats whose messages the session needs to go on.

    While RETURNING after a restart these are the seats that have not answered; once all have, those
    with open claims that our player does not disregard. In any other status they are the missing
    contributors of the ledger that play waits for (`awaited_replica`).
    """
    if state.status is SessionStatus.RETURNING:
        seats = {Seat(seat) for seat in range(len(own.charter.seats))} - {*state.gossip.answers}
        # All have answered: only now an open claim holds us.
        if seats <= {own.seat}:
            claims = state.gossip.open_claims(state.table_state, own.seat)
            seats = {claim.seat for claim in claims} - state.gossip.vouched
    else:
        seats = {*awaited_replica(state.table_state).ledger.missing}
    return frozenset(seats - {own.seat})


def awaited_replica(table_state: TableState) -> AnyReplica:
    """Return the ledger that play waits for: a hand, else the setup of a match, else a deck, each
    the oldest that is not settled.

    If no other match begins here, the last setup, which is settled.
    """
    # Nothing is awaited any more, and callers need a ledger to look at.
    if table_state.closed:
        setup = table_state.match_setup()
        assert setup is not None  # without which no table closes
        return setup
    first: dict[Lane, AnyReplica] = {}
    for each in table_state.unsettled_replicas:
        # The lowest number of each lane: they are sorted by name.
        first.setdefault(each.origin.ledger.lane, each)
    # The next deck may be open beside a hand, and nobody waits for it then.
    # One of them is always open at a table that is not closed, so that `next` finds it.
    return next(first[lane] for lane in (Lane.HAND, Lane.TABLE, Lane.DECK) if lane in first)


# A named tuple, since every message replaces it: a dataclass takes several times as long.
class SessionStep(NamedTuple):
    """One call of a session as far as it has come: the new state, and the events so far. Immutable.
    `now` is in seconds of the caller's monotonic clock.

    `fault` is that of a wrong message that was held until now: the step stands, and nothing follows
    it.
    """

    own: OwnSeat
    now: float
    state: SessionState
    events: tuple[Event, ...] = ()
    fault: PeerFault | None = None

    def with_events(self, *events: Event) -> SessionStep:
        """Return the step with these events after those that it has."""
        return self._replace(events=self.events + events)

    def after(self, cause: StatusEvent) -> SessionStep:
        """Return the step with the status that follows from `cause`; raises LocalError if
        `cause` cannot happen in this status.
        """
        status = next_status(self.state.status, cause)
        return self._replace(state=self.state._replace(status=status))


SentT = TypeVar("SentT", bound=NoticeContent)


def send_notice(step: SessionStep, content: SentT) -> tuple[SessionStep, SignedNotice[SentT]]:
    """Sign a notice under our next serial and send it, after persisting it unless it is Heads;
    return the step and the notice.
    """
    step, notice = signed_notice(step, content)
    # Before it is sent: a crash must not make one serial serve for two notices (specs 7.8, no. 1).
    # Heads are not kept: a serial that is used twice does not matter for them.
    if not isinstance(content, Heads):
        step = step.with_events(Persist(notice.raw))
    return step.with_events(Send(notice.raw)), notice


def signed_notice(step: SessionStep, content: SentT) -> tuple[SessionStep, SignedNotice[SentT]]:
    """Sign a notice under our next serial, neither persisted nor sent; return the step, whose
    serial has risen, and the notice.
    """
    own, charter, serial = step.own, step.own.charter, step.state.serial
    body = Notice(charter.tag, own.seat, serial, content).to_bytes()
    envelope = sign(own.key, body, purpose=Purpose.NOTICE, seat=own.seat, charter=charter.digest)
    notice = SignedNotice(charter.tag, own.seat, serial, content, envelope.to_bytes())
    # The serial rises even if the notice is sent later.
    return step._replace(state=step.state._replace(serial=serial + 1)), notice


# --- at a watcher, and what is shown --------------------------------------------------------------


# A named tuple, since every message replaces it: a dataclass takes several times as long.
class Watched(NamedTuple):
    """The result of one message at a watcher: like a `SessionStep`, without a seat."""

    table_state: TableState
    now: float
    topic_states: Mapping[str, Any] = MappingProxyType({})  #: As in a `SessionState`.
    events: tuple[Event, ...] = ()
    #: With which challenges are read before their hand has ended.
    referee: SigningKey | None = None
    #: The agreements by which a hand ended that was told last to have ended so.
    ended: tuple[Agreement, ...] = ()
    fault: PeerFault | None = None  #: Of a message that was held until another one came.
    stopped: bool = False  #: Whether nothing more is heard: somebody was blamed.

    def with_events(self, *events: Event) -> Watched:
        """Return the result with these events after those that it has."""
        return self._replace(events=self.events + events)


class TableShown:
    """The base of all views of a table: its charter, its game, and its public state as of now."""

    charter: Charter
    game: AnyGame
    # Without a value: a session, a moment of one, or a watcher has it (`protocol.seat`).
    _state: SessionState | Watched

    @property
    def table_state(self) -> TableState:
        """The public state of the table."""
        return self._state.table_state


class SeatShown(TableShown):
    """The view of a table for the player of one seat."""

    seat: Seat  #: Our own.
    _own: OwnSeat
    _state: SessionState

    @property
    def spoken(self) -> bool:
        """Whether a screen may have to show more than the game: some topic has a state, or the
        last match is over and no other has begun.
        """
        return bool(self._state.topic_states) or self.table_state.won is not None

    @property
    def status(self) -> SessionStatus:
        """The session's status: playing, catching up, agreed to end the hand, ended unfinished,
        or stopped.
        """
        return self._state.status


class WatchedShown(TableShown):
    """The view of a table for a watcher."""

    _state: Watched


SaidT = TypeVar("SaidT")
#: The messages of a topic: of seats, or of a referee.
WordT = TypeVar("WordT", bound=SignedNotice[Any] | SignedRuling)


class Topic(Generic[SaidT, WordT]):
    """A topic beside the game: its messages, its state, and what follows.

    Each method returns the step (a watcher's method the result) after the topic's part in it; here
    nothing happens, and a topic overrides what it needs. Methods without a message or command are
    called only once any topic of the table has a state.
    """

    name: ClassVar[str]
    messages: ClassVar[tuple[type[NoticeContent | Ruling], ...]]  #: Those that are the topic's.
    #: Those that are the topic's, and in which states our player may give them besides playing.
    commands: ClassVar[Mapping[type[Command], Collection[SessionStatus]]] = {}

    def __init__(self, nothing: SaidT) -> None:
        """Set up a topic; `nothing` is its state while nothing was said of it."""
        self._nothing = nothing

    def of(self, state: SessionState | Watched) -> SaidT:
        """Return the topic's state in `state`; its empty state if nothing was said of the topic."""
        # Declared: the mapping has the states of all topics, each of a type of its own, as Any.
        said: SaidT = state.topic_states.get(self.name, self._nothing)
        return said

    def with_state(self, step: SessionStep, said: SaidT) -> SessionStep:
        """Return the step with `said` as the topic's state."""
        states = {**step.state.topic_states, self.name: said}
        return step._replace(state=step.state._replace(topic_states=states))

    def watched_with_state(self, seen: Watched, said: SaidT) -> Watched:
        """Return the watcher's result with `said` as the topic's state."""
        return seen._replace(topic_states={**seen.topic_states, self.name: said})

    def drops(self, state: SessionState | Watched, raw: bytes, now: float) -> bool:
        """Return whether to drop an envelope unread because it can change nothing; here never."""
        return False

    def hear(self, step: SessionStep, message: WordT) -> SessionStep:
        """Return the step after a message of this topic came, of a peer or a referee; here
        unchanged.
        """
        return step

    def hear_own(self, step: SessionStep, message: WordT) -> SessionStep | None:
        """Return the step after a notice of our own key came from outside; None, as here, if it
        changes nothing.

        A step means that our journal lacked the notice.
        """
        return None

    def remember(self, step: SessionStep, message: WordT) -> SessionStep:
        """Return the step after a message of this topic was read from our journal; here
        unchanged.
        """
        return step

    def choose(self, step: SessionStep, command: Any) -> SessionStep:
        """Return the step after a command of our player; here unchanged. Raises LocalError if
        the command is impossible now.
        """
        return step

    def act_before_blame(self, step: SessionStep) -> SessionStep:
        """Return the step after a ledger message was processed and before its fault, if any, is
        blamed on a seat; here unchanged. A topic may drop the fault: a ruling makes void what lies
        behind its point (specs 5.8).
        """
        return step

    def act_after_message(
        self, step: SessionStep, signed: SignedMessage, *, ours: bool
    ) -> SessionStep:
        """Return the step after the ledger message `signed` was processed without a fault; here
        unchanged.

        `ours`: our seat signed it, and it or another message was accepted in this call.
        """
        return step

    def follow(self, step: SessionStep) -> SessionStep:
        """Return the step after the topic acted on the new state, before our messages are
        published; here unchanged.
        """
        return step

    def play_on(self, step: SessionStep) -> SessionStep:
        """Return the step after the topic sent what the open round asks of it; called only while
        our seat signs at this table; here unchanged.
        """
        return step

    def settle(self, step: SessionStep) -> SessionStep:
        """Return the step after the topic acted on the new state, once our player was told what
        is due; here unchanged.
        """
        return step

    def repeat(self, step: SessionStep) -> SessionStep:
        """Return the step with our messages of this topic sent again that others may lack; here
        unchanged. Called when another seat's heads ask a question, and with ours while we wait.
        """
        return step

    def tick(self, step: SessionStep) -> SessionStep:
        """Return the step after the topic acted on the time `step.now`, in every tick of a
        session that has not halted; here unchanged.
        """
        return step

    def envelopes_to_resend(self, state: SessionState) -> tuple[bytes, ...]:
        """Return the envelopes of this topic that a returning seat may lack; here none."""
        return ()

    def confirms(self, step: SessionStep, setup: AnyReplica, seating: int | None) -> int | None:
        """Return the seating that our seat confirms now in a match setup, None for no confirmation;
        here `seating`.

        `seating` is 0 if our player has confirmed the setup, else None, as changed by the topics
        before.
        """
        return seating

    def leaves(self, state: SessionState) -> str:
        """Return why our seat signs nothing more at this table, a sentence; "", as here, if it
        may sign.
        """
        return ""

    def watch(self, seen: Watched, message: WordT) -> Watched:
        """Return the watcher's result after a message of this topic; here unchanged."""
        return seen

    def watch_on(self, seen: Watched) -> Watched:
        """Return the watcher's result after the topic acted on a processed message, of a ledger
        or of any topic; here unchanged. Heads do not lead here.
        """
        return seen
