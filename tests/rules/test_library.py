"""What the guide tells of the rules as a library happens as it says."""

from __future__ import annotations

import doctest
from pathlib import Path

GUIDE = Path(__file__).resolve().parents[2] / "specs/guide/implementer.md"


def test_the_hand_of_the_guide_is_played_as_it_says() -> None:
    found = doctest.testfile(str(GUIDE), module_relative=False, encoding="utf-8")
    assert found.attempted > 10
    assert not found.failed
