"""Tournaments for tests: entries, luck, and histories that the rules allow."""

from __future__ import annotations

from dataclasses import replace

from p2p304.randomness import SeededRandomness
from p2p304.tournament.tournament import (
    TEAM_SIZES,
    Elimination,
    Entry,
    Fact,
    How,
    RoundRobin,
    System,
    Tournament,
)

CHAMPIONSHIP = Elimination()


def entries(count: int, seats: int = 4) -> tuple[Entry, ...]:
    size = TEAM_SIZES[seats]
    return tuple(
        Entry(f"team {number}", tuple(f"player {number}.{each}" for each in range(1, size + 1)))
        for number in range(1, count + 1)
    )


def luck(seed: int = 0) -> bytes:
    chance = SeededRandomness(seed)
    return bytes(chance.randbelow(256) for _ in range(32))


def entered(given: tuple[Entry, ...], system: System = CHAMPIONSHIP) -> Tournament:
    return Tournament("304", 4, system, given)


def drawn(count: int, system: System = CHAMPIONSHIP, seed: int = 0) -> Tournament:
    return replace(entered(entries(count), system), luck=luck(seed))


def in_order_of_entry(count: int, system: System = CHAMPIONSHIP) -> Tournament:
    """Drawn so that the order is that of the entries: seed i is team i."""
    return replace(entered(entries(count), system), luck=bytes(32))


def scores(race: int, home_wins: bool, other: int = 0) -> tuple[int, int]:
    return (race, other) if home_wins else (other, race)


def result(match: int, scores: tuple[int, int]) -> Fact:
    return Fact(match, How.PLAYED, scores=scores)


def walk_over(match: int, absent: tuple[str, ...]) -> Fact:
    return Fact(match, How.WALK_OVER, absent)


def departure(match: int, team: str, reason: How) -> Fact:
    return Fact(match, reason, (team,))


def told(tournament: Tournament, *facts: Fact) -> Tournament:
    """The tournament when these facts are known, too."""
    return replace(tournament, facts=(*tournament.facts, *facts))


def leaving(tournament: Tournament, team: str, reason: How = How.WITHDRAWN) -> Tournament:
    """The tournament when a team has left it in its first match that is not decided; in a round
    robin, of which nothing is told but that others left."""
    known = {each.match for each in tournament.facts if not each.departs}
    whole = isinstance(tournament.system, RoundRobin)
    number = next(
        each.number
        for each in tournament.matches
        if team in each.teams and (each.number not in known if whole else each.outcome is None)
    )
    return told(tournament, departure(number, team, reason))


def stepped(tournament: Tournament, chance: SeededRandomness) -> Tournament:
    """One step that the rules allow: mostly a result, now and then somebody absent or leaving."""
    ready = [match for match in tournament.pending_matches if match.ready]
    kind = chance.randbelow(12)
    if kind == 0:
        open_teams = sorted(
            {team for each in tournament.pending_matches for team in each.teams}
            - set(tournament.departures)
        )
        if open_teams:
            team = open_teams[chance.randbelow(len(open_teams))]
            reason = How.WITHDRAWN if chance.randbelow(2) else How.DISQUALIFIED
            return leaving(tournament, team, reason)
    match = ready[chance.randbelow(len(ready))]
    if kind == 1:
        absent = [match.teams[:1], match.teams[1:], match.teams][chance.randbelow(3)]
        return told(tournament, walk_over(match.number, absent))
    loser = chance.randbelow(match.race)
    home_wins = chance.randbelow(2) == 0
    return told(tournament, result(match.number, scores(match.race, home_wins, loser)))


def history(tournament: Tournament, seed: int) -> list[Tournament]:
    """The tournament at every moment until all is decided."""
    chance = SeededRandomness(seed)
    moments = [tournament]
    while not moments[-1].finished:
        moments.append(stepped(moments[-1], chance))
    return moments
