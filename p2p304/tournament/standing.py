"""The standing: who is in, who is out, and in which place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from p2p304.tournament.matches import How, Match, MatchStage, rounds_of


class Status(Enum):
    """Where a team is: `IN` while it has, or may get, a match to play."""

    IN = "in"
    DONE = "done"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"


@dataclass(frozen=True, slots=True)
class StandingRow:
    """A team in the standing, with its scores in the unit of the race.

    `place` is None in an elimination until it is certain, and of a disqualified team; in a round
    robin of a team that has left. `decided` leaves out matches without an opponent.
    """

    team: str
    status: Status = Status.IN
    place: int | None = None
    decided: int = 0
    won: int = 0
    gained: int = 0
    lost_to_others: int = 0

    @property
    def difference(self) -> int:
        """The gained scores less those of the opponents."""
        return self.gained - self.lost_to_others


def standing_of_elimination(
    matches: Sequence[Match], order: Sequence[str], left: Mapping[str, How]
) -> tuple[StandingRow, ...]:
    """Return a row for each team, best first, by its place or the one it has if it loses next."""
    ranked: list[tuple[tuple[bool, int, bool, bool, int], StandingRow]] = []
    for drawn, team in enumerate(order):
        last = [match for match in matches if team in match.teams][-1]
        place, over = _place(team, last, matches, len(order)), last.outcome is not None
        barred = left.get(team) is How.DISQUALIFIED
        row = replace(
            _count_team(team, matches, left), place=place if over and not barred else None
        )
        # The order of 8.2: place, open before over, third place behind others, the draw.
        ranked.append(((barred, place, over, last.stage is MatchStage.THIRD, drawn), row))
    return tuple(row for _, row in sorted(ranked, key=lambda each: each[0]))


def _place(team: str, last: Match, matches: Sequence[Match], teams: int) -> int:
    """Return the place after the team's last match, as if lost unless the team has won it."""
    won = last.outcome is not None and last.outcome.winner == team
    if last.stage is not MatchStage.ROUND:
        return (1 if last.stage is MatchStage.FINAL else 3) + (not won)
    to_come = rounds_of(teams) - last.round
    if to_come == 1 and not won and any(match.stage is MatchStage.THIRD for match in matches):
        return 4  # it lost a semi-final and does not come to the match for third place
    return (1 << to_come) + 1


def standing_of_round_robin(
    matches: Sequence[Match], order: Sequence[str], left: Mapping[str, How]
) -> tuple[StandingRow, ...]:
    """Return a row for each team, best first: by wins, wins against those level, difference, draw.

    Teams that have left come last, without a place.
    """
    rows = [_count_team(team, matches, left) for team in order]
    ranked = _rank([row for row in rows if row.team not in left], matches)
    last = _rank([row for row in rows if row.team in left], matches)
    return (*(replace(row, place=place) for place, row in enumerate(ranked, 1)), *last)


def _rank(rows: Sequence[StandingRow], matches: Sequence[Match]) -> list[StandingRow]:
    """Return the rows best first; `rows` stand in the order of the draw, which decides last."""

    def against(row: StandingRow) -> int:
        level = {each.team for each in rows if each.won == row.won}
        met = (each.outcome for each in matches if level.issuperset(each.teams))
        return sum(each is not None and each.winner == row.team for each in met)

    return sorted(rows, key=lambda row: (-row.won, -against(row), -row.difference))


def _count_team(team: str, matches: Sequence[Match], left: Mapping[str, How]) -> StandingRow:
    mine = [(match.sides.index(team), match.outcome) for match in matches if team in match.teams]
    # A match won for want of an opponent is no win in the table (8.1).
    decided = [(at, each) for at, each in mine if each and each.how is not How.UNCONTESTED]
    scores = [(each.scores[at], each.scores[1 - at]) for at, each in decided if each.scores]
    over = Status.DONE if all(each for _, each in mine) else Status.IN
    return StandingRow(
        team,
        Status(left[team].value) if team in left else over,
        decided=len(decided),
        won=sum(each.winner == team for _, each in decided),
        gained=sum(own for own, _ in scores),
        lost_to_others=sum(other for _, other in scores),
    )
