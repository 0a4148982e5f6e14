"""Exchange a tournament's record with the others who take part, over its brokers."""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from typing import Final

from cli.errors import UserError
from cli.local.sitting import transport_for
from cli.net.credentials import NO_CREDENTIALS, Credentials
from cli.seat.channel import SealedLine
from cli.tasks import first, happens
from cli.tournament.folder import TournamentFolder
from protocol.tournament.carrying import Carrier, is_piece
from protocol.tournament.judge import JudgedRecord
from protocol.wire.identity import FRAME_SIZES

# These times are choices: longer ones make people wait, shorter ones repeat what is under way.
HELLO_EVERY: Final = 3.0
"""Seconds after which we say again what we have: frames may be lost."""
CARRY_EVERY: Final = 60.0
"""The same for who sits at a table meanwhile: whoever comes says what it has, and is answered."""
LINGER: Final = 4.0
"""Seconds without anything new, or asked of us, after which we may leave: others lack the end."""
AT_MOST: Final = 60.0
"""Seconds after which whoever could leave does: who repeats pieces, or asks for ever, keeps
nobody."""
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

Due = Callable[[JudgedRecord], tuple[bytes, ...]]
Done = Callable[[JudgedRecord], bool]
Told = Callable[[JudgedRecord], None]


def over(judged: JudgedRecord) -> bool:
    """Tell whether every match is decided; False before the draw."""
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
    told: Told = lambda _: None,
    alone: Callable[[], None] = lambda: None,
    elsewhere: Callable[[str], None] = lambda _: None,
) -> JudgedRecord:
    """Exchange pieces over the tournament's brokers until `done`, and then for some quiet seconds
    more, as others may lack the end; or until `quiet`. Return the judged record.

    Everything is written into the folder before it is told. Raises TransportError if no broker can
    be reached, UserError if the charter names none, or the folder cannot be used.

    Args:
        folder: whose record is exchanged.
        due: returns the pieces that we have to send next.
        done: whether the record has what we came for.
        quiet: seconds without news after which we leave although not `done`; None to stay.
        every: seconds between two tellings of what we have.
        at_most: seconds after which we leave all the same, once we wait for quiet or are done.
        again: seconds for which a piece that was just sent is not sent again.
        credentials: what lets us in at the brokers.
        told: called with the judged record at first and after each change.
        alone: called at the end if nobody else has sent anything.
        elsewhere: called with ELSEWHERE when others send a piece of our key that we lack.
    """
    invite = folder.invite()
    async with transport_for(invite, credentials) as transport:
        line = _Line(folder, SealedLine(invite, transport), due, again)
        # Pieces are no messages of a table. Before a frame is queued: strangers publish, too.
        transport.admit(lambda frame: len(frame) in FRAME_SIZES)

        async def talk() -> None:
            """Say what we have, and tell and send what changes; return once we may leave."""
            await line.speak()
            await line.hello(asks=True)
            told(line.judged_record)
            silent, answered, until = 0.0, 0, math.inf
            while True:
                # Done: only so long as others may still lack what we have.
                patience = LINGER if done(line.judged_record) else quiet
                now = asyncio.get_running_loop().time()
                if patience is not None:
                    # Counted from the first moment at which we could leave: it never moves on.
                    until = min(until, now + at_most)
                    if silent >= patience or now > until:
                        return
                # No longer than the patience: at its end we may leave.
                pause = every if patience is None else min(every, patience)
                if await line.wait(pause):
                    silent = 0.0
                    if await line.speak():
                        elsewhere(ELSEWHERE)
                    told(line.judged_record)
                else:
                    # Who asks us for pieces is there, and lacks something.
                    silent = silent + pause if line.answered == answered else 0.0
                    answered = line.answered
                    await line.hello()

        # The other two loops never end by themselves.
        await first(line.listen(), line.answer(), talk())
    if not line.heard:
        alone()
    return line.judged_record


async def carry(
    folder: TournamentFolder, credentials: Credentials, told: Told, elsewhere: Callable[[str], None]
) -> None:
    """Exchange the record with others, beside a table, until cancelled; after a UserError begin
    again.

    `told` and `elsewhere` are called as by `exchange`.
    """
    while True:
        with suppress(UserError):  # the table tells what fails, or the next command
            await exchange(
                folder, every=CARRY_EVERY, credentials=credentials, told=told, elsewhere=elsewhere
            )
        # Not at once: a broker that is away is away for a while.
        await asyncio.sleep(HELLO_EVERY)


