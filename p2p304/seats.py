"""Seats: numbered in playing order, which goes to the right (counter-clockwise)."""

from __future__ import annotations

from typing import Final, NewType

Seat = NewType("Seat", int)
"""A place at the table, 0 to seats-1; the next to act is seat + 1."""

FOUR_SEAT_LETTERS: Final = "SENW"
FOUR_SEAT_NAMES: Final = ("South", "East", "North", "West")

Sides = tuple[tuple[Seat, ...], ...]
"""Who wins together: every seat of a table in one of these groups."""

OPPOSITE: Final[Sides] = ((Seat(0), Seat(2)), (Seat(1), Seat(3)))
"""The sides of a table of four whose partners sit opposite each other."""


def seat_after(seat: Seat, *, seats: int, steps: int = 1) -> Seat:
    """The seat that lies `steps` turns after `seat` at a table of `seats`; may be negative."""
    return Seat((seat + steps) % seats)
