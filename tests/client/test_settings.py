"""What a player sets is there the next time: one file, shown and changed by `settings`, by keys
and by hand."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from cli.commands import learn
from cli.commands.display import Screen, keep_settings, screen_options
from cli.errors import StoreError
from cli.main import main
from cli.main import program as whole_program
from cli.screen.canvas import Theme
from cli.screen.clientseat import ClientSeat
from cli.screen.learning import LearnScreen
from cli.screen.preferences import Asking, Calls, PlaySettings, ScreenTexts
from cli.store.settings import FILE, SETTINGS, SettingsFile
from tests.client.moments import MOMENTS
from tests.journeys.failing_disk import FullDisk

#: Every setting as nobody has it unasked.
OTHERWISE = {
    "nickname": "Amara = 1",
    "ask": "all",
    "pace": "2.5",
    "go-on": "no",
    "forced": "yes",
    "mute": "yes",
    "bell": "no",
    "title": "no",
    "notify": "no",
    "colours": "true",
    "theme": "light",
    "suits": "four",
    "movement": "yes",
    "ascii": "yes",
    "plain": "yes",
}


def settings(*arguments: str) -> Result:
    return CliRunner().invoke(whole_program, ["settings", *arguments], catch_exceptions=False)


def seen() -> tuple[Screen, str]:
    """What a command that shows a table is given, and what is said of it."""
    given: list[Screen] = []

    @click.command("seen")
    @screen_options
    def shows(screen: Screen) -> None:
        given.append(screen)

    result = CliRunner().invoke(shows, [], catch_exceptions=False)
    return given[0], result.stderr


# --- the file -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bell = no\ncolour = 16\n", "Line 2 of {}, 'colour = 16', sets nothing: "),
        ("bell = no\npace = fast\n", "Line 2 of {}, 'pace = fast', sets nothing: "),
        (
            "bell = no\npace = 61\nnotify\n=\n",
            "Line 2 of {}, 'pace = 61', sets nothing: ",
        ),
        ("bell = no\npace = \x1b[2J\n", "Line 2 of {}, 'pace = ?[2J', sets nothing: "),
    ],
)
def test_a_line_that_is_not_understood_is_told_in_a_sentence_and_the_others_count(
    root: Path, text: str, said: str
) -> None:
    file = SettingsFile(root)
    file.keep({})
    file.path.write_text(text)
    found, strange = file.read()
    assert found == {"bell": "no"}
    assert strange.startswith(said.format(file.path))
    assert strange.endswith("'p2p304 settings' lists what can be set.")


@pytest.mark.parametrize("kind", ["no text", "too large", "a folder", "writable by all", "a pipe"])
def test_a_file_that_cannot_be_read_is_told_in_a_sentence_and_is_left_alone(
    root: Path, kind: str
) -> None:
    file = SettingsFile(root)
    file.keep({"bell": "no"})
    match kind:
        case "no text":
            file.path.write_bytes(b"\xff\xfe" * 40)
        case "too large":
            file.path.write_text("bell = no\n" * 10_000)
        case "writable by all":
            file.path.chmod(0o666)
        case "a folder":
            file.path.unlink()
            file.path.mkdir()
        case _:
            file.path.unlink()
            os.mkfifo(file.path)
    before = file.path.stat()[:7]
    found, strange = file.read()
    assert found == {}
    assert strange.startswith(str(file.path))
    with pytest.raises(StoreError, match=re.escape(str(file.path))):
        file.keep({"bell": "yes"})
    assert file.path.stat()[:7] == before  # up to its size
    screen, said = seen()
    assert screen.play_settings.calls == Calls()
    assert said.replace("\n", " ").startswith(f"p2p304: {file.path}")


def test_a_disk_that_fails_changes_nothing(root: Path) -> None:
    SettingsFile(root).keep({"bell": "no"})
    with pytest.raises(StoreError, match="cannot be written: No space left"):
        SettingsFile(root, disk=FullDisk()).keep({"bell": "yes"})
    assert SettingsFile(root).read() == ({"bell": "no"}, "")
    assert [each.name for each in root.iterdir()] == [FILE]


# --- the command ----------------------------------------------------------------------------------


def test_the_command_shows_every_setting_within_eighty_columns(root: Path) -> None:
    said = settings().stdout
    for setting in SETTINGS.values():
        assert re.search(rf"^  {setting.name} +{re.escape(setting.usual) or '-'} ", said, re.M)
    assert all(len(line) < 80 for line in said.splitlines() if str(root) not in line)
    assert str(root / FILE) in said
    for name, value in OTHERWISE.items():
        assert value in settings(name, value).stdout
        assert value in settings(name).stdout
    assert SettingsFile(root).read() == (OTHERWISE, "")
    assert settings("bell", "--reset").stdout.split()[:2] == ["bell", "yes"]
    settings("--reset")
    assert SettingsFile(root).read()[0] == {"nickname": OTHERWISE["nickname"]}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("bel", "no"), "there is no setting 'bel'; did you mean 'bell'?"),
        (("zzz",), "there is no setting 'zzz'; 'p2p304 settings' lists them."),
        (("bell", "maybe"), "'bell' may be yes or no, not 'maybe'."),
        (("pace", "-1"), "'-1'"),
        (("pace", "1e1"), "'pace' may be 0 to 60, not '1e1'."),
        (("nickname", " Amara"), "'nickname' may be up to 32 characters, not"),
        (("bell", "no", "--reset"), "Give either a value or --reset."),
    ],
)
def test_what_cannot_be_set_is_refused_in_a_sentence(
    root: Path, program: Callable[..., str], arguments: tuple[str, ...], said: str
) -> None:
    told = program("settings", *arguments, code=2)
    assert said in told
    assert told.count("\n") == 1
    assert SettingsFile(root).read() == ({}, "")


# --- what it does ---------------------------------------------------------------------------------


async def test_what_is_chosen_by_keys_is_kept_and_nothing_else(root: Path) -> None:
    begun = PlaySettings(pace=1.0, go_on=None, filled=True, theme=Theme.DARK)
    seat = ClientSeat(begun, ScreenTexts(keep=partial(keep_settings, root)))
    seat.table = MOMENTS["06-inspection"]().table
    leaving = asyncio.create_task(seat.leaving())
    for key, kept in (
        ("l", {}),
        ("<", {"pace": "1.5"}),
        ("!", {"pace": "1.5", "ask": "all"}),
        ("=", {"pace": "1.5", "ask": "all", "go-on": "no"}),
        ("%", {"pace": "1.5", "ask": "all", "go-on": "no", "theme": "light"}),
        ("*", {"pace": "1.5", "ask": "all", "go-on": "no", "theme": "light", "suits": "four"}),
    ):
        seat.press(key)
        async with asyncio.timeout(60):
            while SettingsFile(root).read()[0] != kept:
                await asyncio.sleep(0)
    chosen = replace(begun, pace=1.5, asking=Asking.ALL, go_on=False)
    assert seat.play_settings == replace(chosen, theme=Theme.LIGHT, four_colours=True)
    frame = seat.frame(80, 24)
    assert (frame.theme, frame.four_colours) == (Theme.LIGHT, True)
    seat.leave()
    await leaving


def test_a_theme_is_for_a_terminal_that_has_a_felt() -> None:
    seat = ClientSeat(PlaySettings())
    seat.table = MOMENTS["06-inspection"]().table
    seat.press("%")
    assert seat.frame(80, 24).theme is None
    assert "true colour" in "\n".join(seat.frame(80, 24).text())


def test_what_is_chosen_in_the_lesson_is_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class PressedApp:
        """Presses keys, and ends."""

        def __init__(self, shown: LearnScreen, **_: object) -> None:
            self._shown = shown

        async def run(self, _closes: object) -> None:
            for key in ("enter", "!", "=", "*"):
                self._shown.press(key)

    monkeypatch.setattr(learn, "ClientApp", PressedApp)
    monkeypatch.setattr(learn, "full_screen_possible", lambda: True)
    SettingsFile(root).keep({"go-on": "auto", "pace": "2"})
    assert main(["learn"]) == 0
    assert SettingsFile(root).read()[0] == {
        "go-on": "yes", "pace": "2", "ask": "all", "suits": "four"
    }  # fmt: skip


async def test_what_cannot_be_kept_is_told_at_the_table(root: Path) -> None:
    SettingsFile(root).keep({})
    (root / FILE).write_bytes(b"\xff")
    seat = ClientSeat(PlaySettings(), ScreenTexts(keep=partial(keep_settings, root)))
    seat.table = MOMENTS["06-inspection"]().table
    leaving = asyncio.create_task(seat.leaving())
    seat.press("!")
    async with asyncio.timeout(60):
        while not any("Not kept for the next time: " in each for each in seat.table.news):
            await asyncio.sleep(0)
    seat.leave()
    await leaving


# --- the first page -------------------------------------------------------------------------------


def test_the_program_alone_fits_a_screen_and_names_every_command(
    program: Callable[..., str],
) -> None:
    lines = program(code=2).splitlines()
    assert len(lines) < 24
    assert max(map(len, lines)) < 80
    assert lines[1] == "To begin, type:"
    assert all(f"p2p304 {name} " in "\n".join(lines[2:6]) for name in ("learn", "play", "host"))
    whole = "\n".join(lines)
    for name, home in whole_program.homes.items():
        assert not home.summary or re.search(rf"\b{name}\b", whole)


def test_a_file_that_is_full_is_told_as_such_and_stays_readable(tmp_path: Path) -> None:
    kept = SettingsFile(tmp_path)
    kept.path.write_bytes(b"#\n" * 32_767)
    kept.path.chmod(0o600)
    before = kept.path.read_bytes()
    with pytest.raises(StoreError, match="too large"):
        kept.keep({"pace": "2"})
    assert kept.path.read_bytes() == before
