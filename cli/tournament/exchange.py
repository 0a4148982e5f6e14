"""Bringing a tournament's record together with those of the others, over its brokers."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable

from cli.errors import UserError
from cli.net.address import parse_nodes
from cli.net.credentials import NO_CREDENTIALS, Credentials
from cli.net.mqtt import MqttOptions, MqttTransport
from cli.net.transport import Transport
from cli.tournament.folder import TournamentFolder
from protocol.errors import MalformedMessage
from protocol.tournament.carrying import Carrier
from protocol.tournament.pieces import TournamentCharter
from protocol.tournament.record import TournamentRecord
from protocol.wire.identity import FRAME_SIZES, NO_SEAT, Seal

HELLO_EVERY = 3.0
"""Seconds after which we say again what we have: frames may be lost."""

Due = Callable[[TournamentRecord], tuple[bytes, ...]]
"""What we have to say next, given what is known: raw pieces."""
Done = Callable[[TournamentRecord], bool]


async def exchange(
    folder: TournamentFolder,
    *,
    due: Due,
    done: Done,
    quiet: float | None = None,
    credentials: Credentials = NO_CREDENTIALS,
    told: Callable[[TournamentRecord], None] = lambda _: None,
) -> TournamentRecord:
    """Exchange pieces over the tournament's brokers until `done`; return the record.

    With `quiet`, until nobody has said anything new for so many seconds. Everything is kept in the
    folder before it is told. Raises UserError where no broker can be reached.
    """
    record = folder.record
    seal = Seal(folder.key, record.charter.id)
    transport = transport_of(record.charter, seal, credentials)
    async with transport:
        line = _Line(folder, transport, seal, due)
        await line.speak()
        told(line.record)
        listening = asyncio.create_task(line.listen())
        try:
            last, since = line.record, 0.0
            while not done(line.record):
                if listening.done():
                    listening.result()
                    break
                changed = await line.wait(HELLO_EVERY if quiet is None else min(quiet, HELLO_EVERY))
                if changed and line.record != last:
                    last, since = line.record, 0.0
                    await line.speak()
                    told(line.record)
                    continue
                since += HELLO_EVERY if quiet is None else min(quiet, HELLO_EVERY)
                if quiet is not None and since >= quiet:
                    break
                await line.hello()
            await line.hello()
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
    return line.record


def transport_of(
    charter: TournamentCharter, seal: Seal, credentials: Credentials = NO_CREDENTIALS
) -> Transport:
    """Return the transport to the first of a tournament's brokers, the others being its nodes.

    Raises UserError where the charter names none, CredentialsError where it names hosts for which
    the credentials are not meant.
    """
    if not charter.brokers:
        raise UserError("The charter names no broker: carry files, with --take.")
    nodes = [node for text in charter.brokers for node in parse_nodes(text)]
    credentials.check_hosts(nodes)  # the organiser has named them, and not who is let in
    options = MqttOptions(
        nodes[0],
        seal.topic,
        credentials=credentials,
        largest_frame=max(FRAME_SIZES),
        other_nodes=tuple(nodes[1:]),
    )
    return MqttTransport(options, accept=lambda frame: len(frame) in FRAME_SIZES)


class _Line:
    """Our end of the tournament's topic."""

    def __init__(
        self, folder: TournamentFolder, transport: Transport, seal: Seal, due: Due
    ) -> None:
        self._folder, self._transport, self._seal, self._due = folder, transport, seal, due
        self._carrier = Carrier(folder.record)
        self._changed = asyncio.Event()

    @property
    def record(self) -> TournamentRecord:
        return self._carrier.record

    async def hello(self) -> None:
        await self._send(self._carrier.hello())

    async def speak(self) -> None:
        """Keep and say all that is due, then say what we have."""
        self._carrier.record = self._folder.unite(self.record)
        while raws := self._due(self.record):
            self._carrier.record = self._folder.add(*raws)
            for payload in self._carrier.add(*raws):
                await self._send(payload)
        await self.hello()

    async def listen(self) -> None:
        async for frame in self._transport.received():
            try:
                payload = self._seal.open(frame).payload
            except MalformedMessage:
                continue
            before = self._carrier.record
            for answer in self._carrier.receive(payload):
                await self._send(answer)
            if self._carrier.record is not before:
                self._changed.set()

    async def wait(self, seconds: float) -> bool:
        """Wait until something new came, so many seconds at most; tell whether it did."""
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            return False
        self._changed.clear()
        return True

    async def _send(self, payload: bytes) -> None:
        frame = self._seal.seal(payload, seat=NO_SEAT, entropy=secrets.token_bytes)
        await self._transport.send(frame)
