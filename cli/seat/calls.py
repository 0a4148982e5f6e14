"""What a driver asks of its session, each in a worker thread, until the table has ended.

Time passes every second, and at once when the connection is there again.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, Final, NoReturn

from cli.net.transport import LinkState, LinkStatus, Transport
from cli.seat.presence import Presences
from cli.seat.surroundings import Surroundings
from cli.tasks import happens, never
from protocol.seat.session import Session
from protocol.seat.view import SeatView
from protocol.table.events import Event, PublishingDue, Waiting
from protocol.table.sync import QUESTION_BYTES
from protocol.topics.commands import Ask

SessionCall = Callable[[Session, float], list[Event]]
"""Calls a door of the session, at a time of the monotonic clock."""

CallSession = Callable[[SessionCall], Awaitable[None]]
"""Makes such a call, and carries out all that comes of it."""


def take_all(session: Session, now: float, *, payloads: list[bytes]) -> list[Event]:
    """Hear envelopes in the order in which they came."""
    return [event for each in payloads for event in session.receive(each, now=now)]


def time_passes(session: Session, now: float) -> list[Event]:
    """Do what is due by the clock."""
    return session.tick(now=now)


def act(session: Session, now: float, *, choice: Any) -> list[Event]:
    """Do what our player chose."""
    return session.act(choice, now=now)


async def call_session(
    work: SessionCall,
    session: Session,
    carry_out: Callable[[list[Event], Session], Awaitable[None]],
    shown: Callable[[], Awaitable[None]],
    around: Surroundings,
) -> None:
    """Make a call, and another one for what we then owe without a decision, once the player was
    `shown` what led to it.

    All of it counts as done at one time: how long the disk takes is no pause of the table.
    """
    now = around.clock()
    events = await around.work(work, session, now)
    await carry_out(events, session)
    if any(isinstance(event, PublishingDue) for event in events):
        await shown()
        await carry_out(await around.work(time_passes, session, now), session)


async def ask(call: CallSession) -> None:
    """Tell the others how far we have come, and have them tell it."""
    question = Ask(secrets.token_bytes(QUESTION_BYTES))
    await call(lambda session, now: session.act(question, now=now))


ASKING: Final = 1.0
"""Seconds between two questions whether the others have the end of the last hand."""

PATIENCE: Final = 30.0
"""Seconds that we stay, beyond lingering, for seats that may lack the end of the last hand."""


async def until_over(
    session: SeatView,
    *,
    linger: float,
    staying: Callable[[], bool],
    over: asyncio.Event,
    failed: asyncio.Event,
    call: CallSession,
    tell: Callable[[Event, SeatView], Awaitable[None]],
    clock: Callable[[], float],
) -> None:
    """Return when the table is `over`, our player is not `staying`, and the others have answers for
    `linger` seconds and until all are known to have the end of the last hand, or our patience has
    one; `tell` gets for whom we stay. Returns at once when we `failed`. A hand that was ended may
    go on meanwhile, and another match begin."""
    loop = asyncio.get_running_loop()
    while True:
        await over.wait()
        began, told = loop.time(), False
        while over.is_set() and not failed.is_set():
            now, lacking, stays = loop.time(), session.lacking_end(), staying()
            if stays:  # what is agreed at last may be lacking, too: our patience begins then
                began = max(began, now - linger)
            stayed = now - began - linger
            if not stays and stayed >= (PATIENCE if lacking else 0.0):
                return
            if lacking and stayed >= 0.0 and not told:
                await tell(Waiting(lacking, clock()), session)
                told = True
            if lacking:
                await ask(call)
            pause = ASKING if lacking or stayed >= 0.0 else min(ASKING, -stayed)
            await happens(failed, within=pause)
        if over.is_set():
            return


TICK: Final = 1.0


class Ticking:
    """Lets the session do what is due by the clock, and ask for what we missed."""

    def __init__(self, presences: Presences) -> None:
        """`presences` learn whether we are connected."""
        self._presences = presences
        self._wake = asyncio.Event()
        self._rejoined = False
        """Whether the connection is there again, and nobody was asked yet what we missed."""

    async def watch(
        self, transport: Transport, tell: Callable[[LinkStatus], Awaitable[None]]
    ) -> NoReturn:
        """Follow what the connection does, and `tell` it."""
        async for status in transport.statuses():
            await tell(status)
            before, now = self._presences.connected, status.state is LinkState.CONNECTED
            self._presences.connected = now
            if now:
                self._rejoined = self._rejoined or not before
                self._wake.set()
        await never()

    async def run(self, call: CallSession) -> None:
        """Let time pass for the session that `call` reaches."""
        while True:
            await happens(self._wake, within=TICK)
            self._wake.clear()
            if self._rejoined:  # what was said meanwhile need not wait until somebody misses us
                self._rejoined = False
                await ask(call)
            await call(time_passes)
