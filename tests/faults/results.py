"""What a part of the campaign found: points tried and survived, and what was wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple


class Result(NamedTuple):
    """Of one table, or of many."""

    tried: int
    survived: int
    faults: list[str]
    kinds: Counter[str]
    """How often each kind of point was tried."""


def sum_of(results: Iterable[Result]) -> Result:
    """All of them in one."""
    tried = survived = 0
    faults: list[str] = []
    kinds: Counter[str] = Counter()
    for each in results:
        tried += each.tried
        survived += each.survived
        faults += each.faults
        kinds += each.kinds
    return Result(tried, survived, faults, kinds)
