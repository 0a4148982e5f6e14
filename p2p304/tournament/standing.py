"""The standing: who is in, who is out, and in which place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import assert_never

from p2p304.tournament.bracket import rounds_of
from p2p304.tournament.matches import How, Match, MatchStage, Reason


class Status(Enum):
    """Where a team is."""

    IN = "in"
    """It has, or may get, a match to play."""
    DONE = "done"
    """It has no match left."""
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"


@dataclass(frozen=True, slots=True)
class StandingRow:
    """A team in the standing.

    `place` is None where there is none: in an elimination until it is certain, and for a team that
    was disqualified; in a round robin for a team that has left. Elsewhere in a round robin it is
    the place of this moment. Teams that lost in one round of an elimination share the best place
    of those who did. `gained` and `lost_to_others` are in the unit of the race.
    """

    team: str
    status: Status = Status.IN
    place: int | None = None
    decided: int = 0
    """Its matches that are decided in whatever way, but those without an opponent."""
    won: int = 0
    gained: int = 0
    lost_to_others: int = 0

    @property
    def lost(self) -> int:
        """Matches decided and not won."""
        return self.decided - self.won

    @property
    def difference(self) -> int:
        """What was gained less what was lost to others."""
        return self.gained - self.lost_to_others


def standing_of_elimination(
    matches: Sequence[Match], order: Sequence[str], left: Mapping[str, Reason]
) -> tuple[StandingRow, ...]:
    """Rank the teams by the place that each has, or would have if it lost its next match; best
    first."""
    ranked: list[tuple[tuple[bool, int, bool, bool, int], StandingRow]] = []
    for drawn, team in enumerate(order):
        row = _counted(team, matches, left)
        mine = [match for match in matches if team in match.teams]
        last = mine[-1]
        place = _place(team, last, matches, len(order))
        over = last.outcome is not None
        if over:
            row = replace(row, place=place)
        barred = left.get(team) is Reason.DISQUALIFIED
        if barred:
            row = replace(row, place=None)
        ranked.append(((barred, place, over, last.stage is MatchStage.THIRD, drawn), row))
    return tuple(row for _, row in sorted(ranked, key=lambda each: each[0]))


def _place(team: str, last: Match, matches: Sequence[Match], teams: int) -> int:
    """Return the place after the team's last match; who has not won it counts as having lost it."""
    won = last.outcome is not None and last.outcome.winner == team
    match last.stage:
        case MatchStage.FINAL:
            return 1 if won else 2
        case MatchStage.THIRD:
            return 3 if won else 4
        case MatchStage.ROUND:
            to_come = rounds_of(teams) - last.round
            third = any(match.stage is MatchStage.THIRD for match in matches)
            if to_come == 1 and third and not won:
                return 4  # it lost a semi-final and does not come to the match for third place
            return (1 << to_come) + 1
        case _:
            assert_never(last.stage)


def standing_of_round_robin(
    matches: Sequence[Match], order: Sequence[str], left: Mapping[str, Reason]
) -> tuple[StandingRow, ...]:
    """Rank the teams by wins, wins among those that are level, difference, draw; best first. Those
    who have left come last, without a place."""
    rows = [_counted(team, matches, left) for team in order]
    ranked = _ranked([row for row in rows if row.team not in left], matches)
    last = _ranked([row for row in rows if row.team in left], matches)
    return (*(replace(row, place=place) for place, row in enumerate(ranked, 1)), *last)


def _ranked(rows: Sequence[StandingRow], matches: Sequence[Match]) -> list[StandingRow]:
    """Sort rows that stand in the order drawn, which parts those that are level in all else."""

    def against(row: StandingRow) -> int:
        level = {each.team for each in rows if each.won == row.won}
        met = (each for each in matches if level.issuperset(each.teams) and each.outcome)
        return sum(each.outcome.winner == row.team for each in met if each.outcome is not None)

    return sorted(rows, key=lambda row: (-row.won, -against(row), -row.difference))


def _counted(team: str, matches: Sequence[Match], left: Mapping[str, Reason]) -> StandingRow:
    """Return what the team has done so far; its place is not looked at."""
    decided = won = gained = lost = 0
    undecided = False
    for match in matches:
        if team not in match.teams:
            continue
        outcome = match.outcome
        if outcome is None:
            undecided = True
            continue
        if outcome.how is How.UNCONTESTED:
            continue
        decided += 1
        won += outcome.winner == team
        if outcome.scores is not None:
            mine = match.sides.index(team)
            gained += outcome.scores[mine]
            lost += outcome.scores[1 - mine]
    status = Status(left[team].value) if team in left else Status.IN if undecided else Status.DONE
    return StandingRow(team, status, decided=decided, won=won, gained=gained, lost_to_others=lost)
