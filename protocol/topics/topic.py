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
from protocol.table.replica import MatchReplica
from protocol.table.table import TableState
from protocol.topics.commands import Command
from protocol.topics.step import OwnSeat, SessionState, SessionStatus, SessionStep
from protocol.wire.charter import Charter
from protocol.wire.contents import NoticeContent, Ruling
from protocol.wire.identity import SigningKey
from protocol.wire.messages import Agreement, Notice, SignedMessage, SignedRuling


class Watched(NamedTuple):
    """The result of one message at a watcher: like a `SessionStep`, without a seat."""

    table_state: TableState
    now: float
    said: Mapping[str, Any] = MappingProxyType({})
    """As in a `SessionState`."""
    events: tuple[Event, ...] = ()
    referee: SigningKey | None = None
    """With which challenges are read before their hand has ended."""
    ended: tuple[Agreement, ...] = ()
    """The agreements by which a hand ended that was told last to have ended so."""
    fault: PeerFault | None = None
    """Of a message that was held until another one came."""
    stopped: bool = False
    """Whether nothing more is heard: somebody was blamed."""

    def with_events(self, *events: Event) -> Watched:
        """Return the result with more events."""
        return self._replace(events=self.events + events)


class TableShown:
    """The base of all views of a table: its charter, its game, and its public state as of now."""

    charter: Charter
    game: AnyGame

    @property
    def _public(self) -> TableState:
        """The public state of the table; a subclass says where it is."""
        raise NotImplementedError


class SeatShown(TableShown):
    """The view of a table for the player of one seat."""

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
        """Whether a screen may have to show more than the game: a topic has a state, or the
        match is over.
        """
        return bool(self._state.said) or self._public.won is not None

    @property
    def status(self) -> SessionStatus:
        """Whether we play, catch up, or have stopped."""
        return self._state.status


class WatchedShown(TableShown):
    """The view of a table for a watcher."""

    _seen: Watched

    @property
    def _public(self) -> TableState:
        """The public state of the table at the watcher."""
        return self._seen.table_state


SaidT = TypeVar("SaidT")
Word = Notice | SignedRuling
"""A message of a topic: of a seat, or of a referee."""


class Topic(Generic[SaidT]):
    """A topic beside the game: its messages, its state, and what follows.

    Each method returns the step after the topic's part in it; one that is not overridden returns it
    unchanged. Methods that follow from the state are called only once there is one.
    """

    name: ClassVar[str]
    messages: ClassVar[tuple[type[NoticeContent | Ruling], ...]]
    """Those that are the topic's."""
    commands: ClassVar[Mapping[type[Command], Collection[SessionStatus]]] = {}
    """Those that are the topic's, and in which states our player may give them besides playing."""

    def __init__(self, nothing: SaidT) -> None:
        """Set up a topic with `nothing` as its empty state."""
        self._nothing = nothing

    def of(self, state: SessionState | Watched) -> SaidT:
        """Return the topic's state."""
        said: SaidT = state.said.get(self.name, self._nothing)
        return said

    def said(self, step: SessionStep, said: SaidT) -> SessionStep:
        """Return the step with the topic's state `said`."""
        state = step.state
        return step.with_state(state._replace(said={**state.said, self.name: said}))

    def watched(self, seen: Watched, said: SaidT) -> Watched:
        """Return the watcher's result with the topic's state `said`."""
        return seen._replace(said={**seen.said, self.name: said})

    def drops(self, state: SessionState | Watched, raw: bytes, now: float) -> bool:
        """Return whether to drop an envelope before its signature is checked."""
        return False

    def hear(self, step: SessionStep, message: Word, raw: bytes) -> SessionStep:
        """Process a message of a peer."""
        return step

    def hear_own(self, step: SessionStep, message: Notice, raw: bytes) -> SessionStep | None:
        """Process a notice of our own key that comes back; return None if our journal holds it
        or does not need it.
        """
        return None

    def remember(self, step: SessionStep, message: Word, raw: bytes) -> SessionStep:
        """Process a message from our own journal."""
        return step

    def choose(self, step: SessionStep, command: Any) -> SessionStep:
        """Carry out a command of our player; raises LocalError if it is impossible now."""
        return step

    def received(self, step: SessionStep) -> SessionStep:
        """Act after ledger messages were accepted, before a seat is blamed for one."""
        return step

    def heard(self, step: SessionStep, signed: SignedMessage, *, ours: bool) -> SessionStep:
        """Act after a ledger message was processed; `ours` if we signed it and it was accepted
        now.
        """
        return step

    def follow(self, step: SessionStep) -> SessionStep:
        """Act on the new state, before anything is published."""
        return step

    def play_on(self, step: SessionStep) -> SessionStep:
        """Send what the open round asks of this topic, while we play."""
        return step

    def settle(self, step: SessionStep) -> SessionStep:
        """Act on the new state, after our player was told its decision."""
        return step

    def repeat(self, step: SessionStep, *, asked: bool) -> SessionStep:
        """Send again what others may lack: if `asked`, to a seat with a question; else while we
        wait.
        """
        return step

    def tick(self, step: SessionStep) -> SessionStep:
        """Act on the time `step.now`, in every `tick` of a session that has not halted."""
        return step

    def envelopes_to_resend(self, state: SessionState) -> tuple[bytes, ...]:
        """Return the envelopes of this topic that a returning seat may lack."""
        return ()

    def confirms(self, step: SessionStep, setup: MatchReplica, seating: int | None) -> int | None:
        """Return the seating that our seat confirms in a match setup, in place of `seating`;
        None if it confirms none now.
        """
        return seating

    def leaves(self, state: SessionState) -> str:
        """Return why we sign nothing more at this table; "" if we may sign."""
        return ""

    def watch(self, seen: Watched, message: Word, raw: bytes) -> Watched:
        """Process a message at a watcher."""
        return seen

    def watch_on(self, seen: Watched) -> Watched:
        """Act at a watcher, after a message was processed."""
        return seen
