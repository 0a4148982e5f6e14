"""A tournament at one moment: entries, system, draw and facts, and all that follows from them.

drawn = Tournament("304", 4, Elimination(), entries).drawn(luck)
replace(drawn, facts=(Fact(2, How.WALK_OVER, ("Lions",)),)).standing
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from p2p304.errors import TournamentError
from p2p304.tournament.entries import Entry, check_entries
from p2p304.tournament.matches import (
    Fact,
    How,
    LoserOf,
    Match,
    MatchOutcome,
    Side,
    WinnerOf,
    drawn_order,
    rounds_of,
    schedule,
)
from p2p304.tournament.standing import StandingRow, standing_of_elimination, standing_of_round_robin
from p2p304.tournament.systems import Elimination, RoundRobin, System

# 32 characters, the first no hyphen: it must not look like an option (1.5).
GAME: Final = re.compile(r"[0-9a-z][0-9a-z-]{0,31}")
"""The name of a game."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament at one moment; raises TournamentError for what cannot be.

    `luck` is None before the draw; `facts` are kept in one order, in whichever they became known.
    `matches` follow: by number, each with its sides as far as they are known and its outcome.
    """

    game: str
    seats: int
    system: System
    entries: tuple[Entry, ...]
    luck: bytes | None = None
    facts: tuple[Fact, ...] = ()
    matches: tuple[Match, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Judge what is given, and compute the matches from the draw and the facts."""
        if GAME.fullmatch(self.game) is None:
            raise TournamentError("1.5", f"no game has the name {self.game[:40]!a}")
        check_entries(self.entries, self.seats)
        # Before the draw there are no matches to which a fact could belong.
        if self.luck is None and self.facts:
            raise TournamentError("3.3", "there are no matches before the draw")
        matches: tuple[Match, ...] = ()
        # A second draw would let somebody draw until the order suits.
        if self.luck is not None:
            facts = _in_order(self.facts, [each.team for each in self.entries])
            matches = _play_out(self.system, schedule(self.system, self.order), facts)
            object.__setattr__(self, "facts", facts)  # frozen, and this is its constructor
        object.__setattr__(self, "matches", matches)

    def drawn(self, luck: bytes) -> Tournament:
        """Return the tournament with the draw made by this luck.

        Raises TournamentError if the draw was made, or for luck that gives no order (3.2).
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
        """The undecided matches: those that can be played and those that wait for others."""
        return tuple(match for match in self.matches if match.outcome is None)

    @property
    def finished(self) -> bool:
        """Whether every match is decided."""
        return self.luck is not None and not self.pending

    @property
    def rounds(self) -> int:
        """How many rounds there are; the match for third place belongs to the last one."""
        teams = len(self.entries)
        # An odd number of teams plays one round more, in which each rests once (5.1).
        return rounds_of(teams) if isinstance(self.system, Elimination) else teams - 1 + teams % 2

    def byes(self, round_number: int) -> tuple[str, ...]:
        """Return the teams without a match in a round, in the order of the draw; none before the
        draw.

        In an elimination these are the teams with a bye, in a round robin the team that rests.
        """
        here = [each for each in self.matches if each.round == round_number]
        # Byes are in the first round alone (4.2).
        if isinstance(self.system, Elimination) and round_number > 1:
            return ()
        meeting = {team for each in here for team in each.teams}
        return tuple(team for team in self.order if here and team not in meeting)

    @property
    def left(self) -> Mapping[str, How]:
        """The teams that have left since the draw, and why."""
        return {team: each.how for each in self.facts if each.departs for team in each.teams}

    @property
    def standing(self) -> tuple[StandingRow, ...]:
        """A row for each team, best first; before the draw in the order of entries."""
        if self.luck is None:
            return tuple(StandingRow(entry.team) for entry in self.entries)
        if isinstance(self.system, RoundRobin):
            return standing_of_round_robin(self.matches, self.order, self.left)
        return standing_of_elimination(self.matches, self.order, self.left)

    @property
    def champion(self) -> str | None:
        """The team in first place once every match is decided, None where nobody won the final."""
        if not self.finished:
            return None
        first = self.standing[0]
        # If both finalists lost, nobody has place 1 (8.4).
        return first.team if first.place == 1 else None


# --- what facts make of the matches ---------------------------------------------------------------


def _in_order(facts: Sequence[Fact], teams: Sequence[str]) -> tuple[Fact, ...]:
    """Return the facts by match; of one match departures last, by the number of the team's
    entry.
    """

    def place(fact: Fact) -> tuple[int, int]:
        """Return the sort key of a fact."""
        # A team that is not there stands first, and is refused below.
        departs = fact.departs and fact.teams[0] in teams
        return fact.match, teams.index(fact.teams[0]) if departs else -1

    return tuple(sorted(facts, key=place))


def _play_out(system: System, matches: Sequence[Match], facts: Sequence[Fact]) -> tuple[Match, ...]:
    """Return the matches with the sides and outcomes that follow from the facts (6, 7).

    A recorded result or walk-over decides its match; a team that has left loses its other matches
    from the one on that its departure names. Raises TournamentError for facts that cannot be.
    """
    told: dict[int, Fact] = {}
    leaving: dict[str, Fact] = {}
    for each in facts:
        if not 1 <= each.match <= len(matches):
            raise TournamentError("6.1", f"there is no match {each.match}", match=each.match)
        if each.departs:
            (team,) = each.teams
            # A team leaves once (7.4).
            if team in leaving:
                raise _no_departure(each)
            leaving[team] = each
        elif each.match in told:
            raise TournamentError("6.2", f"match {each.match} is told twice", match=each.match)
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
    """Return the error of a departure that cannot be."""
    said = f"{fact.teams[0]} cannot leave in match {fact.match}"
    return TournamentError("7.5", said, match=fact.match)


def _outcome_of(match: Match, fact: Fact) -> MatchOutcome:
    """Return how a match ended; raises TournamentError if it cannot end so."""
    number, race, teams = match.number, match.race, match.teams
    if not match.known:
        said = f"match {number} cannot be played between its sides"
        raise TournamentError("6.2", said, match=number)
    if fact.how is How.PLAYED:
        scores = fact.scores
        # Exactly the race: a match ends with the point that wins it (6.3).
        if max(scores) != race or not 0 <= min(scores) < race:
            said = f"match {number} is a race to {race}: the winner has {race} and the loser less"
            raise TournamentError("6.3", f"{said}, not {scores[0]}-{scores[1]}", match=number)
        winner, loser = teams if scores[0] > scores[1] else teams[::-1]
        return MatchOutcome(How.PLAYED, winner, (loser,), scores)
    absent = tuple(team for team in teams if team in fact.teams)
    # In the order of the sides: one fact has one text (7.1).
    if not absent or absent != fact.teams:
        said = f"a walk-over names who did not come to match {number}"
        either = f"{teams[0]}, {teams[1]}, or both in this order"
        raise TournamentError("7.1", f"{said}: {either}", match=number)
    present = [team for team in teams if team not in absent]
    return MatchOutcome(How.WALK_OVER, present[0] if present else None, absent)


def _resolve(side: Side, done: Sequence[Match]) -> Side:
    """Return the side as far as it is known: the team that comes, or None if nobody can."""
    # A team, or nobody: known from the draw.
    if not isinstance(side, WinnerOf | LoserOf):
        return side
    outcome = done[side.match - 1].outcome
    if outcome is None:
        return side
    if isinstance(side, WinnerOf):
        return outcome.winner
    # If both lost, or nobody, no loser comes to the match for third place (4.4).
    return outcome.losers[0] if len(outcome.losers) == 1 else None


def _without_play(match: Match, gone: Mapping[str, How]) -> MatchOutcome | None:
    """Return the outcome of a match in which a side has no team, or one that is `gone`.

    The team that is present wins. None while both may play, or a side waits for another match.
    """
    present = [team for team in match.teams if team not in gone]
    # A side is open, or both are there and can play.
    if match.waits_for or len(present) == len(match.sides):
        return None
    losers = tuple(team for team in match.teams if team in gone)
    # Of two that left the reason of the upper side counts (7.8).
    how = gone[losers[0]] if losers else How.UNCONTESTED
    return MatchOutcome(how, present[0] if present else None, losers)
