"""For whom a table waits, and for what, in one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from cli.auditing import seat_name
from cli.claims import claims_line
from cli.clock import on_the_wall
from p2p304.seats import Seat
from protocol.charter import Charter
from protocol.events import Claim


def waiting_line(charter: Charter, seats: tuple[Seat, ...], since: float) -> str:
    """For whom we wait and since when; `since` is on the monotonic clock."""
    names = " and ".join(seat_name(charter, seat) for seat in seats)
    return f"Waiting for {names} since {on_the_wall(since)}."


def claims_at(charter: Charter, claims: Iterable[Claim]) -> str:
    """Whose claims hold a seat that returns, by name."""
    return claims_line(claims, seats=len(charter.seats), called=partial(seat_name, charter))
