"""What a driver asks of its session: each is one call, made in a worker thread."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from protocol.ledger.events import Event
from protocol.seat.session import Session
from protocol.seat.status import SessionStatus
from protocol.seat.sync import QUESTION_BYTES

Work = Callable[[Session, float], list[Event]]
"""What is done with the session, at a time of the monotonic clock."""

Call = Callable[[Work], Awaitable[None]]
"""Makes a call of the session and carries out all that comes of it."""


def take_all(session: Session, now: float, *, payloads: list[bytes]) -> list[Event]:
    """Hear envelopes in the order in which they came; what we owe then comes in a call after it."""
    heard = (session.receive(payload, now=now, go_on=False) for payload in payloads)
    return [event for events in heard for event in events]


def go_on(session: Session, now: float) -> list[Event]:
    """Publish what we owe without a decision."""
    return session.go_on(now=now)


def time_passes(session: Session, now: float) -> list[Event]:
    """Do what is due by the clock."""
    return session.tick(now=now)


def nothing(_session: Session, _now: float) -> list[Event]:
    """Do nothing: what is due besides is looked at after every call."""
    return []


def act(session: Session, now: float, *, choice: Any) -> list[Event]:
    """Do what our player chose, and leave what we owe then to a call after it."""
    return session.act(choice, now=now, go_on=False)


def awaits_us(session: Session) -> bool:
    """Whether our player has to choose; not while we catch up after a restart."""
    return session.standing is SessionStatus.PLAYING and bool(session.legal_actions())


async def ask(call: Call) -> None:
    """Tell the others how far we have come, and have them tell it."""
    question = secrets.token_bytes(QUESTION_BYTES)
    await call(lambda session, now: session.ask(question, now=now))
