"""What the first page tells of the rules as a library happens as it says."""

from __future__ import annotations

import doctest
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"


def test_the_hand_of_the_readme_is_played_as_it_says() -> None:
    found = doctest.testfile(str(README), module_relative=False, encoding="utf-8")
    assert found.attempted > 10
    assert not found.failed
