"""Transports that have joined a hostile broker, for tests of what it cannot do to them."""

from __future__ import annotations

import asyncio
import resource
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from cli.net.mqtt import MqttTransport
from cli.net.transport import LinkState, Trouble
from tests.journeys.running_brokers import (
    Behaviour,
    HostileBroker,
    nothing_left,
    transport,
    until,
)

PATIENT = 20
"""Seconds: a broker that is held up for a moment is not taken for one that says nothing."""


def peak_memory() -> int:
    """The most memory that this process ever held, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


@asynccontextmanager
async def joined(
    behaviour: Behaviour, accept: Callable[[bytes], bool] | None = None, **options: Any
) -> AsyncIterator[MqttTransport]:
    async with HostileBroker(behaviour) as broker:
        one = transport(broker.port, accept=accept, **{"keepalive": PATIENT, **options})
        await one.open()
        await one.send(b"begin")
        try:
            yield one
        finally:
            async with asyncio.timeout(60):
                await one.close()
            assert nothing_left()


async def left(one: MqttTransport) -> tuple[Trouble | None, str]:
    """Why the transport left the broker."""
    status = await until(one, LinkState.DISCONNECTED)
    return status.trouble, status.sentence
