"""Claimants and strangers who try to end the program of others at a table."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from cli.errors import UserError
from cli.invite import Invite
from cli.net.address import BrokerAddress
from cli.net.loopback import Wire
from cli.seat.channel import SealedLine
from cli.seat.sitting import new_table
from cli.seat.spectator import Spectator
from p2p304.games import full_agreement
from p2p304.seats import Seat
from protocol.ledger.events import Event, Waiting
from protocol.wire import lobby
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.identity import SigningKey
from protocol.wire.registrar import Registrar
from tests.table.seating import NAMES, charter, seeded, signing_key

ADDRESS = BrokerAddress.parse("mqtt://127.0.0.1:1883")
TABLE = charter().table
TOKENS = tuple(seeded(f"token {seat}")(16) for seat in range(4))


def claim(seat: int, nonce: bytes) -> lobby.Claim:
    return lobby.Claim.make(
        table=TABLE,
        seat=Seat(seat),
        token=TOKENS[seat],
        key=signing_key(seat),
        nickname=NAMES[seat],
        nonce=nonce,
    )


def test_a_claim_with_anothers_nonce_neither_takes_a_seat_nor_ends_the_host() -> None:
    registrar = Registrar(table=TABLE, game="304", profile="pagat", tokens=TOKENS)
    nonces = [seeded(f"nonce {seat}")(32) for seat in range(4)]
    for seat in range(3):
        assert isinstance(registrar.take(claim(seat, nonces[seat])), lobby.Board)
    assert registrar.take(claim(3, nonces[1])) is None
    assert registrar.charter() is None
    assert isinstance(registrar.take(claim(3, nonces[3])), lobby.Board)
    assert registrar.charter() is not None


class Watching:
    """A spectator on a wire, and a stranger with the same invite who tells it charters."""

    def __init__(self, directory: Path) -> None:
        wire = Wire()
        table = new_table(ADDRESS, "304", "pagat", seeded("table"))
        self.invite: Invite = table.watch
        self.shown: list[Charter] = []
        self.mine, self.other = wire.transport(), wire.transport()
        self.stranger = SealedLine(self.invite, self.other)
        self.spectator = Spectator(
            line=SealedLine(self.invite, self.mine),
            directory=directory,
            tell=self._tell,
            show=self._show,
        )

    async def _tell(self, event: Event, spectator: Spectator) -> None:
        assert isinstance(event, Waiting)  # as it is told after some seconds without news

    async def _show(self, told: Charter) -> None:
        self.shown.append(told)

    def charter(self, *, seats: int = 4, game: str = "304") -> Charter:
        entries = tuple(
            SeatEntry(SigningKey(bytes([seat + 1]) * 32).public, NAMES[seat], bytes([seat]) * 32)
            for seat in range(seats)
        )
        profile = full_agreement("304")
        return Charter(table=self.invite.table, game=game, profile=profile, seats=entries)

    async def hears(self, *charters: Charter, seconds: float = 1.0) -> None:
        await self.mine.open()
        await self.other.open()
        for each in charters:
            await self.stranger.send(lobby.to_bytes(lobby.Board.of(each)))
        async with asyncio.timeout(seconds):
            await self.spectator.run()


async def test_a_charter_that_nobody_can_play_does_not_end_a_spectator(tmp_path: Path) -> None:
    watching = Watching(tmp_path)
    good = watching.charter()
    bad = [watching.charter(game="chess"), watching.charter(seats=3)]
    with pytest.raises(TimeoutError):  # it goes on watching
        await watching.hears(*bad, good, *(replace(each, profile="x") for each in bad))
    assert watching.shown == [good]


async def test_a_table_whose_game_is_not_known_is_told_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.seat.spectator.PATIENCE", 0.01)
    watching = Watching(tmp_path)
    with pytest.raises(UserError, match="does not know the game or the rules"):
        await watching.hears(watching.charter(game="chess"), seconds=10.0)
