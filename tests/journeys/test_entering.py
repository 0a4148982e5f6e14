"""Coming to a table: by an invite or a code, with a name, and what goes wrong on the way."""

from __future__ import annotations

import asyncio
import getpass
import io
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from zeroconf import DNSOutgoing, DNSPointer
from zeroconf.asyncio import AsyncZeroconf

from cli.code import complete_code, parse_code
from cli.commands.host import ANY, lan_address
from cli.commands.nickname import NOBODY, login_name, nickname_for
from cli.errors import UserError
from cli.lines.console import Console
from cli.local.sitting import keep_setup, new_setup, new_table
from cli.net import public
from cli.net.address import BrokerAddress
from cli.net.interfaces import OwnAddress
from cli.net.nearby import (
    NEARBY_VARIABLE,
    NearbyError,
    announce,
    can_be_told,
    find_brokers,
    numbers,
)
from cli.screen.app import ask_line
from cli.store.identity import IdentityStore
from tests.client.text_person import Keyboard, typing
from tests.journeys.running_brokers import Mosquitto, free_port, needs_mosquitto
from tests.journeys.terminals import Terminal, needs_tmux
from tests.journeys.text_processes import INVITE, Room, TextProcess


async def answered(root: Path, *typed: str) -> tuple[str, str]:
    """The nickname that comes of what is typed, and what was said."""
    console, said = typing(*typed)
    name = await nickname_for(root, None, console)
    return name, said.getvalue()


async def test_the_nickname_is_asked_once_and_the_login_name_is_meant_by_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "amara")
    root = tmp_path / "home"
    assert await answered(root, "") == ("amara", "Your nickname, or Enter for amara:\n")
    assert await answered(root) == ("amara", "")
    assert IdentityStore(root).nickname == "amara"


@pytest.mark.parametrize("name", ["x" * 40, "a\x1b[2Jb"])
def test_a_login_name_that_is_no_nickname_is_not_taken(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: name)
    assert login_name() == NOBODY


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("7-zeb\tlant\t\r", "7-zebra-lantern"),
        ("7-zeb\t-lant\t\r", "7-zebra--lantern"),  # the hyphen that Tab has put there, once more
    ],
)
async def test_tab_completes_the_words_before_enter_is_read(typed: str, whole: str) -> None:
    with create_pipe_input() as keys:
        keys.send_text(typed)
        async with asyncio.timeout(60):
            line = await ask_line("?", complete_code, source=keys, sink=DummyOutput())
    assert line == whole
    assert parse_code(line) == parse_code("7-zebra-lantern")


@needs_tmux
async def test_a_taken_seat_and_a_taken_name_are_asked_again(room: Room, tmp_path: Path) -> None:
    place, command = tmp_path / "host", "host --plain --name Amara --bots 1"
    host = await asyncio.to_thread(Terminal, place, command, columns=200, rows=60)
    with host:
        north, west = await asyncio.to_thread(invites_of, host)
        await comes_to_a_taken_seat(room, tmp_path, north, west)


def invites_of(host: Terminal) -> list[str]:
    """The long invites of a host, which are a key away."""
    assert "P2P304-" not in host.until_shows("within ten minutes")
    host.type("i")
    host.press("Enter")
    host.until(lambda text: len(INVITE.findall(text)) == 2)
    return INVITE.findall(host.text())


async def comes_to_a_taken_seat(room: Room, tmp_path: Path, north: str, west: str) -> None:
    """Somebody is late, and has the name of who was not."""
    first = await room.run("north", "join", "--name", "Banu", typed=(north,), answers=False)
    await first.said("At the table: ")

    def comes_late() -> None:
        with Terminal(tmp_path / "late", "join --name Banu", rows=40) as late:
            late.until_shows("the invite:")
            late.type(north)
            late.press("Enter")
            late.until_shows("This seat is taken")
            broken = next(at for at in range(80, len(west)) if west[at].isdigit())
            late.type(west[:broken])  # a mail program broke it, where the rest looks like a code
            late.press("Enter")
            late.until_shows("The invite is")
            late.type(west[broken:])
            late.press("Enter")
            late.until_shows("Somebody at this table has your nickname")
            late.until_shows("Another nickname")
            late.type("Chandra")
            late.press("Enter")
            late.until_shows("Do you agree")
            assert "Chandra (you)" in late.text()

    await asyncio.to_thread(comes_late)


# --- codes ----------------------------------------------------------------------------------------


CODE = re.compile(r"code of this table: (\d+-[a-z]+-[a-z]+)")


