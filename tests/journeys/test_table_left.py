"""A player is gone for good: the others agree to end the hand, or go on with a substitute at
another table; their files say so, and can be audited."""

from __future__ import annotations

import json
import os
import pty
import re
import tty
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from cli.auditing import audit_file
from tests.journeys.text_processes import (
    LASTING,
    Room,
    TextProcess,
    transcripts,
)

ENDS = ("--plain", "--hands", "1", "--linger", "6")
ASKING = re.compile(r"(\[y/n\]|Your choice, such as .+:|Order:) $")


class Typist(TextProcess):
    """A person at a keyboard: what is typed while nothing is asked is read as well."""

    _keyboard = -1

    async def start(self, *arguments: str, **more: Any) -> TextProcess:
        self._keyboard, screen = pty.openpty()
        tty.setraw(screen)
        await super().start(*arguments, **more, stdin=screen)
        os.close(screen)
        return self

    def type(self, line: str) -> None:
        with suppress(OSError):
            os.write(self._keyboard, f"{line}\n".encode())

    async def _read(self) -> None:
        """A question stands at the end of a line that goes on when it is answered."""
        assert self.process.stdout is not None
        said = ""
        while piece := await self.process.stdout.read(4_096):
            said += piece.decode("utf-8", "replace")
            *lines, said = said.split("\n")
            if ASKING.search(said):
                lines, said = [*lines, said], ""
            for line in lines:
                self._heard(line)
        os.close(self._keyboard)
        self._changed.set()


class Keyboards(Room):
    """A room in which people type."""

    async def person(self, name: str, *arguments: str, typed: tuple[str, ...] = ()) -> TextProcess:
        process = Typist(self.home(name), seed=len(self._processes))
        self._processes.append(process)
        return await process.start(*arguments, typed=typed)


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Keyboards]:
    async with Keyboards(tmp_path) as there:
        yield there


async def output_of(room: Room, name: str, *arguments: str) -> str:
    process = await room.run(name, *arguments)
    assert await process.ended() == 0, process.errors
    return process.text


WEST = r"West \(Chandra\)"
TYPE_END = "Type end to agree"
"""What nobody reads who goes on: all agree to end a hand by agreeing to that, and no bot wants to
end the hand at the next table, however long people think there."""


async def left_by_west(room: Keyboards) -> tuple[TextProcess, TextProcess, str]:
    """Two people and a bot in a hand whose fourth player was killed; an invite."""
    options = ("--bots", "1", "--invites", *LASTING, *ENDS)
    host = await room.person("south", "host", "--name", "Amara", *options)
    north, west = [(await host.said(r"P2P304-[0-9A-Z]+")).group() for _ in range(2)]
    guest = await room.person("north", "join", "--name", "Banu", *ENDS, typed=(north,))
    gone = await room.run("west", "join", "--name", "Chandra", *ENDS, typed=(west,))
    gone.answers_until = "You hold"  # it is asked to bid, and the hand cannot do without its word
    await host.said("Hand 1:")
    host.type("end now")
    await host.said("Type 'end' first")
    await gone.said("You hold")
    await gone.kill()
    await host.said(f"The broker says that the connection of {WEST} was lost", within=60)
    await host.said(f"Waiting for {WEST}", within=60)
    await host.said("To go on without: type substitute bot, or substitute friend")
    return host, guest, north


async def test_three_end_a_hand_that_the_fourth_has_left_for_good(room: Keyboards) -> None:
    """Two people, a bot, one who never comes back, and a spectator."""
    host, guest, invite = await left_by_west(room)
    watching = await room.run("watcher", "watch", "--plain", "--hands", "1", typed=(invite,))
    await watching.said("fingerprint")
    host.type("end without south")
    await host.said("Name the places of those who are gone")
    host.type("end")
    await host.said(f"This ends the hand for good, without {WEST}")
    host.type("end now")
    await host.said("You agreed.")
    await guest.said(rf"South \(Amara\) agrees to end this hand unfinished, without {WEST}\.")
    guest.type("end")
    await guest.said("Type 'end now' to agree")
    guest.type("end now")
    for person in (host, guest):
        await person.said(r"South \(Amara\), .* agreed to end the hand here,")
        assert await person.ended() == 0, person.errors
    assert await watching.ended() == 0, watching.errors
    assert "agreed to end the hand here, unfinished: no result." in watching.text
    kept = transcripts(host.home)
    assert len(kept) == 1
    (bot,) = host.home.glob("tables/*/bot-1")
    for home in (guest.home, watching.home, bot):
        assert transcripts(home) == kept
    await check_file(room, host.home)


async def check_file(room: Room, home: Path) -> None:
    (path,) = home.glob("tables/*/*.p304")
    audit = audit_file(str(path))
    assert audit.valid
    assert audit.report is not None
    assert [(hand.outcome, hand.ended_by) for hand in audit.report.hands] == [(None, (0, 1, 2))]
    told = await output_of(room, "south", "audit", "--explain", str(path))
    assert "Ended unfinished, by agreement of South (Amara)" in told
    assert "passed x3       agreement.hand" in told
    assert json.loads(await output_of(room, "south", "audit", "--json", str(path)))[0]["valid"]
    listed = await output_of(room, "south", "tables", "--all")
    assert "ended unfinished, by agreement of those present" in listed
    assert "go on:" not in listed
    assert "1 finished or watched" in await output_of(room, "south", "tables")


async def check_change(room: Room, home: Path) -> None:
    tables = sorted(home.glob("tables/*/*.p304"), key=lambda path: path.stat().st_mtime)
    assert len({path.parent for path in tables}) == 2
    text = await output_of(room, "south", "audit", *map(str, tables))
    assert f"{len(tables)} valid, 0 invalid" in text
    assert re.search(r"goes on with the match of .*: as it stood there", text)


async def test_a_bot_takes_the_place_of_who_was_killed(room: Keyboards) -> None:
    host, guest, _ = await left_by_west(room)
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
    host, guest, _ = await left_by_west(room)
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
