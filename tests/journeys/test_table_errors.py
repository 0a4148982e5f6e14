"""What goes wrong on the way to a table: one sentence each, which says what to do."""

from __future__ import annotations

import asyncio
from pathlib import Path

from cli.invite import Invite
from cli.net.address import BrokerAddress
from cli.seat.sitting import keep_setup, new_setup, new_table
from tests.journeys.running_brokers import (
    free_port,
    make_certificates,
    mosquitto,
    needs_mosquitto,
    passwords,
)
from tests.journeys.text_processes import Room, TextProcess


async def failed(process: TextProcess) -> str:
    """The one sentence with which it ended."""
    assert await process.ended() == 2
    (sentence,) = process.errors.strip().splitlines()
    assert sentence.startswith("p2p304: ")
    return sentence


async def test_brokers_that_cannot_be_reached(room: Room) -> None:
    address = f"mqtt://127.0.0.1:{free_port()}"
    invite = new_table(BrokerAddress.parse(address), "304", "pagat").invites[1].format()
    lines = tuple(invite[start : start + 60] for start in range(0, len(invite), 60))
    nowhere = await room.run("a", "join", "--name", "Banu", typed=lines)
    unknown = await room.run(
        "b", "host", "--name", "Amara", "--broker", "mqtts://no-such-host.invalid"
    )
    assert address.removeprefix("mqtt://") in await failed(nowhere)
    assert "no-such-host.invalid" in await failed(unknown)


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
    make_certificates(tmp_path)
    port = free_port()
    config = passwords(tmp_path, amara="right") + (
        f"listener {port} 127.0.0.1\ncafile {tmp_path}/ca.crt\n"
        f"certfile {tmp_path}/server.crt\nkeyfile {tmp_path}/server.key\n"
    )
    right = "user = amara\npassword = right\n"
    files = {
        "right": right,
        "wrong": "user = amara\npassword = wrong\n",
        "tls": f"{right}ca = {tmp_path}/ca.crt\n",
        "other": f"{right}ca = {tmp_path}/other.crt\n",
        "open": right,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o644 if name == "open" else 0o600)

    async def host(name: str, url: str) -> TextProcess:
        credentials = ("--credentials", str(tmp_path / name)) if name else ()
        return await room.run(f"h-{name}", "host", "--name", "A", "--broker", url, *credentials)

    async with mosquitto(tmp_path, config) as broker:
        plain, tls = f"mqtt://127.0.0.1:{broker.port}", f"mqtts://localhost:{port}"
        denied, nobody, other, readable = [
            await host(name, url)
            for name, url in (("wrong", plain), ("", plain), ("other", tls), ("open", plain))
        ]
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
