"""Facts: what is recorded of a tournament after its draw, each about one match."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Reason(Enum):
    """Why a team leaves."""

    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"


@dataclass(frozen=True, slots=True)
class Result:
    """A match that was played: what each side gained in its race, in the order of the sides."""

    match: int
    scores: tuple[int, int]


@dataclass(frozen=True, slots=True)
class WalkOver:
    """A match to which these teams, one or both, did not come."""

    match: int
    absent: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Departure:
    """A team that leaves the tournament; `match` is the first one that it does not finish."""

    match: int
    team: str
    reason: Reason


Fact = Result | WalkOver | Departure
