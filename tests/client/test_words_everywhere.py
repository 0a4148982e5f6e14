"""One spelling of what is played, names completed, `?` wherever somebody reads, narrow lines."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from cli.commands.options import HandFile
from cli.main import program
from cli.screen.desk import Desk, Mode
from cli.screen.input import press
from cli.screen.render import render
from cli.store.hands import hand_names
from cli.store.paths import transcript_name
from tests.client.moments import MOMENTS
from tests.client.test_commands_tables import a_table
from tests.client.test_match_end import ended


def completed(*words: str) -> list[str]:
    """What the program offers for the last word."""
    *before, last = words
    found = ShellComplete(program, {}, "p2p304", "_P2P304_COMPLETE")
    return [item.value for item in found.get_completions([*before], last)]


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
