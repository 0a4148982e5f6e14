"""Sitting down: what is asked, whom a claimant believes, and what strangers cannot do."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Final

import click
import pytest
from click.testing import CliRunner

from cli.code import CodeError, draw_code, parse_code
from cli.commands.entering import ENTRY as ASKED_FOR
from cli.commands.entering import choose_seat, entry_for
from cli.commands.lobby import KEYS, HostLobby, places_for
from cli.commands.seating import (
    LEFT,
    accepts_referees,
    bot_options,
    run_command,
    with_credentials,
)
from cli.errors import ExitCode, StoreError, UserError
from cli.front.narrator import BEHIND, parse_vouched_seats
from cli.invite import Invite, InviteError
from cli.lines.console import Terminal
from cli.local.bot_processes import BotProcesses
from cli.local.sitting import NewTable, SeatOptions, code_way, new_setup, new_table
from cli.local.transcripts import HandFiles, surroundings, transcript_path
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.net.credentials import NO_CREDENTIALS, CredentialsError
from cli.net.transport import TransportError
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import Desk
from cli.screen.model import after_notice
from cli.screen.model import new_table as screen_of
from cli.screen.preferences import PlaySettings, ScreenTexts
from cli.screen.render import render
from cli.seat import bots as botseat
from cli.seat.bots import BotSeat
from cli.seat.channel import SealedLine
from cli.seat.presence import LobbyResponder
from cli.seat.sentences import InputGone, SeatLeft
from cli.seat.setup import Founding, Setup
from cli.seat.way_in import (
    CodeKeeper,
    Connect,
    NobodyThere,
    NotLetIn,
    SeatTaken,
    Vacancies,
    WrongCode,
    free_number,
    invite_by,
    sit_down,
)
from p2p304.games import create_game, full_agreement, register
from p2p304.seats import Seat
from protocol.encoding import decode, encode
from protocol.seat.session import Session
from protocol.table.events import ClaimsOpen, JournalBehind
from protocol.wire import lobby
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.code import Code
from protocol.wire.code_messages import ID_BYTES, Find, Here, Welcome, from_frame, to_frame
from protocol.wire.identity import SigningKey
from protocol.wire.lobby import Presence
from tests.client.highest_card import ENTRY, NAME, Highest
from tests.client.test_match_end import beginning
from tests.client.text_person import Keyboard, RecordedCommands, sitting, typing
from tests.loopback import Wire
from tests.table.bus import LIAR, US, Table, charter, in_a_hand

# --- claiming -------------------------------------------------------------------------------------

# Sitting down: whom a claimant believes, what a founder keeps, and what strangers cannot do.

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
        self.key = key

    async def _tell(self, names: dict[int, str], seats: int) -> None:
        self.seats = seats
        self.names.append(names)

    async def _keep(self, charter: Charter) -> None:
        self.kept.append(charter)

    async def sit(self) -> Charter:
        await self.transport.open()
        async with asyncio.timeout(120):
            charter, _ = await sit_down(
                self.setup,
                self.key,
                self.line,
                tell=self._tell,
                keep=self._keep,
                work=asyncio.to_thread,
            )
        return charter


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
    async for frame in line.transport.frames():
        claim = lobby.from_bytes(line.open(frame) or b"", seats=4, table=table.watch.table)
        if isinstance(claim, lobby.Claim):
            return claim
    raise AssertionError("the wire was closed")


def fake_charter(table: NewTable, entry: SeatEntry, seat: int) -> Charter:
    """A charter with one honest entry among three of the forger's."""
    forged = [
        SeatEntry(key_of(each, "forged").public, f"Forged {each}", sha256(bytes([each])).digest())
        for each in range(4)
    ]
    forged[seat] = entry
    founding = table.founding
    return Charter(table.watch.table, founding.game, founding.profile, tuple(forged))


Lies = Callable[[lobby.Claim], Iterable[lobby.LobbyMessage]]


