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
from protocol.version import PROTOCOL_VERSION
from protocol.wire import lobby
from protocol.wire.identity import FRAME_SIZES, NO_SEAT, Seal

MOST_AT_ONCE: Final = 64
"""Received messages that one call of the worker thread handles."""


FRAMES_AT_ONCE: Final = 1_024
FRAMES_A_SECOND: Final = 512
"""Frames of a seat that are read: eight times what its answer to a question for history brings.
What a seat plays may drown among its own words beyond that: the hand then waits for it."""


class FrameAllowance:
    """Admits frames of the table, of each seat so many in a second.

    Whoever has the table key may name another seat, so this protects from seats that talk without
    end, and not from one that means to stop the table. Spectators count as one seat.
    """

    def __init__(self, seal: Seal, clock: Callable[[], float]) -> None:
        """`clock` gives seconds of the monotonic clock."""
        self._seal = seal
        self._clock = clock
        self._left: dict[int, tuple[float, float]] = {}

    def admits(self, frame: bytes) -> bool:
        """Tell whether a frame is read; one that opens counts for the seat that sealed it."""
        if len(frame) not in FRAME_SIZES or frame[0] != PROTOCOL_VERSION:
            return False
        seat, now = self._seal.sealed_by(frame), self._clock()
        left, before = self._left.get(seat, (FRAMES_AT_ONCE, now))
        left = min(FRAMES_AT_ONCE, left + (now - before) * FRAMES_A_SECOND)
        self._left[seat] = (left, now)
        if left < 1:
            return False
        # Only what the table key sealed is counted: a stranger who repeats the beginning of a frame
        # names its seat as well.
        try:
            self._seal.open(frame)
        except MalformedMessage:
            return False
        self._left[seat] = (left - 1, now)
        return True


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
