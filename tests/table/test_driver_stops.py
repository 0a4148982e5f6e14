"""A driver that has to stop: what the disk did not take is told to nobody, what convicts to all."""

from __future__ import annotations

import asyncio
import errno
import secrets
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from cli.errors import UserError
from cli.net.address import BrokerAddress
from cli.seat.bots import BotSeat
from cli.seat.channel import SealedLine
from cli.seat.driver import SeatDriver
from cli.seat.options import SeatOptions
from cli.seat.sentences import TableStopped
from cli.seat.setup import Kept
from cli.seat.sitting import NewTable, new_setup, new_table
from cli.store.disk import REAL_DISK, Disk
from cli.store.identity import IdentityStore
from cli.store.journal import Journal, JournalError
from cli.store.paths import make_table_directory, table_directory
from p2p304.cards import Slot
from p2p304.games import registered
from p2p304.seats import Seat
from protocol.seat.commands import EndUnfinished, Say
from protocol.seat.session import Session
from protocol.seat.step import SessionStatus
from protocol.seat.view import SeatView
from protocol.table.events import ChatReceived, Event, HandStarted
from protocol.wire.charter import Charter
from protocol.wire.envelope import Purpose, sign
from protocol.wire.identity import PublicKey
from tests.client.black_lady.rules import PACK, Play
from tests.client.highest_card import ENTRY, NAME
from tests.loopback import LoopbackTransport, Wire

pytestmark = pytest.mark.timeout(120)
ALL = tuple(Seat(seat) for seat in range(4))


class FullForAMoment(Disk):
    """Has no room for the next record after `full` was set, and room again after that."""

    full = False
    failed = False

    def write(self, descriptor: int, data: bytes, *, at: int) -> None:
        if self.full and not self.failed:
            self.failed = True
            raise OSError(errno.ENOSPC, "No space left on device")
        super().write(descriptor, data, at=at)


class Counting(LoopbackTransport):
    """Counts the frames that are sent after the disk has failed."""

    disk: FullForAMoment
    late = 0

    async def send(self, frame: bytes) -> None:
        self.late += self.disk.failed
        await super().send(frame)


class Thinker(BotSeat):
    """Thinks for ever when the hand has begun."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, self._hear)
        self.began = asyncio.Event()
        self.asked: asyncio.Future[SeatView] = asyncio.get_running_loop().create_future()
        """What it was asked to decide on."""

    async def decide(self, session: SeatView) -> Any:
        """Think for ever about what is seen now."""
        if not self.asked.done():
            self.asked.set_result(session)
        return await asyncio.Event().wait()

    def _hear(self, event: Event, _: SeatView) -> None:
        if isinstance(event, HandStarted):
            self.began.set()


async def take_seat(
    stack: AsyncExitStack,
    root: Path,
    table: NewTable,
    seat: int,
    wire: Wire,
    disk: Disk = REAL_DISK,
    player: Thinker | None = None,
) -> tuple[SeatDriver, LoopbackTransport, Thinker]:
    founding = table.founding if seat == 0 else None
    setup = new_setup(table.invites[seat], f"Player {seat}", founding=founding)
    directory = make_table_directory(root, setup.invite.table)
    journal = stack.enter_context(Journal.create(directory, setup.invite.table, disk=disk))
    journal.append(Kept.SETUP, setup.to_bytes())
    transport = await stack.enter_async_context(wire.transport())
    assert isinstance(transport, LoopbackTransport)
    player = player or Thinker(seat)
    driver = SeatDriver(
        journal=journal,
        setup=setup,
        key=IdentityStore(root).key(secrets.token_bytes),
        transport=transport,
        player=player,
        directory=table_directory(root, setup.invite.table),
        options=SeatOptions(hands=1, linger=10.0),
    )
    return driver, transport, player


class Unwilling(Thinker):
    """Agrees to no charter."""

    async def confirm(self, _: Charter, __: tuple[PublicKey, ...] = ()) -> bool:
        """Refuse it."""
        return False


class Hasty(Thinker):
    """Plays a card that is not there, and then as a bot does."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.why: list[str] = []

    async def decide(self, session: SeatView) -> Any:
        """Choose what cannot be, once."""
        if not self.why:
            return Play(Slot(99), PACK[0])
        return session.legal_actions()[0]

    async def refused(self, reason: str) -> None:
        """Note it."""
        self.why.append(reason)


