"""Who somebody is, and what is asked again: nicknames, taken seats, invites in pieces."""

from __future__ import annotations

import asyncio
import getpass
import io
import os
from pathlib import Path

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from prompt_toolkit.output.vt100 import Vt100_Output

from cli.code import completed, parse_code
from cli.commands.nickname import NOBODY, known_nickname, login_name, nickname_for
from cli.lines.console import Console
from cli.screen.app import ask_completed
from cli.store.identity import IdentityStore
from tests.client.test_another_version import old_invite
from tests.journeys.terminals import Terminal, needs_tmux
from tests.journeys.text_processes import INVITE, Room


async def answered(root: Path, *typed: str) -> tuple[str, str]:
    """The nickname that comes of what is typed, and what was said."""
    reader, writer = os.pipe()
    said = io.StringIO()
    os.write(writer, "".join(f"{line}\n" for line in typed).encode())
    os.close(writer)
    name = await nickname_for(root, None, Console(descriptor=reader, output=said))
    return name, said.getvalue()


async def test_the_nickname_is_asked_once_and_the_login_name_is_meant_by_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "amara")
    root = tmp_path / "home"
    assert await answered(root, "") == ("amara", "Your nickname, or Enter for amara:\n")
    assert await answered(root) == ("amara", "")
    assert IdentityStore(root).nickname == "amara"


async def test_a_nickname_that_no_charter_takes_is_asked_for_again(tmp_path: Path) -> None:
    name, said = await answered(tmp_path / "home", "x" * 40, "Banu")
    assert name == "Banu"
    assert said.count("Your nickname") == 2


def test_play_asks_for_no_name_and_keeps_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "amara")
    assert known_nickname(tmp_path / "home", None) == "amara"
    assert IdentityStore(tmp_path / "home").nickname is None
    IdentityStore(tmp_path / "home").set_nickname("Banu")
    assert known_nickname(tmp_path / "home", None) == "Banu"
    assert known_nickname(tmp_path / "home", "Chandra") == "Chandra"


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
            line = await ask_completed("?", completed, source=keys, sink=DummyOutput())
    assert line == whole
    assert parse_code(line) == parse_code("7-zebra-lantern")


async def test_tab_lists_the_words_that_are_possible() -> None:
    written = io.StringIO()
    sink = Vt100_Output(written, lambda: Size(rows=10, columns=80), term="xterm")
    with create_pipe_input() as keys:
        keys.send_text("\x1b[1;1R7-cr\t")  # where the cursor is, as a terminal says when asked
        async with asyncio.timeout(60), asyncio.TaskGroup() as group:
            line = group.create_task(ask_completed("?", completed, source=keys, sink=sink))
            while "crawfish" not in written.getvalue():
                await asyncio.sleep(0.01)  # the screen is drawn by a task of its own
            keys.send_text("\r")
    assert line.result() == "7-cr"


@needs_tmux
async def test_a_taken_seat_and_a_taken_name_are_asked_again(room: Room, tmp_path: Path) -> None:
    place, command = tmp_path / "host", "host --plain --name Amara --bots 1"
    host = await asyncio.to_thread(Terminal, place, command, columns=200, rows=60)
    try:
        north, west = await asyncio.to_thread(invites_of, host)
        await comes_to_a_taken_seat(room, tmp_path, north, west)
    finally:
        host.close()


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
    late = await asyncio.to_thread(Terminal, tmp_path / "late", "join --name Banu", rows=40)
    try:

        def comes_late() -> None:
            late.until_shows("the invite:")
            late.type(north)
            late.press("Enter")
            late.until_shows("This seat is taken")
            other = old_invite(west)
            for part in (other[:80], other[80:]):
                late.type(part)
                late.press("Enter")
            late.until_shows("never released")
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
    finally:
        late.close()
