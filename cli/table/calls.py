"""What a driver asks of its session: each is one call, made in a worker thread."""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable
from functools import partial

from protocol.events import Event
from protocol.gossip import QUESTION_BYTES
from protocol.session import Session
from protocol.standing import Standing

Call = Callable[[Callable[[Session], list[Event]]], Awaitable[None]]
"""Makes a call of the session and carries out all that comes of it."""


def take_all(session: Session, payloads: list[bytes]) -> list[Event]:
    """Hear envelopes in the order in which they came; what we owe then comes in a call after it."""
    now = time.monotonic()
    heard = (session.receive(payload, now=now, go_on=False) for payload in payloads)
    return [event for events in heard for event in events]


def go_on(session: Session) -> list[Event]:
    """Publish what we owe without a decision."""
    return session.go_on(now=time.monotonic())


def time_passes(session: Session) -> list[Event]:
    """Do what is due by the clock."""
    return session.tick(now=time.monotonic())


def nothing(_: Session) -> list[Event]:
    """Do nothing: what is due besides is looked at after every call."""
    return []


def awaits_us(session: Session) -> bool:
    """Whether our player has to choose; not while we catch up after a restart."""
    return session.standing is Standing.PLAYING and bool(session.legal_actions())


async def ask(call: Call) -> None:
    """Tell the others how far we have come, and have them tell it."""
    question = secrets.token_bytes(QUESTION_BYTES)
    await call(partial(Session.ask, question=question, now=time.monotonic()))
