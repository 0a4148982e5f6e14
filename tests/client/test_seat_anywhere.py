"""A table of seats that have no disk, thread or clock of their own: all is given to them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path
from typing import ParamSpec, TypeVar

from cli.local.sitting import new_setup, new_table
from cli.net.address import BrokerAddress
from cli.seat.bots import BotSeat
from cli.seat.charter_text import game_of
from cli.seat.driver import SeatDriver, session_of
from cli.seat.options import PlayOptions
from cli.seat.setup import JournalKind
from cli.seat.surroundings import Surroundings
from p2p304.games import register
from protocol.seat.session import Session
from protocol.seat.view import TableView
from protocol.table.events import Event, HandEnded, RefereeBlamed, SeatBlamed
from protocol.table.table import TableState
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.file import hand_transcript
from protocol.wire import lobby
from protocol.wire.contents import Action, Head
from protocol.wire.envelope import Envelope, Purpose
from protocol.wire.identity import KEY_BYTES, Seal, SigningKey
from protocol.wire.messages import Agreement, Message, decode_body
from tests.client.highest_card import ENTRY, NAME
from tests.loopback import Wire

P = ParamSpec("P")
T = TypeVar("T")


class Memory:
    """A journal and the hands of a seat, in lists that are written a turn of the loop later."""

    fresh = True

    def __init__(self) -> None:
        self.kept: list[tuple[int, bytes]] = []
        self.hands: dict[int, bytes] = {}
        self.written: tuple[Path, ...] = ()

    async def records(self, *, shown: bool = False) -> Iterable[tuple[int, bytes]]:
        await asyncio.sleep(0)
        return tuple(self.kept)

    async def append(self, kind: int, *payloads: bytes) -> None:
        await asyncio.sleep(0)
        self.kept.extend((kind, each) for each in payloads)

    async def keep(self, event: Event, session: Session) -> None:
        if isinstance(event, HandEnded):
            await self.save(session.table_state, event.number)

    async def save(
        self, table_state: TableState, number: int, agreed: tuple[Agreement, ...] = ()
    ) -> None:
        self.hands[number] = hand_transcript(table_state, number, agreed)

    async def save_open(self, session: Session) -> None:
        raise AssertionError("every hand is played to its end")

    async def save_missing(self, session: Session) -> bool:
        return False

    async def older(self, table: bytes, heads: tuple[Head, ...]) -> tuple[bytes, ...]:
        return ()

    async def why_stopped(self, table: TableView, blame: SeatBlamed | RefereeBlamed) -> str:
        raise AssertionError(blame)


async def at_once(call: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> T:
    """The executor of a place without threads."""
    return call(*arguments, **named)


async def test_a_table_is_played_by_seats_that_are_given_all_they_need() -> None:
    frames: list[bytes] = []

    def carry(frame: bytes, _: int) -> int:
        frames.append(frame)
        return 1

    wire, clock = Wire(carry), count(1_000)
    with register(NAME, ENTRY):
        table = new_table(BrokerAddress.parse("mqtt://127.0.0.1"), NAME, "")
        kept = [Memory() for _ in table.invites]
        keys = [SigningKey(bytes([seat + 1]) * KEY_BYTES) for seat, _ in enumerate(kept)]
        async with AsyncExitStack() as stack:
            drivers = []
            for seat, (invite, memory) in enumerate(zip(table.invites, kept, strict=True)):
                founding = table.founding if seat == 0 else None
                drivers.append(
                    SeatDriver(
                        journal=memory,
                        around=Surroundings(memory, lambda: next(clock), at_once),
                        setup=new_setup(invite, f"Player {seat}", founding=founding),
                        key=keys[seat],
                        transport=await stack.enter_async_context(wire.transport()),
                        player=BotSeat(seat, work=at_once),
                        options=PlayOptions(hands=1, linger=0.0),
                    )
                )
            await asyncio.gather(*(each.run() for each in drivers))
        charter = next(payload for kind, payload in kept[0].kept if kind == JournalKind.CHARTER)
        assert all((JournalKind.CHARTER, charter) in each.kept for each in kept)
        (hand,) = {each.hands[0] for each in kept}
        assert audit_bytes(hand, game_of).valid
        seal, actions = Seal(table.watch.table_key, table.watch.table), 0
        for frame in frames:
            raw = seal.open(frame).payload
            if raw[:1] == lobby.PREFIX or raw[1] != Purpose.LEDGER:
                continue
            said = decode_body(Envelope.from_bytes(raw))
            if isinstance(said, Message) and isinstance(said.content, Action):
                assert len(frame) == 4_096  # as its game states, though each is smaller
                actions += 1
        assert actions > 4 * 3
        for driver, memory, key in zip(drivers, kept, keys, strict=True):
            assert driver.session is not None
            again = session_of(
                driver.session.charter, driver.setup, key, records=memory.kept,
                patience=0.0, vouched=frozenset(),
            )  # fmt: skip
            assert hand_transcript(again.table_state, 0) == hand
