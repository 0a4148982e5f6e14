"""Coming in by a code: the host's side and the friends', at a broker in this process."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from cli.code import CodeError, draw_code, parse_code
from cli.commands.entering import seat_chooser
from cli.commands.lobby import KEYS, HostLobby, places_for
from cli.commands.opponents import usual_opponents
from cli.invite import Invite
from cli.lines.console import Console, Terminal
from cli.local.bot_processes import BotProcesses
from cli.local.code_host import CodeKeeper, MeetingPlace, TableSeats
from cli.local.code_joiner import CodeDead, NobodyThere, NotLetIn, WrongCode, invite_by
from cli.local.code_topic import NoNumber, free_number, transport_to
from cli.local.continuing import Vacancies
from cli.local.sitting import SeatOptions, new_table
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.net.credentials import NO_CREDENTIALS
from cli.net.mqtt import MqttVersion
from cli.net.transport import TransportError
from cli.screen.clientseat import ClientSeat
from cli.screen.preferences import Habits, ScreenTexts
from p2p304.games import full_agreement
from p2p304.seats import Seat
from protocol.wire.code import Code
from protocol.wire.code_messages import ID_BYTES, Find, Here, Welcome, from_frame, to_frame
from tests.client.test_ui_shown import beginning
from tests.client.text_person import sitting

VERSION: Final = MqttVersion.MQTT_3_1_1
OWN: Final = Seat(0)


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everybody who waits for what does not come wait a tenth of a second."""
    monkeypatch.setattr("cli.local.code_topic.LISTENED_FOR", 0.1)
    monkeypatch.setattr("cli.local.code_topic.ASKED_AGAIN", 0.1)
    monkeypatch.setattr("cli.local.code_host.ANSWERED_AFTER", 0.0)
    monkeypatch.setattr("cli.local.code_host.TICK", 0.01)
    monkeypatch.setattr("cli.local.code_joiner.ANSWERED_AFTER", 0.0)
    monkeypatch.setattr("cli.local.code_joiner.OTHERS_WITHIN", 0.1)


class Host:
    """A table of four whose host keeps a code; `sitting` is who has claimed a seat."""

    def __init__(self, address: BrokerAddress) -> None:
        self.address = address
        self.sitting = {0: "Amara"}
        self.said: list[str] = []
        table = new_table(address, "304", "pagat")
        seats = TableSeats(
            table.invites, "304, at the club.", kept=[OWN], sitting=lambda: self.sitting
        )
        place = MeetingPlace((address,), NO_CREDENTIALS, VERSION)
        self.invites = table.invites
        self.keeper = CodeKeeper(place, seats, self._hear)
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


def console_of(*typed: str) -> tuple[Console, io.StringIO]:
    """A console into which that has been typed, and what it says."""
    reader, writer = os.pipe()
    os.write(writer, "".join(f"{line}\n" for line in typed).encode())
    os.close(writer)
    said = io.StringIO()
    return Console(descriptor=reader, output=said), said


async def any_seat(welcome: Welcome) -> Seat:
    return welcome.free[0]


Choose = Callable[[Welcome], Awaitable[Seat]]


async def come(code: Code, *addresses: BrokerAddress, choose: Choose = any_seat) -> Invite:
    places = [(address,) for address in addresses]
    return await invite_by(code, places, choose, credentials=NO_CREDENTIALS, version=VERSION)


def other_words(code: Code) -> Code:
    """Another code of the same number."""
    return next(each for each in iter(lambda: draw_code(code.number), None) if each != code)


