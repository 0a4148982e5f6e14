"""For whom a table waits, in one sentence."""

from __future__ import annotations

from cli.auditing import seat_name
from cli.clock import on_the_wall
from p2p304.seats import Seat
from protocol.charter import Charter


def waiting_line(charter: Charter, seats: tuple[Seat, ...], since: float) -> str:
    """For whom we wait and since when; `since` is on the monotonic clock."""
    names = " and ".join(seat_name(charter, seat) for seat in seats)
    return f"Waiting for {names} since {on_the_wall(since)}."
