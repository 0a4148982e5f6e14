"""Finding the table at which a match goes on, once all who would tell of it have gone there.

Its name and key follow from what all agreed to (specs 6.5).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from itertools import cycle
from typing import Final, NoReturn

from cli.invite import Invite
from cli.net.credentials import Credentials
from cli.net.mqtt import MqttVersion
from cli.net.transport import TransportError
from cli.seat.channel import SealedLine
from cli.seat.sitting import transport_for
from cli.tasks import first
from p2p304.seats import Seat
from protocol.errors import MalformedMessage
from protocol.wire import lobby
from protocol.wire.authenticate import open_envelope
from protocol.wire.charter import MAX_SEATS, Charter

ASKED_AFTER: Final = 3.0
"""Seconds that somebody at the old table has to tell us."""

ASKED_AGAIN: Final = 1.0
"""Seconds between two questions, each to another seat."""


async def charter_there(
    invite: Invite,
    credentials: Credentials,
    version: MqttVersion,
    *,
    seats: tuple[Seat, ...],
    founder: Seat,
    right: Callable[[Charter], bool],
) -> Charter:
    """Return the charter of the table of our `invite`, as one of those `seats` tells it, if it is
    `right` and the `founder` has signed something under it. Asks until then.

    Anybody who knows the old table's key can send a charter here, but none that the founder signed.
    """
    while True:
        await asyncio.sleep(ASKED_AFTER)
        with suppress(TransportError):  # the seat at the old table tells of it
            async with transport_for(invite, credentials, version) as transport:
                line = SealedLine(invite, transport)
                heard = charter_heard(line, founder, right)
                found = await first(heard, _ask(line, seats))
                if found is not None:
                    return found


async def _ask(line: SealedLine, seats: tuple[Seat, ...]) -> NoReturn:
    for seat in cycle(seats):
        await line.send(lobby.to_bytes(lobby.Inquiry(line.invite.table, seat, False)))
        await asyncio.sleep(ASKED_AGAIN)
    raise AssertionError("there is a founder")


async def charter_heard(
    line: SealedLine, founder: Seat, right: Callable[[Charter], bool]
) -> Charter | None:
    """Return the charter that is heard at its table, once the founder's signature under it is, too;
    None where the connection has ended."""
    told: Charter | None = None
    async for frame in line.frames():
        payload = line.opened(frame)
        with suppress(MalformedMessage):
            if payload is None:
                continue
            if payload[:1] != lobby.PREFIX:
                if told is not None and open_envelope(payload, told).seat == founder:
                    return told
                continue
            board = lobby.from_bytes(payload, seats=MAX_SEATS, table=line.invite.table)
            if isinstance(board, lobby.Board) and board.charter:
                charter = Charter.from_bytes(board.charter)
                told = charter if right(charter) else told
    return None
