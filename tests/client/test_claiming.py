"""Sitting down: whom a claimant believes, what a founder keeps, and what strangers cannot do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from cli.errors import UserError
from cli.invite import Invite
from cli.local.sitting import NewTable, new_setup, new_table
from cli.local.transcripts import surroundings
from cli.net.address import BrokerAddress
from cli.seat.channel import SealedLine
from cli.seat.claiming import Claiming, SeatTaken
from cli.seat.responder import LobbyResponder
from cli.seat.setup import Setup
from p2p304.seats import Seat
from protocol.encoding import decode, encode
from protocol.wire import lobby
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.identity import SigningKey
from protocol.wire.presence import Presence
from tests.loopback import Wire

ADDRESS = BrokerAddress.parse("mqtt://127.0.0.1:1883")
NAMES = ("Amara", "Banu", "Chandra", "Dilini")


def key_of(seat: int, whose: str = "right") -> SigningKey:
    return SigningKey(sha256(f"{whose} {seat}".encode()).digest())


class Sitter:
    """One who sits down at a wire."""

    def __init__(self, wire: Wire, setup: Setup, key: SigningKey) -> None:
        self.setup = setup
        self.transport = wire.transport()
        self.line = SealedLine(setup.invite, self.transport)
        self.names: list[dict[int, str]] = []
        self.kept: list[Charter] = []
        self.claiming = Claiming(
            setup=setup,
            key=key,
            line=self.line,
            tell=self._tell,
            keep=self._keep,
            work=asyncio.to_thread,
        )

    async def _tell(self, names: dict[int, str], seats: int) -> None:
        self.seats = seats
        self.names.append(names)

    async def _keep(self, charter: Charter) -> None:
        self.kept.append(charter)

    async def sit(self) -> Charter:
        await self.transport.open()
        async with asyncio.timeout(120):
            return await self.claiming.charter()


def setups(table: NewTable) -> list[Setup]:
    made = [new_setup(invite, NAMES[seat]) for seat, invite in enumerate(table.invites)]
    made[0] = replace(made[0], founding=table.founding)
    return made


@pytest.fixture
def table() -> NewTable:
    return new_table(ADDRESS, "304", "pagat")


async def stranger(wire: Wire, invite: Invite) -> SealedLine:
    transport = wire.transport()
    await transport.open()
    return SealedLine(invite, transport)


async def claimed(line: SealedLine, table: NewTable) -> lobby.Claim:
    """The next claim that is heard at a table."""
    async for frame in line.frames():
        claim = lobby.from_bytes(line.opened(frame) or b"", seats=4, table=table.watch.table)
        if isinstance(claim, lobby.Claim):
            return claim
    raise AssertionError("the wire was closed")


async def all_sit(wire: Wire, made: list[Setup], seats: Iterable[int]) -> list[Charter]:
    """Have these sit down, and return what each comes to."""
    sitters = [Sitter(wire, made[seat], key_of(seat)) for seat in seats]
    return await asyncio.gather(*(each.sit() for each in sitters))


def fake_charter(table: NewTable, entry: SeatEntry, seat: int) -> Charter:
    """A charter with one honest entry among three of the forger's."""
    forged = [
        SeatEntry(key_of(each, "forged").public, f"Forged {each}", sha256(bytes([each])).digest())
        for each in range(4)
    ]
    forged[seat] = entry
    founding = table.founding
    return Charter(table.watch.table, founding.game, founding.profile, tuple(forged))


async def test_one_with_another_invite_can_forge_neither_a_charter_nor_a_refusal(
    table: NewTable,
) -> None:
    wire, made = Wire(), setups(table)
    claimant = Sitter(wire, made[2], key_of(2))
    sitting = asyncio.create_task(claimant.sit())
    forger = await stranger(wire, table.watch)
    claim = await claimed(forger, table)
    wrong = tuple(table.founding.tokens[1] for _ in range(4))  # it has the invite of East
    false = fake_charter(table, claim.entry, 2)
    for board in (lobby.Board.of(false), lobby.Board.of(false, wrong)):
        await forger.send(lobby.to_bytes(board))
    taken = lobby.Taken(table.watch.table, Seat(2), claim.entry.nonce, lobby.Clash.SEAT)
    for each in (taken, taken.proved(wrong[2])):
        await forger.send(lobby.to_bytes(each))
    charters = await all_sit(wire, made, (0, 1, 3))
    assert (await sitting).digest == charters[0].digest
    assert claimant.kept == [charters[0]]


