"""Matches of a tournament: their sides, what is recorded of each, and how it was decided."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class MatchStage(Enum):
    """What a match decides."""

    ROUND = "round"
    THIRD = "third place"
    FINAL = "final"


class WinnerOf(NamedTuple):
    """A side that waits for the winner of a match."""

    match: int


class LoserOf(NamedTuple):
    """A side that waits for the loser of a match."""

    match: int


Side = str | WinnerOf | LoserOf | None
"""A team by its name, whom a match waits for, or None where nobody is left to come."""


class How(Enum):
    """How a match was decided."""

    PLAYED = "played"
    WALK_OVER = "walk-over"
    """A team did not come, or neither did."""
    WITHDRAWN = "withdrawn"
    """A team had withdrawn."""
    DISQUALIFIED = "disqualified"
    """A team was disqualified, in this match or before it."""
    UNCONTESTED = "uncontested"
    """There was nobody to meet."""


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """How a match was decided: who won it, if anybody, and which teams lost it.

    `scores` are those of a match that was played, in the order of its sides.
    """

    how: How
    winner: str | None = None
    losers: tuple[str, ...] = ()
    scores: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """A match: its number and round, both from 1, to how many it is, who meets, how it ended."""

    number: int
    round: int
    stage: MatchStage
    race: int
    sides: tuple[Side, Side]
    outcome: MatchOutcome | None = None

    @property
    def teams(self) -> tuple[str, ...]:
        """The sides that are known teams."""
        return tuple(side for side in self.sides if isinstance(side, str))

    @property
    def ready(self) -> bool:
        """Whether it can be played now: both teams are known, and nothing is decided."""
        return self.outcome is None and len(self.teams) == len(self.sides)

    @property
    def waits_for(self) -> tuple[int, ...]:
        """The numbers of the matches whose end names the sides that are not known yet."""
        return tuple(side.match for side in self.sides if isinstance(side, WinnerOf | LoserOf))


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
"""What is recorded of a tournament after its draw, each about one match."""
