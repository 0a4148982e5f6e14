"""The state of a seat's session, and one call of a session as a value.

The value holds whose seat it is, the time, the state and the events so far. Functions from one step
to the next do everything in a call; one that raises has changed nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from p2p304.seats import Seat
from p2p304.view import Knowledge
from protocol.cards.secrets import Secrets
from protocol.errors import LocalError, PeerFault
from protocol.places import Lane, LedgerName
from protocol.table.events import Event, HeadClaim, Persist, Send, Waiting
from protocol.table.replica import AnyReplica
from protocol.table.sync import Gossip
from protocol.table.table import TableState
from protocol.wire.charter import Charter
from protocol.wire.contents import Heads, NoticeContent
from protocol.wire.envelope import Purpose, sign
from protocol.wire.identity import SigningKey
from protocol.wire.messages import Notice, table_tag


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


#: Every change of a status. What is not listed does not happen.
NEXT: Final[Mapping[tuple[SessionStatus, StatusEvent], SessionStatus]] = {
    (SessionStatus.PLAYING, StatusEvent.RESTARTED): SessionStatus.RETURNING,
    (SessionStatus.RETURNING, StatusEvent.CAUGHT_UP): SessionStatus.PLAYING,
    (SessionStatus.PLAYING, StatusEvent.AGREED): SessionStatus.AGREEING,
    (SessionStatus.RETURNING, StatusEvent.AGREED): SessionStatus.AGREEING,
    (
        SessionStatus.AGREEING,
        StatusEvent.AGREED,
    ): SessionStatus.AGREEING,  # the hand has moved: once more
    (SessionStatus.AGREEING, StatusEvent.WENT_ON): SessionStatus.PLAYING,
    (SessionStatus.AGREEING, StatusEvent.WENT_ON_BEHIND): SessionStatus.RETURNING,
    (SessionStatus.PLAYING, StatusEvent.ALL_AGREED): SessionStatus.UNFINISHED,  # without us
    (SessionStatus.RETURNING, StatusEvent.ALL_AGREED): SessionStatus.UNFINISHED,
    (SessionStatus.AGREEING, StatusEvent.ALL_AGREED): SessionStatus.UNFINISHED,
    (SessionStatus.PLAYING, StatusEvent.RULED): SessionStatus.UNFINISHED,
    (SessionStatus.RETURNING, StatusEvent.RULED): SessionStatus.UNFINISHED,
    (SessionStatus.AGREEING, StatusEvent.RULED): SessionStatus.UNFINISHED,
    # The ruling counts, and the agreement has no effect any more (specs 5.8, no. 2).
    (SessionStatus.UNFINISHED, StatusEvent.RULED): SessionStatus.UNFINISHED,
    # A seat that agreed went on all the same: the agreement is void (specs 5.6, no. 2).
    (SessionStatus.UNFINISHED, StatusEvent.WENT_ON): SessionStatus.PLAYING,
    (SessionStatus.UNFINISHED, StatusEvent.WENT_ON_BEHIND): SessionStatus.RETURNING,
    (SessionStatus.PLAYING, StatusEvent.FAULT): SessionStatus.HALTED,
    (SessionStatus.RETURNING, StatusEvent.FAULT): SessionStatus.HALTED,
    (SessionStatus.AGREEING, StatusEvent.FAULT): SessionStatus.HALTED,
    (SessionStatus.UNFINISHED, StatusEvent.FAULT): SessionStatus.HALTED,
}

#: In these we sign no more, and hear whether others do.
WAITS: Final = frozenset({SessionStatus.AGREEING, SessionStatus.UNFINISHED})


def next_status(status: SessionStatus, cause: StatusEvent) -> SessionStatus:
    """Return the status after an event; raises LocalError if the event cannot happen in this
    status.
    """
    if (status, cause) not in NEXT:
        raise LocalError(f"a seat cannot be {status.value} and then {cause.value}")
    return NEXT[status, cause]


# Bounded memory: a notice that a broker repeats after so many others asks the player again. No seat
# pushes one out soon: of each only BURST are heard within PERIOD.
REMEMBERED: Final = 256  #: Notices whose repetition is known as such.

# Of chat (specs 7.8, no. 3), and of notices that ask something of our player (CH24, CH31).
BURST: Final = 8  #: Words of one seat that are heard within PERIOD.

PERIOD: Final = 10.0  #: Seconds.


@dataclass(frozen=True, slots=True)
class NoticesHeard:
    """The latest notices that ask something of our player: the last REMEMBERED of all seats, and
    each seat's times. Immutable and bounded.
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
        heard = (*self.heard, notice)[-REMEMBERED:]
        return replace(self, heard=heard, times={**self.times, seat: (*recent, now)})


NO_NOTICES: Final = NoticesHeard()


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
    proposals: NoticesHeard = NO_NOTICES
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


def untold_claims(own: OwnSeat, state: SessionState) -> tuple[HeadClaim, ...]:
    """Return the open claims that keep us from signing and that no ClaimsOpen has told; empty
    before all seats have answered.
    """
    claims = state.gossip.open_claims(state.table_state, own.seat)
    # A silent seat is reported first, as one that is waited for.
    if len(state.gossip.answers) < len(own.charter.seats) - 1:
        return ()
    known = state.gossip.vouched | state.claims_told
    return tuple(claim for claim in claims if claim.seat not in known)


def awaited_replica(table_state: TableState) -> AnyReplica:
    """Return the ledger that play waits for: a hand, else the setup of a match, else a deck, each
    the oldest that is not settled.

    If no other match begins here, the last setup, which is settled.
    """
    setup = table_state.match_setup()
    # Nothing is awaited any more, and callers need a ledger to look at.
    if setup is not None and table_state.closed:
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

    def with_state(self, state: SessionState) -> SessionStep:
        """Return the step with `state` in place of its state."""
        return self._replace(state=state)

    def with_events(self, *events: Event) -> SessionStep:
        """Return the step with these events after those that it has."""
        return self._replace(events=self.events + events)

    def after(self, cause: StatusEvent) -> SessionStep:
        """Return the step with the status that follows from `cause`; raises LocalError if
        `cause` cannot happen in this status.
        """
        status = next_status(self.state.status, cause)
        return self.with_state(self.state._replace(status=status))


def send_notice(step: SessionStep, content: NoticeContent) -> tuple[SessionStep, bytes]:
    """Sign a notice under our next serial and send it, after persisting it unless it is Heads;
    return the step and the envelope.
    """
    step, envelope = signed_notice(step, content)
    # Before it is sent: a crash must not make one serial serve for two notices (specs 7.8, no. 1).
    # Heads are not kept: a serial that is used twice does not matter for them.
    if not isinstance(content, Heads):
        step = step.with_events(Persist(envelope))
    return step.with_events(Send(envelope)), envelope


def signed_notice(step: SessionStep, content: NoticeContent) -> tuple[SessionStep, bytes]:
    """Sign a notice under our next serial, neither persisted nor sent; return the step, whose
    serial has risen, and the envelope.
    """
    own, charter = step.own, step.own.charter.digest
    notice = Notice(table_tag(charter), own.seat, step.state.serial, content)
    envelope = sign(
        own.key, notice.to_bytes(), purpose=Purpose.NOTICE, seat=own.seat, charter=charter
    ).to_bytes()
    # The serial rises even if the notice is sent later.
    return step.with_state(step.state._replace(serial=step.state.serial + 1)), envelope