async def test_three_friends_come_by_one_code_and_choose_their_seats(
    room: Room, tmp_path: Path
) -> None:
    logs = [tmp_path / f"{name}.log" for name in ("host", "Banu", "Chandra")]
    host = await room.run("south", "--log", str(logs[0]), "host", "--name", "Amara", answers=False)
    invites = await host.invites(3)
    assert len(set(invites)) == 3
    code = (await host.said(CODE.pattern))[1]
    friends = [
        await room.run(
            *(log.stem, "--log", str(log), "join", code, "--name", log.stem),
            answers=False,
            typed=("north",),
        )
        for log in logs[1:]
    ]
    third = await room.run("Dilini", "join", "--name", "Dilini", answers=False, typed=(code,))
    for friend in friends:
        await friend.said("Partners sit opposite each other. Together: North-South; East-West")
        await friend.said("Which seat")
    third.type("")
    for friend in friends:  # whoever wished for North second is asked again
        friend.type("")
    in_north = set()
    for friend in (*friends, third):
        await friend.said("You sit down at mqtt://127.0.0.1:")
        await friend.said("The charter's fingerprint")
        in_north.add((await friend.said(r"^ *North  (\w+)"))[1])
    assert len(in_north) == 1
    assert in_north <= {"Banu", "Chandra"}
    for log in logs:
        logged = log.read_text("utf-8")
        assert "p2p304" in logged
        assert [word for word in code.split("-")[1:] if word in logged] == []


@needs_mosquitto
async def test_a_public_broker_is_chosen_from_the_list_and_friends_find_the_code_there(
    room: Room, broker: Mosquitto
) -> None:
    live, dead = f"mqtt://127.0.0.1:{broker.port}", f"mqtt://127.0.0.1:{free_port()}"
    for name in ("south", "north"):
        home = room.home(name)
        home.mkdir(mode=0o700)
        (home / public.FILE_NAME).write_text(f"# mine\n{dead}\n{live}\n")
    host = await room.run("south", "host", "--public", "--bots", "2", "--name", "Amara")
    await host.said(rf"{live}: \d+ ms")
    await host.said(rf"{dead}: no\. ")
    await host.said("free service of other people.*It sees your address")
    code = (await host.said(CODE.pattern))[1]
    friend = await room.run("north", "join", code, "--name", "Banu")
    # Another test's table on this machine may have the number, and refuses the words.
    await friend.said(r"(It is not there|No table there has this code)\. Looking at 127\.0\.0\.1")
    await friend.said(f"You sit down at {live}")
    await friend.said("The charter's fingerprint")


