"""Claimants and strangers who try to end the program of others at a table."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from cli.errors import UserError
from cli.invite import Invite
from cli.net.address import BrokerAddress
from cli.seat.channel import SealedLine
from cli.seat.sitting import new_table
from cli.seat.spectator import Spectator
from p2p304.games import full_agreement
from p2p304.seats import Seat
from protocol.table.events import Event, Waiting
from protocol.wire import lobby
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.identity import SigningKey
from protocol.wire.referee import REFEREE, referees_to_value
from protocol.wire.registrar import Registrar
from protocol.wire.terms import Term
from tests.loopback import Wire
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

    async def hears(self, *charters: Charter) -> None:
        """Tell it these charters, and let it watch until it shows the last one or ends."""
        await self.mine.open()
        await self.other.open()
        for each in charters:
            await self.stranger.send(lobby.to_bytes(lobby.Board.of(each)))
        running = asyncio.create_task(self.spectator.run())
        while charters[-1] not in self.shown and not running.done():
            await asyncio.wait({running}, timeout=0.01)
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


async def test_a_charter_that_nobody_can_play_does_not_end_a_spectator(tmp_path: Path) -> None:
    watching = Watching(tmp_path)
    good = watching.charter()
    other = replace(good, seats=(*good.seats[:3], replace(good.seats[3], nickname="Erandi")))
    bad = [watching.charter(game="chess"), watching.charter(seats=3)]
    await watching.hears(*bad, good, *(replace(each, profile="x") for each in bad), other)
    assert watching.shown == [good, other]


async def test_a_table_whose_game_is_not_known_is_told_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for patience in ("TICK", "PATIENCE"):
        monkeypatch.setattr(f"cli.seat.spectator.{patience}", 0.01)
    watching = Watching(tmp_path)
    with pytest.raises(UserError, match="does not know the game or the rules"):
        await watching.hears(watching.charter(game="chess"))


def taken(answer: object) -> lobby.Clash:
    """What somebody else has already, as the founder answers a claim."""
    assert isinstance(answer, lobby.Taken)
    assert answer.holds(TOKENS[answer.seat])
    assert not answer.holds(bytes(16))
    again = lobby.from_bytes(lobby.to_bytes(answer), seats=4, table=TABLE)
    assert again == answer
    return answer.clash


def test_each_clash_of_a_claim_is_answered_by_its_name() -> None:
    registrar = Registrar(table=TABLE, game="304", profile="pagat", tokens=TOKENS)
    mine = {"table": TABLE, "seat": Seat(0), "token": TOKENS[0], "nonce": seeded("first")(32)}
    first = lobby.Claim.make(key=signing_key(0), nickname="Amara", **mine)
    assert isinstance(registrar.take(first), lobby.Board)
    assert isinstance(registrar.take(first), lobby.Board), "said again by a broker"
    other = {"table": TABLE, "seat": Seat(1), "token": TOKENS[1], "nonce": seeded("second")(32)}
    same_key = lobby.Claim.make(key=signing_key(0), nickname="Banu", **other)
    assert taken(registrar.take(same_key)) is lobby.Clash.KEY
    same_name = lobby.Claim.make(key=signing_key(1), nickname="Amara", **other)
    assert taken(registrar.take(same_name)) is lobby.Clash.NAME
    same_seat = lobby.Claim.make(key=signing_key(1), nickname="Banu", **mine)
    assert taken(registrar.take(same_seat)) is lobby.Clash.SEAT
    renamed = lobby.Claim.make(key=signing_key(0), nickname="Amala", **mine)
    board = registrar.take(renamed)
    assert isinstance(board, lobby.Board)
    assert board.names == ((Seat(0), "Amala"),)
    assert board.holds(Seat(0), TOKENS[0])
    assert not board.holds(Seat(0), TOKENS[1])
    assert not board.holds(Seat(9), TOKENS[0])


def test_a_referee_of_the_table_gets_no_seat_at_it() -> None:
    terms = (Term(REFEREE, referees_to_value((signing_key(2).public,))),)
    registrar = Registrar(table=TABLE, game="304", profile="pagat", tokens=TOKENS, terms=terms)
    for seat in range(4):
        answer = registrar.take(claim(seat, seeded(f"nonce {seat}")(32)))
        assert isinstance(answer, lobby.Board) is (seat != 2)
    assert taken(answer := registrar.take(claim(2, seeded("again")(32)))) is lobby.Clash.KEY
    assert answer is not None
    assert registrar.charter() is None


def test_a_claim_without_its_token_or_of_no_seat_is_not_answered() -> None:
    registrar = Registrar(table=TABLE, game="304", profile="pagat", tokens=TOKENS)
    good = claim(1, seeded("nonce")(32))
    assert registrar.take(replace(good, proof=bytes(32))) is None
    assert registrar.take(replace(good, signature=bytes(64))) is None
    assert registrar.take(replace(good, seat=Seat(4))) is None
    assert registrar.board().names == ()


def test_who_has_a_name_keeps_it_once_there_is_a_charter() -> None:
    registrar = Registrar(table=TABLE, game="304", profile="pagat", tokens=TOKENS)
    for seat in range(4):
        registrar.take(claim(seat, seeded(f"nonce {seat}")(32)))
    full = registrar.charter()
    assert full is not None
    renamed = lobby.Claim.make(
        table=TABLE,
        seat=Seat(2),
        token=TOKENS[2],
        key=signing_key(2),
        nickname="Another",
        nonce=seeded("nonce 2")(32),
    )
    assert taken(registrar.take(renamed)) is lobby.Clash.SEAT
    assert Registrar.of(full, TOKENS).board() == registrar.board()


def test_a_message_of_another_lobby_or_of_no_seat_is_none() -> None:
    said = lobby.to_bytes(claim(1, seeded("nonce")(32)))
    assert lobby.from_bytes(said, seats=4, table=TABLE) is not None
    assert lobby.from_bytes(said, seats=1, table=TABLE) is None
    assert lobby.from_bytes(said, seats=4, table=bytes(16)) is None
    assert lobby.from_bytes(said[1:], seats=4, table=TABLE) is None
    assert lobby.from_bytes(said[:-1], seats=4, table=TABLE) is None
    assert lobby.from_bytes(b"L\x90", seats=4, table=TABLE) is None
    asked = lobby.Inquiry(TABLE, Seat(3), knows_charter=False)
    assert lobby.from_bytes(lobby.to_bytes(asked), seats=4, table=TABLE) == asked
    assert lobby.from_bytes(lobby.to_bytes(asked), seats=3, table=TABLE) is None
    board = lobby.Board(TABLE, ((Seat(3), "Devi"),), b"")
    assert lobby.from_bytes(lobby.to_bytes(board), seats=4, table=TABLE) == board
    assert lobby.from_bytes(lobby.to_bytes(board), seats=3, table=TABLE) is None
