"""What goes over a table's broker, heard by somebody who may watch, and judged afterwards."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from cli.net.transport import Transport
from cli.seat.setup import JournalKind
from cli.store.journal import Journal
from protocol.errors import MalformedMessage
from protocol.places import Place
from protocol.wire import lobby
from protocol.wire.envelope import Envelope, Purpose
from protocol.wire.identity import Seal
from protocol.wire.messages import Message, decode_body

_ACCUSING: Final = re.compile(r"broke the protocol|signs nothing more|Traceback|defect")


class Traffic:
    """The messages of one table: which places were filled, when first, and whether twice."""

    def __init__(self, table: bytes, changed: asyncio.Event) -> None:
        """`changed` is set whenever something is heard."""
        self.heard: list[float] = []
        """When each message was heard for the first time."""
        self._table = table
        self._changed = changed
        self._bodies: dict[Place, set[bytes]] = {}

    @property
    def published(self) -> int:
        """How many messages were published so far."""
        return len(self._bodies)

    @asynccontextmanager
    async def listening(self, transport: Transport, seal: Seal) -> AsyncIterator[None]:
        """Inside, whatever comes through an open transport is noted."""
        hearing = asyncio.create_task(self._hear(transport, seal))
        try:
            yield
        finally:
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)

    async def _hear(self, transport: Transport, seal: Seal) -> None:
        async for frame in transport.frames():
            with suppress(MalformedMessage):
                payload = seal.open(frame).payload
                if payload[:1] != lobby.PREFIX:
                    self._note(payload)
                    self._changed.set()

    def _note(self, raw: bytes) -> None:
        envelope = Envelope.from_bytes(raw)
        if envelope.purpose is Purpose.LEDGER:
            body = decode_body(envelope)
            assert isinstance(body, Message)
            bodies = self._bodies.setdefault(body.place, set())
            if not bodies:
                self.heard.append(time.monotonic())
            bodies.add(raw)

    def read_journal(self, directory: Path) -> None:
        """Note what a seat has kept, too: not all that it has signed need have been heard."""
        with Journal.open(directory, self._table) as journal:
            for record in journal.records():
                if record.kind == JournalKind.MESSAGE:
                    self._note(record.payload)

    def signed_twice(self) -> list[str]:
        """A sentence for each place for which two messages were signed."""
        twice = [place for place, bodies in self._bodies.items() if len(bodies) > 1]
        return [f"two messages were signed for {place}" for place in twice]


def accusations(name: str, said: str) -> list[str]:
    """A sentence where a seat's program said that somebody cheated, or that it is broken itself."""
    accusing = _ACCUSING.search(said)
    if accusing is None:
        return []
    return [f"{name} said: {said[max(accusing.start() - 200, 0) :][:600]}"]
