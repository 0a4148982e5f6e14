"""Matches of a tournament, from the draw on: who meets whom, what is recorded, how each ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import factorial
from typing import Final, NamedTuple

from p2p304.errors import TournamentError
from p2p304.tournament.systems import Elimination, RoundRobin, System

LEAST_LUCK: Final = 32
MOST_LUCK: Final = 1024
"""Bytes of luck; 32 teams can be drawn in less than 2**118 orders."""


class MatchStage(Enum):
    """What a match decides."""

    ROUND = "round"
    THIRD = "third place"
    FINAL = "final"


class Awaited(NamedTuple):
    """A side that waits for the winner of a match, or for its `loser`."""

    match: int
    loser: bool = False


Side = str | Awaited | None
"""A team by its name, whom a match waits for, or None where nobody is left to come."""


class How(Enum):
    """How a match was decided, or why a team left. `WALK_OVER`: a team did not come. `UNCONTESTED`:
    a side had no team."""

    PLAYED = "played"
    WALK_OVER = "walk-over"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"
    UNCONTESTED = "uncontested"


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """How a match was decided, its winner if any, the teams that lost, and the scores if it was
    played, in the order of the sides."""

    how: How
    winner: str | None = None
    losers: tuple[str, ...] = ()
    scores: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """A match: number and round, both from 1, race, sides, and its outcome once decided."""

    number: int
    round: int
    stage: MatchStage
    race: int
    """The count that wins it."""
    sides: tuple[Side, Side]
    outcome: MatchOutcome | None = None

    @property
    def teams(self) -> tuple[str, ...]:
        """The sides that are known teams."""
        return tuple(side for side in self.sides if isinstance(side, str))

    @property
    def known(self) -> bool:
        """Whether both sides are known teams."""
        return len(self.teams) == len(self.sides)

    @property
    def ready(self) -> bool:
        """Whether it can be played now: both teams are known, and nothing is decided."""
        return self.outcome is None and self.known

    @property
    def waits_for(self) -> tuple[int, ...]:
        """The numbers of the matches whose end names the sides that are not known yet."""
        return tuple(side.match for side in self.sides if isinstance(side, Awaited))


@dataclass(frozen=True, slots=True)
class Fact:
    """What is recorded of a match after the draw (specs/tournament.md, 6 and 7). It was played,
    with `scores` in the order of its sides; or `teams`, one or both, did not come; or one team is
    withdrawn or disqualified, and this is the first match that it does not finish."""

    match: int
    how: How
    teams: tuple[str, ...] = ()
    """Who did not come, or leaves; empty for a match that was played."""
    scores: tuple[int, int] = (0, 0)
    """Read only of a match that was played."""

    @property
    def departs(self) -> bool:
        """Whether it says that a team is withdrawn or disqualified."""
        return self.how in {How.WITHDRAWN, How.DISQUALIFIED}


def drawn_order(teams: int, luck: bytes) -> tuple[int, ...]:
    """Return the order in which so many teams are drawn: places in the list of entries, from 0,
    the first drawn first. Raises TournamentError for luck of fewer than 32 or more than 1,024
    bytes, and for the highest numbers, which would favour some orders (less than 1 in 2**138 of
    32 bytes)."""
    if not LEAST_LUCK <= len(luck) <= MOST_LUCK:
        said = f"a draw takes {LEAST_LUCK} to {MOST_LUCK} bytes of luck, not {len(luck)}"
        raise TournamentError("3.1", said)
    number, orders, numbers = int.from_bytes(luck, "big"), factorial(teams), 1 << 8 * len(luck)
    # The last, incomplete row of numbers would favour some orders (3.2).
    if number >= numbers - numbers % orders:
        raise TournamentError("3.2", "this luck would favour some orders: draw other luck")
    number %= orders
    left = list(range(teams))
    order = []
    while left:
        number, place = divmod(number, len(left))
        order.append(left.pop(place))
    return tuple(order)


def schedule(system: System, order: Sequence[str]) -> tuple[Match, ...]:
    """Return all matches by number, undecided, for teams in the order of the draw; a side that
    follows from an earlier match is an Awaited.
    """
    if isinstance(system, RoundRobin):
        return _round_robin(system, order)
    return _elimination(system, order)


def rounds_of(teams: int) -> int:
    """Return the number of rounds of a single elimination among so many teams."""
    return (teams - 1).bit_length()


def _elimination(system: Elimination, order: Sequence[str]) -> tuple[Match, ...]:
    """Return the matches of a single elimination by number, the final last (4). A bye is no
    match; the match for third place comes before the final, with four teams or more and if
    `system` has one.
    """
    teams, matches = len(order), list[Match]()
    last = rounds_of(teams)
    seeds = [1]
    for _ in range(last):  # 1 2; 1 4 3 2; 1 8 5 4 3 6 7 2
        pairs = [(seed, 2 * len(seeds) + 1 - seed) for seed in seeds]
        # Turned around at odd places: the order of the bracket is normative (4.1).
        seeds = [each for at, pair in enumerate(pairs) for each in pair[:: -1 if at % 2 else 1]]
    # Seeds above the number of teams are absent: who would meet one has a bye, and no match (4.2).
    sides: list[Side] = [order[seed - 1] if seed <= teams else None for seed in seeds]
    for number in range(1, last + 1):
        # Before the final, which has the highest number; from four teams on there are semi-finals.
        if number == last and system.third is not None and teams >= 4:
            # The last two matches so far, numbered from 1: the semi-finals.
            losers = (Awaited(len(matches) - 1, loser=True), Awaited(len(matches), loser=True))
            matches.append(Match(len(matches) + 1, number, MatchStage.THIRD, system.third, losers))
        stage = MatchStage.FINAL if number == last else MatchStage.ROUND
        winners: list[Side] = []
        for home, away in zip(sides[::2], sides[1::2], strict=True):
            if home is None or away is None:
                winners.append(away if home is None else home)
                continue
            race = system.race(last - number)
            matches.append(Match(len(matches) + 1, number, stage, race, (home, away)))
            winners.append(Awaited(len(matches)))
        sides = winners
    return tuple(matches)


def _round_robin(system: RoundRobin, order: Sequence[str]) -> tuple[Match, ...]:
    """Return the matches of a round robin by Berger's tables (5.1), round by round; of an odd
    number of teams one rests in each round.
    """
    # Of an odd number of teams one rests in each round: who would meet the absent one.
    seats: list[str | None] = [*order, *([None] if len(order) % 2 else [])]
    turning = len(seats) - 1  # the last one stays where it is
    matches: list[Match] = []
    for number in range(1, turning + 1):
        # Whom the fixed team meets; the others meet in pairs, as far on one side of that place as
        # on the other.
        middle = (number - 1) * (len(seats) // 2) % turning
        # The fixed team changes its side each round.
        one, other = (middle, turning) if number % 2 else (turning, middle)
        pairs = [(seats[one], seats[other])]
        for step in range(1, len(seats) // 2):
            pairs.append((seats[(middle + step) % turning], seats[(middle - step) % turning]))
        for pair in pairs:
            if None not in pair:
                at = len(matches) + 1
                matches.append(Match(at, number, MatchStage.ROUND, system.race, pair))
    return tuple(matches)
