"""What goes wrong on the way to a table: one sentence each, which says what to do."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cli.invite import Invite
from cli.net.address import BrokerAddress
from cli.seat.sitting import keep_setup, new_setup, new_table
from tests.journeys.running_brokers import (
    MOSQUITTO,
    free_port,
    make_certificates,
    mosquitto,
    needs_mosquitto,
)
from tests.journeys.text_processes import Room, TextProcess


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with Room(tmp_path) as there:
        yield there


def invite_to(address: str) -> str:
    return new_table(BrokerAddress.parse(address), "304", "pagat").invites[1].format()


async def failed(process: TextProcess) -> str:
    """The one sentence with which it ended."""
    assert await process.ended() == 2
    (sentence,) = process.errors.strip().splitlines()
    assert sentence.startswith("p2p304: ")
    return sentence


def broken_invites() -> list[tuple[str, str]]:
    whole = invite_to("mqtt://127.0.0.1:1883")
    wrong = whole[:40] + ("A" if whole[40] != "A" else "B") + whole[41:]
    return [
        ("", "Type the code that the host said, or paste the invite."),
        ("hello", "This is neither a code, such as 7-zebra-lantern, nor an invite: P2P304-..."),
        (whole[:-9], " missing"),
        (wrong, "The invite is mistyped"),
        ("P2P304-" + "Z" + whole[8:], "The invite is mistyped at its beginning"),
        (f"the invite: {whole.lower()}", "This is no invite: one begins with P2P304-"),
    ]


async def test_an_invite_that_is_none_is_told_before_anything_is_sent(room: Room) -> None:
    started = [
        (await room.run(f"h{number}", "join", "--name", "Banu", typed=(text,)), said)
        for number, (text, said) in enumerate(broken_invites())
    ]
    for process, said in started:
        process.close_input()
        assert said in await failed(process)


async def test_a_word_that_is_neither_code_nor_invite_is_told_alike_as_an_argument(
    room: Room,
) -> None:
    typed = await room.run("a", "join", "--name", "Banu", typed=("hello",))
    given = await room.run("b", "join", "hello", "--name", "Banu")
    for process in (typed, given):
        process.close_input()
    assert await failed(typed) == await failed(given)


async def test_an_invite_in_several_lines_is_read_whole(room: Room) -> None:
    whole = invite_to(f"mqtt://127.0.0.1:{free_port()}")
    lines = tuple(whole[start : start + 60] for start in range(0, len(whole), 60))
    process = await room.run("h", "join", "--name", "Banu", typed=lines)
    assert "127.0.0.1" in await failed(process)


async def test_brokers_that_cannot_be_reached_or_are_none(room: Room) -> None:
    address = f"mqtt://127.0.0.1:{free_port()}"
    nowhere = await room.run("a", "join", "--name", "Banu", typed=(invite_to(address),))
    unknown = await room.run(
        "b", "host", "--name", "Amara", "--broker", "mqtts://no-such-host.invalid"
    )
    wrong = await room.run("c", "host", "--name", "Amara", "--broker", "http://127.0.0.1")
    both = await room.run("d", "host", "--broker", address, "--lan", "127.0.0.1")
    assert address.removeprefix("mqtt://") in await failed(nowhere)
    assert "no-such-host.invalid" in await failed(unknown)
    assert "begins with mqtts://, mqtt://, wss:// or ws://" in await failed(wrong)
    assert "Give either --broker, or --lan" in await failed(both)


async def test_rules_that_cannot_be_agreed_on(room: Room) -> None:
    profile = await room.run("a", "host", "--name", "Amara", "--profile", "pagt")
    house = await room.run("b", "host", "--name", "Amara", "--house", "half_cort")
    other = await room.run("c", "host", "--name", "Amara", "--game", "41", "--set", "x = 1")
    rules = await room.run("d", "host", "--name", "Amara", "--game", "41", "--profile", "pagat")
    assert "41 has house rules only, no profiles" in await failed(rules)
    assert "there is no profile 'pagt'" in await failed(profile)
    assert "there is no house rule 'half_cort'" in await failed(house)
    assert "41 has house rules only" in await failed(other)


async def test_watching_and_joining_need_their_own_invites(room: Room) -> None:
    table = new_table(BrokerAddress.parse("mqtt://127.0.0.1:1883"), "304", "pagat")
    watch = await room.run("a", "join", "--name", "B", typed=(table.watch.format(),))
    assert "use 'p2p304 watch'" in await failed(watch)
    nothing = await room.run("b", "resume")
    assert "There is no unfinished table" in await failed(nothing)
    empty = await room.run("c", "join", "--name", "B")
    empty.close_input()
    assert "The input ended before the question was answered" in await failed(empty)


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


@needs_mosquitto
async def test_wrong_passwords_and_certificates(room: Room, tmp_path: Path) -> None:
    secrets = tmp_path / "passwords"
    secrets.write_text("")
    subprocess.run(
        ["mosquitto_passwd", "-b", str(secrets), "amara", "right"], check=True, capture_output=True
    )
    secrets.chmod(0o644)
    make_certificates(tmp_path)
    port = free_port()
    config = (
        f"allow_anonymous false\npassword_file {secrets}\n"
        f"listener {port} 127.0.0.1\ncafile {tmp_path}/ca.crt\n"
        f"certfile {tmp_path}/server.crt\nkeyfile {tmp_path}/server.key\n"
    )
    assert MOSQUITTO is not None
    files = {
        "right": "user = amara\npassword = right\n",
        "wrong": "user = amara\npassword = wrong\n",
        "tls": f"user = amara\npassword = right\nca = {tmp_path}/ca.crt\n",
        "other": f"user = amara\npassword = right\nca = {tmp_path}/other.crt\n",
        "open": "user = amara\npassword = right\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o644 if name == "open" else 0o600)

    async def host(name: str, url: str) -> TextProcess:
        credentials = ("--credentials", str(tmp_path / name))
        return await room.run(f"h-{name}", "host", "--name", "A", "--broker", url, *credentials)

    async with mosquitto(tmp_path, config) as broker:
        plain, tls = f"mqtt://127.0.0.1:{broker.port}", f"mqtts://localhost:{port}"
        denied, other, readable = (
            await host("wrong", plain),
            await host("other", tls),
            await host("open", plain),
        )
        nobody = await room.run("n", "host", "--name", "A", "--broker", plain)
        for process in (denied, nobody):
            sentence = await failed(process)
            assert "user" in sentence
            assert "password" in sentence
            assert "wrong" not in sentence.replace("wrong user", "").replace("wrong password", "")
        assert "certificate" in await failed(other)
        assert "chmod 600" in await failed(readable)
        for name, url in (("right", plain), ("tls", tls)):
            accepted = await host(name, url)
            invite = Invite.parse((await accepted.invites(1))[0])
            assert invite.broker == BrokerAddress.parse(url)
