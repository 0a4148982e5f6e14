"""One spelling of what is played, names completed, `?` wherever somebody reads, narrow lines."""

from __future__ import annotations

import json
import os
import pty
import shutil
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete, get_completion_class
from click.testing import CliRunner

from cli.commands.options import HandFile
from cli.commands.shell import echo
from cli.commands.tables import command as tables
from cli.lines.console import folded
from cli.lines.requests import help_lines
from cli.main import program
from cli.screen.desk import Desk, Mode
from cli.screen.input import press
from cli.screen.render import render
from cli.store.hands import hand_names, table_names
from cli.store.paths import transcript_name
from p2p304.games import create_game, telling_of
from tests.client.moments import MOMENTS
from tests.client.test_match_end import ended
from tests.client.test_tables_of_bots import a_table

SHELLS = ("bash", "zsh", "fish")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("P2P304_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def completed(*words: str) -> list[str]:
    """What the program offers for the last word."""
    *before, last = words
    found = ShellComplete(program, {}, "p2p304", "_P2P304_COMPLETE")
    return [item.value for item in found.get_completions([*before], last)]


def test_names_of_tables_are_completed_the_latest_first(root: Path) -> None:
    old, new = a_table(root, days=5), a_table(root)
    record = next((root / "tables").glob(f"{old}*"))
    for path in record.iterdir():
        os.utime(path, (1, 1))
    for words in (("resume",), ("tables", "--forget")):
        assert completed(*words, "") == [new, old]
        assert completed(*words, old[:3]) == [old]
        assert completed(*words, "zz") == []
    assert [name for name, _ in table_names("")] == [new, old]


@pytest.mark.parametrize("command", ["audit", "replay", "stats"])
def test_names_of_hands_are_completed_table_by_table(root: Path, command: str) -> None:
    name = a_table(root)
    directory = next((root / "tables").glob(f"{name}*"))
    hand = directory / transcript_name(bytes.fromhex(directory.name), 0)
    shutil.copy(hand, directory / transcript_name(bytes.fromhex(directory.name), 11))
    assert completed(command, name[:2]) == [f"{name}/"]
    assert completed(command, f"{name}/") == [f"{name}/1", f"{name}/12"]
    assert completed(command, f"{name}/12") == [f"{name}/12"]
    assert [item.type for item in HandFile().shell_complete(None, None, "some/file")] == ["file"]  # type: ignore[arg-type]


def test_where_there_is_no_table_nothing_is_offered_and_nothing_fails(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert completed("resume", "") == []
    assert hand_names("88d17ccd/") == []
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("P2P304_HOME", str(tmp_path / "file"))
    assert completed("resume", "") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_is_given_a_script(shell: str) -> None:
    made = get_completion_class(shell)
    assert made is not None
    if shell != "bash":  # click asks bash itself for its version
        assert "_P2P304_COMPLETE" in made(program, {}, "p2p304", "_P2P304_COMPLETE").source()


@pytest.mark.parametrize(
    ("game", "agreed", "title"),
    [
        ("304", "pagat; +table_chat", "304, pagat rules, with talk"),
        ("304", "championship", "304, championship rules"),
        ("41", "table_chat", "41, with talk"),
    ],
)
def test_what_is_played_has_one_spelling(game: str, agreed: str, title: str) -> None:
    assert telling_of(create_game(game, agreed)).title == title


def test_tables_are_listed_in_that_spelling(root: Path) -> None:
    a_table(root)
    listed = CliRunner().invoke(tables, ["--all"]).output
    assert "304, pagat rules: South Player" in listed
    assert json.loads(CliRunner().invoke(tables, ["--all", "--json"]).output)[0]["game"] == "304"


@pytest.mark.parametrize("mode", [Mode.CHARTER, Mode.SUMMARY, Mode.FINISH, Mode.MATCH])
def test_the_rules_are_a_key_away_from_whatever_is_read_and_lead_back_to_it(mode: Mode) -> None:
    table = MOMENTS["01-charter"]().table if mode is Mode.CHARTER else ended()
    desk = Desk(mode=mode, charter=("Rules: 304",))
    there, deed = press(desk, table, "?")
    assert (there.mode, deed) == (Mode.RULES, None)
    text = "\n".join(render(table, there, 80, 24).text())
    assert "The rules of this moment" in text
    for key in ("?", "enter", "escape"):
        assert press(there, table, key)[0] == desk
    assert press(there, table, "y") == (there, None)


@pytest.mark.parametrize("name", ["304", "41"])
def test_help_in_lines_is_in_the_words_of_the_game(name: str) -> None:
    game = create_game(name)
    text = "\n".join(help_lines(telling_of(game), game.seats))
    assert ("caps" in text.lower()) is (name == "304")
    for key in telling_of(game).keys:
        assert key.words in text
    six = create_game("304", "six36")
    assert "South-East" in "\n".join(help_lines(telling_of(six), six.seats))


def test_lines_break_between_words_at_42_columns() -> None:
    line = "East-West made 250 with 304 points and called Caps correctly: North-South pay 4 tokens."
    broken = folded(line, 42).split("\n")
    assert len(broken) > 1
    assert all(len(each) <= 42 for each in broken)
    assert " ".join(" ".join(broken).split()) == line


def test_the_shell_s_lines_are_broken_on_a_terminal_and_whole_in_a_pipe(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = "word " * 30
    echo(line.strip())
    assert capsys.readouterr().out == f"{line.strip()}\n"
    ours, theirs = pty.openpty()
    monkeypatch.setenv("COLUMNS", "42")
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stdout", terminal)
        echo(line.strip())
        terminal.flush()
        shown = os.read(ours, 4_096).decode().replace("\r", "")
    os.close(ours)
    assert all(len(each) <= 42 for each in shown.split("\n"))
    assert shown.split() == line.split()
