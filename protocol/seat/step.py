"""One call of a session's door, as a value: whose seat, when, its state and the events so far.

What happens in a call is told by functions from one step to the next, a module for each subject:
`hearing`, `publishing`, `agreeing`, `continuing`, `rematch`, `ruling` and `waiting`. One that
raises has changed nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from protocol.errors import PeerFault
from protocol.ledger.events import Event, Persist, Send
from protocol.seat.status import OwnSeat, State, StatusEvent, next_status
from protocol.wire.contents import Heads, NoticeContent
from protocol.wire.envelope import Purpose, sign
from protocol.wire.messages import Notice, table_tag


class SessionStep(NamedTuple):
    """Where one call of a door has come to. `now` is in seconds of the caller's clock.

    `fault` is that of a message that was held: what is here stands, and nothing follows.
    """

    own: OwnSeat
    now: float
    state: State
    events: tuple[Event, ...] = ()
    fault: PeerFault | None = None

    def with_state(self, state: State) -> SessionStep:
        """Return the step with another state."""
        return self._replace(state=state)

    def with_events(self, *events: Event) -> SessionStep:
        """Return the step with more events."""
        return self._replace(events=self.events + events)

    def after(self, cause: StatusEvent) -> SessionStep:
        """Return the step with the status that `cause` leads to; raises LocalError for none."""
        status = next_status(self.state.status, cause)
        return self.with_state(self.state._replace(status=status))


def send_notice(step: SessionStep, content: NoticeContent) -> tuple[SessionStep, bytes]:
    """Say something beside the ledgers: sign it, and send it once it is kept. Return its envelope,
    too."""
    step, envelope = signed_notice(step, content)
    if not isinstance(content, Heads):  # a serial serves for one word
        step = step.with_events(Persist(envelope))
    return step.with_events(Send(envelope)), envelope


def signed_notice(step: SessionStep, content: NoticeContent) -> tuple[SessionStep, bytes]:
    """Sign something to be said beside the ledgers; return its envelope, which nobody has yet."""
    own, charter = step.own, step.own.charter.digest
    notice = Notice(table_tag(charter), own.seat, step.state.serial, content)
    envelope = sign(
        own.key, notice.to_bytes(), purpose=Purpose.NOTICE, seat=own.seat, charter=charter
    ).to_bytes()
    return step.with_state(step.state._replace(serial=step.state.serial + 1)), envelope