@pytest.mark.parametrize("typed", ["n", "3"])
async def test_whoever_has_the_code_chooses_a_seat_by_its_letter_or_number_and_gets_its_invite(
    host: Host, typed: str
) -> None:
    console, said = console_of("south", typed)
    code = await host.code()
    invite = await come(code, host.address, choose=seat_chooser(console, ascii_only=True))
    assert invite == host.invites[2]
    assert "Somebody who has the code takes North." in host.said
    shown = said.getvalue().splitlines()
    assert shown[:5] == [
        "304, at the club.",
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
    console, said = console_of("")
    choose = seat_chooser(console, ascii_only=True)
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
    wrong = other_words(code)
    for left in (4, 3, 2):
        with pytest.raises(WrongCode, match=f"not right; {left} more wrong ones"):
            await come(wrong, host.address)
        await host.says(f"a wrong code; {left} more")
    with pytest.raises(WrongCode, match="not right; one more wrong one"):
        await come(wrong, host.address)
    with pytest.raises(CodeDead, match="lets nobody in any more"):
        await come(wrong, host.address)
    await host.says("Five wrong codes were typed")
    assert host.keeper.told == (host.said[-1],)
    with pytest.raises(CodeDead):
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
    monkeypatch.setattr("cli.local.code_host.ANSWERED_AFTER", 0.3)
    monkeypatch.setattr("cli.local.code_joiner.OTHERS_WITHIN", 20.0)
    monkeypatch.setattr("cli.local.code_joiner.LET_IN_WITHIN", 4.0)
    async with EmbeddedBroker() as other, asyncio.TaskGroup() as group:
        transport = transport_to((other.address,), code.number, NO_CREDENTIALS, VERSION)
        await transport.open()

        async def answer() -> None:
            async for frame in transport.received():
                asked = from_frame(frame)
                if isinstance(asked, Find):
                    await transport.send(to_frame(Here(code.number, asked.asker, bytes(ID_BYTES))))

        answering = group.create_task(answer())
        with pytest.raises(NotLetIn, match="Somebody else is at this code"):
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
    monkeypatch.setattr("cli.local.code_joiner.FOUND_WITHIN", 2.0)
    code = await host.code()
    nobody = draw_code(code.number + 1)
    with pytest.raises(NobodyThere, match=f"Nobody answers for the number {nobody.number}"):
        await come(nobody, host.address)
    with pytest.raises(TransportError, match=r"127\.0\.0\.1"):
        await come(code, unused)
    async with EmbeddedBroker() as other:
        assert await come(code, unused, host.address, other.address) in host.invites


async def test_a_number_that_somebody_has_is_passed_over(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = (await host.code()).number
    drawn = iter([taken - 1, taken - 1, taken])

    def below(_: int) -> int:
        """Draw the number of somebody, who is listened for until it has answered, or the next."""
        found = next(drawn, taken - 1)
        for patience in ("LISTENED_FOR", "ASKED_AGAIN"):
            monkeypatch.setattr(f"cli.local.code_topic.{patience}", 0.1 if found == taken else 30.0)
        return found

    number, transport = await free_number((host.address,), NO_CREDENTIALS, VERSION, below=below)
    await transport.close()
    assert number == taken + 1
    with pytest.raises(NoNumber, match="send the long invites"):
        await free_number((host.address,), NO_CREDENTIALS, VERSION, below=below)


async def test_a_host_whose_broker_is_away_hears_that_there_is_no_code(
    unused: BrokerAddress,
) -> None:
    away = Host(unused)
    away.keeper.renew()
    assert away.said == []
    await away.keeper.run()
    assert away.said[0].startswith("There is no code for this table: ")


# --- the keys beside it ---------------------------------------------------------------------------


class Keyboard:
    """A host's console on a terminal of its own, what it says, and how often invites were shown."""

    def __init__(self) -> None:
        self._ours, theirs = os.openpty()
        self.said = io.StringIO()
        self._file = os.fdopen(theirs, "rb", buffering=0)
        self.console = Terminal(descriptor=theirs, output=self.said)
        self.shown = 0

    def show(self) -> None:
        self.shown += 1

    def type(self, line: str) -> None:
        os.write(self._ours, f"{line}\n".encode())

    def hang_up(self) -> None:
        self._file.close()
        os.close(self._ours)


@pytest.fixture
def keyboard() -> Iterator[Keyboard]:
    there = Keyboard()
    yield there
    there.hang_up()


async def until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(300):
        while not happened():
            await asyncio.sleep(0.005)


async def test_before_there_is_a_screen_a_host_types_for_a_new_code_and_for_the_long_invites(
    host: Host, keyboard: Keyboard
) -> None:
    player = ClientSeat(Habits(), ScreenTexts(say=keyboard.console.say))
    lobby = HostLobby(keyboard.console, player, keyboard.show)
    assert lobby.code == ()
    assert lobby.asked("c")
    seats = TableSeats(host.invites, "304", kept=[OWN], sitting=dict)
    lobby.open(MeetingPlace((host.address,), NO_CREDENTIALS, VERSION), seats)
    await until(lambda: "within ten minutes" in keyboard.said.getvalue())
    first = lobby.code
    assert first
    assert all(each in keyboard.said.getvalue() for each in first)
    keyboard.type("what now")
    await until(lambda: KEYS in keyboard.said.getvalue())
    keyboard.type("i")
    await until(lambda: keyboard.shown == 1)
    keyboard.type("C")
    await until(lambda: lobby.code != first)
    await lobby.close()


async def test_at_a_table_the_player_answers_the_same_keys_until_all_have_come(
    host: Host, keyboard: Keyboard, tmp_path: Path
) -> None:
    person = sitting(tmp_path)
    lobby = HostLobby(keyboard.console, person.seat, keyboard.show)
    seats = TableSeats(host.invites, "304", kept=[OWN], sitting=dict)
    lobby.open(MeetingPlace((host.address,), NO_CREDENTIALS, VERSION), seats)
    assert person.seat.before("invites")
    assert keyboard.shown == 1
    assert not person.seat.before("p")
    await lobby.close()
    assert not person.seat.before("i")
    person.end()


@pytest.mark.parametrize("screen", [False, True], ids=["lines", "screen"])
async def test_friends_who_take_a_place_are_sent_its_invite_whole_and_a_code(
    host: Host, tmp_path: Path, screen: bool
) -> None:
    console, said = console_of()
    player = ClientSeat(Habits()) if screen else sitting(tmp_path).seat
    if isinstance(player, ClientSeat):
        await player.begin(beginning())

    def shown() -> list[str]:
        whole = isinstance(player, ClientSeat)
        return [*player.desk.help] if whole else said.getvalue().splitlines()

    places = places_for(player, console, BotProcesses(0), SeatOptions(), (), usual_opponents())
    vacancies = Vacancies(
        invites=host.invites,
        free=(Seat(2),),
        game="304",
        profile=full_agreement("304", "pagat"),
        sitting=dict,
        credentials=NO_CREDENTIALS,
        broker_here=False,
    )
    async with places.friends(vacancies):
        code = parse_code(await code_said(lambda: "\n".join(shown())))
        assert player.before("i")
        lines = shown()
        at = next(at for at, line in enumerate(lines) if "The invite for North: send it" in line)
        pieces = lines[at + 1 :]
        assert Invite.parse("".join(pieces)) == host.invites[2]
        assert (len(pieces) > 1) == screen
        assert await come(code, host.address) == host.invites[2]


async def code_said(text: Callable[[], str]) -> str:
    before = "The code of this table: "
    await until(lambda: before in text())
    return text().rpartition(before)[2].split()[0]