class _Line:
    """Our end of the tournament's topic."""

    def __init__(self, folder: TournamentFolder, line: SealedLine, due: Due, again: float) -> None:
        """Begin with the folder's record; `due` and `again` are those of `exchange`."""
        self._folder, self._line, self._due, self._again = folder, line, due, again
        self._carrier = Carrier(folder.record, folder.words)
        # Set when others' pieces have changed the record, and when there are answers to send.
        self._changed, self._asked = asyncio.Event(), asyncio.Event()
        # A dict in place of a set, since it keeps the order.
        self._answers: dict[bytes, None] = {}
        self._said: dict[bytes, float] = {}
        """Payloads that were just sent, by us or by others, and when."""
        self.answered = 0  # payloads that we have sent because somebody lacked them
        self.heard = False  # whether anybody else has said anything

    @property
    def judged_record(self) -> JudgedRecord:
        """The record as it is united so far, judged."""
        return self._folder.judge(self._carrier.record)

    async def hello(self, *, asks: bool = False) -> None:
        """Send the names of our pieces; with `asks` in any case, and whoever has the same
        answers, too; else only if nobody has just sent the same names.
        """
        payload = self._carrier.hello(asks=asks)
        if asks or not self._just_said(payload):
            await self._send(payload)

    async def speak(self) -> bool:
        """Write the pieces that we heard into the folder, then write and send our pieces that are
        due, until none is.

        Return whether others showed a piece of a key of ours that this folder lacked.
        """
        heard, kept = self._carrier.record, self._folder.record
        # Our other processes keep what they sign before they say it.
        new = (heard.pieces[name] for name in heard.pieces.keys() - kept.pieces.keys())
        twin = any(piece.key in self._folder.keys for piece in new)
        # On the disk before anything is said of it.
        self._carrier.record = self._folder.unite(heard)
        # Again after each: what we said may make the next thing due.
        while raws := self._due(self.judged_record):
            payloads = self._carrier.add(*raws)
            self._carrier.record = self._folder.unite(self._carrier.record)
            for payload in payloads:
                await self._send(payload)
        return twin

    async def listen(self) -> None:
        """Take in what others send, and put the answers to it in the queue, without end."""
        async for frame in self._line.frames():
            payload = self._line.open(frame)
            # Not under the tournament's key: strangers may publish on the topic.
            if payload is None:
                continue
            self.heard = True
            self._answers.pop(payload, None)  # somebody else has answered so
            self._note(payload)
            before = self._carrier.record
            for answer in self._carrier.receive(payload):
                # A piece that was sent just now is under way to whoever lacks it.
                if not (is_piece(answer) and self._just_said(answer)):
                    self._answers[answer] = None
            if self._answers:
                self._asked.set()
            # The carrier keeps the same object if nothing has changed.
            if self._carrier.record is not before:
                self._changed.set()

    async def answer(self) -> None:
        """Send the queued answers, after a random pause and in random order, without end; those
        that somebody else sends first are dropped.
        """
        while True:
            await self._asked.wait()
            self._asked.clear()
            # At random: of many who have it one should answer.
            await asyncio.sleep(secrets.randbelow(HESITATION) / 1_000)
            while self._answers:
                # Near the front, since pieces rest on earlier ones.
                payload = secrets.choice([*islice(self._answers, CHOICE)])
                del self._answers[payload]
                await self._send(payload)
                self.answered += 1
                await asyncio.sleep(BETWEEN)

    async def wait(self, seconds: float) -> bool:
        """Wait at most so many seconds for others' pieces to change the record, and a moment for
        more of them; return whether any came.
        """
        if not await happens(self._changed, within=seconds):
            return False
        # Pieces come in bursts, and judging is costly: once for all of them.
        await asyncio.sleep(GATHERED)
        self._changed.clear()
        return True

    def _note(self, payload: bytes) -> None:
        """Keep that a payload was sent just now; forget those of more than `again` seconds ago."""
        now = asyncio.get_running_loop().time()
        # Put in again at the end, so that the oldest stays the first.
        self._said.pop(payload, None)
        self._said[payload] = now
        # It ends at the latest at the one that was put in now.
        while now - next(iter(self._said.values())) > self._again:
            del self._said[next(iter(self._said))]

    def _just_said(self, payload: bytes) -> bool:
        """Tell whether anybody has sent this payload in the last `again` seconds."""
        at = self._said.get(payload)
        return at is not None and asyncio.get_running_loop().time() - at < self._again

    async def _send(self, payload: bytes) -> None:
        """Send a payload, and keep that it was sent just now."""
        self._note(payload)
        await self._line.send(payload)
