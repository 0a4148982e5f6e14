"""`p2p304 play`: one process, no broker until a friend is wanted, and a table that is gone on
with."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from cli.auditing import audit_file
from tests.journeys.text_processes import LASTING, Room, TextProcess, played, transcripts, typed_for

ALONE = ("--plain", "--name", "Nimal", *LASTING)


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with Room(tmp_path) as people:
        yield people


def listening(process: TextProcess) -> list[int]:
    """The ports on which a program or one that it started waits for others."""
    whole = psutil.Process(process.process.pid)
    every = (whole, *whole.children(recursive=True))
    return [found.laddr.port for each in every for found in each.net_connections("inet")]


def alike(home: Path) -> bool:
    """Whether its bots kept what the player kept, which an audit finds valid."""
    kept = transcripts(home)
    bots = sorted(home.glob("tables/*/bot-*"))
    valid = all(audit_file(str(path)).valid for path in home.glob("tables/*/*-000*.p304"))
    return len(bots) == 3 and valid and all(transcripts(bot) == kept for bot in bots)


async def test_a_friend_watches_a_table_that_began_without_a_broker(room: Room) -> None:
    player = await room.run("south", "play", "--hands", "1", *ALONE, answers=False)
    shown = (await player.said("Your choice, such as (.+):")).group(1)
    assert listening(player) == []
    player.type("invites")
    (invite,) = await player.invites(1)
    assert len(listening(player)) > 0
    friend = await room.run("friend", "watch", "--plain", typed=(invite,))
    await friend.said("Hand 1: ")
    player.answers = True
    player.type(typed_for(shown))
    assert await player.ended() == 0, player.errors
    assert played(player.home) == 1
    assert alike(player.home)


async def invited_to_north(room: Room, name: str) -> tuple[TextProcess, str, TextProcess]:
    """A player alone, what it could choose, and who was given the seat of its bot in North."""
    player = await room.run("south", "play", "--hands", "1", *ALONE, answers=False)
    shown = (await player.said("Your choice, such as (.+):")).group(1)
    player.type("invites")
    code = (await player.said("The code of this table: (.+)")).group(1)
    friend = await room.run(name, "join", "--plain", "--name", name, "--hands", "1", code)
    await friend.said("Which seat")
    friend.type("North")
    await player.said("The bot in North leaves when its turn comes")
    return player, shown, friend


async def test_a_friend_takes_the_seat_of_a_bot_by_the_code(room: Room) -> None:
    player, shown, friend = await invited_to_north(room, "Fay")
    player.answers = True
    player.type(typed_for(shown))
    assert await friend.ended() == 0, friend.errors
    assert await player.ended() == 0, player.errors
    assert "Play under this charter? [y/n]" in player.text
    assert any(re.match("North  Fay", line) for line in player.lines)
    kept = transcripts(friend.home)
    assert kept
    assert kept.items() <= transcripts(player.home).items()
    for path in friend.home.glob("tables/*/*.p304"):
        assert audit_file(str(path)).valid


async def test_another_friend_can_come_where_one_with_the_code_never_does(room: Room) -> None:
    player, shown, gone = await invited_to_north(room, "Gil")
    await gone.kill()
    # South may be asked more than once before North's turn comes.
    player.answers = True
    player.type(typed_for(shown))
    another = (await player.said("The code of this table: (.+)")).group(1)
    friend = await room.run("friend", "join", "--plain", "--name", "Fay", "--hands", "1", another)
    assert await friend.ended() == 0, friend.errors
    assert await player.ended() == 0, player.errors
    assert any(re.match("North  Fay", line) for line in player.lines)


@pytest.mark.parametrize("opened", [False, True], ids=["in memory", "at its broker"])
async def test_a_table_of_bots_is_gone_on_with_after_a_crash(room: Room, opened: bool) -> None:
    player = await room.run("south", "play", *ALONE, answers=False)
    await player.said("Your choice, such as (.+):")
    if opened:
        player.type("invites")
        await player.invites(1)
    await player.kill()
    back = await room.run("south", "resume", "--plain", "--hands", "1")
    where = r"at mqtt://127\.0\.0\.1:\d+" if opened else "in this program alone"
    await back.said(rf"you are South, {where}\.")
    assert await back.ended() == 0, back.errors
    assert played(back.home) == 1
    assert alike(back.home)
