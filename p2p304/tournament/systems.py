"""Systems: single elimination and the round robin, their races, and the line that tells each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final

from p2p304.errors import TournamentError


class Unit(Enum):
    """What a race counts: tokens gained, hands won, or matches won as the game ends them."""

    TOKENS = "tokens"
    HANDS = "hands"
    MATCHES = "matches"


@dataclass(frozen=True, slots=True)
class Elimination:
    """Single elimination; the defaults are those of the championship (PROFILES 5).

    `races` are those of the rounds, the final's first; the last one holds for all earlier rounds.
    `third` is the race for third place, None if there is to be no such match. Raises
    TournamentError for races that cannot be.
    """

    races: tuple[int, ...] = (10, 7)
    third: int | None = 7
    unit: Unit = Unit.TOKENS

    def __post_init__(self) -> None:
        """Raise TournamentError unless there are 1 to 5 `races`, each from 1 to 99, the last two
        different, and `third` is None or from 1 to 99.
        """
        # At most 32 teams enter, who play five rounds.
        if not 1 <= len(self.races) <= 5:
            raise TournamentError("2.2", "there are races for 1 to 5 rounds")
        # One system has one line: "10 7 7" would be the same as "10 7".
        if len(self.races) > 1 and self.races[-1] == self.races[-2]:
            said = "the last race holds for all earlier rounds, so it is not named twice"
            raise TournamentError("2.2", said)
        _check_races(self.lengths)

    def race(self, before_final: int) -> int:
        """Return the race of the round so many rounds before the final, 0 for the final itself;
        the last of `races` for all rounds that are earlier than these.
        """
        return self.races[min(before_final, len(self.races) - 1)]

    @property
    def lengths(self) -> tuple[int, ...]:
        """The different races of the matches, ascending."""
        return tuple(sorted({*self.races, *(() if self.third is None else (self.third,))}))

    @property
    def line(self) -> str:
        """The line that tells it, such as "elimination tokens races 10 7 third 7"."""
        third = "none" if self.third is None else self.third
        return f"elimination {self.unit.value} races {' '.join(map(str, self.races))} third {third}"


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Each team meets each other team once. Raises TournamentError for a race that cannot be."""

    race: int = 7
    unit: Unit = Unit.TOKENS

    def __post_init__(self) -> None:
        """Raise TournamentError unless the race, the count that wins a match, is from 1 to 99."""
        _check_races(self.lengths)

    @property
    def lengths(self) -> tuple[int, ...]:
        """The one race of all matches."""
        return (self.race,)

    @property
    def line(self) -> str:
        """The line that tells it, such as "round-robin hands race 7"."""
        return f"round-robin {self.unit.value} race {self.race}"


System = Elimination | RoundRobin

# No leading zeros: a system has one line.
# More digits than a race may have: `_check_races` refuses 100 and more with a reason.
_NUMBER: Final = "[1-9][0-9]{0,3}"
_UNIT: Final = "|".join(each.value for each in Unit)
_ELIMINATION: Final = re.compile(
    f"elimination ({_UNIT}) races ((?:{_NUMBER} ){{1,5}})third ({_NUMBER}|none)"
)
_ROUND_ROBIN: Final = re.compile(f"round-robin ({_UNIT}) race ({_NUMBER})")


def parse_system(line: str) -> System:
    """Return the system with this `line`; raise TournamentError for any other line."""
    if found := _ELIMINATION.fullmatch(line):
        unit, races, third = found.groups()
        race = None if third == "none" else int(third)
        return Elimination(tuple(map(int, races.split())), race, Unit(unit))
    if found := _ROUND_ROBIN.fullmatch(line):
        return RoundRobin(int(found[2]), Unit(found[1]))
    said = 'this line tells the system, "elimination ..." or "round-robin ..."'
    raise TournamentError("9.2", said)


def _check_races(lengths: tuple[int, ...]) -> None:
    """Raise TournamentError for a race outside 1 to 99."""
    for race in lengths:
        if not 1 <= race <= 99:
            raise TournamentError("2.1", f"a race is to 1 to 99, not to {race}")
