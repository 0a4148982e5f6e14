"""What facts make of the matches: who came through, who won without playing, who is out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, assert_never

from p2p304.errors import TournamentError
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
from p2p304.tournament.systems import RoundRobin, System

_LEFT: Final = {Reason.WITHDRAWN: How.WITHDRAWN, Reason.DISQUALIFIED: How.DISQUALIFIED}


def in_order(facts: Sequence[Fact], teams: Sequence[str]) -> tuple[Fact, ...]:
    """Return the facts in the one order in which they are kept, whatever order they came in: by the
    number of the match, and of one match a departure last, by the place of the team in `teams`."""
    return tuple(sorted(facts, key=lambda fact: (fact.match, _behind(fact, teams))))


def _behind(fact: Fact, teams: Sequence[str]) -> int:
    return teams.index(fact.team) if isinstance(fact, Departure) and fact.team in teams else -1


def played_out(
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
        outcome = _without_play(match, gone) if fact is None else outcome_of(match, fact)
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


def outcome_of(match: Match, fact: Result | WalkOver) -> MatchOutcome:
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
    how = _LEFT[gone[losers[0]]] if losers else How.UNCONTESTED
    return MatchOutcome(how, present[0] if present else None, losers)