async def believes_the_founder_alone(table: NewTable, liar: Invite, lies: Lies) -> None:
    """Whoever sits down in North is told lies about its claim before it hears of the founder."""
    wire, made = Wire(), setups(table)
    claimant = Sitter(wire, made[2], key_of(2))
    sitting = asyncio.create_task(claimant.sit())
    line = await stranger(wire, liar)
    for each in lies(await claimed(line, table)):
        await line.send(lobby.to_bytes(each))
    sitters = [Sitter(wire, made[seat], key_of(seat)) for seat in (0, 1, 3)]
    charters = await asyncio.gather(*(each.sit() for each in sitters))
    assert (await sitting).digest == charters[0].digest
    assert claimant.kept == [charters[0]]


async def test_one_with_another_invite_can_forge_neither_a_charter_nor_a_refusal(
    table: NewTable,
) -> None:
    wrong = tuple(table.founding.tokens[1] for _ in range(4))  # it has the invite of East

    def lies(claim: lobby.Claim) -> Iterable[lobby.LobbyMessage]:
        false = fake_charter(table, claim.entry, 2)
        taken = lobby.Taken(table.watch.table, Seat(2), claim.entry.nonce, lobby.Clash.SEAT)
        return (
            *(lobby.Board.of(false), lobby.Board.of(false, wrong)),
            *(taken, taken.with_proof(wrong[2])),
        )

    await believes_the_founder_alone(table, table.watch, lies)


async def test_a_charter_without_our_fresh_nonce_key_or_name_is_not_sat_down_to(
    table: NewTable,
) -> None:
    """An old table of the same founder, played back: its tokens are right, and nothing else."""

    def lies(claim: lobby.Claim) -> Iterable[lobby.LobbyMessage]:
        for stale in (
            replace(claim.entry, nonce=b"stale" * 6 + b"00"),
            replace(claim.entry, key=key_of(9).public),
            replace(claim.entry, nickname="Another"),
        ):
            yield lobby.Board.of(fake_charter(table, stale, 2), table.founding.tokens)

    await believes_the_founder_alone(table, table.invites[0], lies)


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
        async for frame in sitters[0].line.transport.frames():
            opened = sitters[0].line.open(frame)
            if opened is not None:
                await responder.hear(opened, None)

    keeping = asyncio.create_task(keep_the_door())
    with pytest.raises(SeatTaken):
        await late.sit()
    keeping.cancel()


def other_version(charter: Charter) -> bytes:
    value = decode(charter.to_bytes())
    return encode((1, *value[1:]))


def other_profile(charter: Charter) -> bytes:
    profile = charter.profile.replace("bid_max = 300", "bid_max = 310")
    assert profile != charter.profile
    return replace(charter, profile=profile).to_bytes()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (other_version, "of version 1 of the protocol, which was never released"),
        (other_profile, r"does not know the game or the rules of the charter .*bid_max = 310"),
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
    await founder.send(lobby.to_bytes(board.with_proofs(table.founding.tokens)))
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


# --- coming by a code -----------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everybody who waits for what does not come wait a tenth of a second."""
    for constant, seconds in (
        ("LISTENED_FOR", 0.1),
        ("PROBED_AGAIN", 0.1),
        ("ANSWERED_AFTER", 0.0),
        ("CODE_TICK", 0.01),
        ("OTHERS_WITHIN", 0.1),
    ):
        monkeypatch.setattr(f"cli.seat.way_in.{constant}", seconds)


def way_to(address: BrokerAddress) -> Connect:
    return code_way((address,), NO_CREDENTIALS)


FREE: Final = tuple(map(Seat, (1, 2, 3)))


def vacancies(
    invites: tuple[Invite, ...],
    free: tuple[Seat, ...],
    sitting: Callable[[], dict[int, str]] = dict,
) -> Vacancies:
    return Vacancies(
        invites=invites,
        free=free,
        founding=Founding("304", full_agreement("304", "pagat"), ()),
        sitting=sitting,
        connect=way_to(invites[0].broker),
    )


