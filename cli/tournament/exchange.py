"""Bringing a tournament's record together with those of the others, over its brokers."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from itertools import islice
from typing import Final

from cli.errors import UserError
from cli.net.address import BrokerAddress, parse_nodes
from cli.net.credentials import NO_CREDENTIALS, Credentials
from cli.net.mqtt import MqttOptions, MqttTransport
from cli.net.transport import Transport, TransportClosedError
from cli.tasks import happens, stop
from cli.tournament.folder import TournamentFolder
from protocol.errors import MalformedMessage
from protocol.tournament.carrying import Carrier, is_piece
from protocol.tournament.judge import judge
from protocol.tournament.pieces import TournamentCharter
from protocol.tournament.record import TournamentRecord
from protocol.wire.identity import FRAME_SIZES, NO_SEAT, PublicKey, Seal

HELLO_EVERY: Final = 3.0
"""Seconds after which we say again what we have: frames may be lost."""
CARRY_EVERY: Final = 60.0
"""The same for who sits at a table meanwhile: whoever comes says what it has, and is answered."""
LINGER: Final = 4.0
"""Seconds without anything new, or asked of us, after which we may leave: others lack the end."""
AT_MOST: Final = 60.0
"""Seconds after which who waits for quiet, or has what it came for, leaves all the same: whoever
repeats pieces, or asks for ever, keeps nobody."""

HESITATION: Final = 300
"""Milliseconds within which whoever has what another lacks answers, at random."""
BETWEEN: Final = 0.02
"""Seconds between two answers of ours, in which those of others arrive."""
CHOICE: Final = 16
"""Of so many answers we send any first, so that many who answer at once send different ones."""
AGAIN: Final = 2.0
"""Seconds for which a piece that was just sent, by whomever, is not sent again."""
GATHERED: Final = 0.1
"""Seconds in which pieces come that are kept, judged and told together."""

ELSEWHERE: Final = (
    "Your identity has signed in this tournament elsewhere: on another machine, or in a folder that"
    " is lost. Play on one machine alone; two that sign different things convict you."
)

Due = Callable[[TournamentRecord], tuple[bytes, ...]]
"""What we have to say next, given what is known: raw pieces."""
Done = Callable[[TournamentRecord], bool]


def over(record: TournamentRecord) -> bool:
    """Tell whether every match is decided."""
    judged = judge(record)
    return judged.tournament is not None and judged.tournament.finished


async def exchange(
    folder: TournamentFolder,
    *,
    due: Due = lambda _: (),
    done: Done = lambda _: False,
    quiet: float | None = None,
    every: float = HELLO_EVERY,
    at_most: float = AT_MOST,
    again: float = AGAIN,
    credentials: Credentials = NO_CREDENTIALS,
    told: Callable[[TournamentRecord], None] = lambda _: None,
    alone: Callable[[], None] = lambda: None,
    elsewhere: Callable[[], None] = lambda: None,
) -> TournamentRecord:
    """Exchange pieces over the tournament's brokers until `done`; return the record.

    With `quiet`, until nobody has said anything new for so many seconds, or `at_most` have passed.
    `every` so many seconds we say what we have; a piece is not sent `again` for so many.
    Everything is kept in the folder before it is told; `alone` is called at the end if nobody has
    said anything, `elsewhere` when others show what a key of ours has signed, and not here. Raises
    UserError where no broker can be reached.
    """
    charter = folder.record.charter
    seal = Seal(folder.key, charter.id)
    async with transport_of(charter, seal, credentials) as transport:
        line = _Line(folder, transport, seal, due, again)
        working = [asyncio.create_task(each) for each in (line.listen(), line.answer())]
        try:
            await line.speak()
            await line.ask()
            told(line.record)
            silent, answered = 0.0, 0
            until: float | None = None
            while not any(each.done() for each in working):
                patience = LINGER if done(line.record) else quiet
                now = asyncio.get_running_loop().time()
                until = until or (None if patience is None else now + at_most)
                if patience is not None and (silent >= patience or now > (until or now)):
                    break
                pause = every if patience is None else min(every, patience)
                if await line.wait(pause):
                    silent = 0.0
                    await line.speak()
                    if line.twin:
                        line.twin = False
                        elsewhere()
                    told(line.record)
                    continue
                silent = silent + pause if line.answered == answered else 0.0
                answered = line.answered
                await line.hello()
        finally:
            await stop(*working)
    for each in working:
        if not each.cancelled():
            each.result()
    if not line.heard:
        alone()
    return line.record


@asynccontextmanager
async def carrying(
    folder: TournamentFolder,
    credentials: Credentials,
    told: Callable[[TournamentRecord], None],
    elsewhere: Callable[[], None],
) -> AsyncIterator[None]:
    """Answer who lacks pieces that we have, beside what is done in this context: players whom the
    draw has not reached can get it from those who wait for them at the table. What we learn is
    `told`."""

    async def carry() -> None:
        while True:
            with suppress(UserError):  # the table tells what fails, or the next command
                await exchange(
                    folder,
                    every=CARRY_EVERY,
                    credentials=credentials,
                    told=told,
                    elsewhere=elsewhere,
                )
            await asyncio.sleep(HELLO_EVERY)

    task = asyncio.create_task(carry())
    try:
        yield
    finally:
        await stop(task)


def nodes_of(charter: TournamentCharter) -> tuple[BrokerAddress, ...]:
    """Return the addresses of a tournament's brokers; raises UserError where there are none."""
    if not charter.brokers:
        raise UserError("The charter of this tournament names no broker: carry files, with --take.")
    return tuple(node for text in charter.brokers for node in parse_nodes(text))


