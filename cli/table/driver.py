"""The asynchronous driver of one seat: lobby, session, journal and transport put together.

The session and the disk are slow for an event loop, so that every call runs in a worker thread, one
at a time; a message is on the disk before it is sealed and sent.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable, Sized
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

from cli.auditing import game_of
from cli.errors import UserError
from cli.net.transport import LinkState, Status, Transport, TransportClosedError
from cli.store.journal import Journal
from cli.store.paths import transcript_name
from cli.table import lobby
from cli.table.setup import Kept, Setup
from p2p304.errors import RulesError
from p2p304.game import AnyGame
from p2p304.seats import Seat
from protocol.charter import Charter
from protocol.commands import Confirm
from protocol.errors import LocalError, MalformedMessage
from protocol.events import (
    Event,
    HandEnded,
    HandUnfinished,
    MatchEnded,
    Persist,
    SeatBlamed,
    Send,
    SessionStopped,
)
from protocol.expansion import Secrets
from protocol.identity import Seal, SigningKey
from protocol.phases import Phase
from protocol.session import Session
from protocol.transcript import hand_transcript
from protocol.turn import Standing

TICK: Final = 1.0
CLAIM_INTERVAL: Final = 1.0
MOST_AT_ONCE: Final = 64
"""Received messages that one call of the worker thread handles."""


class Player(Protocol):
    """Who sits in the seat: a person at a screen, or a bot."""

    async def lobby(self, names: dict[int, str]) -> None:
        """Told who has claimed a seat so far."""
        ...

    async def confirm(self, charter: Charter) -> bool:
        """Whether the player agrees to play under this charter."""
        ...

    async def tell(self, event: Event, session: Session) -> None:
        """Told of everything that happens."""
        ...

    async def link(self, status: Status) -> None:
        """Told what the connection is doing."""
        ...

    async def decide(self, session: Session) -> Any:
        """The player's choice, now that its seat is awaited; cancelled when it no longer is."""
        ...

    async def refused(self, reason: str) -> None:
        """Told why the last choice was refused; `decide` is asked again."""
        ...


class SeatTaken(UserError):  # noqa: N818 - it says what happened
    """Somebody else was there first."""


class TableStopped(UserError):  # noqa: N818 - it says what happened
    """The game stopped for good: somebody cheated, or our own key signs elsewhere."""