class Host:
    """A table of four whose host keeps a code; `sitting` is who has claimed a seat."""

    def __init__(self, address: BrokerAddress) -> None:
        self.address = address
        self.sitting = {0: "Amara"}
        self.said: list[str] = []
        table = new_table(address, "304", "pagat")
        self.invites = table.invites
        self.vacancies = vacancies(table.invites, FREE, lambda: self.sitting)
        self.keeper = CodeKeeper(self.vacancies, self._hear)
        self._news = asyncio.Event()

    def _hear(self, line: str) -> None:
        self.said.append(line)
        self._news.set()

    async def says(self, words: str) -> str:
        """The first line with these words, as soon as it is said."""
        while True:
            self._news.clear()
            for line in self.said:
                if words in line:
                    return line
            await self._news.wait()

    async def code(self) -> Code:
        line = await self.says("The code of this table: ")
        return parse_code(line.rpartition(" ")[2])


@asynccontextmanager
async def keeping(address: BrokerAddress) -> AsyncIterator[Host]:
    host = Host(address)
    async with asyncio.timeout(300), asyncio.TaskGroup() as group:
        running = group.create_task(host.keeper.run())
        yield host
        running.cancel()


@pytest.fixture
async def host() -> AsyncIterator[Host]:
    async with EmbeddedBroker() as broker, keeping(broker.address) as there:
        yield there


async def any_seat(welcome: Welcome) -> Seat:
    return welcome.free[0]


Choose = Callable[[Welcome], Awaitable[Seat]]


async def come(code: Code, *addresses: BrokerAddress, choose: Choose = any_seat) -> Invite:
    return await invite_by(code, [*map(way_to, addresses)], choose)


@pytest.mark.parametrize("typed", ["n", "3"])
async def test_whoever_has_the_code_chooses_a_seat_by_its_letter_or_number_and_gets_its_invite(
    host: Host, typed: str
) -> None:
    console, said = typing("south", typed)
    code = await host.code()
    invite = await come(code, host.address, choose=partial(choose_seat, console, ascii_only=True))
    assert invite == host.invites[2]
    assert "Somebody who has the code takes North." in host.said
    shown = said.getvalue().splitlines()
    assert shown[:5] == [
        "304, pagat rules. Partners sit opposite each other. Together: North-South; East-West.",
        "  South  Amara",
        "  East   free",
        "  North  free",
        "  West   free",
    ]
    assert shown.count("Which seat: East, North, West? [East]") == 2
    assert "Type the name of a free seat, its first letter, or its number." in shown


async def test_enter_takes_the_seat_that_is_offered_and_the_last_one_is_not_asked_for(
    host: Host,
) -> None:
    code = await host.code()
    host.sitting[3] = "Dilini"
    console, said = typing("")
    choose = partial(choose_seat, console, ascii_only=True)
    assert await come(code, host.address, choose=choose) == host.invites[1]
    host.sitting[1] = "Banu"
    assert await come(code, host.address, choose=choose) == host.invites[2]
    assert said.getvalue().endswith("One seat is free: North.\n")


async def test_a_seat_that_another_took_meanwhile_is_chosen_anew_while_one_is_free(
    host: Host,
) -> None:
    code = await host.code()
    offered: list[tuple[Seat, ...]] = []

    async def too_late(welcome: Welcome) -> Seat:
        offered.append(welcome.free)
        seat = welcome.free[0]
        if len(offered) == 1:
            host.sitting[seat] = "Banu"
        return seat

    invite = await come(code, host.address, choose=too_late)
    assert [len(free) for free in offered] == [3, 2]
    assert invite == host.invites[offered[1][0]]
    host.sitting |= {1: "Banu", 2: "Chandra", 3: "Dilini"}
    with pytest.raises(CodeError, match="Every seat of this table is taken"):
        await come(code, host.address)


