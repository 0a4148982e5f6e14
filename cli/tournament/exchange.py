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
CLOSED: Final = "The connection was closed: give the command again."
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
    credentials: Credentials | None = None,
    told: Told = lambda _: None,
    alone: Callable[[], None] = lambda: None,
    elsewhere: Callable[[str], None] = lambda _: None,
) -> JudgedRecord:
    """Exchange pieces over the tournament's brokers until `done`, and then for some quiet seconds
    more, as others may lack the end; or until `quiet` seconds without news (None: to stay). Return
    the judged record.

    What is heard, and what is `due` from us, is in the folder before it is `told`, at first and
    after each change. `every` so many seconds we say what we have; no piece is sent `again` so
    soon, and `at_most` so many we stay once we may leave. `alone` is called at the end if nobody
    else has sent anything, `elsewhere` when others send a piece of our key that we lack. Raises
    TransportError if no broker can be reached, UserError if the charter names none.
    """
    invite, clock = folder.invite(), asyncio.get_running_loop().time
    async with transport_for(invite, credentials or NO_CREDENTIALS) as transport:
        line = _Line(folder, SealedLine(invite, transport), due, again)
        # Pieces are no messages of a table. Before a frame is queued: strangers publish, too.
        transport.admit(lambda frame: len(frame) in FRAME_SIZES)
        await line.speak()
        await line.hello(asks=True)
        told(line.judged_record)
        until = math.inf
        while True:
            # Done: only so long as others may still lack what we have.
            patience = LINGER if done(line.judged_record) else quiet
            if patience is not None:
                # Counted from the first moment at which we could leave: it never moves on.
                until = min(until, clock() + at_most)
                if clock() >= min(until, line.busy + patience):
                    break
            # No longer than the patience: at its end we may leave.
            if await line.listen(every if patience is None else min(every, patience)):
                if await line.speak():
                    elsewhere(ELSEWHERE)
                told(line.judged_record)
            else:
                await line.hello()
    if not line.heard:
        alone()
    return line.judged_record


async def carry(
    folder: TournamentFolder,
    credentials: Credentials | None,
    told: Told,
    elsewhere: Callable[[str], None],
) -> None:
    """Exchange the record beside a table, until cancelled; after a UserError begin again."""
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
        self._folder, self._line, self._due, self._again = folder, line, due, again
        self._clock = asyncio.get_running_loop().time
        self._carrier = Carrier(folder.record, folder.words)
        # A dict in place of a set, since it keeps the order.
        self._answers: dict[bytes, None] = {}
        self._answers_at = math.inf
        """When the next answer is sent; never while there is none."""
        self._said: dict[bytes, float] = {}
        """Payloads that were just sent, by us or by others, and when."""
        self.busy = self._clock()
        """When others brought something new, or were answered, the last time; at first now."""
        self.heard = False  # whether anybody else has said anything

    @property
    def judged_record(self) -> JudgedRecord:
        """The record as it is united so far, judged."""
        return self._folder.judge(self._carrier.record)

    async def hello(self, *, asks: bool = False) -> None:
        """Send the names of our pieces, if it `asks` for answers or nobody has just sent them."""
        payload = self._carrier.hello(asks=asks)
        if asks or not self._just_said(payload):
            await self._send(payload)

    async def speak(self) -> bool:
        """Write the pieces that we heard into the folder, then write and send our pieces that are
        due, until none is. Tell whether others showed one of our keys that this folder lacked.
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

    async def listen(self, seconds: float) -> bool:
        """Take in and answer what others send so long; tell at once if the record changed."""
        before, changed, until = self._carrier.record, False, self._clock() + seconds
        while (now := self._clock()) < until:
            wait = max(0.0, min(until, self._answers_at) - now)
            payload = await self._line.next_payload(within=wait, closed=CLOSED)
            if payload is not None:
                self._take(payload)
            # The carrier keeps the same object if nothing has changed.
            if not changed and self._carrier.record is not before:
                self.busy, changed = self._clock(), True
                # Pieces come in bursts, and judging is costly: once for all of them.
                until = self.busy + GATHERED
            if self._clock() >= self._answers_at:
                # Near the front, since pieces rest on earlier ones.
                answer = secrets.choice([*islice(self._answers, CHOICE)])
                del self._answers[answer]
                await self._send(answer)
                self.busy = self._clock()
                self._answers_at = self.busy + BETWEEN if self._answers else math.inf
        return changed

    def _take(self, payload: bytes) -> None:
        """Take in what somebody else sent, and put the answers to it in the queue."""
        self.heard = True
        self._answers.pop(payload, None)  # somebody else has answered so
        self._note(payload)
        for answer in self._carrier.receive(payload):
            # A piece that was sent just now is under way to whoever lacks it.
            if not (is_piece(answer) and self._just_said(answer)):
                self._answers[answer] = None
        if not self._answers:
            self._answers_at = math.inf
        elif self._answers_at == math.inf:
            # At random: of many who have it one should answer.
            self._answers_at = self._clock() + secrets.randbelow(HESITATION) / 1_000

    def _note(self, payload: bytes) -> None:
        """Keep that a payload was sent just now; forget those of more than `again` seconds ago."""
        now = self._clock()
        # Put in again at the end, so that the oldest stays the first.
        self._said.pop(payload, None)
        self._said[payload] = now
        # It ends at the latest at the one that was put in now.
        while now - next(iter(self._said.values())) > self._again:
            del self._said[next(iter(self._said))]

    def _just_said(self, payload: bytes) -> bool:
        """Tell whether anybody has sent this payload in the last `again` seconds."""
        return self._clock() - self._said.get(payload, -math.inf) < self._again

    async def _send(self, payload: bytes) -> None:
        self._note(payload)
        await self._line.send(payload)
