"""Transports that have joined a hostile broker, for tests of what it cannot do to them."""

from __future__ import annotations

import asyncio
import resource
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from cli.net.address import BrokerAddress
from cli.net.mqtt import MqttOptions, MqttTransport, MqttVersion
from cli.net.transport import LinkState, Trouble
from tests.journeys.running_brokers import Behaviour, HostileBroker

TOPIC = "p2p304/0123456789abcdef"


PATIENT = 20
"""Seconds: a broker that is held up for a moment is not taken for one that says nothing."""


def options(
    port: int, version: MqttVersion = MqttVersion.AUTOMATIC, *, keepalive: int = PATIENT
) -> MqttOptions:
    return MqttOptions(
        BrokerAddress.parse(f"mqtt://127.0.0.1:{port}"), TOPIC, version=version, keepalive=keepalive
    )


def peak_memory() -> int:
    """The most memory that this process ever held, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


@asynccontextmanager
async def joined(
    behaviour: Behaviour,
    accept: Callable[[bytes], bool] | None = None,
    *,
    keepalive: int = PATIENT,
) -> AsyncIterator[MqttTransport]:
    async with HostileBroker(behaviour) as broker:
        one = MqttTransport(options(broker.port, keepalive=keepalive), accept=accept)
        await one.open()
        await one.send(b"begin")
        try:
            yield one
        finally:
            async with asyncio.timeout(60):
                await one.close()
            names = [task.get_name() for task in asyncio.all_tasks()]
            assert not [name for name in names if name.startswith("mqtt")]


async def left(one: MqttTransport) -> tuple[Trouble | None, str]:
    """Why the transport left the broker."""
    async with asyncio.timeout(60):
        async for status in one.statuses():
            if status.state is LinkState.DISCONNECTED:
                return status.trouble, status.sentence
    raise AssertionError("the transport was closed")