async def test_a_wrong_code_is_told_to_both_sides_and_the_fifth_kills_it_until_the_host_renews(
    host: Host,
) -> None:
    code = await host.code()
    wrong = next(each for each in iter(lambda: draw_code(code.number), None) if each != code)
    for left in (4, 3, 2):
        with pytest.raises(WrongCode, match=f"not right; {left} more wrong ones"):
            await come(wrong, host.address)
        await host.says(f"a wrong code; after {left} more")
    with pytest.raises(WrongCode, match="not right; one more wrong one"):
        await come(wrong, host.address)
    with pytest.raises(NotLetIn, match="This code is dead"):
        await come(wrong, host.address)
    await host.says("The code is dead after five wrong guesses")
    assert host.keeper.told == (host.said[-1],)
    with pytest.raises(NotLetIn):
        await come(code, host.address)
    host.said.clear()
    host.keeper.renew()
    renewed = await host.code()
    assert renewed.number == code.number
    assert await come(renewed, host.address) in host.invites


async def test_a_stranger_who_answers_first_and_falls_silent_keeps_nobody_from_the_host(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = await host.code()
    monkeypatch.setattr("cli.seat.way_in.ANSWERED_AFTER", 0.3)
    monkeypatch.setattr("cli.seat.way_in.OTHERS_WITHIN", 20.0)
    monkeypatch.setattr("cli.seat.way_in.LET_IN_WITHIN", 4.0)
    async with EmbeddedBroker() as other, asyncio.TaskGroup() as group:
        transport = way_to(other.address)(code.number)
        await transport.open()

        async def answer() -> None:
            async for frame in transport.frames():
                asked = from_frame(frame)
                if isinstance(asked, Find):
                    await transport.send(to_frame(Here(code.number, asked.asker, bytes(ID_BYTES))))

        answering = group.create_task(answer())
        with pytest.raises(NotLetIn, match="Somebody else keeps trying this code"):
            await come(code, other.address)
        assert await come(code, other.address, host.address) in host.invites
        answering.cancel()
        await transport.close()


@pytest.fixture
async def unused() -> BrokerAddress:
    """An address at which nobody listens."""
    async with EmbeddedBroker() as broker:
        return broker.address


async def test_a_number_that_nobody_has_and_a_broker_that_is_away_are_told_apart(
    host: Host, unused: BrokerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.seat.way_in.FOUND_WITHIN", 2.0)
    code = await host.code()
    nobody = draw_code(code.number + 1)
    with pytest.raises(NobodyThere, match=f"No table answers to the number {nobody.number}"):
        await come(nobody, host.address)
    with pytest.raises(TransportError, match=r"127\.0\.0\.1"):
        await come(code, unused)
    async with EmbeddedBroker() as other:
        assert await come(code, unused, host.address, other.address) in host.invites


async def test_a_number_that_somebody_has_is_passed_over(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = (await host.code()).number
    # The place of another number; there are 1 to 99.
    other = 0 if taken > 1 else 1
    drawn = iter([taken - 1, taken - 1, other])

    def below(_: int) -> int:
        """Draw the taken number, at which is listened until its host answers, or the other."""
        found = next(drawn, taken - 1)
        for patience in ("LISTENED_FOR", "PROBED_AGAIN"):
            monkeypatch.setattr(f"cli.seat.way_in.{patience}", 0.1 if found == other else 30.0)
        return found

    number, transport = await free_number(way_to(host.address), below=below)
    await transport.close()
    assert number == other + 1
    with pytest.raises(UserError, match="send the long invites"):
        await free_number(way_to(host.address), below=below)


async def test_a_host_whose_broker_is_away_hears_that_there_is_no_code(
    unused: BrokerAddress,
) -> None:
    away = Host(unused)
    away.keeper.renew()
    assert away.said == []
    await away.keeper.run()
    assert away.said[0].startswith("There is no code for this table: ")


# --- the keys beside it ---------------------------------------------------------------------------


@pytest.fixture
def keyboard() -> Iterator[Keyboard]:
    """A host's terminal."""
    there = Keyboard(Terminal)
    yield there
    there.hang_up()


async def until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(300):
        while not happened():
            await asyncio.sleep(0.005)


async def test_before_there_is_a_screen_a_host_types_for_a_new_code_and_for_the_long_invites(
    host: Host, keyboard: Keyboard
) -> None:
    player = ClientSeat(PlaySettings(), ScreenTexts(say=keyboard.console.say))
    lobby = HostLobby(keyboard.console, player, lambda: ["The invites."])
    lobby.open(vacancies(host.invites, FREE))
    assert lobby.asked("c")  # which does nothing before there is a code
    said = await keyboard.said("within ten minutes")
    keyboard.type("what now")
    await keyboard.said(KEYS)
    keyboard.type("i")
    assert "The invites." not in said
    said = await keyboard.said("The invites.")
    keyboard.type("C")
    codes = (await keyboard.said("within ten minutes", 3)).split("The code of this table: ")[1:]
    first, shown, renewed = (each.split()[0] for each in codes)
    assert first == shown != renewed
    await lobby.close()


async def test_at_a_table_the_player_answers_the_same_keys_until_all_have_come(
    host: Host, keyboard: Keyboard, tmp_path: Path
) -> None:
    person = sitting(tmp_path)
    lobby = HostLobby(keyboard.console, person.seat, lambda: ["The invites."])
    lobby.open(vacancies(host.invites, FREE))
    assert person.seat.before("invites")
    await keyboard.said("The invites.")
    assert not person.seat.before("p")
    await lobby.close()
    assert person.seat.before is None
    person.end()


@pytest.mark.parametrize("screen", [False, True], ids=["lines", "screen"])
async def test_friends_who_take_a_place_are_sent_its_invite_whole_and_a_code(
    host: Host, tmp_path: Path, screen: bool
) -> None:
    console, said = typing()
    player = ClientSeat(PlaySettings()) if screen else sitting(tmp_path).seat
    if isinstance(player, ClientSeat):
        await player.begin(beginning)

    def shown() -> list[str]:
        whole = isinstance(player, ClientSeat)
        return [*player.desk.help] if whole else said.getvalue().splitlines()

    places = places_for(player, console, BotProcesses().start)
    async with places.friends(vacancies(host.invites, (Seat(2),))):
        before = "The code of this table: "
        await until(lambda: before in "\n".join(shown()))
        code = parse_code("\n".join(shown()).rpartition(before)[2].split()[0])
        assert player.before("i")
        await until(lambda: shown().count("North:") == 1)
        lines = shown()
        assert Invite.parse(lines[lines.index("North:") + 1]) == host.invites[2]
        assert await come(code, host.address) == host.invites[2]


# --- claims ---------------------------------------------------------------------------------------

# What a player is told of claims that hold a seat after a restart, and of an older journal.

FOUR = charter(4, game="304")


def held() -> Session:
    """The session of a seat that a boast holds after its restart."""
    table = in_a_hand(game=Highest())
    table.boasts = True
    table.restart(US)
    table.run(lambda: bool(table.chairs[US].session.open_claims()))
    session: Session = table.chairs[US].session
    return session


async def test_whose_claim_holds_the_seat_is_told_in_lines_and_on_the_screen(
    tmp_path: Path,
) -> None:
    session, person = held(), sitting(tmp_path)
    event = ClaimsOpen(session.open_claims())
    with register(NAME, ENTRY):
        await person.seat.begin(lambda: session)
        await person.seat.tell(event, session)
        await person.seat.tell(JournalBehind(session.seat), session)
    person.end()
    said = " ".join(person.said().split())
    assert f"seat {LIAR + 1}" in said
    assert f"resume --vouch 'seat {LIAR + 1}'" in said
    assert "You sign nothing until they come" in said
    assert BEHIND in said
    screen = screen_of(create_game("304", "pagat"), FOUR, Seat(0), scores=(11, 11))
    for news, words in ((event, "--vouch north"), (JournalBehind(Seat(0)), "older copy")):
        lines = " ".join(render(after_notice(screen, news), Desk(), 80, 24).text())
        assert words in " ".join(lines.split())
    lines = render(after_notice(screen, event), Desk(), 80, 24).text()
    assert "North claims to have" in " ".join(lines)


def test_seats_are_vouched_against_by_their_place_or_nickname() -> None:
    nickname = FOUR.seats[3].nickname
    assert parse_vouched_seats(FOUR, ["North", nickname.upper()], Seat(0)) == {Seat(2), Seat(3)}
    assert parse_vouched_seats(FOUR, [], Seat(0)) == frozenset()
    for wrong in ("South", "somebody", ""):
        with pytest.raises(UserError, match="takes one of"):
            parse_vouched_seats(FOUR, [wrong], Seat(0))


async def test_a_bot_that_a_claim_holds_leaves_with_a_sentence_and_signs_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session, bot = held(), BotSeat(1)
    bot.bind(RecordedCommands().do)
    monkeypatch.setattr(botseat, "BOT_LOOKS_EVERY", 0.0)
    monkeypatch.setattr(botseat, "HELD_FOR", 0.0)
    await bot.begin(lambda: session)
    with pytest.raises(UserError, match="A bot does not decide this"):
        await bot.leaving()


def test_a_transcript_of_a_hand_that_the_journal_lacks_shows_that_it_is_older(
    tmp_path: Path,
) -> None:
    table: Table = in_a_hand(Table)
    table.run(table.all_played(1))
    session, files = table.chairs[US].session, HandFiles(tmp_path)
    assert not files.save_missing(session)
    assert not files.save_missing(session)
    transcript_path(tmp_path, session.charter, 3).write_bytes(b"of later")
    assert files.save_missing(session)


# --- seating --------------------------------------------------------------------------------------

# What whoever sits down is asked and tells its bots, and how the program ends then.

BROKER = BrokerAddress.parse("mqtt://broker.example.org")
STRANGE = BrokerAddress.parse("mqtt://collector.example.net")
TABLE = new_table(BROKER, "304", "pagat")
INVITE = TABLE.invites[1]


# --- the end --------------------------------------------------------------------------------------


Work = Callable[[], Coroutine[None, None, None]]


async def terminated() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.sleep(60)


async def raised(error: BaseException) -> None:
    raise error


async def finish() -> None:
    """Do nothing."""


interrupted: Work = partial(raised, KeyboardInterrupt())


@pytest.mark.parametrize(
    ("work", "code", "said"),
    [
        (finish, ExitCode.DONE, ""),
        (
            partial(raised, SeatLeft("You left: come back.")),
            ExitCode.DONE,
            "You left: come back.\n",
        ),
        (
            partial(raised, InputGone()),
            ExitCode.INTERRUPTED,
            "p2p304: The input ended before the game: 'p2p304 resume'",
        ),
        (interrupted, ExitCode.INTERRUPTED, f"\n{LEFT}\n"),
        (terminated, ExitCode.INTERRUPTED, f"\n{LEFT}\n"),
    ],
)
def test_whoever_leaves_a_table_is_told_how_to_come_back_and_the_code_says_why(
    capsys: pytest.CaptureFixture[str], work: Work, code: ExitCode, said: str
) -> None:
    assert run_command(work()) is code
    assert capsys.readouterr().err.startswith(said)
    if work in (interrupted, terminated):
        assert run_command(work(), left="") is ExitCode.INTERRUPTED
        assert capsys.readouterr().err == "\n"


# --- credentials ----------------------------------------------------------------------------------


def test_bots_are_told_of_a_file_and_of_the_brokers_for_which_it_is_meant(tmp_path: Path) -> None:
    file = tmp_path / "broker.txt"
    setup = new_setup(new_table(BROKER, "304", "pagat", other_nodes=(STRANGE,)).invites[0], "Amara")
    told = bot_options(SeatOptions(), replace(setup, credentials=str(file)))
    assert told[-6:] == (
        *("--credentials", str(file)),
        *("--broker", BROKER.format()),
        *("--broker", STRANGE.format()),
    )
    told = bot_options(SeatOptions(hands=3), setup)
    assert told[-2:] == ("--hands", "3")


def test_user_and_password_are_asked_for_and_the_password_is_not_shown() -> None:
    found: list[SeatOptions] = []
    wanted = SeatOptions(login=True)
    ask = click.Command("ask", callback=lambda: found.append(with_credentials(wanted)))
    done = CliRunner().invoke(ask, input="amara\ndeal304\n")
    assert done.exit_code == 0, done.output
    assert "deal304" not in done.output
    (options,) = found
    assert options.credentials.user == "amara"
    assert options.credentials.password.reveal() == "deal304"


@pytest.mark.parametrize(
    ("written", "said"),
    [(b"user = \xff\n", "is no UTF-8 text"), (None, "not a regular file")],
    ids=["bytes", "pipe"],
)
def test_what_is_no_text_holds_no_credentials(
    tmp_path: Path, written: bytes | None, said: str
) -> None:
    file = tmp_path / "broker.txt"
    if written is None:
        os.mkfifo(file, 0o600)
    else:
        file.touch(mode=0o600)
        file.write_bytes(written)
    with pytest.raises(CredentialsError, match=said):
        with_credentials(SeatOptions(credentials_file=file))


async def test_whether_a_referee_is_accepted_is_asked_at_a_terminal_alone() -> None:
    unnamed = (SigningKey(bytes(range(32))).public,)
    console, _ = typing("y")
    with pytest.raises(UserError, match="--trust-referee"):
        await accepts_referees(console, unnamed)
    for said, accepted in (("y", True), ("no", False)):
        console, shown = typing(said)
        console.interactive = True
        assert await accepts_referees(console, unnamed) is accepted
        assert "[y/n]" in shown.getvalue()


# --- codes and invites ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("7-zebra-nonsense", CodeError, "is none that a code has"),
        (INVITE.format()[:-9], InviteError, "he invite"),
        ("hello", InviteError, "neither a code, such as 7-zebra-lantern, nor an invite"),
        ("", InviteError, "Type the code that the host said, or paste the invite"),
    ],
)
async def test_a_mistake_in_a_pipe_ends_with_its_sentence(
    text: str, error: type[UserError], said: str
) -> None:
    console, _ = typing(text)
    with pytest.raises(error, match=said):
        await entry_for(None, console)


async def test_whoever_types_is_asked_again_after_a_mistake_even_in_the_argument(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cli.commands.entering.NEXT_LINE_WITHIN", 0.05)
    keyboard = Keyboard()
    entering = asyncio.create_task(entry_for("7-zebra-nonsense", keyboard.console))
    for number, line in enumerate(("hello", "7-zebra-lantern"), 1):
        said = await keyboard.said(ASKED_FOR, number)
        keyboard.type(line)
    assert await entering == parse_code("7-zebra-lantern")
    keyboard.hang_up()
    assert "is none that a code has" in said
    assert "This is neither a code" in said


# --- what is kept of a seat -----------------------------------------------------------------------


def test_a_setup_that_was_changed_is_told_as_another_versions() -> None:
    whole = new_setup(INVITE, "Banu")
    row = decode(whole.to_bytes())
    assert Setup.from_bytes(encode(row)) == whole
    invite, name, nonce, seed, path, _ = row
    for changed in (
        (invite, name, b"short", seed, path, ()),
        (invite, name, nonce, b"short", path, ()),
        (invite, name, nonce, seed, path, ("304", "pagat", (b"short",), 1)),
        (invite, name, nonce, seed, path, ("304", "pagat", (), 3)),
        (invite, name, nonce, seed, path, ("304",)),
        ("P2P304-nothing", name, nonce, seed, path, ()),
        (invite, name),
    ):
        with pytest.raises(StoreError, match="another version of p2p304"):
            Setup.from_bytes(encode(changed))


def test_a_setup_knows_its_place_as_far_as_the_number_of_seats_is_known() -> None:
    guest = new_setup(INVITE, "Banu")
    assert guest.place(None) == "seat 2"
    watching: Invite = TABLE.watch
    with pytest.raises(InviteError, match="use 'p2p304 watch'"):
        _ = new_setup(watching, "Banu").seat
