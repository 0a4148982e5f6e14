"""Whoever sits at the screen sees what happened before proofs are made that others wait for."""

from __future__ import annotations

import asyncio

from cli.screen.clientseat import ClientSeat
from cli.screen.preferences import PlaySettings
from p2p304.games import create_game
from p2p304.seats import Seat
from protocol.seat.session import Session
from protocol.table.events import Waiting
from tests.table.bus import Table


def beginning() -> Session:
    table = Table(create_game("304", "pagat"), 1)
    table.confirm()
    return table.chairs[0].session


async def test_what_was_told_is_drawn_before_work_goes_on() -> None:
    session, seat = beginning(), ClientSeat(PlaySettings(agree=True))
    await seat.begin(lambda: session)
    await asyncio.wait_for(seat.shown(), timeout=0.001)  # nothing is to be drawn
    frames: list[str] = []

    def draw() -> None:
        frames.append("\n".join(seat.frame(80, 24).text()))

    seat.changed = lambda: asyncio.get_running_loop().call_soon(draw)  # type: ignore[assignment]
    await seat.tell(Waiting((Seat(1),), 0.0), session)
    assert not frames
    await seat.shown()
    assert "East" in frames[-1]
    assert "waiting" in frames[-1].lower()


async def test_what_was_said_before_there_was_a_screen_is_among_its_first_news() -> None:
    session, seat = beginning(), ClientSeat(PlaySettings(agree=True))
    seat.announce("In the auction Amara is bold.")
    await seat.begin(lambda: session)
    assert "In the auction Amara is bold." in "\n".join(seat.frame(80, 24).text())
    await seat.begin(lambda: session)
    assert "Amara is bold" not in "\n".join(seat.frame(80, 24).text())
