"""How time passes for a seat: every second, and at once when its connection is there again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, NoReturn

from cli.net.transport import LinkState, Status, Transport
from cli.seat.calls import Call, ask, time_passes
from cli.seat.presence import Presences
from cli.tasks import never

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
        self, transport: Transport, tell: Callable[[Status], Awaitable[None]]
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

    async def run(self, call: Call) -> None:
        """Let time pass for the session that `call` reaches."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(TICK):
                    await self._wake.wait()
            self._wake.clear()
            if self._rejoined:  # what was said meanwhile need not wait until somebody misses us
                self._rejoined = False
                await ask(call)
            await call(time_passes)