def transport_of(
    charter: TournamentCharter, seal: Seal, credentials: Credentials = NO_CREDENTIALS
) -> Transport:
    """Return the transport to the first of a tournament's brokers, the others being its nodes.

    Raises UserError where the charter names none, CredentialsError where it names hosts for which
    the credentials are not meant.
    """
    nodes = nodes_of(charter)
    credentials.check_hosts(nodes)  # the organiser has named them, and not who is let in
    options = MqttOptions(
        nodes[0],
        seal.topic,
        credentials=credentials,
        largest_frame=max(FRAME_SIZES),
        other_nodes=nodes[1:],
    )
    return MqttTransport(options, accept=lambda frame: len(frame) in FRAME_SIZES)


def signers(record: TournamentRecord, *, beside: TournamentRecord) -> set[PublicKey]:
    """Return who signed what is in a record and not in another one."""
    new = record.names - beside.names
    pieces = {piece.key for name, piece in record.pieces.items() if name in new}
    drawn = {
        each.draw.charter.seats[each.signed.place.seat].key
        for name, each in record.said.items()
        if name in new
    }
    return pieces | drawn


class _Line:
    """Our end of the tournament's topic."""

    def __init__(
        self, folder: TournamentFolder, transport: Transport, seal: Seal, due: Due, again: float
    ) -> None:
        self._folder, self._transport, self._seal, self._due = folder, transport, seal, due
        self._again = again
        self._carrier = Carrier(folder.record, folder.words)
        self._changed, self._asked = asyncio.Event(), asyncio.Event()
        self._answers: dict[bytes, None] = {}
        self._said: dict[bytes, float] = {}
        """Payloads that were just sent, by us or by others, and when."""
        self.answered = 0
        """How many payloads we have sent because somebody lacked them."""
        self.heard = False
        """Whether anybody else has said anything."""
        self.twin = False
        """Whether somebody has shown what a key of ours signed elsewhere."""

    @property
    def record(self) -> TournamentRecord:
        return self._carrier.record

    async def ask(self) -> None:
        """Say what we have, for the first time: whoever has more sends it, or has the same, says
        so."""
        await self._send(self._carrier.hello(asks=True))

    async def hello(self) -> None:
        """Say what we have, unless somebody has just said that the same is what it has: whoever has
        more, or less, has heard so."""
        payload = self._carrier.hello()
        if not self._just_said(payload):
            await self._send(payload)

    async def speak(self) -> None:
        """Keep what came, then keep and say all that is due."""
        heard, kept = self.record, self._folder.record
        # Our other processes keep what they sign before they say it.
        self.twin |= bool({*self._folder.keys} & signers(heard, beside=kept))
        self._carrier.record = self._folder.unite(heard)
        while raws := self._due(self.record):
            payloads = self._carrier.add(*raws)
            self._carrier.record = self._folder.unite(self.record)
            for payload in payloads:
                await self._send(payload)

    async def listen(self) -> None:
        """Take what the others say."""
        async for frame in self._transport.received():
            try:
                payload = self._seal.open(frame).payload
            except MalformedMessage:
                continue
            self.heard = True
            self._answers.pop(payload, None)  # somebody else has answered so
            self._note(payload)
            before = self._carrier.record
            for answer in self._carrier.receive(payload):
                if not (is_piece(answer) and self._just_said(answer)):
                    self._answers[answer] = None
            if self._answers:
                self._asked.set()
            if self._carrier.record is not before:
                self._changed.set()

    async def answer(self) -> None:
        """Answer who lacks something, unless somebody else does so first: all hear all answers."""
        while True:
            await self._asked.wait()
            self._asked.clear()
            await asyncio.sleep(secrets.randbelow(HESITATION) / 1_000)
            while self._answers:
                payload = secrets.choice([*islice(self._answers, CHOICE)])
                del self._answers[payload]
                await self._send(payload)
                self.answered += 1
                await asyncio.sleep(BETWEEN)

    async def wait(self, seconds: float) -> bool:
        """Wait until something new came, so many seconds at most; tell whether it did."""
        if not await happens(self._changed, within=seconds):
            return False
        await asyncio.sleep(GATHERED)
        self._changed.clear()
        return True

    def _note(self, payload: bytes) -> None:
        """Note that a payload was sent just now; forget what was sent long ago."""
        now = asyncio.get_running_loop().time()
        self._said.pop(payload, None)
        self._said[payload] = now
        while now - next(iter(self._said.values())) > self._again:
            del self._said[next(iter(self._said))]

    def _just_said(self, payload: bytes) -> bool:
        at = self._said.get(payload)
        return at is not None and asyncio.get_running_loop().time() - at < self._again

    async def _send(self, payload: bytes) -> None:
        self._note(payload)
        frame = self._seal.seal(payload, seat=NO_SEAT, entropy=secrets.token_bytes)
        with suppress(TransportClosedError):
            await self._transport.send(frame)