async def test_a_charter_without_our_fresh_nonce_key_or_name_is_not_sat_down_to(
    table: NewTable,
) -> None:
    """An old table of the same founder, played back: its tokens are right, and nothing else."""
    wire, made = Wire(), setups(table)
    claimant = Sitter(wire, made[2], key_of(2))
    sitting = asyncio.create_task(claimant.sit())
    founder = await stranger(wire, table.invites[0])
    claim = await claimed(founder, table)
    for stale in (
        replace(claim.entry, nonce=b"stale" * 6 + b"00"),
        replace(claim.entry, key=key_of(9).public),
        replace(claim.entry, nickname="Another"),
    ):
        board = lobby.Board.of(fake_charter(table, stale, 2), table.founding.tokens)
        await founder.send(lobby.to_bytes(board))
    charters = await all_sit(wire, made, (0, 1, 3))
    assert (await sitting).digest == charters[0].digest
    assert claimant.kept == [charters[0]]


async def test_a_claim_without_the_token_gets_no_seat(table: NewTable) -> None:
    wire = Wire()
    made = setups(table)
    thief = replace(made[3], invite=replace(made[3].invite, token=table.founding.tokens[1]))
    sitters = [Sitter(wire, made[seat], key_of(seat)) for seat in range(3)]
    tasks = [asyncio.create_task(each.sit()) for each in sitters]
    stolen = asyncio.create_task(Sitter(wire, thief, key_of(9)).sit())
    while not any(1 in names for names in sitters[0].names):
        await asyncio.sleep(0)
    right = Sitter(wire, made[3], key_of(3))
    charter = await right.sit()
    assert charter.seats[3].key == key_of(3).public
    await asyncio.gather(*tasks)
    stolen.cancel()


async def test_one_who_comes_late_hears_that_the_seat_is_taken(
    table: NewTable, tmp_path: Path
) -> None:
    wire = Wire()
    made = setups(table)
    sitters = [Sitter(wire, each, key_of(seat)) for seat, each in enumerate(made)]
    charter, *_ = await asyncio.gather(*(each.sit() for each in sitters))

    async def present(_: Presence) -> None:
        """Nobody asks who is there."""

    responder = LobbyResponder(
        setup=made[0],
        charter=charter,
        line=sitters[0].line,
        around=surroundings(tmp_path),
        present=present,
    )
    late = Sitter(wire, new_setup(table.invites[1], "Erandi"), key_of(8))

    async def keep_the_door() -> None:
        async for frame in sitters[0].line.frames():
            opened = sitters[0].line.opened(frame)
            if opened is not None:
                await responder.hear(opened, None)

    keeping = asyncio.create_task(keep_the_door())
    with pytest.raises(SeatTaken):
        await late.sit()
    keeping.cancel()


def other_version(charter: Charter) -> bytes:
    value = decode(charter.to_bytes())
    assert isinstance(value, tuple)
    return encode((1, *value[1:]))


def other_profile(charter: Charter) -> bytes:
    profile = charter.profile.replace("bid_max = 300", "bid_max = 310")
    assert profile != charter.profile
    return replace(charter, profile=profile).to_bytes()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (other_version, "of version 1 of the protocol, which was never released"),
        (other_profile, r"does not know the game or the rules of the charter \(bid_max differs"),
    ],
)
async def test_a_charter_of_another_version_is_refused_with_a_sentence(
    table: NewTable, changed: Callable[[Charter], bytes], said: str
) -> None:
    wire = Wire()
    claimant = Sitter(wire, setups(table)[1], key_of(1))
    sitting = asyncio.create_task(claimant.sit())
    founder = await stranger(wire, table.invites[0])
    false = fake_charter(table, (await claimed(founder, table)).entry, 1)
    board = replace(lobby.Board.of(false), charter=changed(false))
    await founder.send(lobby.to_bytes(board.proved(table.founding.tokens)))
    with pytest.raises(UserError, match=said):
        await sitting
    assert claimant.kept == []


@pytest.mark.parametrize("words", [(b"q" * 16, b""), (b"", b"a" * 16)], ids=["asks", "answers"])
def test_an_inquiry_whose_heads_ask_or_answer_is_none(words: tuple[bytes, bytes]) -> None:
    table = bytes(range(16))
    plain = lobby.to_bytes(lobby.Inquiry(table, Seat(2), knows_charter=True))
    assert plain == b"L" + encode((4, table, 2, 1, (b"", b"", ())))
    asking = b"L" + encode((4, table, 2, 1, (*words, ())))
    assert lobby.from_bytes(asking, seats=4, table=table) is None
