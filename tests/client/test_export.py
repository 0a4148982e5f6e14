"""A hand for others: lines, a picture of a moment."""

from __future__ import annotations

import os
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from cli.commands.replay import command
from cli.main import main
from cli.screen.canvas import Canvas, Ground, Style
from cli.screen.export import HIGH, WIDE, look_of, picture
from cli.screen.palette import Theme
from cli.screen.preferences import Colouring, Colours
from cli.store.paths import HOME_VARIABLE
from cli.store.settings import SettingsFile

HAND = Path(__file__).parents[2] / "specs" / "vectors" / "hands" / "closed.p304"
SVG = "{http://www.w3.org/2000/svg}"


def exported(place: Path, *options: str) -> bytes:
    done = CliRunner().invoke(command, [str(HAND), "--export", str(place), *options])
    assert done.exit_code == 0, done.output
    return place.read_bytes()


@pytest.mark.parametrize("colours", [Colours.NONE, Colours.SIXTEEN, Colours.TRUE])
def test_every_look_of_a_screen_is_drawn_in_colours_of_a_picture(colours: Colours) -> None:
    for theme in Theme:
        palette = Colouring(colours=colours, theme=theme).palette({})
        assert {*palette} == {(style, ground) for style in Style for ground in Ground}
        for words in palette.values():
            look, said = look_of(words), words.split()
            assert look.bold is ("bold" in said)
            assert look.underlined is ("underline" in said)
            for colour in (look.colour, look.ground):
                assert re.fullmatch("#[0-9a-f]{6}", colour), words


def test_a_picture_has_a_felt_and_filled_cards_unless_few_colours_are_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    settings = SettingsFile(tmp_path / "home")
    for theme in Theme:
        looks = Colouring(colours=Colours.TRUE, theme=theme).palette({})
        grounds = {ground: look_of(looks[Style.PLAIN, ground]).ground for ground in Ground}
        name = f"{theme.value}.svg"
        settings.keep({"theme": theme.value, "colours": None})
        drawn = exported(tmp_path / name, "--step", "40").decode()
        assert all(grounds[each] in drawn for each in (Ground.SHEET, Ground.FELT, Ground.LIT))
        settings.keep({"colours": "16"})
        few = exported(tmp_path / f"few-{name}", "--step", "40").decode()
        assert grounds[Ground.FELT] not in few


def test_a_picture_shows_the_moment_and_no_keys_and_names_nothing_outside(tmp_path: Path) -> None:
    first = exported(tmp_path / "first.svg", "--step", "0").decode()
    later = exported(tmp_path / "later.svg", "--step", "40").decode()
    assert exported(tmp_path / "end.svg").decode() not in (first, later)
    root = ElementTree.fromstring(later)
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert {"304,", "West"} <= {*words}
    assert not [each for each in words if (each or "").startswith("[")], "no keys"
    assert "http" not in later.replace("http://www.w3.org/2000/svg", "")
    assert root.find(f"{SVG}title") is not None
    for text in root.iter(f"{SVG}text"):
        assert 0 <= float(text.attrib["x"]) < 80 * WIDE + 24
        assert int(text.attrib["textLength"]) % WIDE == 0


def test_words_of_others_are_escaped_in_a_picture() -> None:
    canvas = Canvas(1, 30)
    canvas.put(0, 0, "<script>&'\"", Style.PLAIN)
    drawn = picture(canvas.frame(), 30, title="<b>", colouring=Colouring())
    assert "<script>" not in drawn
    root = ElementTree.fromstring(drawn)
    assert root.attrib["height"] == f"{HIGH + 24}"
    assert "".join(text.text or "" for text in root.iter(f"{SVG}text")) == "<script>&'\""


def test_lines_are_those_that_are_printed(tmp_path: Path) -> None:
    printed = CliRunner().invoke(command, [str(HAND), "--plain"]).stdout
    assert exported(tmp_path / "hand.txt").decode() == printed


@pytest.mark.parametrize("name", [b"a\x1b]2;own\x07\x00"[:-1], b"caf\xe9\r\n"])
@pytest.mark.parametrize("kind", ["svg", "txt"])
def test_a_name_of_a_file_acts_in_no_export(tmp_path: Path, name: bytes, kind: str) -> None:
    strange = tmp_path / os.fsdecode(name + b".p304")
    strange.write_bytes(HAND.read_bytes())
    place = tmp_path / f"hand.{kind}"
    assert main(["replay", str(strange), "--export", str(place)]) == 0
    text = place.read_text("utf-8")
    if kind == "svg":
        title = ElementTree.fromstring(text).find(f"{SVG}title")
        assert title is not None
        assert "\N{REPLACEMENT CHARACTER}" in (title.text or "")
