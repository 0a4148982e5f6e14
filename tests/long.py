"""How much of a test `make test` leaves out and `make long` runs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Final

import pytest

#: How thorough a run is: 40 in `make test`, 200 in `make long`.
EXAMPLES: Final = int(os.environ.get("P2P304_EXAMPLES", "40"))


def examples(usual: int) -> int:
    """Return how many examples a test tries that tries so many in `make test`."""
    return max(1, usual * EXAMPLES // 40)


def long(*cases: Any, ids: Iterable[str] | None = None) -> list[Any]:
    """Mark these cases of a parametrised test as long."""
    names = [None] * len(cases) if ids is None else list(ids)
    return [
        pytest.param(case, marks=pytest.mark.long, id=name)
        for case, name in zip(cases, names, strict=True)
    ]


def sample(cases: Iterable[Any], kept: Iterable[Any]) -> list[Any]:
    """Mark all cases as long but those that are kept."""
    chosen = list(kept)
    return [case if case in chosen else long(case)[0] for case in cases]
