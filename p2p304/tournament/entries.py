"""Entries: teams, their players, and the names that both may have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from p2p304.errors import TournamentError
from p2p304.names import FORBIDDEN, SPACES

FEWEST: Final = 2
MOST: Final = 32
"""How many teams a tournament may have."""
TEAM_SIZES: Final = {4: 2, 6: 3, 8: 4}
"""How many players make a team, by the number of seats at a table, which hold two teams."""
LONGEST_NAME: Final = 64
# Names stand in quotation marks in a tournament's text.
_FORBIDDEN: Final = re.compile(f'"|{FORBIDDEN.pattern}')


@dataclass(frozen=True, slots=True)
class Entry:
    """A team and its players in the order of their seats; raises TournamentError for a bad name."""

    team: str
    players: tuple[str, ...]

    def __post_init__(self) -> None:
        check_name(self.team, "a team")
        for player in self.players:
            check_name(player, "a player")


def check_name(name: str, whose: str) -> None:
    """Raise TournamentError for a name that nobody may have (1.2), called that of `whose`."""
    if not 1 <= len(name) <= LONGEST_NAME:
        raise TournamentError("1.2", f"the name of {whose} has 1 to {LONGEST_NAME} characters")
    # Two names that look alike would be two.
    if not SPACES.isdisjoint((name[0], name[-1])):
        raise TournamentError("1.2", f"the name of {whose} has outer spaces: {name[:20]!a}")
    check_letters(name, f"the name of {whose}")


def check_letters(text: str, what: str) -> None:
    """Raise TournamentError if `text`, called `what`, has a letter that no name may have."""
    found = _FORBIDDEN.search(text)
    if found is not None:
        raise TournamentError("1.2", f"{what} has U+{ord(found[0]):04X}: {text[:20]!a}")


def check_entries(entries: Sequence[Entry], seats: int) -> None:
    """Raise TournamentError unless these teams can meet at tables of so many seats (1.1 to 1.4)."""
    if not FEWEST <= len(entries) <= MOST:
        raise TournamentError("1.1", f"{FEWEST} to {MOST} teams may enter, not {len(entries)}")
    size = TEAM_SIZES.get(seats)
    if size is None:
        raise TournamentError(
            "1.3", f"a table has {', '.join(map(str, TEAM_SIZES))} seats, not {seats}"
        )
    for entry in entries:
        if len(entry.players) != size:
            said = f"{entry.team} has {len(entry.players)} players; at {seats} seats a team has"
            raise TournamentError("1.3", f"{said} {size}")
    for names, problem in (
        ([entry.team for entry in entries], "two teams have the name"),
        # Of all teams: people are told apart by these names alone.
        ([player for entry in entries for player in entry.players], "two places are taken by"),
    ):
        if len({*names}) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise TournamentError("1.4", f"{problem} {twice}")
