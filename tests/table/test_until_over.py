"""When a driver leaves a table that is over, and when it stays because a hand goes on after all."""

from __future__ import annotations

import asyncio

from cli.seat.calls import SessionCall, until_over
from protocol.seat.session import Session
from protocol.table.events import Event
from protocol.topics.step import SessionStatus
from tests.table.test_unfinished import abandoned, ended


async def test_a_table_that_is_not_over_any_more_is_not_left() -> None:
    session = ended(abandoned()).chairs[0].session
    assert session.status is SessionStatus.UNFINISHED
    over, failed = asyncio.Event(), asyncio.Event()

    async def call(_work: SessionCall) -> None:
        """Nobody is asked anything."""

    async def tell(_event: Event, _session: Session) -> None:
        """Nobody is told anything."""

    over.set()
    leaving = asyncio.create_task(
        until_over(
            session,
            linger=300.0,
            staying=lambda: False,
            over=over,
            failed=failed,
            call=call,
            tell=tell,
        )
    )
    await asyncio.sleep(0)
    over.clear()  # those who had ended the hand have gone on with it
    failed.set()  # answering stops at once
    for _ in range(10):
        await asyncio.sleep(0)
    assert not leaving.done()
    over.set()
    await asyncio.wait_for(leaving, timeout=60)
