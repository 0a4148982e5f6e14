"""A tournament at one moment: entries, system, draw and facts, and all that follows from them.

    championship = Tournament.new(entries, Elimination()).drawn(luck)
    for match in championship.pending:
        if match.ready:
            championship = championship.with_result(match.number, (match.race, 0))
    championship.standing

Every step returns another tournament, or raises TournamentError and changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from p2p304.errors import TournamentError
from p2p304.tournament.bracket import drawn_order, rounds_of, scheduled
from p2p304.tournament.entries import FEWEST, Entry, check_entries
from p2p304.tournament.matches import Departure, Fact, Match, Reason, Result, WalkOver
from p2p304.tournament.progress import in_order, played_out
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
            facts = in_order(self.facts, [each.team for each in self.entries])
            matches = played_out(self.system, scheduled(self.system, self.order), facts)
            object.__setattr__(self, "facts", facts)  # frozen, and this is its constructor
        object.__setattr__(self, "matches", matches)

    @classmethod
    def new(
        cls, entries: Iterable[Entry], system: System, *, game: str = "304", seats: int = 4
    ) -> Tournament:
        """Return a tournament before its draw; `seats` is how many sit at a table, 4, 6 or 8."""
        return cls(game, seats, system, tuple(entries))

    # Steps

    def drawn(self, luck: bytes) -> Tournament:
        """Draw the order of the teams from 32 bytes or more that nobody chose.

        Raises TournamentError for a second draw.
        """
        if self.luck is not None:
            raise TournamentError("3.3", "the draw was made already")
        return replace(self, luck=luck)

    def with_result(self, match: int, scores: tuple[int, int]) -> Tournament:
        """Record what each side of a match gained in its race, in the order of its sides."""
        return self.with_fact(Result(match, scores))

    def walk_over(self, match: int, *absent: str) -> Tournament:
        """Record that one team, or both, did not come to a match."""
        meant = tuple(team for team in self._match(match).teams if team in absent)
        return self.with_fact(WalkOver(match, meant if set(meant) == set(absent) else absent))

    def withdrawn(self, team: str) -> Tournament:
        """Withdraw a team: its entry before the draw, and later from all that is not decided.

        Raises TournamentError, naming the rule, for a team that has not entered, and before the
        draw where too few would be left.
        """
        self._check_entered(team)
        if self.luck is not None:
            return self._without(team, Reason.WITHDRAWN)
        if len(self.entries) == FEWEST:
            raise TournamentError("7.3", f"without {team} there are fewer than {FEWEST} teams")
        return replace(self, entries=tuple(each for each in self.entries if each.team != team))

    def disqualified(self, team: str) -> Tournament:
        """Disqualify a team: its opponents win what is not decided, and it has no place."""
        return self._without(team, Reason.DISQUALIFIED)

    def with_fact(self, fact: Fact) -> Tournament:
        """Record a fact: what the four steps above do, for facts that somebody else has named.

        Raises TournamentError where the fact comes too early as well: when its teams are not known
        yet, or when a team that leaves has to be done with an earlier match first.
        """
        match = self._match(fact.match)
        if match.outcome is not None and not isinstance(fact, Departure):
            raise TournamentError("6.2", f"match {fact.match} is decided already", match=fact.match)
        if not match.ready and not isinstance(fact, Departure):
            raise TournamentError(
                "6.2",
                f"match {fact.match} waits for match {' and '.join(map(str, match.waits_for))}",
                match=fact.match,
            )
        return replace(self, facts=(*self.facts, fact))

    # What follows

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

    def _match(self, number: int) -> Match:
        if self.luck is None:
            raise TournamentError("3.3", "there are no matches before the draw")
        if not 1 <= number <= len(self.matches):
            raise TournamentError("6.1", f"there is no match {number}", match=number)
        return self.matches[number - 1]

    def _check_entered(self, team: str) -> None:
        if all(entry.team != team for entry in self.entries):
            raise TournamentError("7.3", f"there is no team {team[:64]!a}")

    def _next_match(self, team: str) -> int:
        """Return the number of the first match that the team has not finished."""
        self._check_entered(team)
        if team in self.left:
            raise TournamentError("7.4", f"{team} has left already")
        mine = [match for match in self.matches if team in match.teams]
        if all(match.outcome is not None for match in mine):
            raise TournamentError("7.4", f"{team} has no match left that is not decided")
        if isinstance(self.system, RoundRobin):
            told = {each.match for each in self.facts if not isinstance(each, Departure)}
            return next(match.number for match in mine if match.number not in told)
        return next(match.number for match in mine if match.outcome is None)

    def _without(self, team: str, reason: Reason) -> Tournament:
        if self.luck is None:
            raise TournamentError("7.3", "before the draw a team can only be withdrawn")
        return self.with_fact(Departure(self._next_match(team), team, reason))
