"""A seat that died on the way looks for the charter at the table at which its match goes on."""

from __future__ import annotations

import asyncio

from cli.invite import Invite
from cli.local.continuing import charter_heard
from cli.net.address import BrokerAddress
from cli.seat.channel import SealedLine
from p2p304.seats import Seat
from protocol.places import Lane, LedgerName
from protocol.wire import lobby
from protocol.wire.contents import Confirmation
from tests.loopback import Wire
from tests.table.going_on import goes_on, left_after
from tests.table.seating import envelope

FOUNDER, OTHER = Seat(0), Seat(1)


async def test_a_charter_at_the_next_table_counts_once_its_founder_has_signed_under_it() -> None:
    charter = goes_on(left_after(2)).charter
    broker = BrokerAddress.parse("mqtt://127.0.0.1:1883")
    invite = Invite(broker, charter.table, bytes(range(32)), Seat(2), bytes(range(16)))
    wire = Wire()
    async with wire.transport() as ours, wire.transport() as theirs:
        line, there = SealedLine(invite, ours), SealedLine(invite, theirs)
        name = LedgerName(Lane.TABLE, 0)
        words = [
            envelope(charter, name, 0, seat, Confirmation(bytes(32)), previous=bytes(32)).to_bytes()
            for seat in (OTHER, FOUNDER)
        ]
        board = lobby.to_bytes(lobby.Board.of(charter))
        judged: list[bool] = [False, True, True]

        async def tell() -> None:
            # Not right; right and unsigned; signed by another; signed by the founder.
            for payload in (board, words[1], board, words[0], board, words[1]):
                await there.send(payload)

        heard = asyncio.create_task(charter_heard(line, FOUNDER, lambda _: judged.pop(0)))
        await tell()
        assert await heard == charter
        assert judged == []
