"""A table's line: payloads sealed and opened on the way through its transport."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sized
from contextlib import suppress
from typing import Final

from cli.errors import UserError
from cli.invite import Invite
from cli.net.transport import Transport, TransportClosedError
from protocol.errors import MalformedMessage
from protocol.wire import lobby
from protocol.wire.identity import NO_SEAT, Seal

MOST_AT_ONCE: Final = 64
"""Received messages that one call of the worker thread handles."""


class SealedLine:
    """Sends and receives payloads of one table, as the seat of the invite or as a spectator."""

    def __init__(self, invite: Invite, transport: Transport) -> None:
        self.invite = invite
        self.transport = transport
        self._seal = Seal(invite.table_key, invite.table)

    async def send(self, payload: bytes, *, room: int = 0) -> None:
        """Seal, with room for so many bytes, and publish; nothing once the transport is closed."""
        seat = NO_SEAT if self.invite.seat is None else int(self.invite.seat)
        frame = self._seal.seal(payload, seat=seat, entropy=secrets.token_bytes, room=room)
        with suppress(TransportClosedError):
            await self.transport.send(frame)

    def opened(self, frame: bytes) -> bytes | None:
        """Return what a frame holds; None for a stranger's, for anybody may publish on the
        topic."""
        try:
            return self._seal.open(frame).payload
        except MalformedMessage:
            return None

    async def heard(self, *, within: float, closed: str) -> bytes | None:
        """Return the next payload; None where a stranger's frame comes, or none `within` so many
        seconds. Raises UserError, with the sentence `closed`, once the transport is closed."""
        try:
            async with asyncio.timeout(within):
                return self.opened(await anext(self.frames()))
        except TimeoutError:
            return None
        except StopAsyncIteration:
            raise UserError(closed) from None

    def frames(self) -> AsyncIterator[bytes]:
        """Return the frames that come, still sealed."""
        return self.transport.received()

    async def batches(
        self, lobby_word: Callable[[bytes], Awaitable[None]]
    ) -> AsyncIterator[list[bytes]]:
        """Yield the opened payloads of the session, as many at a time as are there; `lobby_word`
        gets those of the lobby."""
        frames = self.frames()
        pending: list[bytes] = []
        async for frame in frames:
            payload = self.opened(frame)
            if payload is not None and payload[:1] != lobby.PREFIX:
                pending.append(payload)
            elif payload is not None:
                await lobby_word(payload)
            waiting = isinstance(frames, Sized) and len(frames) > 0
            if pending and (not waiting or len(pending) >= MOST_AT_ONCE):
                yield pending
                pending = []
