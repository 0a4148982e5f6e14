"""The draw: from luck that nobody chose to an order of the teams, each equally likely."""

from __future__ import annotations

from math import factorial
from typing import Final

from p2p304.errors import TournamentError

LEAST_LUCK: Final = 32
MOST_LUCK: Final = 1024
"""Bytes of luck; 32 are 256 bits, and 32 teams can be drawn in less than 2**118 orders."""


def drawn_order(teams: int, luck: bytes) -> tuple[int, ...]:
    """Return the places in the list of entries, from 0, in the order in which they are drawn.

    The luck is a big-endian number. Its remainder by the number of orders says, digit by digit,
    which of the teams that are left comes next. Numbers that would make some orders likelier than
    others are refused, so every order is exactly as likely as any other. With 32 bytes for 32 teams
    that happens less than once in 2**138 draws.

    Raises TournamentError for luck that is too short, too long or refused.
    """
    if not LEAST_LUCK <= len(luck) <= MOST_LUCK:
        raise TournamentError(
            "3.1", f"a draw takes {LEAST_LUCK} to {MOST_LUCK} bytes of luck, not {len(luck)}"
        )
    number = int.from_bytes(luck, "big")
    orders = factorial(teams)
    numbers = 1 << 8 * len(luck)
    if number >= numbers - numbers % orders:
        raise TournamentError("3.2", "this luck would favour some orders: draw other luck")
    number %= orders
    left = list(range(teams))
    order = []
    while left:
        number, place = divmod(number, len(left))
        order.append(left.pop(place))
    return tuple(order)
