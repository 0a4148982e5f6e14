"""A hand for others: lines, a terminal recording, a picture of a moment."""

from __future__ import annotations

import json
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from cli.commands.replay import command
from cli.main import main
from cli.screen.canvas import STYLES, Canvas, Style
from cli.screen.export import HIGH, LOOKS, WIDE, picture, recording
from tests.client.mini_terminal import MiniTerminal

HAND = Path(__file__).parents[2] / "specs" / "vectors" / "hands" / "closed.p304"
SVG = "{http://www.w3.org/2000/svg}"


def exported(place: Path, *options: str) -> bytes:
    done = CliRunner().invoke(command, [str(HAND), "--export", str(place), *options])
    assert done.exit_code == 0, done.output
    return place.read_bytes()


def test_a_recording_has_a_frame_for_each_step_and_is_the_same_each_time(tmp_path: Path) -> None:
    data = exported(tmp_path / "hand.cast", "--every", "0.5", "--size", "90x30")
    assert exported(tmp_path / "again.cast", "--every", "0.5", "--size", "90x30") == data
    head, *events = map(json.loads, data.decode("utf-8").splitlines())
    assert (head["version"], head["width"], head["height"]) == (2, 90, 30)
    assert "timestamp" not in head
    assert [at for at, _, _ in events] == [number / 2 for number in range(len(events))]
    assert {kind for _, kind, _ in events} == {"o"}
    assert "Hand 1: " in events[0][2]
    assert events[-1][2] == ""
    assert len(events) > 60


def test_a_frame_of_a_recording_looks_as_on_the_screen() -> None:
    canvas = Canvas(2, 20)
    canvas.put(0, 1, "J♠ <&>", Style.RED)
    canvas.put(1, 0, "chosen", Style.CHOSEN)
    frame = canvas.frame()
    _, first, _ = map(json.loads, recording([frame], 20, 2, title="x", pace=1.0))
    terminal = MiniTerminal(20, 2, cell_of_its_own=False)
    terminal.write(first[2].removeprefix("\x1b[H\x1b[2J"))
    shown = ["".join(line).rstrip() for line in terminal.lines]
    assert shown == [line.rstrip() for line in frame.text()]
    assert "\x1b[1;31mJ♠" in first[2]
    assert "\x1b[1;7mchosen" in first[2]


@pytest.mark.parametrize("style", Style)
def test_every_style_of_the_screen_has_its_look(style: Style) -> None:
    look, words = LOOKS[style], STYLES[style].split()
    assert look.bold is ("bold" in words)
    assert look.reverse is ("reverse" in words)
    assert look.underlined is ("underline" in words)
    assert (look.colour is None) is not any(word.startswith("fg:") for word in words)


def test_a_picture_shows_the_moment_and_names_nothing_outside(tmp_path: Path) -> None:
    first = exported(tmp_path / "first.svg", "--step", "0").decode()
    later = exported(tmp_path / "later.svg", "--step", "40").decode()
    assert exported(tmp_path / "end.svg").decode() not in (first, later)
    root = ElementTree.fromstring(later)
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert "304," in words
    assert "http" not in later.replace("http://www.w3.org/2000/svg", "")
    assert root.find(f"{SVG}title") is not None
    for text in root.iter(f"{SVG}text"):
        assert 0 <= float(text.attrib["x"]) < 80 * WIDE + 24
        assert int(text.attrib["textLength"]) % WIDE == 0


def test_words_of_others_are_escaped_in_a_picture() -> None:
    canvas = Canvas(1, 30)
    canvas.put(0, 0, "<script>&'\"", Style.PLAIN)
    drawn = picture(canvas.frame(), 30, title="<b>")
    assert "<script>" not in drawn
    root = ElementTree.fromstring(drawn)
    assert root.attrib["height"] == f"{HIGH + 24}"
    assert "".join(text.text or "" for text in root.iter(f"{SVG}text")) == "<script>&'\""


def test_lines_are_those_that_are_printed(tmp_path: Path) -> None:
    printed = CliRunner().invoke(command, [str(HAND), "--plain"]).stdout
    assert exported(tmp_path / "hand.txt").decode() == printed


def test_nothing_is_written_over_and_what_cannot_be_is_told_in_a_sentence(tmp_path: Path) -> None:
    place = tmp_path / "hand.svg"
    exported(place)
    before = place.read_bytes()
    runner = CliRunner()
    for options in (
        ["--export", str(place)],
        ["--export", str(tmp_path / "hand.gif")],
        ["--export", str(tmp_path / "x.svg"), "--step", "9999"],
        ["--export", str(tmp_path / "x.svg"), "--size", "10x10"],
        ["--export", str(tmp_path / "x.svg"), "--size", "wide"],
    ):
        assert runner.invoke(command, [str(HAND), *options]).exit_code != 0
    assert place.read_bytes() == before
    assert not (tmp_path / "x.svg").exists()


@pytest.mark.parametrize("name", [b"a\x1b]2;own\x07\x00"[:-1], b"caf\xe9\r\n"])
@pytest.mark.parametrize("kind", ["svg", "cast", "txt"])
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
    if kind == "cast":
        assert json.loads(text.splitlines()[0])["title"].isprintable()
