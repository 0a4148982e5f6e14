"""The two teams of 304: partners sit opposite each other (RULES 2)."""

from __future__ import annotations

from typing import Final, NewType

from p2p304.seats import Seat

Team = NewType("Team", int)
"""A side of the table: 0 is South and North, 1 is East and West."""

NORTH_SOUTH: Final = Team(0)
EAST_WEST: Final = Team(1)
TEAM_LETTERS: Final = ("NS", "EW")
TEAM_NAMES: Final = ("North-South", "East-West")


def team_of(seat: Seat) -> Team:
    """The team that `seat` plays for."""
    return Team(seat % 2)


def opponents_of(team: Team) -> Team:
    """The other team."""
    return Team(1 - team)