async def test_who_reaches_no_broker_is_told_why_and_how_to_name_the_host_s_own(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the one that tells the local network of the number, nor any of the list."""
    monkeypatch.setenv(NEARBY_VARIABLE, "127.0.0.1")
    near, dead = free_port(), free_port()
    home = room.home("north")
    home.mkdir(mode=0o700)
    (home / public.FILE_NAME).write_text(f"mqtt://127.0.0.1:{dead}\n")
    async with announce(906, "127.0.0.1", near) as can:
        assert can
        friend = await room.run("north", "join", "906-zebra-lantern", "--name", "Banu")
        await friend.said(rf"127\.0\.0\.1:{near}")
        await friend.said("It is not there")
        assert await friend.ended() == 2
    assert f"127.0.0.1:{dead}" in friend.errors
    assert "If the host has a broker of its own, add --broker and its address." in friend.errors


# --- what goes wrong ------------------------------------------------------------------------------


async def failed(process: TextProcess) -> str:
    """The one sentence with which it ended."""
    assert await process.ended() == 2
    (sentence,) = process.errors.strip().splitlines()
    assert sentence.startswith("p2p304: ")
    return sentence


async def test_a_table_that_another_process_has_is_told(room: Room) -> None:
    table = new_table(BrokerAddress.parse(f"mqtt://127.0.0.1:{free_port()}"), "304", "pagat")
    with keep_setup(room.home("south"), new_setup(table.invites[1], "Banu")):
        second = await room.run("south", "resume")
        assert "Another p2p304 on this machine plays at this table" in await failed(second)
        listed = await room.run("south", "tables")
        assert await listed.ended() == 0
        assert "open in another p2p304" in listed.text


async def test_of_two_who_race_for_a_seat_one_gets_it(room: Room) -> None:
    """The other one is told so, however slow it is: the table is not full before that."""
    host = await room.run("south", "host", "--name", "Amara", "--bots", "1", "--hands", "1")
    invite, last = await host.invites(2)
    racers = [
        await room.run(name, "join", "--name", name, "--hands", "1", typed=(invite,))
        for name in ("Banu", "Chandra")
    ]
    waits = [asyncio.create_task(each.ended()) for each in racers]
    done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    loser = racers[waits.index(done.pop())]
    assert loser.errors.strip() == (
        "p2p304: This seat is taken: somebody used the invite before; ask for a new one."
    )
    winner = next(each for each in racers if each is not loser)
    other = await room.run("last", "join", "--name", "Dilini", "--hands", "1", typed=(last,))
    for process in (host, winner, other):
        await process.said("You hold")


async def test_a_nickname_that_no_charter_takes_is_asked_for_again(tmp_path: Path) -> None:
    name, said = await answered(tmp_path / "home", "x" * 40, "Banu")
    assert name == "Banu"
    assert said.count("Your nickname") == 2


# --- nearby ---------------------------------------------------------------------------------------

# The local network: codes that it is told of, and which address of this machine it reaches.

HERE = "127.0.0.1"
SOON = 0.3
TYPE = "_p2p304._tcp.local."
#: Numbers of DNS: a record that points to a name, its class, the flags of an answer.
PTR, IN, RESPONSE = 12, 1, 0x8400


async def test_what_is_told_is_found_as_long_as_it_is_told() -> None:
    async with announce(901, HERE, 4_321) as can:
        assert can
        assert await find_brokers(901, within=30) == (BrokerAddress.parse(f"mqtt://{HERE}:4321"),)
        assert await find_brokers(902, within=SOON) == ()
    assert await find_brokers(901, within=SOON) == ()


async def test_tables_that_have_one_number_are_all_found_and_the_number_is_known_as_taken() -> None:
    async with (
        asyncio.timeout(300),
        announce(906, HERE, 4_321),
        announce(906, HERE, 4_322),
        announce(907, HERE, 4_323),
    ):
        both = {f"mqtt://{HERE}:{port}" for port in (4_321, 4_322)}
        while {each.format() for each in await find_brokers(906, within=30)} != both:
            pass  # it asks again
        while not {906, 907} <= await numbers(within=2.0):
            pass  # it asks again


async def test_an_address_beyond_the_local_network_is_not_taken() -> None:
    for far in ("1.2.3.4", "10.254.3.4", "169.254.77.7"):
        async with announce(903, far, 1_883):
            assert await find_brokers(903, within=SOON) == ()
    assert not can_be_told("8.8.8.8")
    assert not can_be_told("::1")
    assert not can_be_told("localhost")
    assert can_be_told("192.168.1.20")


@pytest.mark.parametrize("name", ["908-a.example.com.", f"908-\x1b[2J.{TYPE}"])
async def test_a_name_that_no_table_has_is_passed_over(name: str) -> None:
    everybody = AsyncZeroconf(interfaces=[HERE])
    pointer = DNSPointer(TYPE, PTR, IN, 120, name)

    async def announced() -> None:
        while True:
            lie = DNSOutgoing(RESPONSE)
            lie.add_answer_at_time(pointer, 0)
            everybody.zeroconf.async_send(lie)
            await asyncio.sleep(0.1)

    try:
        async with announce(908, HERE, 4_321):
            lying = asyncio.create_task(announced())
            assert await find_brokers(908, within=30) == (
                BrokerAddress.parse(f"mqtt://{HERE}:4321"),
            )
            lying.cancel()
    finally:
        await everybody.async_close()


@pytest.mark.parametrize("named", ["eth0", "::1", "127.0.0.1, 300.1.1.1"])
async def test_what_is_no_address_of_this_machine_is_told(
    named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NEARBY_VARIABLE, named)
    with pytest.raises(NearbyError, match="with commas"):
        await find_brokers(905, within=SOON)


# --- an address of this machine -------------------------------------------------------------------


HOME = OwnAddress("192.168.1.20", "wlan0")
WORK = OwnAddress("10.0.0.7", "")


@pytest.fixture
async def terminal() -> AsyncIterator[Keyboard]:
    there = Keyboard()
    yield there
    there.hang_up()
    await there.console.has_ended(within=60)  # or its reader takes what the next test types


@pytest.fixture
def pipe() -> Console:
    return Console(descriptor=os.open(os.devnull, os.O_RDONLY), output=io.StringIO())


async def chosen_by(terminal: Keyboard, typed: str) -> str:
    """What comes of the answer that is typed when the question is there."""
    choosing = asyncio.create_task(lan_address(ANY, (HOME, WORK), terminal.console))
    await terminal.said("do the others reach?")
    terminal.type(typed)
    return await choosing


async def test_the_only_address_is_taken_and_said(terminal: Keyboard) -> None:
    assert await lan_address(ANY, (HOME,), terminal.console) == "192.168.1.20"
    await terminal.said("192.168.1.20 (wlan0)")


@pytest.mark.parametrize(
    ("typed", "chosen"), [("", HOME), ("2", WORK), ("10.0.0.7", WORK), (" 1 ", HOME)]
)
async def test_of_several_the_one_that_is_typed_is_taken(
    terminal: Keyboard, typed: str, chosen: OwnAddress
) -> None:
    assert await chosen_by(terminal, typed) == chosen.address
    await terminal.said("1  192.168.1.20 (wlan0)")
    await terminal.said("2  10.0.0.7")


async def test_what_is_none_of_them_is_told(terminal: Keyboard) -> None:
    with pytest.raises(UserError, match="a number from 1 to 2"):
        await chosen_by(terminal, "3")


async def test_where_nobody_types_they_are_listed(pipe: Console) -> None:
    with pytest.raises(UserError, match=r"192\.168\.1\.20 \(wlan0\), 10\.0\.0\.7; name the one"):
        await lan_address(ANY, (HOME, WORK), pipe)
    with pytest.raises(UserError, match="no address in a network"):
        await lan_address(ANY, (), pipe)


async def test_nothing_is_told_where_no_address_may_be_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(NEARBY_VARIABLE, "192.168.1.20")
    async with announce(904, HERE, 4_321) as can:
        assert not can


async def test_an_address_that_is_named_is_taken_as_it_is(pipe: Console) -> None:
    assert await lan_address("fe80::1", (HOME, WORK), pipe) == "fe80::1"