class SeatDriver:
    """A seat of ours at one table. `run` returns when the player's hands are played."""

    def __init__(
        self,
        *,
        journal: Journal,
        setup: Setup,
        key: SigningKey,
        transport: Transport,
        player: Player,
        directory: Path,
        hands: int | None = None,
        matches: int | None = 1,
        linger: float = 5.0,
    ) -> None:
        """`directory` takes transcripts and evidence. `hands` or `matches`, whichever comes first,
        end the run; None stands for no limit. For `linger` seconds more others are answered."""
        self.session: Session | None = None
        self.files: list[Path] = []
        self._journal = journal
        self._setup = setup
        self._key = key
        self._transport = transport
        self._player = player
        self._directory = directory
        self._hands = hands
        self._matches = matches
        self._linger = linger
        self._agreed = False
        self._seal = Seal(setup.invite.table_key, setup.invite.table)
        self._lock = asyncio.Lock()
        self._wake = asyncio.Event()
        self._deciding: asyncio.Task[None] | None = None
        self._over = asyncio.Event()
        self._registrar: lobby.Registrar | None = None
        self._charter: Charter | None = None
        self._failure: Exception | None = None
        self._early: list[bytes] = []

    async def run(self) -> None:
        """Sit down, play, and return after the last hand. Raises UserError when it cannot go on."""
        watching = asyncio.create_task(self._watch_link(), name="seat: link")
        try:
            records = await asyncio.to_thread(lambda: list(self._journal.records()))
            charter = next((each.payload for each in records if each.kind == Kept.CHARTER), None)
            self._charter = Charter.from_bytes(charter) if charter is not None else None
            if self._charter is None:
                self._charter = await self._sit_down()
                data = self._charter.to_bytes()
                await asyncio.to_thread(self._journal.append, Kept.CHARTER, data)
            messages = [each.payload for each in records if each.kind == Kept.MESSAGE]
            confirmed = any(each.kind == Kept.CONFIRMED for each in records)
            await self._play(self._charter, messages, confirmed=confirmed)
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

    async def _watch_link(self) -> None:
        async for status in self._transport.statuses():
            await self._player.link(status)
            if status.state is LinkState.CONNECTED:
                self._wake.set()

    # --- the lobby --------------------------------------------------------------------------------

    @property
    def _seats(self) -> int:
        founding = self._setup.founding
        return len(founding.tokens) if founding is not None else 64

    async def _sit_down(self) -> Charter:
        """Claim our seat until the founder's board brings a charter with us in it."""
        invite, founding = self._setup.invite, self._setup.founding
        assert invite.token is not None
        claim = lobby.Claim.make(
            table=invite.table,
            seat=self._setup.seat,
            token=invite.token,
            key=self._key,
            nickname=self._setup.nickname,
            nonce=self._setup.nonce,
        )
        if founding is not None:
            self._registrar = lobby.Registrar(
                table=invite.table,
                game=founding.game,
                profile=founding.profile,
                tokens=founding.tokens,
            )
            self._registrar.take(claim)
        while True:
            charter = await self._one_claim(claim)
            if charter is not None:
                return charter

    async def _one_claim(self, claim: lobby.Claim) -> Charter | None:
        """Claim once, and listen for a while."""
        if self._registrar is None:
            await self._send_lobby(claim)
        ends = asyncio.get_running_loop().time() + CLAIM_INTERVAL
        frames = self._transport.received()
        while (left := ends - asyncio.get_running_loop().time()) > 0:
            try:
                async with asyncio.timeout(left):
                    frame = await anext(frames)
            except TimeoutError:
                break
            except StopAsyncIteration:
                raise UserError("The connection was closed before everybody sat down.") from None
            charter = await self._hear_lobby(frame, claim)
            if charter is not None:
                return charter
        return None

    async def _hear_lobby(self, frame: bytes, claim: lobby.Claim) -> Charter | None:
        opened = self._opened(frame)
        if opened is None:
            return None
        message = lobby.from_bytes(opened, seats=self._seats, table=self._setup.invite.table)
        if message is None:
            if len(self._early) < MOST_AT_ONCE:
                self._early.append(opened)  # somebody is further than we are
            return None
        if self._registrar is not None:
            if isinstance(message, lobby.Claim):
                return await self._register(message)
            return None
        match message:
            case lobby.Board(_, names, charter):
                await self._player.lobby(dict(names))
                if charter is not None and claim.entry in charter.seats:
                    return charter
            case lobby.Taken(_, seat, nonce, clash) if (
                seat == claim.seat and nonce == claim.entry.nonce
            ):
                raise SeatTaken(_CLASHES[clash])
            case _:
                pass
        return None

    async def _register(self, claim: lobby.Claim) -> Charter | None:
        assert self._registrar is not None
        answer = self._registrar.take(claim)
        if answer is None:
            return None
        await self._send_lobby(answer)
        board = self._registrar.board()
        await self._player.lobby(dict(board.names))
        return board.charter

    async def _send_lobby(self, message: lobby.LobbyMessage) -> None:
        await self._send(lobby.to_bytes(message))

    def _opened(self, frame: bytes) -> bytes | None:
        try:
            return self._seal.open(frame).payload
        except MalformedMessage:
            return None  # anybody may publish on the topic

    async def _send(self, payload: bytes) -> None:
        frame = self._seal.seal(payload, seat=int(self._setup.seat), entropy=secrets.token_bytes)
        with suppress(TransportClosedError):
            await self._transport.send(frame)

    # --- the game ---------------------------------------------------------------------------------

    async def _play(self, charter: Charter, records: list[bytes], *, confirmed: bool) -> None:
        game: AnyGame = game_of(charter)
        arguments: dict[str, Any] = {
            "charter": charter,
            "game": game,
            "seat": self._setup.seat,
            "key": self._key,
            "secrets": Secrets(self._setup.seed),
        }
        if records:
            entropy = secrets.token_bytes
            self.session = await asyncio.to_thread(
                lambda: Session.resume(records, entropy=entropy, **arguments)
            )
        else:
            self.session = Session(**arguments)
        await self._save_missing()
        tasks = [
            asyncio.create_task(self._receive(), name="seat: receive"),
            asyncio.create_task(self._tick(), name="seat: tick"),
            asyncio.create_task(self._over.wait(), name="seat: over"),
        ]
        try:
            await self._call(partial(_take_all, payloads=self._early))
            if not confirmed:
                if not await self._player.confirm(charter):
                    raise UserError("You did not agree to the charter, so that nothing was played.")
                await asyncio.to_thread(self._journal.append, Kept.CONFIRMED, b"")
            self._agreed = True
            await self._call(_nothing)
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            if self._failure is not None:
                raise self._failure
            await asyncio.wait(tasks[:2], timeout=self._linger, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if self._deciding is not None:
                tasks.append(self._deciding)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _confirm_if_due(self) -> None:
        """Confirm the opening of a match that we have agreed to play."""
        session = self.session
        assert session is not None
        due = self._agreed and session.standing is Standing.PLAYING and not self._over.is_set()
        if due and session.phase is Phase.CONFIRMING:
            with suppress(LocalError):  # it has gone out already, and the others' are awaited
                events = await asyncio.to_thread(session.act, Confirm(), now=time.monotonic())
                await self._carry_out(events, session)

    async def _receive(self) -> None:
        frames = self._transport.received()
        async for frame in self._drained(frames):
            await self._call(partial(_take_all, payloads=frame))

    async def _drained(self, frames: AsyncIterator[bytes]) -> AsyncIterator[list[bytes]]:
        """Opened payloads, as many at a time as are there."""
        pending: list[bytes] = []
        async for frame in frames:
            payload = self._opened(frame)
            if payload is not None:
                if payload[:1] == lobby.PREFIX:
                    await self._answer_late_claim(payload)
                else:
                    pending.append(payload)
            waiting = isinstance(frames, Sized) and len(frames) > 0
            if pending and (not waiting or len(pending) >= MOST_AT_ONCE):
                yield pending
                pending = []

    async def _answer_late_claim(self, payload: bytes) -> None:
        """A seat that missed the board, or that comes back without its charter, gets it again."""
        message = lobby.from_bytes(payload, seats=self._seats, table=self._setup.invite.table)
        if self._charter is None or not isinstance(message, lobby.Claim):
            return
        if self._setup.founding is not None and message.entry in self._charter.seats:
            names = tuple(
                (Seat(seat), entry.nickname) for seat, entry in enumerate(self._charter.seats)
            )
            await self._send_lobby(lobby.Board(self._setup.invite.table, names, self._charter))

    async def _tick(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(TICK):
                    await self._wake.wait()
            self._wake.clear()
            await self._call(_time_passes)

    async def _call(self, work: Callable[[Session], list[Event]]) -> None:
        """One call of the session in a worker thread, and all that comes of it."""
        session = self.session
        assert session is not None
        async with self._lock:
            events = await asyncio.to_thread(work, session)
            await self._carry_out(events, session)
            await self._confirm_if_due()
        await self._turn_if_due()

    async def _carry_out(self, events: list[Event], session: Session) -> None:
        """Disk first, network second, the player last."""
        records = [each.record for each in events if isinstance(each, Persist)]
        if records:
            await asyncio.to_thread(self._persist, records)
        for event in events:
            if isinstance(event, Send):
                await self._send(event.envelope)
        for event in events:
            match event:
                case Persist() | Send():
                    continue
                case HandEnded(number, _, _):
                    await self._save(number)
                case SeatBlamed(seat, check, evidence):
                    path = self._directory / f"evidence-seat-{seat}.p304e"
                    await asyncio.to_thread(path.write_bytes, evidence)
                    self._fail(
                        f"Seat {seat} broke the protocol ({check}); the proof is in {path}, and"
                        " 'p2p304 audit --evidence' checks it."
                    )
                case SessionStopped(reason):
                    self._fail(f"This seat signs nothing more: {reason}.")
                case HandUnfinished():
                    self._over.set()
                case _:
                    pass
            await self._player.tell(event, session)
            if isinstance(event, HandEnded | MatchEnded):
                self._count(event)

    def _persist(self, records: list[bytes]) -> None:
        for record in records:
            self._journal.append(Kept.MESSAGE, record)

    def _fail(self, sentence: str) -> None:
        self._failure = TableStopped(sentence)
        self._over.set()

    def _count(self, event: HandEnded | MatchEnded) -> None:
        if isinstance(event, HandEnded) and self._hands is not None:
            if event.number + 1 >= self._hands:
                self._over.set()
        elif isinstance(event, MatchEnded) and self._matches is not None:
            self._matches -= 1
            if self._matches <= 0:
                self._over.set()

    # --- deciding ---------------------------------------------------------------------------------

    async def _turn_if_due(self) -> None:
        """Have the player decide while our seat is awaited."""
        session = self.session
        assert session is not None
        awaited = bool(session.legal_actions()) and not self._over.is_set()
        deciding = self._deciding is not None and not self._deciding.done()
        if awaited and not deciding:
            self._deciding = asyncio.create_task(self._decide(session), name="seat: decide")
        elif deciding and not awaited and self._deciding is not asyncio.current_task():
            assert self._deciding is not None
            self._deciding.cancel()

    async def _decide(self, session: Session) -> None:
        while session.legal_actions():
            choice = await self._player.decide(session)
            try:
                async with self._lock:
                    events = await asyncio.to_thread(session.act, choice, now=time.monotonic())
                    await self._carry_out(events, session)
            except (RulesError, LocalError) as error:
                await self._player.refused(str(error))

    # --- files ------------------------------------------------------------------------------------

    async def _save_missing(self) -> None:
        """After a restart: the transcripts of hands that ended before they were written."""
        assert self.session is not None
        for number in range(self.session.proceedings.counted):
            path = self._directory / transcript_name(self._setup.invite.table, number)
            if not path.exists():
                await self._save(number)

    async def _save(self, number: int) -> None:
        assert self.session is not None
        path = self._directory / transcript_name(self._setup.invite.table, number)
        data = hand_transcript(self.session.proceedings, number)
        await asyncio.to_thread(_write_whole, path, data)
        self.files.append(path)


def _take_all(session: Session, payloads: list[bytes]) -> list[Event]:
    now = time.monotonic()
    return [event for payload in payloads for event in session.receive(payload, now=now)]


def _time_passes(session: Session) -> list[Event]:
    return session.tick(now=time.monotonic())


def _nothing(_: Session) -> list[Event]:
    return []


def _write_whole(path: Path, data: bytes) -> None:
    """The file is there whole or not at all."""
    partial = path.with_suffix(".partial")
    partial.write_bytes(data)
    partial.replace(path)


_CLASHES: Final = {
    lobby.Clash.SEAT: "This seat is taken: somebody used the invite before; ask for a new one.",
    lobby.Clash.NAME: "Somebody at this table has your nickname: join again with another --name.",
    lobby.Clash.KEY: "Your own key sits at this table already, and one key has one seat.",
}
