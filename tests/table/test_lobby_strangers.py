"""Claimants and strangers who try to end the program of others at a table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from cli.errors import UserError
from cli.invite import Invite
from cli.local.sitting import new_table
from cli.local.transcripts import surroundings
from cli.net.address import BrokerAddress
from cli.seat.channel import SealedLine
from cli.seat.spectator import Spectator
from p2p304.games import full_agreement
from p2p304.seats import Seat
from protocol.table.events import ChatReceived, Event
from protocol.wire import lobby
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.referee import REFEREE, referees_to_value
from protocol.wire.registrar import Registrar
from protocol.wire.terms import Term
from tests.loopback import Wire
from tests.table.seating import NAMES, charter, seeded, signing_key

ADDRESS = BrokerAddress.parse("mqtt://127.0.0.1:1883")
TABLE = charter().table
TOKENS = tuple(seeded(f"token {seat}")(16) for seat in range(4))


def claim(seat: int, nonce: bytes, *, key: int | None = None, name: str = "") -> lobby.Claim:
    return lobby.Claim.make(
        table=TABLE,
        seat=Seat(seat),
        token=TOKENS[seat],
        key=signing_key(seat if key is None else key),
        nickname=name or NAMES[seat],
        nonce=nonce,
    )


def registered(*terms: Term) -> Registrar:
    return Registrar(table=TABLE, game="304", profile="pagat", tokens=TOKENS, terms=terms)


def test_a_claim_with_anothers_nonce_neither_takes_a_seat_nor_ends_the_host() -> None:
    registrar = registered()
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
        self.texts: list[str] = []
        self.mine, self.other = wire.transport(), wire.transport()
        self.stranger = SealedLine(self.invite, self.other)
        self.spectator = Spectator(
            line=SealedLine(self.invite, self.mine),
            around=surroundings(directory),
            tell=self._tell,
            show=self._show,
        )

    async def _tell(self, event: Event, spectator: Spectator) -> None:
        if isinstance(event, ChatReceived):
            self.texts.append(event.text)

    async def _show(self, told: Charter) -> None:
        self.shown.append(told)

    def charter(self, *, seats: int = 4, game: str = "304") -> Charter:
        entries = tuple(
            SeatEntry(signing_key(seat).public, NAMES[seat], bytes([seat]) * 32)
            for seat in range(seats)
        )
        profile = full_agreement("304")
        return Charter(table=self.invite.table, game=game, profile=profile, seats=entries)

    async def hears(self, *told: Charter | bytes, until: Callable[[], bool]) -> None:
        """Tell it these charters and words, and let it watch until something is so or it ends."""
        await self.mine.open()
        await self.other.open()
        for each in told:
            board = isinstance(each, Charter) and lobby.to_bytes(lobby.Board.of(each))
            await self.stranger.send(board or each)
        running = asyncio.create_task(self.spectator.run())
        while not until() and not running.done():
            await asyncio.wait({running}, timeout=0.01)
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


async def test_a_charter_that_nobody_can_play_does_not_end_a_spectator(tmp_path: Path) -> None:
    watching = Watching(tmp_path)
    good = watching.charter()
    other = replace(good, seats=(*good.seats[:3], replace(good.seats[3], nickname="Erandi")))
    bad = [watching.charter(game="chess"), watching.charter(seats=3)]
    worse = (replace(each, profile="x") for each in bad)
    await watching.hears(*bad, good, *worse, other, until=lambda: other in watching.shown)
    assert watching.shown == [good, other]


async def test_a_table_whose_game_is_not_known_is_told_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for patience in ("TICK", "PATIENCE"):
        monkeypatch.setattr(f"cli.seat.spectator.{patience}", 0.01)
    watching = Watching(tmp_path)
    with pytest.raises(UserError, match="does not know the game or the rules"):
        await watching.hears(watching.charter(game="chess"), until=lambda: False)


def taken(answer: object) -> lobby.Clash:
    """What somebody else has already, as the founder answers a claim."""
    assert isinstance(answer, lobby.Taken)
    assert answer.holds(TOKENS[answer.seat])
    assert not answer.holds(bytes(16))
    again = lobby.from_bytes(lobby.to_bytes(answer), seats=4, table=TABLE)
    assert again == answer
    return answer.clash


def test_each_clash_of_a_claim_is_answered_by_its_name() -> None:
    registrar = registered()
    mine, others = seeded("first")(32), seeded("second")(32)
    first = claim(0, mine, name="Amara")
    assert isinstance(registrar.take(first), lobby.Board)
    assert isinstance(registrar.take(first), lobby.Board), "said again by a broker"
    for wrong, clash in (
        (claim(1, others, key=0, name="Banu"), lobby.Clash.KEY),
        (claim(1, others, name="Amara"), lobby.Clash.NAME),
        (claim(0, mine, key=1, name="Banu"), lobby.Clash.SEAT),
    ):
        assert taken(registrar.take(wrong)) is clash
    board = registrar.take(claim(0, mine, name="Amala"))
    assert isinstance(board, lobby.Board)
    assert board.names == ((Seat(0), "Amala"),)
    assert board.holds(Seat(0), TOKENS[0])
    assert not board.holds(Seat(0), TOKENS[1])
    assert not board.holds(Seat(9), TOKENS[0])


def test_a_referee_of_the_table_gets_no_seat_at_it() -> None:
    registrar = registered(Term(REFEREE, referees_to_value((signing_key(2).public,))))
    for seat in range(4):
        answer = registrar.take(claim(seat, seeded(f"nonce {seat}")(32)))
        assert isinstance(answer, lobby.Board) is (seat != 2)
    assert taken(answer := registrar.take(claim(2, seeded("again")(32)))) is lobby.Clash.KEY
    assert answer is not None
    assert registrar.charter() is None


def test_a_claim_without_its_token_or_of_no_seat_is_not_answered() -> None:
    registrar = registered()
    good = claim(1, seeded("nonce")(32))
    assert registrar.take(replace(good, proof=bytes(32))) is None
    assert registrar.take(replace(good, signature=bytes(64))) is None
    assert registrar.take(replace(good, seat=Seat(4))) is None
    assert registrar.board().names == ()


def test_a_board_that_names_a_seat_which_the_table_has_not_is_none() -> None:
    board = lobby.Board(TABLE, ((Seat(3), "Devi"),), b"")
    assert lobby.from_bytes(lobby.to_bytes(board), seats=4, table=TABLE) == board
    assert lobby.from_bytes(lobby.to_bytes(board), seats=3, table=TABLE) is None
