"""The benchmark's page: its structure, its ratios, its file and its pictures; not its times."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli.errors import UserError
from tests.bench.__main__ import main
from tests.bench.figures import Curve, Figure, Part, Tell, parts_in, written
from tests.bench.plots import SVG_HEAD, svg
from tests.bench.whole import PARTS, merged, page, run_part

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
