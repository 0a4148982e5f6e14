"""A table's line: payloads are sealed, sent, received and opened, within limits of rate."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sized
from contextlib import suppress
from hashlib import blake2b

from cli.bounds import (
    CHECKED,
    EARLY,
    LOBBY,
    MOST_AT_ONCE,
    REMEMBERED_PAYLOADS,
    REPEATED_WITHIN,
    SIGNED,
    TOGETHER,
    UNPROVED,
    WORDS,
)
from cli.errors import UserError
from cli.invite import Invite
from cli.net.transport import Transport, TransportClosedError
from p2p304.game import AnyGame
from protocol.errors import MalformedMessage
from protocol.rates import Allowance
from protocol.wire import lobby
from protocol.wire.charter import Charter
from protocol.wire.identity import NO_SEAT, Envelope, Seal
from protocol.wire.messages import chat_names, open_envelope, room_of


class FrameAllowance:
    """The limit of frames that are read, for each seat and each kind of message.

    Chat of a seat does not crowd out its moves, nor do frames that others seal in its name: beyond
    the rate that a table needs, only frames that the named seat signed are read. Anybody with the
    table key may name any seat in a frame, so the signature alone distinguishes them.
    """

    def __init__(self, seal: Seal, clock: Callable[[], float]) -> None:
        """Set up full allowances. `clock` returns seconds of the monotonic clock."""
        self._seal = seal
        self._clock = clock
        #: Whose keys sign; None before there is a charter, when no signature can be checked.
        self._charter: Charter | None = None
        # One allowance for each kind, so that a flood of one kind leaves the others their room.
        self._lobby = Allowance(LOBBY)
        self._early = Allowance(EARLY)
        self._together = Allowance(TOGETHER)
        self._words = Allowance(WORDS)
        self._unproved = Allowance(UNPROVED)
        self._checked = Allowance(CHECKED)
        self._signed = Allowance(SIGNED)
        #: When payloads beyond the rates were read, by their digests, the latest at the end.
        self._read: OrderedDict[bytes, float] = OrderedDict()

    def begin(self, charter: Charter) -> None:
        """Set the charter whose keys sign at the table."""
        self._charter = charter

    def admits(self, frame: bytes) -> bool:
        """Return whether to read a frame, and count it against its rates.

        A lobby message, and before there is a charter any other, has a rate of the seat that the
        frame names as its sender, and one of all together. Then chat has a rate of its seat, and
        another message one of its seat and purpose, beyond which it is read only if that seat
        signed it (see `_is_signed`). False too for a frame that does not open, which counts for no
        seat, so that a stranger mutes nobody, and for a signer that the charter does not have.
        """
        now = self._clock()
        try:
            opened = self._seal.open(frame)
            # The first byte tells lobby messages from envelopes (specs 7.4).
            if opened.payload[:1] == lobby.PREFIX:
                return self._of_all(self._lobby, opened.sealed_by, now)
            envelope = Envelope.from_bytes(opened.payload)
        except MalformedMessage:
            # Strangers publish on the topic too: what does not open is none of ours.
            return False
        # Without a charter no signature can be checked. By the sealer: one seat's answer brings
        # envelopes of all seats.
        if self._charter is None:
            return self._of_all(self._early, (opened.sealed_by, envelope.purpose), now)
        # A signer that the charter does not have is cheaper to refuse than to verify.
        if envelope.seat >= len(self._charter.signers[envelope.purpose]):
            return False
        # Chat first: it would use up the allowance of moves.
        if chat_names(opened.payload, self._charter) is not None:
            return self._words.take(envelope.seat, now)
        # Most frames pass here, so that a table in peace verifies each signature once, in the
        # session.
        if self._unproved.take((envelope.seat, envelope.purpose), now):
            return True
        return self._is_signed(opened.payload, envelope, self._charter, now)

    def _of_all(self, allowance: Allowance, sealer: Hashable, now: float) -> bool:
        """Take one from the sealer's allowance and one from that of all together, and return
        True; return False if either is empty.
        """
        # Seat by seat and all together: a sealer may name every seat in turn.
        return allowance.take(sealer, now) and self._together.take(None, now)

    def _is_signed(self, payload: bytes, envelope: Envelope, charter: Charter, now: float) -> bool:
        """Return whether the seat that a payload names signed it and may send more, and note
        that it was read. False too if it was read in the last `REPEATED_WITHIN` seconds, or so many
        signatures were checked that this one is not.
        """
        # 16 bytes: nobody finds another payload with the digest of one that was read.
        name, whose = blake2b(payload, digest_size=16).digest(), (envelope.seat, envelope.purpose)
        # A digest, because payloads of 64 KiB would be kept otherwise.
        # Without an entry, `-REPEATED_WITHIN` gives a time that is always long enough ago.
        lately = now - self._read.get(name, -REPEATED_WITHIN) < REPEATED_WITHIN
        if lately or not self._signed.has(whose, now):
            return False
        # Verifying costs time, whoever sent it: it has an allowance of its own.
        if not self._checked.take(None, now):
            return False
        try:
            open_envelope(payload, charter)
        except MalformedMessage:
            # Not signed by the seat that it names: dropped like a stranger's.
            return False
        # Taken only now: a forged frame must not use up what the seat may send.
        self._signed.take(whose, now)
        # The latest stay: the oldest is forgotten first.
        self._read[name] = now
        self._read.move_to_end(name)
        if len(self._read) > REMEMBERED_PAYLOADS:
            self._read.popitem(last=False)
        return True


class SealedLine:
    """The sealed connection to one table, of the invite's seat or of a spectator."""

    def __init__(
        self, invite: Invite, transport: Transport, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Set up the line over an open transport, which from now on drops the frames that
        `FrameAllowance` does not admit, by the seconds of a monotonic `clock`.
        """
        self.invite = invite
        self.transport = transport
        self._seal = Seal(invite.table_key, invite.table)
        self._allowance = FrameAllowance(self._seal, clock)
        transport.admit(self._allowance.admits)

    def begin(self, charter: Charter) -> None:
        """Set the charter, whose keys decide which frames are read beyond the usual rates."""
        self._allowance.begin(charter)

    async def say(self, envelope: bytes, game: AnyGame) -> None:
        """Publish an envelope, ours or another seat's, in a frame of the size that specs 7.1
        asks for.
        """
        # Padded to the size of its kind, so that a frame's length tells nothing (specs 7.1).
        await self.send(envelope, room=room_of(envelope, game))

    async def send(self, payload: bytes, *, room: int = 0) -> None:
        """Seal a payload in a frame with room for at least `room` bytes, and publish it.

        Does nothing once the transport is closed.
        """
        # An invite to watch has no seat.
        seat = NO_SEAT if self.invite.seat is None else self.invite.seat
        frame = self._seal.seal(payload, seat=seat, entropy=secrets.token_bytes, room=room)
        # A seat that leaves still has tasks that speak; nothing is lost, the journal has it.
        with suppress(TransportClosedError):
            await self.transport.send(frame)

    def open(self, frame: bytes) -> bytes | None:
        """Return the payload of a frame; None if it was not sealed with the table key, as a
        stranger's.
        """
        try:
            return self._seal.open(frame).payload
        except MalformedMessage:
            # Strangers may publish on the topic, and other tables may share the broker.
            return None

    async def next_payload(self, *, within: float, closed: str) -> bytes | None:
        """Return the next payload; None for a stranger's frame, or after `within` seconds.

        Raises UserError, with the sentence `closed`, once the transport is closed.
        """
        try:
            # Cancelling `anext` loses nothing: a frame is taken only when it is returned.
            # `frames` gives one iterator for all calls: each goes on where the last ended.
            async with asyncio.timeout(within):
                return self.open(await anext(self.transport.frames()))
        except TimeoutError:
            return None
        except StopAsyncIteration:
            # `from None`: the end of an iterator says nothing to a user.
            raise UserError(closed) from None

    async def batches(
        self, lobby_word: Callable[[bytes], Awaitable[None]]
    ) -> AsyncIterator[list[bytes]]:
        """Yield lists of payloads for the session, each of all that have arrived, 64 at most;
        call `lobby_word` with each lobby message. Ends once the transport is closed.
        """
        frames = self.transport.frames()
        pending: list[bytes] = []
        async for frame in frames:
            payload = self.open(frame)
            # Lobby messages are answered without the session, so they go another way (specs 7.4).
            if payload is not None and payload[:1] != lobby.PREFIX:
                pending.append(payload)
            elif payload is not None:
                await lobby_word(payload)
            # Only transports that count what has arrived can be asked; others give one by one.
            waiting = isinstance(frames, Sized) and len(frames) > 0
            # As many as have arrived go in one call of the worker thread, which costs more than
            # reading one.
            if pending and (not waiting or len(pending) >= MOST_AT_ONCE):
                yield pending
                pending = []
