"""The benchmark's page: its structure and its ratios; not its times."""

from __future__ import annotations

import json

import pytest

from cli.errors import UserError
from tests.bench.__main__ import main
from tests.bench.figures import Figure, Part, Tell, written
from tests.bench.whole import PARTS, page, run_part


def _hand(*, quick: bool, tell: Tell) -> Part:
    tell("one hand")
    figures = (
        Figure.of(
            "time of a hand", "s", [1.0, 2.0, 3.0, 4.0 if quick else 5.0],
            floor=0.5, floor_is="counted work", goal=2.0,
        ),
        Figure.single("rate", "hands/s", 9.0, goal=8.0, higher_is_better=True),
    )  # fmt: skip
    return Part("hand", "A whole hand", figures, ("a note",))


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


def test_json_tells_every_figure_with_what_follows_from_it() -> None:
    (part,) = json.loads(written(_parts("hand")))["parts"]
    time, rate = part["figures"]
    assert (time["median"], time["ratio"], time["met"]) == (2.5, 5.0, False)
    assert (rate["ratio"], rate["met"]) == (None, True)
    assert list(PARTS) == ["cards", "hand", "start", "deal", "latency", "rules"]


def test_the_command_says_what_is_wrong_with_its_arguments(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["nothing"])
    assert "no part is called nothing" in capsys.readouterr().err
