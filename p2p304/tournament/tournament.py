"""A tournament at one moment: entries, system, draw and facts, and all that follows from them.

drawn = Tournament("304", 4, Elimination(), entries).with_draw(luck)
replace(drawn, facts=(Fact(2, How.WALK_OVER, ("Lions",)),)).standing
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final

from p2p304.errors import TournamentError
from p2p304.tournament.entries import Entry, check_entries
from p2p304.tournament.matches import (
    Awaited,
    Fact,
    How,
    Match,
    MatchOutcome,
    MatchStage,
    Side,
    drawn_order,
    rounds_of,
    schedule,
)
from p2p304.tournament.systems import Elimination, RoundRobin, System

# The first is no hyphen: it must not look like an option.
GAME: Final = re.compile(r"[0-9a-z][0-9a-z-]{0,31}")
"""The name of a game."""


class Status(Enum):
    """Where a team is: `IN` while it has, or may get, a match to play."""

    IN = "in"
    DONE = "done"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"


@dataclass(frozen=True, slots=True)
class StandingRow:
    """A team in the standing, with its scores in the unit of the race. `place` is None in an
    elimination until it is certain, and of a disqualified team; in a round robin of a team that has
    left. `decided` leaves out matches without an opponent."""

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


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament at one moment; raises TournamentError for what cannot be. `luck` is None before
    the draw; `facts` are kept in one order, in whichever they became known. `matches` follow: by
    number, each with its sides as far as they are known and its outcome."""

    game: str
    seats: int
    system: System
    entries: tuple[Entry, ...]
    luck: bytes | None = None
    facts: tuple[Fact, ...] = ()
    matches: tuple[Match, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Sort the facts and compute the matches; raise TournamentError for what cannot be."""
        if GAME.fullmatch(self.game) is None:
            raise TournamentError("1.5", f"no game has the name {self.game[:40]!a}")
        check_entries(self.entries, self.seats)
        if self.luck is None and self.facts:
            raise TournamentError("3.3", "there are no matches before the draw")
        matches: tuple[Match, ...] = ()
        if self.luck is not None:
            # By match; of one match departures last, by the number of the entry (9.4).
            numbers = self._numbers
            # A team that has not entered sorts as 0 here; `_play_out` refuses its fact.
            place = {e: sum(numbers.get(t, 0) for t in e.teams) * e.departs for e in self.facts}
            facts = tuple(sorted(self.facts, key=lambda each: (each.match, place[each])))
            matches = _play_out(self.system, schedule(self.system, self.order), facts)
            object.__setattr__(self, "facts", facts)  # frozen, and this is its constructor
        object.__setattr__(self, "matches", matches)

    def with_draw(self, luck: bytes) -> Tournament:
        """Return the tournament with the draw made by this luck; raises TournamentError if it
        was made before, or for luck that `drawn_order` refuses."""
        # A second draw would let somebody draw until the order suits.
        if self.luck is not None:
            raise TournamentError("3.3", "the draw was made already")
        return replace(self, luck=luck)

    @property
    def _numbers(self) -> dict[str, int]:
        """The numbers of the entries, from 1, by team."""
        return {entry.team: number for number, entry in enumerate(self.entries, 1)}

    @property
    def order(self) -> tuple[str, ...]:
        """The teams as they were drawn; before the draw as they have entered."""
        teams = tuple(entry.team for entry in self.entries)
        if self.luck is None:
            return teams
        return tuple(teams[place] for place in drawn_order(len(teams), self.luck))

    @property
    def pending_matches(self) -> tuple[Match, ...]:
        """The undecided matches: those that can be played and those that wait for others."""
        return tuple(match for match in self.matches if match.outcome is None)

    @property
    def finished(self) -> bool:
        """Whether every match is decided; False before the draw."""
        return self.luck is not None and not self.pending_matches

    @property
    def rounds(self) -> int:
        """How many rounds there are; the match for third place belongs to the last one."""
        teams = len(self.entries)
        return rounds_of(teams) if isinstance(self.system, Elimination) else teams - 1 + teams % 2

    def byes(self, round_number: int) -> tuple[str, ...]:
        """Return the teams with a bye in the first round of an elimination, or that rest in a
        round of a round robin, in the order of the draw; none in other rounds and before the
        draw.
        """
        # Byes of an elimination are in its first round alone (4.2).
        if isinstance(self.system, Elimination) and round_number > 1:
            return ()
        here = {team for each in self.matches if each.round == round_number for team in each.teams}
        return tuple(team for team in self.order if here and team not in here)

    @property
    def departures(self) -> Mapping[str, How]:
        """The teams that have left since the draw, and why."""
        return {team: each.how for each in self.facts if each.departs for team in each.teams}

    @property
    def standing(self) -> tuple[StandingRow, ...]:
        """A row for each team, best first; before the draw in the order of entries."""
        if self.luck is None:
            return tuple(StandingRow(entry.team) for entry in self.entries)
        return (_elimination if isinstance(self.system, Elimination) else _round_robin)(self)

    @property
    def champion(self) -> str | None:
        """The team in first place once every match is decided; None before, and where no team is
        first: nobody won the final, the one who won is disqualified, or all teams of a round
        robin have left.
        """
        first = self.standing[0]
        return first.team if self.finished and first.place == 1 else None

    @property
    def text(self) -> str:
        """The lines that tell it (specs/tournament.md, 9)."""
        lines = [f"tournament {self.game} {self.seats}", self.system.line]
        for entry in self.entries:
            names = (f'"{name}"' for name in (entry.team, *entry.players))
            lines.append(" ".join(("entry", *names)))
        if self.luck is not None:
            lines.append(f"draw {self.luck.hex()}")
        numbers = self._numbers
        for fact in self.facts:
            told = "-".join(map(str, fact.scores))
            if fact.how is not How.PLAYED:
                word = "absent" if fact.how is How.WALK_OVER else fact.how.value
                told = " ".join((word, *(str(numbers[team]) for team in fact.teams)))
            lines.append(f"{fact.match} {told}")
        return "\n".join(lines) + "\n"


def _play_out(system: System, matches: Sequence[Match], facts: Sequence[Fact]) -> tuple[Match, ...]:
    """Return the matches with the sides and outcomes that follow from the facts (6, 7); raises
    TournamentError for facts that cannot be."""
    told: dict[int, Fact] = {}
    leaving: dict[str, Fact] = {}
    for each in facts:
        if not 1 <= each.match <= len(matches):
            raise TournamentError("6.1", f"there is no match {each.match}")
        if each.departs:
            if len(each.teams) != 1 or each.teams[0] in leaving:
                raise _no_departure(each)
            leaving[each.teams[0]] = each
        elif each.match in told:
            raise TournamentError("6.2", f"match {each.match} is told twice")
        else:
            told[each.match] = each
    done: list[Match] = []
    for planned in matches:
        home, away = planned.sides
        match = replace(planned, sides=(_resolve(home, done), _resolve(away, done)))
        fact = told.get(match.number)
        # What is recorded of a match stands, also of a team that has left (7.6).
        if fact is None:
            gone = {team: e.how for team, e in leaving.items() if e.match <= match.number}
            outcome = _without_play(match, gone)
        else:
            outcome = _outcome_of(match, fact)
        done.append(replace(match, outcome=outcome))
    for team, each in leaving.items():
        mine = [match.number for match in done if team in match.teams and match.number not in told]
        # A departure names a match of the team without a result; in a round robin the first (7.5).
        if each.match not in (mine[:1] if isinstance(system, RoundRobin) else mine):
            raise _no_departure(each)
    return tuple(done)


def _no_departure(fact: Fact) -> TournamentError:
    """Return the error for a team's departure that cannot be."""
    return TournamentError("7.5", f"{' and '.join(fact.teams)} cannot leave in match {fact.match}")


def _outcome_of(match: Match, fact: Fact) -> MatchOutcome:
    """Return how a match ended; raises TournamentError if it cannot end so."""
    number, race, teams, scores = match.number, match.race, match.teams, fact.scores
    if not match.known:
        raise TournamentError("6.2", f"match {number} cannot be played between its sides")
    if fact.how is How.PLAYED:
        # Exactly the race: a match ends with the point that wins it (6.3).
        if max(scores) != race or not 0 <= min(scores) < race:
            said = f"match {number} is a race to {race}: the winner has {race} and the loser less"
            raise TournamentError("6.3", f"{said}, not {scores[0]}-{scores[1]}")
        winner, loser = teams if scores[0] > scores[1] else teams[::-1]
        return MatchOutcome(How.PLAYED, winner, (loser,), scores)
    absent = tuple(team for team in teams if team in fact.teams)
    # In the order of the sides: one fact has one text (7.1).
    if not absent or absent != fact.teams:
        said = f"a walk-over names who did not come to match {number}"
        either = f"{teams[0]}, {teams[1]}, or both in this order"
        raise TournamentError("7.1", f"{said}: {either}")
    present = [team for team in teams if team not in absent]
    return MatchOutcome(How.WALK_OVER, present[0] if present else None, absent)


def _resolve(side: Side, done: Sequence[Match]) -> Side:
    """Return the team at a side: of an Awaited the winner, or the loser, of its match; None if
    no team can come, and the Awaited itself while that match is not decided.
    """
    if not isinstance(side, Awaited):
        return side
    # Matches are numbered from 1.
    outcome = done[side.match - 1].outcome
    if outcome is None:
        return side
    if not side.loser:
        return outcome.winner
    # If both lost, or nobody, no loser comes to the match for third place (4.4).
    return outcome.losers[0] if len(outcome.losers) == 1 else None


def _without_play(match: Match, gone: Mapping[str, How]) -> MatchOutcome | None:
    """Return the outcome of a match in which a side has no team, or one that is `gone`; None while
    both may play, or a side is not known."""
    present = [team for team in match.teams if team not in gone]
    if match.waits_for or len(present) == len(match.sides):
        return None
    losers = tuple(team for team in match.teams if team in gone)
    # Of two that left the reason of the upper side counts (7.8).
    how = gone[losers[0]] if losers else How.UNCONTESTED
    return MatchOutcome(how, present[0] if present else None, losers)


# --- who stands where (8) -------------------------------------------------------------------------


def _elimination(tournament: Tournament) -> tuple[StandingRow, ...]:
    """Return the rows, best first, by the place that each team has, or has if it loses its next
    match; disqualified teams last. In the rows a place is None until it is certain.
    """
    matches, left, rounds = tournament.matches, tournament.departures, tournament.rounds
    third = any(match.stage is MatchStage.THIRD for match in matches)
    ranked: list[tuple[tuple[int, ...], StandingRow]] = []
    for drawn, team in enumerate(tournament.order):
        last = [match for match in matches if team in match.teams][-1]
        over = last.outcome is not None
        won, to_come = last.outcome is not None and last.outcome.winner == team, rounds - last.round
        place = 4  # who lost a semi-final and does not come to the match for third place
        if last.stage is not MatchStage.ROUND:
            place = (1 if last.stage is MatchStage.FINAL else 3) + (not won)
        elif to_come > 1 or won or not third:
            # So many teams go on when it loses: who lose in one round share the place behind them.
            place = (1 << to_come) + 1
        barred = left.get(team) is How.DISQUALIFIED
        row = replace(_count(tournament, team), place=place if over and not barred else None)
        # The order of rows (8.2); False sorts first, so who still has to play stands above others.
        ranked.append(((barred, place, over, last.stage is MatchStage.THIRD, drawn), row))
    return tuple(row for _, row in sorted(ranked, key=lambda each: each[0]))


def _round_robin(tournament: Tournament) -> tuple[StandingRow, ...]:
    """Return the rows by wins, wins against those level, difference, draw; last, without a
    place, those that left.
    """

    def rank(teams: Sequence[str]) -> list[StandingRow]:
        """Return the rows of these teams, best first."""
        rows = [_count(tournament, team) for team in teams]

        def against(row: StandingRow) -> int:
            """Return how many matches a team won against those with as many wins."""
            level = {each.team for each in rows if each.won == row.won}
            met = (each.outcome for each in tournament.matches if level.issuperset(each.teams))
            return sum(each is not None and each.winner == row.team for each in met)

        return sorted(rows, key=lambda row: (-row.won, -against(row), -row.difference))

    left = tournament.departures
    ranked = rank([team for team in tournament.order if team not in left])
    last = rank([team for team in tournament.order if team in left])
    return (*(replace(row, place=place) for place, row in enumerate(ranked, 1)), *last)


def _count(tournament: Tournament, team: str) -> StandingRow:
    """Return a team's row without a place: its status, decided matches, wins, and scores so far.
    A match in which the other side never had a team counts neither as decided nor as won; one
    that a team left does.
    """
    left, mine = tournament.departures, [each for each in tournament.matches if team in each.teams]
    told = [(match.sides.index(team), match.outcome) for match in mine]
    # A match won for want of an opponent is no win in the table (8.1).
    decided = [(at, each) for at, each in told if each and each.how is not How.UNCONTESTED]
    scores = [(each.scores[at], each.scores[1 - at]) for at, each in decided if each.scores]
    over = Status.DONE if all(match.outcome for match in mine) else Status.IN
    return StandingRow(
        team,
        Status(left[team].value) if team in left else over,
        decided=len(decided),
        won=sum(each.winner == team for _, each in decided),
        gained=sum(own for own, _ in scores),
        lost_to_others=sum(other for _, other in scores),
    )
