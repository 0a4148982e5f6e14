"""Leaving a table that has ended: nobody is left waiting for what only we can send again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from cli.seat.calls import Call, ask
from protocol.ledger.events import Event, Waiting
from protocol.seat.view import SeatView

ASKING: Final = 1.0
"""Seconds between two questions whether the others have the end of the last hand."""

PATIENCE: Final = 30.0
"""Seconds that we stay, beyond lingering, for seats that may lack the end of the last hand."""


async def until_over(
    session: SeatView,
    *,
    linger: float,
    over: asyncio.Event,
    failed: asyncio.Event,
    call: Call,
    tell: Callable[[Event, SeatView], Awaitable[None]],
) -> None:
    """Return when the table is `over`, and the others have answers for `linger` seconds and until
    all are known to have the end of the last hand, or our patience has one; `tell` gets for whom we
    stay. Returns at once when we `failed`. A hand that was ended may go on meanwhile."""
    going_on = True
    while going_on:
        await over.wait()
        await _see_off(session, linger=linger, over=over, failed=failed, call=call, tell=tell)
        going_on = not over.is_set()


async def _see_off(
    session: SeatView,
    *,
    linger: float,
    over: asyncio.Event,
    failed: asyncio.Event,
    call: Call,
    tell: Callable[[Event, SeatView], Awaitable[None]],
) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    told = False
    while over.is_set() and not failed.is_set():
        stayed = loop.time() - began - linger
        lacking = session.lacking_end()
        if stayed >= (PATIENCE if lacking else 0.0):
            return
        if lacking and stayed >= 0.0 and not told:
            await tell(Waiting(lacking, time.monotonic()), session)
            told = True
        if lacking:
            await ask(call)
        pause = ASKING if lacking else min(ASKING, -stayed)
        with suppress(TimeoutError):
            async with asyncio.timeout(pause):
                await failed.wait()
