"""The interface of a topic, as a session and a watcher use it.

They pass messages and commands to the topic that has them, and ask all topics what follows, without
naming any: `protocol.topics.listed` is the one place that does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from p2p304.game import AnyGame
from p2p304.seats import Seat
from protocol.errors import PeerFault
from protocol.table.events import Event
from protocol.table.replica import AnyReplica
from protocol.table.table import TableState
from protocol.topics.commands import Command
from protocol.topics.step import OwnSeat, SessionState, SessionStatus, SessionStep
from protocol.wire.charter import Charter
from protocol.wire.contents import NoticeContent, Ruling
from protocol.wire.identity import SigningKey
from protocol.wire.messages import Agreement, Notice, SignedMessage, SignedRuling


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

    @property
    def _public(self) -> TableState:
        """The public state of the table; raises NotImplementedError here: a subclass says where
        it is.
        """
        raise NotImplementedError


class SeatShown(TableShown):
    """The view of a table for the player of one seat."""

    # Without values: a session, or a moment of one, has them (`protocol.seat`).
    _own: OwnSeat
    _state: SessionState

    @property
    def _public(self) -> TableState:
        """The public state of the table in our session."""
        return self._state.table_state

    @property
    def seat(self) -> Seat:
        """Our own seat."""
        return self._own.seat

    @property
    def spoken(self) -> bool:
        """Whether a screen may have to show more than the game: some topic has a state, or the
        last match is over and no other has begun.
        """
        return bool(self._state.topic_states) or self._public.won is not None

    @property
    def status(self) -> SessionStatus:
        """The session's status: playing, catching up, agreed to end the hand, ended unfinished,
        or stopped.
        """
        return self._state.status


class WatchedShown(TableShown):
    """The view of a table for a watcher."""

    # Without a value: the watcher has it (`protocol.seat`).
    _seen: Watched

    @property
    def _public(self) -> TableState:
        """The public state of the table at the watcher."""
        return self._seen.table_state


SaidT = TypeVar("SaidT")
Word = Notice | SignedRuling  #: A message of a topic: of a seat, or of a referee.


class Topic(Generic[SaidT]):
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
        state = step.state
        return step.with_state(state._replace(topic_states={**state.topic_states, self.name: said}))

    def watched_with_state(self, seen: Watched, said: SaidT) -> Watched:
        """Return the watcher's result with `said` as the topic's state."""
        return seen._replace(topic_states={**seen.topic_states, self.name: said})

    def drops(self, state: SessionState | Watched, raw: bytes, now: float) -> bool:
        """Return whether to drop an envelope unread because it can change nothing; here never."""
        return False

    def hear(self, step: SessionStep, message: Word, raw: bytes) -> SessionStep:
        """Return the step after a message of this topic came, of a peer or a referee; here
        unchanged. `raw` is its envelope.
        """
        return step

    def hear_own(self, step: SessionStep, message: Notice, raw: bytes) -> SessionStep | None:
        """Return the step after a notice of our own key came from outside; None, as here, if it
        changes nothing.

        A step means that our journal lacked the notice. `raw` is its envelope.
        """
        return None

    def remember(self, step: SessionStep, message: Word, raw: bytes) -> SessionStep:
        """Return the step after a message of this topic was read from our journal; here
        unchanged. `raw` is its envelope.
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

    def repeat(self, step: SessionStep, *, asked: bool) -> SessionStep:
        """Return the step with our messages of this topic sent again that others may lack; here
        unchanged.

        `asked`: another seat's heads asked a question; else we wait for others, and it is time to
        send heads.
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

    def watch(self, seen: Watched, message: Word, raw: bytes) -> Watched:
        """Return the watcher's result after a message of this topic, its envelope `raw`; here
        unchanged.
        """
        return seen

    def watch_on(self, seen: Watched) -> Watched:
        """Return the watcher's result after the topic acted on a processed message, of a ledger
        or of any topic; here unchanged. Heads do not lead here.
        """
        return seen