class Held(Thinker):
    """Plays at once what it may, and lets nothing of it leave before it is told to."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.ready, self.let, self.spoken = (asyncio.Event() for _ in range(3))

    async def decide(self, session: SeatView) -> Any:
        """Choose the first that is allowed."""
        return session.legal_actions()[0]

    async def made(self) -> None:
        """Hold it back."""
        self.ready.set()
        await self.let.wait()

    def _hear(self, event: Event, _: SeatView) -> None:
        if isinstance(event, ChatReceived):
            self.spoken.set()


async def test_a_choice_is_made_and_on_the_disk_and_then_waits_for_its_moment(
    tmp_path: Path,
) -> None:
    wire = Wire()
    with registered(NAME, ENTRY):
        table = new_table(BrokerAddress.parse("mqtt://127.0.0.1"), NAME, "")
        async with AsyncExitStack() as stack:
            players = [Held(seat) for seat in range(3)]
            seats = [
                await take_seat(stack, tmp_path / str(seat), table, seat, wire, player=player)
                for seat, player in enumerate(players)
            ]
            runs = [asyncio.create_task(driver.run()) for driver, _, _ in seats]
            for player in players[1:]:
                player.let.set()
            await players[0].ready.wait()
            own, other = seats[0][0].session, seats[1][0].session
            assert other is not None
            assert not own.legal_actions(), "it is made"
            await seats[2][0].commands.do(Say("what left before this was heard before it"))
            await players[1].spoken.wait()
            assert 0 in awaited(other)
            players[0].let.set()
            while 0 in awaited(other):
                await asyncio.sleep(0.001)
            for run in runs:
                run.cancel()
            await asyncio.gather(*runs, return_exceptions=True)


def awaited(session: Session) -> tuple[Seat, ...]:
    hand = session.hand()
    return hand.missing


async def test_who_does_not_agree_and_who_is_cut_off_end_with_their_sentences(
    tmp_path: Path,
) -> None:
    table, wire = new_table(BrokerAddress.parse("mqtt://127.0.0.1"), "304", "pagat"), Wire()
    async with AsyncExitStack() as stack:
        seats = [
            await take_seat(
                stack,
                tmp_path / str(seat),
                table,
                seat,
                wire,
                player=(Unwilling if seat == 1 else Thinker)(seat),
            )
            for seat in range(4)
        ]
        runs = [asyncio.create_task(each.run()) for each, _, _ in seats]
        with pytest.raises(UserError, match="You did not agree to the charter"):
            await runs[1]
        await seats[2][1].close()
        with pytest.raises(UserError, match="The connection was closed: 'p2p304 resume' goes on"):
            await runs[2]
        for run in runs:
            run.cancel()
        await asyncio.gather(*runs, return_exceptions=True)


async def test_a_choice_that_cannot_be_is_refused_with_its_reason_and_asked_for_again(
    tmp_path: Path,
) -> None:
    wire = Wire()
    with registered(NAME, ENTRY):
        table = new_table(BrokerAddress.parse("mqtt://127.0.0.1"), NAME, "")
        async with AsyncExitStack() as stack:
            seats = [
                await take_seat(
                    stack,
                    tmp_path / str(seat),
                    table,
                    seat,
                    wire,
                    player=Hasty(seat),
                )
                for seat in range(3)
            ]
            runs = [asyncio.create_task(each.run()) for each, _, _ in seats]
            players = [player for _, _, player in seats if isinstance(player, Hasty)]
            while not all(player.why for player in players):
                assert not any(run.done() for run in runs)
                await asyncio.sleep(0.01)
            for run in runs:
                run.cancel()
            await asyncio.gather(*runs, return_exceptions=True)
    assert [len(player.why) for player in players] == [1, 1, 1]


async def test_what_a_full_disk_did_not_take_is_told_to_nobody(tmp_path: Path) -> None:
    table, wire, disk = (
        new_table(BrokerAddress.parse("mqtt://127.0.0.1"), "304", "pagat"),
        Wire(),
        FullForAMoment(),
    )
    async with AsyncExitStack() as stack:
        seats = [
            await take_seat(
                stack, tmp_path / str(seat), table, seat, wire, REAL_DISK if seat else disk
            )
            for seat in range(4)
        ]
        driver, transport, player = seats[0]
        transport.__class__ = Counting
        assert isinstance(transport, Counting)
        transport.disk = disk
        runs = [asyncio.create_task(each.run()) for each, _, _ in seats]
        await player.began.wait()
        disk.full = True
        with suppress(JournalError):  # unless the shares that were due failed first
            await driver.commands.do(EndUnfinished(ALL))
        done, _ = await asyncio.wait({runs[0]}, timeout=60)
        for run in runs:
            run.cancel()
        await asyncio.gather(*runs, return_exceptions=True)
    assert disk.failed
    assert transport.late == 0
    assert done
    assert isinstance(runs[0].exception(), JournalError)


async def test_a_player_decides_on_the_table_as_it_was_when_its_turn_came(tmp_path: Path) -> None:
    table, wire = new_table(BrokerAddress.parse("mqtt://127.0.0.1"), "304", "pagat"), Wire()
    async with AsyncExitStack() as stack:
        seats = [
            await take_seat(stack, tmp_path / str(seat), table, seat, wire) for seat in range(4)
        ]
        runs = [asyncio.create_task(driver.run()) for driver, _, _ in seats]
        thinking = {player.asked: driver for driver, _, player in seats}
        done, _ = await asyncio.wait(thinking, return_when=asyncio.FIRST_COMPLETED)
        asked = done.pop()
        driver, seen = thinking[asked], asked.result()
        assert driver.session is not None
        assert (actions := seen.legal_actions())
        await driver.commands.do(EndUnfinished(ALL))  # from now on it may do nothing else
        assert not driver.session.legal_actions()
        assert seen.legal_actions() == actions
        for run in runs:
            run.cancel()
        await asyncio.gather(*runs, return_exceptions=True)


async def test_what_convicts_a_seat_reaches_those_who_missed_it_at_first(tmp_path: Path) -> None:
    table = new_table(BrokerAddress.parse("mqtt://127.0.0.1"), "304", "pagat")
    narrow = False

    def carry(_: bytes, receiver: int) -> int:
        return 1 if receiver == 0 or not narrow else 0

    wire = Wire(carry)
    async with AsyncExitStack() as stack:
        seats = [
            await take_seat(stack, tmp_path / str(seat), table, seat, wire) for seat in range(4)
        ]
        runs = [asyncio.create_task(each.run()) for each, _, _ in seats]
        for _, _, player in seats:
            await player.began.wait()
        session = seats[0][0].session
        key = IdentityStore(tmp_path / "3").key(secrets.token_bytes)
        junk = sign(
            key, b"junk", purpose=Purpose.LEDGER, seat=Seat(3), charter=session.charter.digest
        )
        narrow = True
        stranger = await stack.enter_async_context(wire.transport())
        await SealedLine(table.watch, stranger).send(junk.to_bytes())
        while session.status is not SessionStatus.HALTED:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)  # what seat 0 says first is lost
        narrow = False
        await asyncio.wait(runs[:3], timeout=60)
        for run in runs:
            run.cancel()
        await asyncio.gather(*runs, return_exceptions=True)
    for run in runs[:3]:
        assert not run.cancelled()
        assert isinstance(run.exception(), TableStopped)
    for seat in range(3):
        directory = table_directory(tmp_path / str(seat), table.watch.table)
        assert (directory / "evidence-seat-3.p304e").exists()
