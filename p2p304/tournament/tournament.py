"""A tournament at one moment: entries, system, draw and facts, and all that follows from them.

drawn = Tournament("304", 4, Elimination(), entries).drawn(luck)
replace(drawn, facts=(Result(1, (7, 3)), WalkOver(2, ("Lions",)))).standing
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from p2p304.errors import TournamentError
from p2p304.tournament.bracket import drawn_order, rounds_of, scheduled
from p2p304.tournament.entries import Entry, check_entries
from p2p304.tournament.matches import Departure, Fact, Match, Reason
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
