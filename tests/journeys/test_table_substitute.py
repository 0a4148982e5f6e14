"""A player is killed for good: the others go on with a substitute, at a table that is audited with
the one before."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.journeys.test_table_ended import Keyboards, output_of
from tests.journeys.text_processes import LASTING, Room, TextProcess

ENDS = ("--plain", "--hands", "1", "--linger", "6")
WAITING = r"Waiting for West \(Chandra\)"
TYPE_END = "Type end to agree"
"""What nobody reads here: all agree to end a hand by agreeing to go on, and no bot wants to end the
hand at the next table, however long people think there."""


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Keyboards]:
    async with Keyboards(tmp_path) as there:
        yield there


async def left_by_west(room: Keyboards) -> tuple[TextProcess, TextProcess]:
    """Two people and a bot in a hand whose fourth player was killed."""
    options = ("--bots", "1", "--invites", *LASTING, *ENDS)
    host = await room.person("south", "host", "--name", "Amara", *options)
    north, west = [(await host.said(r"P2P304-[0-9A-Z]+")).group() for _ in range(2)]
    guest = await room.person("north", "join", "--name", "Banu", *ENDS, typed=(north,))
    gone = await room.run("west", "join", "--name", "Chandra", *ENDS, typed=(west,))
    gone.answers_until = "You hold"
    await gone.said("You hold")
    await gone.kill()
    await host.said(WAITING, within=60)
    await host.said("To go on without: substitute bot, or substitute friend")
    return host, guest


async def told_by(room: Room, *arguments: str) -> list[dict[str, object]]:
    told: list[dict[str, object]] = json.loads(await output_of(room, "south", *arguments))
    return told


async def check_change(room: Room, home: Path) -> None:
    tables = sorted(home.glob("tables/*/*.p304"), key=lambda path: path.stat().st_mtime)
    assert len({path.parent for path in tables}) == 2
    text = await output_of(room, "south", "audit", *map(str, tables))
    assert f"{len(tables)} valid, 0 invalid" in text
    assert re.search(r"goes on with the match of .*: as it stood there", text)


async def test_a_bot_takes_the_place_of_who_was_killed(room: Keyboards) -> None:
    host, guest = await left_by_west(room)
    host.type("substitute bot")
    await host.said("You agree to go on; East and North must, too")
    await guest.said("South wants to go on without West: a bot of South's sits down")
    guest.type("substitute yes")
    for person in (host, guest):
        await person.said("All agree: the match goes on at a new table")
        await person.said("Here is the charter of the new table")
        await person.said("This table goes on with the match of another one")
        await person.said(r"West \(Bot Chandra\) is a bot, seated by South \(Amara\)")
        await person.said("Hand 1:")
        assert await person.ended() == 0, person.errors
        assert TYPE_END not in person.text
    await check_change(room, guest.home)
    names = await output_of(room, "north", "tables", "--all")
    assert "the match went on at" in names


@pytest.mark.long
async def test_a_friend_comes_by_a_code_and_who_died_meanwhile_finds_the_new_table(
    room: Keyboards,
) -> None:
    host, guest = await left_by_west(room)
    host.type("substitute friend")
    await guest.said("South wants to go on without West: a friend of South's sits down")
    guest.type("substitute yes")
    await guest.said("All agree: South invites a friend")
    await guest.kill()
    code = (await host.said(r"The code of this table: (\S+)")).group(1)
    added = (await host.said(r"p2p304 join((?: --broker \S+)?)' and then the code")).group(1)
    host.type("i")
    await host.said(f"The code of this table: {code}")
    await host.said("The invite for West")
    friend = await room.person(
        "friend", "join", "--name", "Dilini", *added.split(), *ENDS, typed=(code,)
    )
    await host.said("This table goes on with the match of another one")
    await host.kill()  # at the old table nobody is left who could tell
    host = await room.person("south", "resume", *ENDS)
    await host.said("Table")
    back = await room.person("north", "resume", *ENDS)
    for person in (back, friend):
        await person.said("This table goes on with the match of another one")
    for person in (host, back, friend):
        await person.said("Hand 1:")
        assert await person.ended() == 0, person.errors
    await check_change(room, host.home)


@pytest.mark.long
async def test_who_was_killed_comes_back_and_takes_the_seat_of_the_bot(room: Keyboards) -> None:
    host, guest = await left_by_west(room)
    host.type("substitute bot")
    await guest.said("South wants to go on without West: a bot of South's sits down")
    guest.type("substitute yes")
    for person in (host, guest):
        person.answers_until = "Hand 1:"
        await person.said("When who left is back: substitute back")
        await person.said("Hand 1:")
    host.type("substitute back")
    await guest.said("South wants to give the seat of the bot in West to a friend")
    guest.type("substitute yes")
    code = (await host.said(r"The code of this table: (\S+)")).group(1)
    added = (await host.said(r"p2p304 join((?: --broker \S+)?)' and then the code")).group(1)
    west = await room.person(
        "west", "join", "--name", "Chandra", *added.split(), *ENDS, typed=(code,)
    )
    for person in (host, guest):
        person.answers_until, person.answers = None, True
    for person in (host, guest, west):
        await person.said("This table goes on with the match of another one")
        await person.said("Hand 1:")
        assert await person.ended() == 0, person.errors
        assert TYPE_END not in person.text
