"""A topic: what may be talked of beside the game, as the main line of a seat and a watcher see it.

The main line passes messages and commands to the topic whose they are, and asks all of them what
follows, without knowing any: `protocol.topics.listed` is the one place that names them.
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
    """What one message has led to at somebody who watches: as a `SessionStep`, without a seat."""

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
        """Return it with more events."""
        return self._replace(events=self.events + events)


class TableShown:
    """A table as somebody looks at it, each time one does."""

    charter: Charter
    game: AnyGame

    @property
    def _public(self) -> TableState:
        raise NotImplementedError


class SeatShown(TableShown):
    """A table as the player of one seat looks at it."""

    _own: OwnSeat
    _state: SessionState

    @property
    def _public(self) -> TableState:
        return self._state.table_state

    @property
    def seat(self) -> Seat:
        """Our own seat."""
        return self._own.seat

    @property
    def spoken(self) -> bool:
        """Whether there may be more to see than the game: something was said beside it, or the
        match is over."""
        return bool(self._state.said) or self._public.won is not None

    @property
    def status(self) -> SessionStatus:
        """Whether we play, catch up, or have stopped."""
        return self._state.status


class WatchedShown(TableShown):
    """A table as somebody who watches looks at it."""

    _seen: Watched

    @property
    def _public(self) -> TableState:
        return self._seen.table_state


SaidT = TypeVar("SaidT")
Word = Notice | SignedRuling
"""A message of a topic: of a seat, or of a referee."""


class Topic(Generic[SaidT]):
    """What may be talked of beside the game: its messages, what was said, and what follows.

    Each method has a step go on as far as the topic has a say in it, and returns it; one that is
    not overridden has none. Those that follow from what was said are asked only once something was.
    """

    name: ClassVar[str]
    messages: ClassVar[tuple[type[NoticeContent | Ruling], ...]]
    """Those that are the topic's."""
    commands: ClassVar[Mapping[type[Command], Collection[SessionStatus]]] = {}
    """Those that are the topic's, and in which states our player may give them besides playing."""

    def __init__(self, nothing: SaidT) -> None:
        """Begin with `nothing` said."""
        self._nothing = nothing

    def of(self, state: SessionState | Watched) -> SaidT:
        """Return what was said."""
        said: SaidT = state.said.get(self.name, self._nothing)
        return said

    def said(self, step: SessionStep, said: SaidT) -> SessionStep:
        """Return the step once that was said."""
        state = step.state
        return step.with_state(state._replace(said={**state.said, self.name: said}))

    def watched(self, seen: Watched, said: SaidT) -> Watched:
        """Return what is watched once that was said."""
        return seen._replace(said={**seen.said, self.name: said})

    def drops(self, state: SessionState | Watched, raw: bytes, now: float) -> bool:
        """Tell whether an envelope is not to be heard, before its signature costs anything."""
        return False

    def hear(self, step: SessionStep, message: Word, raw: bytes) -> SessionStep:
        """Hear a message of a peer."""
        return step

    def hear_own(self, step: SessionStep, message: Notice, raw: bytes) -> SessionStep | None:
        """Hear a message of our own key again; None unless it tells what our journal does not."""
        return None

    def remember(self, step: SessionStep, message: Word, raw: bytes) -> SessionStep:
        """Take a message out of our own journal."""
        return step

    def choose(self, step: SessionStep, command: Any) -> SessionStep:
        """Carry out a command of our player; raises LocalError."""
        return step

    def received(self, step: SessionStep) -> SessionStep:
        """Go on once ledger messages were accepted, before anybody is blamed for one."""
        return step

    def heard(self, step: SessionStep, signed: SignedMessage, *, ours: bool) -> SessionStep:
        """Go on once a ledger message was heard; `ours` if we signed it and it was accepted now."""
        return step

    def follow(self, step: SessionStep) -> SessionStep:
        """Do what has become possible, before anything is published."""
        return step

    def play_on(self, step: SessionStep) -> SessionStep:
        """Say what the open round asks for, while we play."""
        return step

    def settle(self, step: SessionStep) -> SessionStep:
        """Do what has become possible, once our player was told what there is to decide."""
        return step

    def repeat(self, step: SessionStep, *, asked: bool) -> SessionStep:
        """Say again what others may lack: to who asked us, or while we wait for them."""
        return step

    def tick(self, step: SessionStep) -> SessionStep:
        """Do what time asks for."""
        return step

    def envelopes_to_resend(self, state: SessionState) -> tuple[bytes, ...]:
        """Return the envelopes of this topic that a returning seat may lack."""
        return ()

    def confirms(self, step: SessionStep, setup: MatchReplica, seating: int | None) -> int | None:
        """Return the seating that we confirm in the setup of a match instead of `seating`; None
        while we confirm none."""
        return seating

    def leaves(self, state: SessionState) -> str:
        """Return why we sign nothing more at this table, "" if we may."""
        return ""

    def watch(self, seen: Watched, message: Word, raw: bytes) -> Watched:
        """Hear a message as somebody who watches."""
        return seen

    def watch_on(self, seen: Watched) -> Watched:
        """Go on as somebody who watches, once something was heard or accepted."""
        return seen
