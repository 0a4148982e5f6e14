"""Seats: numbered in playing order, which goes to the right (counter-clockwise).

From 0 wherever a program reads the number, from 1 wherever a person does.
"""

from __future__ import annotations

from typing import Final, NewType

Seat = NewType("Seat", int)  #: A place at the table, 0 to seats-1; the next to act is seat + 1.

# In playing order: at the right of South, who looks north, sits East.
FOUR_SEAT_LETTERS: Final = "SENW"
FOUR_SEAT_NAMES: Final = ("South", "East", "North", "West")
_COMPASS: Final = {
    4: FOUR_SEAT_NAMES,
    6: ("South", "South-East", "North-East", "North", "North-West", "South-West"),
    8: (
        "South",
        "South-East",
        "East",
        "North-East",
        "North",
        "North-West",
        "West",
        "South-West",
    ),
}

#: Who wins together: every seat of a table in one of these groups.
Sides = tuple[tuple[Seat, ...], ...]

#: The sides of a table of four whose partners sit opposite each other.
OPPOSITE: Final[Sides] = ((Seat(0), Seat(2)), (Seat(1), Seat(3)))
PAIR_NAMES: Final = ("North-South", "East-West")  #: What these sides are called.


def place_name(seat: int, seats: int) -> str:
    """Return the name of a seat at a table of `seats`, such as "South"; "seat 8" for number 7
    where there is no such seat.
    """
    # Errors name also a number that is no seat, and seats of a table whose size, 0, is not known.
    return seat_names(seats)[seat] if 0 <= seat < seats else f"seat {seat + 1}"


def seat_after(seat: Seat, *, seats: int, steps: int = 1) -> Seat:
    """Return the seat `steps` places to the right of `seat` at a table of `seats`; to the left
    for negative steps.
    """
    return Seat((seat + steps) % seats)


def seat_names(seats: int) -> tuple[str, ...]:
    """Return the names of all places at a table of `seats`, in seat order.

    Points of the compass for 4, 6 or 8 seats, else "seat 1" and so on.
    """
    return _COMPASS.get(seats) or tuple(f"seat {seat + 1}" for seat in range(seats))


def seat_letters(seats: int) -> tuple[str, ...]:
    """Return the short names of all places at a table of `seats`, in seat order: "S", "SE" for
    South-East, or the seat's number from 1.
    """
    names = _COMPASS.get(seats)
    if names is None:
        return tuple(str(seat + 1) for seat in range(seats))
    return tuple("".join(word[0] for word in name.split("-")) for name in names)
