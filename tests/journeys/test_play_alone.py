"""`p2p304 play`: one process, no broker until a friend is wanted, and a table that is gone on
with."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from cli.auditing import audit_file
from cli.commands.bot import other_names
from cli.commands.shell import Paragraphs, program_name
from protocol.wire.charter import MAX_NAME, MAX_SEATS, check_nickname
from tests.journeys.text_processes import LASTING, Room, TextProcess, played, transcripts, typed_for

ALONE = ("--plain", "--name", "Nimal", *LASTING)


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


async def test_a_friend_takes_the_seat_of_a_bot_by_the_code_though_another_never_came(
    room: Room,
) -> None:
    player = await room.run("south", "play", "--hands", "1", *ALONE, answers=False)
    shown = (await player.said("Your choice, such as (.+):")).group(1)
    player.type("invites")
    code = (await player.said("The code of this table: (.+)")).group(1)
    gone = await room.run("gone", "join", "--plain", "--name", "Gil", "--hands", "1", code)
    await gone.said("Which seat")
    gone.type("North")
    await player.said("The bot in North leaves when its turn comes")
    await gone.kill()
    # South may be asked more than once before North's turn comes.
    player.answers = True
    player.type(typed_for(shown))
    another = (await player.said("The code of this table: (.+)")).group(1)
    friend = await room.run("friend", "join", "--plain", "--name", "Fay", "--hands", "1", another)
    assert await friend.ended() == 0, friend.errors
    assert await player.ended() == 0, player.errors
    assert "Play under this charter? [y/n]" in player.text
    assert any(re.match("North  Fay", line) for line in player.lines)
    assert played(friend.home)
    assert transcripts(friend.home).items() <= transcripts(player.home).items()


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


# --- demo -----------------------------------------------------------------------------------------

# A demonstration: a hand on one screen, and last lines that can be typed as they stand.

ENVIRONMENT = Path(sys.prefix)


def shell(line: str, tmp_path: Path, path: str = "/usr/bin:/bin") -> str:
    """What a line says that is typed in the folder of the environment."""
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=ENVIRONMENT,
        env={"PATH": path, "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_hand_fits_a_screen_and_what_to_type_next_works_as_it_stands(tmp_path: Path) -> None:
    told = shell("umask 0; bin/p2p304 demo --seed 7", tmp_path).splitlines()
    assert len(told) <= 24
    assert max(map(len, told[:-3])) <= 80
    assert sum(line.startswith("Trick ") for line in told) == 8
    audit, play = (line.strip() for line in told[-2:])
    assert shlex.split(play) == ["bin/p2p304", "play"]
    assert "Trick 8" in shell(audit, tmp_path)
    (kept,) = (path.parent for path in tmp_path.rglob("hand-1.p304"))
    assert not [each for each in (kept, *kept.rglob("*")) if each.stat().st_mode & 0o077]


@pytest.mark.parametrize(
    ("began", "path", "said"),
    [
        (".venv/bin/p2p304", "", ".venv/bin/p2p304"),
        ("{folder}/p2p304", "{folder}", "p2p304"),
        ("{folder}/p2p304", "/nowhere", "{folder}/p2p304"),
        ("a house/bin/p2p304", "", "'a house/bin/p2p304'"),
        ("/lib/cli/main.py", "", "p2p304"),
    ],
)
def test_the_program_is_called_as_the_shell_finds_it(
    began: str, path: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "p2p304").write_text("")
    (tmp_path / "p2p304").chmod(0o755)
    monkeypatch.setenv("PATH", path.format(folder=tmp_path))
    monkeypatch.setattr(sys, "argv", [began.format(folder=tmp_path), "demo"])
    assert program_name() == said.format(folder=tmp_path)


def test_sentences_share_lines_and_tricks_do_not(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Paragraphs(30)
    for text in ("East bids 160.", "West passes.", "North passes.", "Trick 1: East plays a card."):
        screen.sentence(text)
    screen.line("p2p304 audit the-file-of-this-hand.p304")
    assert capsys.readouterr().out.splitlines() == [
        "East bids 160. West passes.", "North passes.", "Trick 1: East plays a card.",
        "p2p304 audit the-file-of-this-hand.p304"
    ]  # fmt: skip


# --- names of bots --------------------------------------------------------------------------------

# Bots have names of their own, however many they are and whatever people are called.


async def test_a_bot_takes_another_name_where_a_person_has_its_own(tmp_path: Path) -> None:
    async with Room(tmp_path) as room:
        person = await room.run("person", "play", "--name", "Amara", "--hands", "1")
        await person.said(r"Amara 2")


def test_another_name_is_a_nickname_and_there_are_more_of_them_than_seats() -> None:
    names = list(other_names("x" * MAX_NAME))
    assert len(set(names)) == MAX_SEATS + 1
    for name in names:
        check_nickname(name)
