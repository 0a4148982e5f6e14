"""The two teams of 304, whose seats alternate round the table (RULES 2, PROFILES 3.1)."""

from __future__ import annotations

from functools import cache
from typing import Final, NewType

from p2p304.seats import FOUR_SEAT_NAMES, PAIR_NAMES, Seat, Sides, seat_letters, seat_names

#: A side of the table: 0 is South and whoever plays with that seat, 1 the others. Where a card is
#: called, each seat is its own until partners are known, then 0 is the maker's side.
Team = NewType("Team", int)

NORTH_SOUTH: Final = Team(0)
EAST_WEST: Final = Team(1)


def team_of(seat: Seat) -> Team:
    """Return the team of `seat`, 0 or 1, where the seats of two teams alternate."""
    return Team(seat % 2)


def opponents_of(team: Team) -> Team:
    """Return the other one of the two teams."""
    return Team(1 - team)


# Kept, here and below: asked at every step of simulated hands, and for few tables.
@cache
def alternate_teams(seats: int) -> tuple[Team, ...]:
    """Return the team of each seat, in seat order, where two teams alternate: 0, 1, 0, 1."""
    return tuple(team_of(Seat(seat)) for seat in range(seats))


def two_teams(seats: int) -> Sides:
    """Return the seats of team 0 and of team 1 at a table of `seats`, where they alternate."""
    every = tuple(map(Seat, range(seats)))
    return every[::2], every[1::2]


@cache
def on_their_own(seats: int) -> tuple[Team, ...]:
    """Return a different team for each seat, in seat order, as while partners are unknown: 0, 1,
    2, 3.
    """
    return tuple(map(Team, range(seats)))


@cache
def others_of(teams: tuple[Team, ...], seat: Seat, *, with_it: bool) -> tuple[Seat, ...]:
    """Return the other seats of the team of `seat`, in seat order; with `with_it` false the
    seats of all other teams instead. `teams` holds the team of each seat.
    """
    return tuple(
        Seat(other)
        for other, team in enumerate(teams)
        if other != seat and (team == teams[seat]) is with_it
    )


@cache
def team_shorts(seats: int) -> tuple[str, str]:
    """Return the two teams in a few letters: "N-S" and "E-W", or the letters of all their seats."""
    if seats == len(FOUR_SEAT_NAMES):
        return "N-S", "E-W"
    letters = seat_letters(seats)
    return "-".join(letters[::2]), "-".join(letters[1::2])


@cache
def team_names(seats: int) -> tuple[str, str]:
    """Return the names of the two teams at a table of `seats`: "North-South" and "East-West" at
    four, else "South's team" and the like by their first seats.
    """
    if seats == len(FOUR_SEAT_NAMES):
        return PAIR_NAMES
    first, second = seat_names(seats)[:2]
    return f"{first}'s team", f"{second}'s team"
