"""Systems: single elimination and the round robin, with their races."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from p2p304.errors import TournamentError

# Two digits, in texts and on the screen (2.1).
LONGEST_RACE: Final = 99
MOST_ROUNDS: Final = 5
"""How many rounds 32 teams need."""


class Unit(Enum):
    """What a race counts: tokens gained, hands won, or matches won as the game ends them."""

    TOKENS = "tokens"
    HANDS = "hands"
    MATCHES = "matches"


@dataclass(frozen=True, slots=True)
class Elimination:
    """Single elimination; the defaults are those of the championship (PROFILES 5).

    `races` are those of the rounds, the final's first; the last one holds for all earlier rounds.
    `third` is the race for third place, None if there is to be no such match.
    """

    races: tuple[int, ...] = (10, 7)
    third: int | None = 7
    unit: Unit = Unit.TOKENS

    def __post_init__(self) -> None:
        """Raise TournamentError for races that cannot be (2.1, 2.2)."""
        if not 1 <= len(self.races) <= MOST_ROUNDS:
            raise TournamentError("2.2", f"there are races for 1 to {MOST_ROUNDS} rounds")
        # One system has one text: "10 7 7" would be the same as "10 7".
        if len(self.races) > 1 and self.races[-1] == self.races[-2]:
            raise TournamentError(
                "2.2", "the last race holds for all earlier rounds, so it is not named twice"
            )
        for race in self.lengths:
            _check_race(race)

    def race(self, before_final: int) -> int:
        """Return the race of the round that is `before_final` rounds before the final, 0 for the
        final.
        """
        # The last race holds for all earlier rounds (2.2).
        return self.races[min(before_final, len(self.races) - 1)]

    @property
    def lengths(self) -> tuple[int, ...]:
        """The different races of the matches, ascending."""
        return tuple(sorted({*self.races, *(() if self.third is None else (self.third,))}))


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Each team meets each other team once, for clubs."""

    race: int = 7
    unit: Unit = Unit.TOKENS

    def __post_init__(self) -> None:
        """Raise TournamentError for a race that cannot be (2.1)."""
        _check_race(self.race)

    @property
    def lengths(self) -> tuple[int, ...]:
        """The one race of all matches."""
        return (self.race,)


System = Elimination | RoundRobin


def _check_race(race: int) -> None:
    """Raise TournamentError unless a race is 1 to 99."""
    if not 1 <= race <= LONGEST_RACE:
        raise TournamentError("2.1", f"a race is to 1 to {LONGEST_RACE}, not to {race}")
