"""What a broker bears while tables play: connections, memory and processor time, sampled; what is
published to it by topic, and what it passes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import psutil
from aiomqtt import Client  # the campaign alone speaks MQTT by itself

EVERY = 1.0
SENT = {
    "$SYS/broker/publish/messages/sent": "messages",
    "$SYS/broker/publish/bytes/sent": "bytes",
}
"""Where mosquitto tells what it has sent to its subscribers."""
SETTINGS = "allow_anonymous true\nsys_interval 1\nset_tcp_nodelay true\n"
"""A mosquitto that tells so every second."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One moment: connections, resident bytes, processor seconds so far, published so far."""

    at: float
    connections: int
    memory: int
    cpu: float
    published: int
    published_bytes: int


@dataclass
class Load:
    """What the processes of a broker bore, sampled every second, and what was published to them."""

    processes: list[psutil.Process]
    samples: list[Sample] = field(default_factory=list)
    topics: dict[str, list[int]] = field(default_factory=dict)
    """Messages and bytes that were published on each topic."""
    sent: dict[str, int] = field(default_factory=lambda: {"messages": 0, "bytes": 0})
    """What the broker says it sent to all subscribers, of which we are one."""
    heard: list[int] = field(default_factory=lambda: [0, 0])
    """Messages and bytes that it sent to us."""

    def published(self, *topics: str) -> tuple[int, int]:
        """Return messages and bytes that were published on these topics, all if none is named."""
        found = [each for name, each in self.topics.items() if not topics or name in topics]
        return sum(each[0] for each in found), sum(each[1] for each in found)

    def hear(self, topic: str, payload: bytes) -> None:
        """Count a message that reached our own subscription."""
        self.heard[0] += 1
        self.heard[1] += len(payload)
        if topic in SENT:
            self.sent[SENT[topic]] = int(payload)
        else:
            of_topic = self.topics.setdefault(topic, [0, 0])
            of_topic[0] += 1
            of_topic[1] += len(payload)

    def sample(self) -> None:
        """Take one sample; a process that is gone meanwhile bears nothing."""
        connections, memory, cpu = 0, 0, 0.0
        for process in self.processes:
            with suppress(psutil.Error):
                there = [each.status for each in process.net_connections("tcp")]
                connections += there.count(psutil.CONN_ESTABLISHED)
                memory += process.memory_info().rss
                times = process.cpu_times()
                cpu += times.user + times.system
        published = self.published()
        now = time.monotonic()
        self.samples.append(Sample(now, connections, memory, cpu, *published))

    async def run(self) -> None:
        """Sample until cancelled."""
        while True:
            self.sample()
            await asyncio.sleep(EVERY)

    def table_seconds(self, others: int, at_a_table: int) -> float:
        """Return how long tables were there, all together, of whose connections so many are at one
        table, and `others` at none."""
        pairs = zip(self.samples, self.samples[1:], strict=False)
        held = sum((b.at - a.at) * max(0, b.connections - others) for a, b in pairs)
        return held / at_a_table

    def seated(self, connections: int) -> dict[str, Any]:
        """Return rates while at least so many were connected: between the first such sample and the
        last, and in the median second and the busiest."""
        there = [each for each in self.samples if each.connections >= connections]
        pairs = [
            (one, other)
            for one, other in zip(self.samples, self.samples[1:], strict=False)
            if min(one.connections, other.connections) >= connections
        ]
        if not pairs:
            return {"seated_seconds": 0}
        rates = [(b.published - a.published) / (b.at - a.at) for a, b in pairs]
        bits = [(b.published_bytes - a.published_bytes) / (b.at - a.at) for a, b in pairs]
        return {
            "seated_seconds": round(there[-1].at - there[0].at),
            "messages_a_second": round(sum(rates) / len(rates), 1),
            "messages_busiest_second": round(max(rates)),
            "bytes_a_second": round(sum(bits) / len(bits)),
            "bytes_busiest_second": round(max(bits)),
            "memory_mib": round(median(each.memory for each in there) / 2**20, 2),
        }


@asynccontextmanager
async def sampled(processes: list[psutil.Process], port: int) -> AsyncIterator[Load]:
    """Sample these processes and, as one more subscriber at that port, all that is published."""
    load = Load(processes)
    ready = asyncio.Event()

    async def listen() -> None:
        async with Client("127.0.0.1", port) as client:
            for topic in ("#", *SENT):
                await client.subscribe(topic)
            ready.set()
            async for message in client.messages:
                load.hear(str(message.topic), bytes(message.payload))  # type: ignore[arg-type]

    load.sample()
    listening, waiting = asyncio.create_task(listen()), asyncio.create_task(ready.wait())
    working = [asyncio.create_task(load.run()), listening]
    await asyncio.wait({listening, waiting}, return_when="FIRST_COMPLETED")
    waiting.cancel()
    try:
        yield load
        await asyncio.sleep(2 * EVERY)  # the broker tells what it sent once a second
    finally:
        for each in working:
            each.cancel()
        await asyncio.gather(*working, return_exceptions=True)
    load.sample()
