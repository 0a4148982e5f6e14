"""specs/performance shows what its data say: the page and the curves are made from them."""

from __future__ import annotations

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
