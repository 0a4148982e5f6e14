"""What may die at a table from outside, and the broker that its tests play over."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from p2p304.seats import FOUR_SEAT_NAMES
from tests.journeys.running_brokers import Mosquitto


@dataclass(frozen=True, slots=True)
class SeatKilled:
    """kill -9 of a seat once `published` different messages were seen on the wire."""

    seat: int
    published: int

    def __str__(self) -> str:
        return f"{FOUR_SEAT_NAMES[self.seat]} at message {self.published}"


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


Death = SeatKilled | BrokerKilled | NodeKilled


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


class MosquittoProcess(Mosquitto):
    """A mosquitto as the only node of a table's broker."""

    credentials: Path | None = None

    @property
    def urls(self) -> tuple[str, ...]:
        """The only address."""
        return (f"mqtt://127.0.0.1:{self.port}",)

    async def kill(self) -> None:  # type: ignore[override]
        super().kill()

    async def strike(self, death: NodeKilled) -> None:
        """There is no node to strike."""
        raise NotImplementedError(str(death))
