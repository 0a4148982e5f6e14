"""A bad way to a broker on loopback: connections that are slow, end early, stall and corrupt.

Everything that chance decides is drawn for each connection from the seed and its number.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

Chunk = tuple[float, bytes]
"""When it is due, and what it is."""


@dataclass(frozen=True, slots=True)
class Roughness:
    """What a way does to each of its connections.

    Bytes are under way for `delay` seconds. A connection ends after a time within `life`, seconds,
    or after so many chunks within `chunks`, which a busy machine carries, too, before it is made
    anew. Of `corrupt` of all chunks one bit is turned over. `stalls` of all connections stand
    still for `stall` seconds once in their life, in both directions.
    """

    delay: float = 0.0
    life: tuple[float, float] = (3_600.0, 3_600.0)
    chunks: tuple[int, int] | None = None
    corrupt: float = 0.0
    stalls: float = 0.0
    stall: float = 0.0


class RoughWay:
    """Listens on loopback, and carries every connection to the port `onward`."""

    def __init__(self, onward: int, roughness: Roughness, seed: int) -> None:
        self._onward = onward
        self._roughness = roughness
        self._seed = seed
        self._visits: set[asyncio.Task[None]] = set()
        self.port = 0
        self.connections = 0
        self.corrupted = 0

    @asynccontextmanager
    async def open(self, port: int = 0) -> AsyncIterator[RoughWay]:
        """It is there inside; all of its connections end with it."""
        server = await asyncio.start_server(self._welcome, "127.0.0.1", port)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for visit in tuple(self._visits):
                visit.cancel()
            await asyncio.gather(*self._visits, return_exceptions=True)

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit = asyncio.current_task()
        assert visit is not None
        self._visits.add(visit)
        self.connections += 1
        chance = random.Random(f"{self._seed} {self.connections}")
        try:
            with suppress(OSError, TimeoutError, asyncio.CancelledError):
                await self._carry(reader, writer, chance)
        finally:
            writer.transport.abort()
            self._visits.discard(visit)

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, chance: random.Random
    ) -> None:
        rough = self._roughness
        life = chance.uniform(*rough.life)
        still = chance.uniform(0, life) if chance.random() < rough.stalls else None
        left = [None if rough.chunks is None else chance.randint(*rough.chunks)]
        to_broker, from_us = await asyncio.open_connection("127.0.0.1", self._onward)
        began = asyncio.get_running_loop().time()
        stalled = None if still is None else (began + still, began + still + rough.stall)
        try:
            async with asyncio.timeout(life):
                async with asyncio.TaskGroup() as ways:
                    for source, sink in ((reader, from_us), (to_broker, writer)):
                        due: asyncio.Queue[Chunk] = asyncio.Queue()
                        ways.create_task(self._take(source, due))
                        ways.create_task(self._give(sink, due, stalled, left, chance))
        except* OSError:
            pass  # one side has gone: so does the other
        finally:
            from_us.transport.abort()

    async def _take(self, source: asyncio.StreamReader, due: asyncio.Queue[Chunk]) -> None:
        loop = asyncio.get_running_loop()
        while data := await source.read(4_096):
            due.put_nowait((loop.time() + self._roughness.delay, data))
        raise ConnectionError("this side has gone")

    async def _give(
        self,
        sink: asyncio.StreamWriter,
        due: asyncio.Queue[Chunk],
        stalled: tuple[float, float] | None,
        left: list[int | None],
        chance: random.Random,
    ) -> None:
        loop = asyncio.get_running_loop()
        while True:
            moment, data = await due.get()
            if stalled is not None and stalled[0] <= max(moment, loop.time()) < stalled[1]:
                moment = stalled[1]
            await asyncio.sleep(max(0.0, moment - loop.time()))
            if chance.random() < self._roughness.corrupt:
                self.corrupted += 1
                spoilt = bytearray(data)
                spoilt[chance.randrange(len(spoilt))] ^= 1 << chance.randrange(8)
                data = bytes(spoilt)
            sink.write(data)
            await sink.drain()
            if left[0] is not None:
                left[0] -= 1
                if left[0] <= 0:
                    raise ConnectionError("it has carried enough")
