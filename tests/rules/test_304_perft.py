"""The pinned numbers of legal continuations of fixed deals (perft.yaml)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.perft_304 import Position
from tests.rules.pinned import pinned

ROWS = pinned("perft")
DEEPEST = 1_600
"""More continuations than so many are counted where `--long` was asked for."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['table']}-{row['deal']}")
def test_as_many_continuations_as_pinned(
    row: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    position = Position(row)
    pinned = row["counts"]
    if not request.config.getoption("--long"):
        pinned = [count for count in pinned if count <= DEEPEST]
    found = [position.count(depth) for depth in range(1, len(pinned) + 1)]
    assert found == pinned


def test_the_first_numbers_are_right_by_hand() -> None:
    """Fifteen numbers from 160 to 300, pass and ask; then what remains of them for North.

    After pass: 17 again. After ask: West names one of fifteen numbers or passes. After a bid with k
    numbers above it: k + 2, for k from 14 to 1. After 300 everybody is passed, and East chooses one
    of four indicators.
    """
    counts = ROWS[0]["counts"]
    assert counts[0] == 15 + 1 + 1
    assert counts[1] == 17 + 16 + sum(k + 2 for k in range(1, 15)) + 4
