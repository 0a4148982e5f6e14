"""A tournament at one moment: entries, system, draw and facts, and all that follows from them.

What has happened is told as facts:

    drawn = Tournament("304", 4, Elimination(), entries).drawn(luck)
    replace(drawn, facts=(Result(1, (7, 3)), WalkOver(2, ("Lions",)))).standing
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, assert_never

from p2p304.errors import TournamentError
from p2p304.tournament.bracket import drawn_order, rounds_of, scheduled
from p2p304.tournament.entries import Entry, check_entries
from p2p304.tournament.matches import (
    Departure,
    Fact,
    How,
    LoserOf,
    Match,
    MatchOutcome,
    Reason,
    Result,
    Side,
    WalkOver,
    WinnerOf,
)
from p2p304.tournament.standing import StandingRow, standing_of_elimination, standing_of_round_robin
from p2p304.tournament.systems import Elimination, RoundRobin, System

GAME: Final = re.compile(r"[0-9a-z][0-9a-z-]{0,31}")
"""The name of a game."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament at one moment.

    `luck` is None before the draw; `facts` are kept in one order, so that tournaments to which the
    same has happened are equal in whatever order it became known. `matches` follow from the rest:
    by number, each with its sides as far as they are known and its outcome; none before the draw.
    Raises TournamentError for what cannot be.
    """

    game: str
    seats: int
    system: System
    entries: tuple[Entry, ...]
    luck: bytes | None = None
    facts: tuple[Fact, ...] = ()
    matches: tuple[Match, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if GAME.fullmatch(self.game) is None:
            raise TournamentError("1.5", f"no game has the name {self.game[:40]!a}")
        check_entries(self.entries, self.seats)
        if self.luck is None and self.facts:
            raise TournamentError("3.3", "there are no matches before the draw")
        matches: tuple[Match, ...] = ()
        if self.luck is not None:
            facts = _in_order(self.facts, [each.team for each in self.entries])
            matches = _played_out(self.system, scheduled(self.system, self.order), facts)
            object.__setattr__(self, "facts", facts)  # frozen, and this is its constructor
        object.__setattr__(self, "matches", matches)

    def drawn(self, luck: bytes) -> Tournament:
        """Draw the order of the teams from 32 bytes or more that nobody chose.

        Raises TournamentError for a second draw.
        """
        if self.luck is not None:
            raise TournamentError("3.3", "the draw was made already")
        return replace(self, luck=luck)

    @property
    def order(self) -> tuple[str, ...]:
        """The teams as they were drawn; before the draw as they have entered."""
        teams = tuple(entry.team for entry in self.entries)
        if self.luck is None:
            return teams
        return tuple(teams[place] for place in drawn_order(len(teams), self.luck))

    @property
    def pending(self) -> tuple[Match, ...]:
        """The matches that are not decided: who meets whom (`ready`), and who waits for whom."""
        return tuple(match for match in self.matches if match.outcome is None)

    @property
    def finished(self) -> bool:
        """Whether every match is decided."""
        return self.luck is not None and not self.pending

    @property
    def rounds(self) -> int:
        """How many rounds there are; the match for third place belongs to the last one."""
        teams = len(self.entries)
        return rounds_of(teams) if isinstance(self.system, Elimination) else teams - 1 + teams % 2

    def byes(self, round_number: int) -> tuple[str, ...]:
        """Return the teams that have a bye in this round, in the order drawn.

        In an elimination those that come without a match to the second round; in a round robin of
        an odd number of teams the one that rests. None before the draw.
        """
        if self.luck is None or not 1 <= round_number <= self.rounds:
            return ()
        if isinstance(self.system, Elimination) and round_number > 1:
            return ()
        meeting = {
            team for each in self.matches if each.round == round_number for team in each.teams
        }
        return tuple(team for team in self.order if team not in meeting)

    @property
    def left(self) -> Mapping[str, Reason]:
        """The teams that have left since the draw, and why."""
        return {fact.team: fact.reason for fact in self.facts if isinstance(fact, Departure)}

    @property
    def standing(self) -> tuple[StandingRow, ...]:
        """Every team, best first, at this moment; as they have entered before the draw."""
        if self.luck is None:
            return tuple(StandingRow(entry.team) for entry in self.entries)
        if isinstance(self.system, RoundRobin):
            return standing_of_round_robin(self.matches, self.order, self.left)
        return standing_of_elimination(self.matches, self.order, self.left)

    @property
    def champion(self) -> str | None:
        """The team in first place once every match is decided.

        None before, and where no team is left: the final had nobody to win it.
        """
        if not self.finished:
            return None
        first = self.standing[0]
        return first.team if first.place == 1 else None


# --- what facts make of the matches ---------------------------------------------------------------


def _in_order(facts: Sequence[Fact], teams: Sequence[str]) -> tuple[Fact, ...]:
    """Return the facts in the one order in which they are kept, whatever order they came in: by the
    number of the match, and of one match a departure last, by the place of the team in `teams`."""
    return tuple(sorted(facts, key=lambda fact: (fact.match, _behind(fact, teams))))


def _behind(fact: Fact, teams: Sequence[str]) -> int:
    return teams.index(fact.team) if isinstance(fact, Departure) and fact.team in teams else -1


def _played_out(
    system: System, matches: Sequence[Match], facts: Sequence[Fact]
) -> tuple[Match, ...]:
    """Return the matches with what the facts make of them.

    What is recorded of a match decides it; a team that has left loses those of which nothing is,
    from the match that its departure names. Raises TournamentError for facts that cannot have come
    about.
    """
    told: dict[int, Result | WalkOver] = {}
    leaving: dict[str, Departure] = {}
    for each in facts:
        if isinstance(each, Departure):
            if each.team in leaving:
                raise _no_departure(each)
            leaving[each.team] = each
        elif each.match in told:
            raise TournamentError("6.2", f"match {each.match} is told twice", match=each.match)
        else:
            told[each.match] = each
    done: dict[int, Match] = {}
    for planned in matches:
        home, away = planned.sides
        match = replace(planned, sides=(_resolved(home, done), _resolved(away, done)))
        gone = {team: each.reason for team, each in leaving.items() if each.match <= match.number}
        fact = told.get(match.number)
        if fact is not None and not match.ready:
            raise TournamentError(
                "6.2",
                f"match {match.number} cannot be played between its sides",
                match=match.number,
            )
        outcome = _without_play(match, gone) if fact is None else _outcome_of(match, fact)
        done[match.number] = replace(match, outcome=outcome)
    for number in {each.match for each in facts} - done.keys():
        raise TournamentError("6.1", f"there is no match {number}", match=number)
    for departure in leaving.values():
        _check_departure(departure, done, told, first=isinstance(system, RoundRobin))
    return tuple(done.values())


def _check_departure(
    fact: Departure, done: Mapping[int, Match], told: Mapping[int, Fact], *, first: bool
) -> None:
    """Return if a team leaves in a match of its own of which nothing else is told; in a round robin
    in the first such match."""
    mine = [
        each.number for each in done.values() if fact.team in each.teams and each.number not in told
    ]
    if fact.match not in (mine[:1] if first else mine):
        raise _no_departure(fact)


def _no_departure(fact: Departure) -> TournamentError:
    said = f"{fact.team} cannot leave in match {fact.match}"
    return TournamentError("7.5", said, match=fact.match)


def _outcome_of(match: Match, fact: Result | WalkOver) -> MatchOutcome:
    """Return how a match between two known teams ended.

    Raises TournamentError if it cannot end so.
    """
    home, away = match.teams
    match fact:
        case Result():
            scores = fact.scores
            if max(scores) != match.race or not 0 <= min(scores) < match.race:
                raise TournamentError(
                    "6.3",
                    f"match {match.number} is a race to {match.race}: the winner has "
                    f"{match.race} and the loser less, not {scores[0]}-{scores[1]}",
                    match=match.number,
                )
            won = scores[0] > scores[1]
            winner, loser = (home, away) if won else (away, home)
            return MatchOutcome(How.PLAYED, winner, (loser,), scores)
        case WalkOver():
            absent = tuple(team for team in match.teams if team in fact.absent)
            if not absent or absent != fact.absent:
                raise TournamentError(
                    "7.1",
                    f"a walk-over names who did not come to match {match.number}: "
                    f"{home}, {away}, or both in this order",
                    match=match.number,
                )
            present = [team for team in match.teams if team not in absent]
            return MatchOutcome(How.WALK_OVER, present[0] if present else None, absent)
        case _:
            assert_never(fact)


def _resolved(side: Side, done: Mapping[int, Match]) -> Side:
    """Return the side as far as it is known: the team that comes, or None if nobody can."""
    if not isinstance(side, WinnerOf | LoserOf):
        return side
    outcome = done[side.match].outcome
    if outcome is None:
        return side
    if isinstance(side, WinnerOf):
        return outcome.winner
    return outcome.losers[0] if len(outcome.losers) == 1 else None


def _without_play(match: Match, gone: Mapping[str, Reason]) -> MatchOutcome | None:
    """Return how the match is decided if a side of it does not come; None as long as that is
    open."""
    if match.waits_for:
        return None
    present = [team for team in match.teams if team not in gone]
    losers = tuple(team for team in match.teams if team in gone)
    if len(present) == len(match.sides):
        return None
    how = How(gone[losers[0]].value) if losers else How.UNCONTESTED
    return MatchOutcome(how, present[0] if present else None, losers)
