"""A player is gone for good: the others agree, and have a file that says so and can be audited."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import tty
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from cli.auditing import audit_file
from tests.forked import start_program
from tests.journeys.text_processes import (
    CHOICE,
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

    async def start(self, *arguments: str, typed: tuple[str, ...] = ()) -> TextProcess:
        self._keyboard, screen = pty.openpty()
        tty.setraw(screen)
        self._process = await start_program(
            *arguments,
            variables={**os.environ, "P2P304_HOME": str(self.home), "PYTHONUNBUFFERED": "1"},
            stdin=screen,
        )
        os.close(screen)
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._hear_errors())]
        for line in typed:
            self.type(line)
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


async def test_three_end_a_hand_that_the_fourth_has_left_for_good(room: Keyboards) -> None:
    """Two people, a bot, and one who never comes back."""
    options = ("--bots", "1", "--invites", *LASTING, *ENDS)
    host = await room.person("south", "host", "--name", "Amara", *options)
    north, west = [(await host.said(r"P2P304-[0-9A-Z]+")).group() for _ in range(2)]
    guest = await room.person("north", "join", "--name", "Banu", *ENDS, typed=(north,))
    gone = await room.run("west", "join", "--name", "Chandra", *ENDS, typed=(west,))
    watching = await room.run("watcher", "watch", "--plain", "--hands", "1", typed=(north,))
    gone.answers_until = "You hold"  # it is asked to bid, and the hand cannot do without its word
    for person in (guest, host):
        await person.said("Hand 1:")
    host.type("end now")
    await host.said("Type 'end' first")
    await gone.said("You hold")
    await gone.kill()
    await host.said(r"The broker says that the connection of West \(Chandra\) was lost", within=60)
    await host.said(r"Waiting for West \(Chandra\)", within=60)
    host.type("end without south")
    await host.said("Name the places of those who are gone")
    host.type("end")
    await host.said(r"This ends the hand for good, without West \(Chandra\)")
    host.type("end now")
    await host.said("You agreed.")
    proposal = r"South \(Amara\) agrees to end this hand unfinished, without West \(Chandra\)\."
    await guest.said(proposal)
    guest.type("end")
    await guest.said("Type 'end now' to agree")
    guest.type("end now")
    for person in (host, guest):
        await person.said(r"South \(Amara\), .* agreed to end the hand here, unfinished")
        assert await person.ended() == 0, person.errors
    assert await watching.ended() == 0, watching.errors
    assert "agreed to end the hand here, unfinished: no result." in watching.text
    kept = transcripts(host.home)
    assert len(kept) == 1
    assert transcripts(guest.home) == kept
    assert transcripts(watching.home) == kept
    (bot,) = host.home.glob("tables/*/bot-1")
    assert transcripts(bot) == kept
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


def test_a_question_at_the_end_of_a_line_is_known() -> None:
    assert ASKING.search("Your choice, such as 9h: ")
    assert CHOICE.search("Your choice, such as 9h: ")
