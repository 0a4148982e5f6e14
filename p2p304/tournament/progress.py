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
    Outcome,
    Reason,
    Result,
    Side,
    WalkOver,
    WinnerOf,
)
from p2p304.tournament.systems import Leavers, RoundRobin, System

_LEFT: Final = {Reason.WITHDRAWN: How.WITHDRAWN, Reason.DISQUALIFIED: How.DISQUALIFIED}


def in_order(system: System, facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return the facts in the one order in which they are kept, whatever order they came in.

    By the number of the match; in a round robin departures come last, as they came, because of two
    that leave before they have met the first to leave has lost.
    """
    if isinstance(system, RoundRobin):
        return tuple(sorted(facts, key=_in_a_round_robin))
    return tuple(sorted(facts, key=lambda fact: fact.match))


def _in_a_round_robin(fact: Fact) -> tuple[bool, int]:
    left = isinstance(fact, Departure)
    return left, 0 if left else fact.match


def played_out(
    system: System, matches: Sequence[Match], facts: Sequence[Fact]
) -> tuple[Match, ...]:
    """Return the matches with what the facts, in their order, make of them.

    Raises TournamentError for facts that cannot have come about.
    """
    if isinstance(system, RoundRobin):
        return _round_robin(system, matches, facts)
    return _elimination(matches, facts)


def outcome_of(match: Match, fact: Result | WalkOver) -> Outcome:
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
            return Outcome(How.PLAYED, winner, (loser,), scores)
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
            return Outcome(How.WALK_OVER, present[0] if present else None, absent)
        case _:
            assert_never(fact)


def _elimination(matches: Sequence[Match], facts: Sequence[Fact]) -> tuple[Match, ...]:
    told: dict[int, Fact] = {}
    for each in facts:
        if each.match in told:
            raise TournamentError("6.2", f"match {each.match} is told twice", match=each.match)
        told[each.match] = each
    gone: dict[str, Reason] = {}
    done: dict[int, Match] = {}
    for planned in matches:
        home, away = planned.sides
        match = replace(planned, sides=(_resolved(home, done), _resolved(away, done)))
        fact: Fact | None = told.get(match.number)
        if isinstance(fact, Departure):
            _check_departure(fact, match, gone)
            gone[fact.team] = fact.reason
        outcome = _without_play(match, gone)
        if isinstance(fact, Result | WalkOver):
            if outcome is not None or not match.ready:
                raise TournamentError(
                    "6.2",
                    f"match {match.number} cannot be played between its sides",
                    match=match.number,
                )
            outcome = outcome_of(match, fact)
        done[match.number] = replace(match, outcome=outcome)
    for number in told.keys() - done.keys():
        raise TournamentError("6.1", f"there is no match {number}", match=number)
    return tuple(done.values())


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


def _check_departure(fact: Departure, match: Match, gone: Mapping[str, Reason]) -> None:
    if fact.team not in match.teams or fact.team in gone:
        raise TournamentError(
            "7.5", f"{fact.team} cannot leave in match {match.number}", match=match.number
        )


def _without_play(match: Match, gone: Mapping[str, Reason]) -> Outcome | None:
    """Return how the match is decided if a side of it does not come; None as long as that is
    open."""
    if match.waits_for:
        return None
    present = [team for team in match.teams if team not in gone]
    losers = tuple(team for team in match.teams if team in gone)
    if len(present) == len(match.sides):
        return None
    how = _LEFT[gone[losers[0]]] if losers else How.UNCONTESTED
    return Outcome(how, present[0] if present else None, losers)


def _round_robin(
    system: RoundRobin, matches: Sequence[Match], facts: Sequence[Fact]
) -> tuple[Match, ...]:
    done = {match.number: match for match in matches}
    gone: list[str] = []
    for fact in facts:
        match = done.get(fact.match)
        if match is None:
            raise TournamentError("6.1", f"there is no match {fact.match}", match=fact.match)
        if not isinstance(fact, Departure):
            if match.outcome is not None:
                raise TournamentError("6.2", f"match {fact.match} is told twice", match=fact.match)
            done[fact.match] = replace(match, outcome=outcome_of(match, fact))
            continue
        open_ones = [
            number
            for number, each in done.items()
            if each.outcome is None and fact.team in each.teams
        ]
        if open_ones[:1] != [fact.match]:
            raise TournamentError(
                "7.5", f"{fact.team} cannot leave in match {fact.match}", match=fact.match
            )
        gone.append(fact.team)
        for number in open_ones:
            winner = next(team for team in done[number].teams if team != fact.team)
            outcome = Outcome(_LEFT[fact.reason], winner, (fact.team,))
            done[number] = replace(done[number], outcome=outcome)
    if system.leavers is Leavers.VANISH:
        for number, each in done.items():
            if any(team in gone for team in each.teams):
                done[number] = replace(each, outcome=Outcome(How.VOID))
    return tuple(done.values())
