"""What the log says of a session: kinds of events and their places, no content."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable

from protocol.seat.view import SeatView
from protocol.table.events import (
    Event,
    Persist,
    RoundClosed,
    SeatBlamed,
    SeatSuspected,
    Send,
    SessionStopped,
    Waiting,
)

_log = logging.getLogger(__name__)


def note(events: Iterable[Event], session: SeatView) -> None:
    """Write what came of a call, if there is a log."""
    if not _log.isEnabledFor(logging.INFO):
        return
    told = Counter(_told(event) for event in events if not isinstance(event, Persist))
    if told:
        said = ", ".join(f"{number} x {each}" for each, number in told.items())
        where = f"{session.status.value}, {session.phase.name}"
        _log.info("seat %d, %s: %s", session.seat, where, said)


def _told(event: Event) -> str:
    kind = type(event).__name__
    match event:
        case Send():
            return "Send"
        case RoundClosed(ledger, number):
            return f"{kind} {ledger.lane.name} {ledger.number} {number}"
        case Waiting(seats):
            return f"{kind} for {list(map(int, seats))}"
        case SeatBlamed(seat, check):
            return f"{kind} {seat} {check}"
        case SeatSuspected(seat, reason):
            return f"{kind} {seat} {reason}"
        case SessionStopped(reason):
            return f"{kind} {reason}"
        case _:
            return kind
