"""A table in memory: sessions that hear each other through a queue; no broker, clock or disk.

The conformance kit, the measurements and the tests play on it. What they need besides (chances of
loss, journals, the time that a call takes, a cheat) overrides one of its methods.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from protocol.seat.session import Session
from protocol.table.events import Event, PublishingDue, Send
from protocol.topics.commands import Confirm

Door = Callable[[Session], list[Event]]  #: One call of a session's `receive`, `act` or `tick`.


class MemoryTable:
    """Sessions of one table, and the envelopes on their way between them."""

    def __init__(self, sessions: Sequence[Session] = ()) -> None:
        """Set up a table where nothing has been said, with its sessions in the order of seats; none
        where a subclass overrides `sessions`.
        """
        self._sessions = sessions
        self.now = 0.0  #: Seconds, which pass when the caller says so.
        #: All that was ever published: the seat, and the envelope.
        self.sent: list[tuple[int, bytes]] = []
        #: Sender, reader and envelope of what is on its way, the oldest first.
        self.flying: list[tuple[int, int, bytes]] = []

    # A property, since a table that restarts its seats overrides it.
    @property
    def sessions(self) -> Sequence[Session]:
        """The sessions, in the order of seats."""
        return self._sessions

    def call(self, seat: int, door: Door) -> None:
        """Make one call of a seat's session, `door`, and carry out the events that it returns."""
        self.handle(seat, door(self.sessions[seat]))

    def handle(self, seat: int, events: list[Event]) -> None:
        """Publish the envelopes of a seat's `Send` events, in order; then call its `tick` if
        there is a `PublishingDue`. Other events are dropped.
        """
        for event in events:
            if isinstance(event, Send):
                self.publish(seat, event.envelope)
        # Last: the messages of this call leave before those that it made due.
        if any(isinstance(event, PublishingDue) for event in events):
            self.call(seat, lambda session: session.tick(now=self.now))

    def publish(self, seat: int, envelope: bytes) -> None:
        """Keep an envelope of a seat in `sent`, and put it on its way to every other seat."""
        self.sent.append((seat, envelope))
        readers = range(len(self.sessions))
        self.flying += [(seat, reader, envelope) for reader in readers if reader != seat]

    def deliver(self) -> bool:
        """Bring the oldest envelope to its reader, carry out what follows, and return True;
        return False if none is on its way.
        """
        if not self.flying:
            return False
        # In the order of sending; a test of disorder overrides this.
        _, reader, envelope = self.flying.pop(0)
        self.call(reader, lambda session: session.receive(envelope, now=self.now))
        return True

    def deliver_all(self) -> None:
        """Deliver until nothing is on its way."""
        while self.deliver():
            pass

    def act(self, seat: int, choice: Any) -> None:
        """Let a seat's player choose: an action of its `legal_actions`, or a command.

        Raises as `Session.act` does.
        """
        self.call(seat, lambda session: session.act(choice, now=self.now))

    def confirm(self) -> None:
        """Let all seats, in order, confirm the charter, or another match; raises LocalError if a
        seat has nothing to confirm.
        """
        for seat in range(len(self.sessions)):
            self.act(seat, Confirm())

    def next_action(self, seat: int) -> Any:
        """Return the action or command that a seat's player does next, None if it has no choice.

        Raises NotImplementedError here: nobody plays at a table but one that overrides it.
        """
        raise NotImplementedError(f"nobody plays in seat {seat}")

    def advance(self) -> None:
        """Deliver one message; else let the first seat act that has a choice; else let all
        confirm, which raises LocalError if there is nothing to confirm.
        """
        if self.deliver():
            return
        for seat in range(len(self.sessions)):
            choice = self.next_action(seat)
            # One choice, then its messages are delivered before anybody else acts.
            if choice is not None:
                self.act(seat, choice)
                return
        # Nothing flies and nobody can act: a match waits to be confirmed.
        self.confirm()

    def play(self, hands: int) -> None:
        """Play until every seat has counted `hands` hands since the table began.

        Raises LocalError once nobody can go on, as when a seat has stopped or an envelope is lost
        for good.
        """
        while any(session.table_state.counted < hands for session in self.sessions):
            self.advance()
