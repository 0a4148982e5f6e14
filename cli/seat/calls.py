"""What a driver asks of its session: each is one call, made in a worker thread."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from protocol.ledger.events import Event
from protocol.seat.commands import Ask
from protocol.seat.session import Session
from protocol.seat.sync import QUESTION_BYTES

Work = Callable[[Session, float], list[Event]]
"""What is done with the session, at a time of the monotonic clock."""

Call = Callable[[Work], Awaitable[None]]
"""Makes a call of the session and carries out all that comes of it."""


def take_all(session: Session, now: float, *, payloads: list[bytes]) -> list[Event]:
    """Hear envelopes in the order in which they came."""
    return [event for each in payloads for event in session.receive(each, now=now)]


def time_passes(session: Session, now: float) -> list[Event]:
    """Do what is due by the clock."""
    return session.tick(now=now)


def act(session: Session, now: float, *, choice: Any) -> list[Event]:
    """Do what our player chose."""
    return session.act(choice, now=now)


async def ask(call: Call) -> None:
    """Tell the others how far we have come, and have them tell it."""
    question = Ask(secrets.token_bytes(QUESTION_BYTES))
    await call(lambda session, now: session.act(question, now=now))
