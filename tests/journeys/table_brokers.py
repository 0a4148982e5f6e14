"""What may die at a table, and the brokers that its tests play over."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from p2p304.seats import FOUR_SEAT_NAMES
from tests.forked import close_pipes, start_program
from tests.journeys.running_brokers import Mosquitto, free_port


@dataclass(frozen=True, slots=True)
class SeatKilled:
    """kill -9 of a seat once `published` different messages were seen on the wire."""

    seat: int
    published: int

    def __str__(self) -> str:
        return f"{FOUR_SEAT_NAMES[self.seat]} at message {self.published}"


@dataclass(frozen=True, slots=True)
class SeatDied:
    """A seat dies at a moment (see `dying_seat.MOMENTS`) of its journal's record of this number."""

    seat: int
    moment: str
    record: int

    def __str__(self) -> str:
        return f"{FOUR_SEAT_NAMES[self.seat]} {self.moment} record {self.record}"


@dataclass(frozen=True, slots=True)
class BrokerKilled:
    """kill -9 of the broker once `published` different messages were seen on the wire."""

    published: int

    def __str__(self) -> str:
        return f"broker at message {self.published}"


@dataclass(frozen=True, slots=True)
class NodeKilled:
    """kill -9 of a node of the clustered broker once so many different messages were seen."""

    node: int
    published: int

    def __str__(self) -> str:
        return f"node {self.node + 1} at message {self.published}"


@dataclass(frozen=True, slots=True)
class NodePaused(NodeKilled):
    """The node hangs, as a machine without power: its connections stay open and say nothing."""

    def __str__(self) -> str:
        return f"node {self.node + 1} hangs at message {self.published}"


FromOutside = SeatKilled | BrokerKilled | NodeKilled
Death = FromOutside | SeatDied


class Broker(Protocol):
    """What a table needs of the broker in its test."""

    @property
    def urls(self) -> tuple[str, ...]:
        """Its addresses: more than one for a cluster."""

    @property
    def credentials(self) -> Path | None:
        """The file with what it asks of us."""

    async def start(self) -> None:
        """Start it and wait until it listens."""

    async def kill(self) -> None:
        """kill -9."""

    async def strike(self, death: NodeKilled) -> None:
        """Let this happen to a node."""


class SingleBroker:
    """What brokers of one node have in common."""

    port: int
    credentials: Path | None = None

    @property
    def urls(self) -> tuple[str, ...]:
        """The only address."""
        return (f"mqtt://127.0.0.1:{self.port}",)

    async def strike(self, death: NodeKilled) -> None:
        """There is no node to strike."""
        raise NotImplementedError(str(death))


class BrokerProcess(SingleBroker):
    """`p2p304 broker` on a port of its own."""

    def __init__(self, place: Path) -> None:
        self.port = free_port()
        self._output = place / "broker.txt"
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start it and wait until it says that it listens."""
        self._process = await start_program(
            *("broker", "--port", str(self.port)),
            variables={**os.environ, "PYTHONUNBUFFERED": "1"},
            stdin=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.STDOUT,
        )
        assert self._process.stdout is not None
        async with asyncio.timeout(120):
            said = await self._process.stdout.readline()
        assert b"listens" in said, said

    async def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        close_pipes(self._process)


class MosquittoProcess(SingleBroker, Mosquitto):
    """The same doors as `BrokerProcess` has."""

    async def kill(self) -> None:  # type: ignore[override]
        super().kill()


BROKERS: Final = {"embedded": BrokerProcess, "mosquitto": MosquittoProcess}
