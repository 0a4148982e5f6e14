"""specs/performance shows what its data say: the page and the curves are made from them."""

from __future__ import annotations

import re
from pathlib import Path

from tests.bench.figures import parts_in
from tests.bench.plots import heading
from tests.bench.whole import PARTS, caption, page

SPECS = Path(__file__).resolve().parents[2] / "specs"
FOLDER = SPECS / "performance"
AGAIN = (
    "python -m tests.bench --keep specs/performance/figures.json --show --plots specs/performance"
)


def test_the_page_and_the_curves_are_those_of_the_figures() -> None:
    parts = parts_in((FOLDER / "figures.json").read_text("utf-8"))
    assert {part.name for part in parts} == set(PARTS)
    assert not [part.name for part in parts if part.skipped]
    written = (FOLDER / "page.txt").read_text("utf-8")
    assert written == page(parts) + "\n", f"write it again: {AGAIN} > page.txt"
    drawn = {
        f"{curve.name}.svg": heading(curve, caption(part))
        for part in parts
        for curve in part.curves
    }
    assert {path.name for path in FOLDER.glob("*.svg")} == set(drawn)
    for name, first in drawn.items():
        assert (FOLDER / name).read_text("utf-8").startswith(first), f"draw it again: {AGAIN}"


def test_the_explanation_shows_every_curve_and_names_no_place_on_a_disk() -> None:
    text = (SPECS / "performance.md").read_text("utf-8")
    linked = set(re.findall(r"\(performance/([a-z0-9.-]+)\)", text))
    assert linked == {path.name for path in FOLDER.iterdir()}
    for path in (SPECS / "performance.md", *FOLDER.iterdir()):
        assert not re.search(r"/(work|root|home|tmp)/", path.read_text("utf-8")), path.name


def test_the_goals_of_the_explanation_are_judged_by_the_page() -> None:
    goals = (SPECS / "performance.md").read_text("utf-8").split("## Goals")[1].split("\n## ")[0]
    rows = re.findall(
        r"^\| .+ \| ([\d.,]+) \S+ \| ([\d.,]+) \S+ \| \**(met|missed)", goals, re.MULTILINE
    )
    judged = [
        line.split()
        for line in (FOLDER / "page.txt").read_text("utf-8").splitlines()
        if line.endswith((" met", " NOT"))
    ]
    assert len(rows) == len(judged) > 0
    for goal, seen, verdict in rows:
        said = "met" if verdict == "met" else "NOT"
        found = [words for words in judged if words[-2:] == [goal, said] and seen in words]
        assert found, f"the page has no {seen} that is {said} by {goal}"
