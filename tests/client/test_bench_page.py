"""The benchmark's page: its structure, its ratios, its file and its pictures; not its times."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli.errors import ExitCode, UserError
from tests.bench.__main__ import main
from tests.bench.cards import QUICK_SIZES, messages
from tests.bench.figures import Curve, Figure, Part, Tell, parts_in, written
from tests.bench.plots import SVG_HEAD, svg
from tests.bench.whole import PARTS, merged, page, plots, run_part

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
LINES = Curve("memory", "hands", "MB", {"a <seat>": ((1.0, 10.0), (5.0, 20.0)), "b": ((1.0, 5.0),)})
BARS = Curve(
    "latency", "ms", "presses", {"presses": ((0.0, 3.0), (2.0, 9.0), (4.0, 1.0))}, bars=True
)


def _hand(*, quick: bool, tell: Tell) -> Part:
    tell("one hand")
    figures = (
        Figure.of(
            "time of a hand", "s", [1.0, 2.0, 3.0, 4.0 if quick else 5.0],
            floor=0.5, floor_is="counted work", goal=2.0,
        ),
        Figure.single("rate", "hands/s", 9.0, goal=8.0, higher_is_better=True),
    )  # fmt: skip
    return Part("hand", "A whole hand", figures, (LINES, BARS), ("a note",))


def _deal(*, quick: bool, tell: Tell) -> Part:
    raise UserError("mosquitto is not installed.")


def _cards(*, quick: bool, tell: Tell) -> Part:
    return Part("cards", "Cards")


MEASURES = {"cards": _cards, "hand": _hand, "deal": _deal}


def _parts(*names: str, quick: bool = True) -> list[Part]:
    told: list[str] = []
    parts = [run_part(each, quick=quick, tell=told.append, measures=MEASURES) for each in names]
    assert told == (["hand: one hand"] if "hand" in names else [])
    return parts


def test_a_figure_has_its_quartiles_its_ratio_and_its_goal() -> None:
    (part,) = _parts("hand")
    time, rate = part.figures
    assert (time.low, time.median, time.high) == (1.75, 2.5, 3.25)
    assert time.ratio == 5.0
    assert (time.met, rate.met) == (False, True)
    assert (rate.ratio, rate.samples) == (None, 1)


def test_what_cannot_be_measured_says_why_and_the_rest_goes_on() -> None:
    deal, hand = _parts("deal", "hand")
    assert deal.skipped == "mosquitto is not installed."
    assert len(hand.figures) == 2
    assert deal.machine["cores"] >= 1
    assert {"coincurve", "mosquitto"} <= deal.machine["libraries"].keys()


def test_the_page_shows_every_figure_beside_its_floor() -> None:
    lines = page(_parts("cards", "hand", "deal")).splitlines()
    (row,) = (line for line in lines if line.startswith("time of a hand, s"))
    assert row.split()[-8:] == ["2.5", "1.75", "3.25", "0.5", "a", "5.00", "2", "NOT"]
    (row,) = (line for line in lines if line.startswith("rate"))
    assert row.split()[-3:] == ["9", "8", "met"]
    assert "  floor a: counted work" in lines
    assert "skipped: mosquitto is not installed." in lines
    assert "  a note" in lines


def test_a_file_of_figures_comes_back_as_it_was_and_new_parts_replace_old_ones() -> None:
    old = _parts("hand", "deal")
    again = parts_in(written(old))
    assert written(again) == written(old)
    assert page(again) == page(old)
    both = merged(*again, *_parts("cards", "hand", quick=False))
    assert [part.name for part in both] == ["cards", "hand", "deal"]
    assert both[1].figures[0].high == 3.5
    assert list(PARTS)[:2] == ["cards", "hand"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"parts": [{}]}', '{"parts": 3}'])
def test_another_file_holds_no_figures(text: str) -> None:
    with pytest.raises(ValueError, match=r"figures|Expecting"):
        parts_in(text)


def test_a_curve_is_drawn_with_its_points_names_and_caption_the_same_each_time() -> None:
    drawn = svg(LINES, caption="2 cores")
    assert drawn.startswith(SVG_HEAD)
    assert svg(LINES, caption="2 cores") == drawn
    assert svg(LINES, caption="4 cores").splitlines()[0] != drawn.splitlines()[0]
    tree = ElementTree.fromstring(drawn)
    circles = [each for each in tree.iter(f"{SVG}circle") if "dot" in each.attrib["class"]]
    assert len(circles) == 3
    assert {each.text for each in tree.iter(f"{SVG}text")} >= {"a <seat>", "hands", "2 cores"}
    low, high = (float(each.attrib["cy"]) for each in circles[:2])
    assert high < low, "more is higher up"
    assert not list(tree.iter(f"{SVG}script"))
    assert "http" not in drawn.replace("http://www.w3.org", "")


def test_bars_are_as_high_as_their_counts() -> None:
    tree = ElementTree.fromstring(svg(BARS, caption=""))
    bars = [each for each in tree.iter(f"{SVG}rect") if "rect" in each.attrib["class"].split()]
    heights = [float(each.attrib["height"]) for each in bars]
    assert heights[1] == pytest.approx(3 * heights[0], rel=0.01)
    assert len(heights) == 3
    assert {"0", "2", "4"} <= {each.text for each in tree.iter(f"{SVG}text")}


def test_nothing_is_drawn_of_a_curve_without_points() -> None:
    empty = Curve("growth", "tables", "s", {"a": ()})
    with pytest.raises(ValueError, match="nothing to draw of growth"):
        svg(empty, caption="")
    assert plots([Part("growth", "Tables", curves=(empty,))]) == {}
    assert sorted(plots(_parts("hand"))) == ["latency.svg", "memory.svg"]


def _bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (sys.executable, "-m", "tests.bench", *arguments),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )


def test_the_command_measures_what_is_asked_for_and_keeps_it(tmp_path: Path) -> None:
    kept = tmp_path / "figures.json"
    done = _bench("cards", "--quick", "--keep", f"{kept}", "--json")
    assert done.returncode == ExitCode.DONE, done.stderr
    assert "cards: shuffles and statements" in done.stderr
    (part,) = json.loads(done.stdout)["parts"]
    assert (part["name"], part["skipped"]) == ("cards", "")
    named = {each["name"]: each for each in part["figures"]}
    for name, message in messages(quick=True).items():
        assert named[f"{name}, sent"]["median"] == len(message.make())
        for what in ("made", "judged"):
            figure = named[f"{name}, {what}"]
            assert figure["samples"] > 1
            assert figure["ratio"] > 0.5, "less than its operations is a mistake"
    assert named["hand-over, sent"]["median"] == 227
    assert {f"shuffle of {count} cards, made" for count in QUICK_SIZES} <= named.keys()
    shown = _bench("--keep", f"{kept}", "--show", "--plots", f"{tmp_path / 'plots'}")
    assert "shuffle of 32 cards, made, ms" in shown.stdout
    assert shown.stderr == ""
    assert (tmp_path / "plots").is_dir()


def test_the_command_says_what_is_wrong_with_its_arguments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other.json").write_text("{}")
    for arguments, sentence in (
        (("--show",), "--show needs a file"),
        (("--keep", f"{tmp_path / 'other.json'}", "--show"), "holds no figures"),
        (("nothing",), "no part is called nothing"),
    ):
        with pytest.raises(SystemExit):
            main(arguments)
        assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_whoever_is_stopped_shows_and_keeps_what_was_measured(
    stop: signal.Signals,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stopped(*, quick: bool, tell: Tell) -> Part:
        signal.raise_signal(stop)
        raise AssertionError("it went on")

    for name, measure in (("cards", _cards), ("hand", stopped), ("audit", _hand)):
        monkeypatch.setitem(PARTS, name, measure)
    keep = tmp_path / "figures.json"
    assert main(["cards", "hand", "audit", "--keep", str(keep)]) == ExitCode.INTERRUPTED
    said = capsys.readouterr()
    assert "stopped; not measured: hand, audit" in said.err
    assert "Cards\n-----" in said.out
    assert [part.name for part in parts_in(keep.read_text("utf-8"))] == ["cards"]
