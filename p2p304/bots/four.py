"""The table of four for which the competent player of 304 is written."""

from __future__ import annotations

from typing import Final

from p2p304.seats import Seat

SEATS: Final = 4


def partner(seat: Seat) -> Seat:
    """Return the seat across the table."""
    return Seat((seat + 2) % SEATS)


def right_of(seat: Seat, steps: int = 1) -> Seat:
    """Return the seat that acts `steps` turns after `seat`."""
    return Seat((seat + steps) % SEATS)
