"""The draw, from luck that nobody chose to an order of the teams; and the matches that follow."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import Final

from p2p304.errors import TournamentError
from p2p304.tournament.matches import LoserOf, Match, MatchStage, Side, WinnerOf
from p2p304.tournament.systems import Elimination, RoundRobin, System

LEAST_LUCK: Final = 32
MOST_LUCK: Final = 1024
"""Bytes of luck; 32 are 256 bits, and 32 teams can be drawn in less than 2**118 orders."""
FEWEST_FOR_THIRD: Final = 4
"""With fewer teams there are no two semi-finals whose losers could meet."""


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


def scheduled(system: System, order: Sequence[str]) -> tuple[Match, ...]:
    """Return all matches by number, undecided, for teams in the order drawn; byes are no
    matches."""
    if isinstance(system, RoundRobin):
        return _round_robin(system, order)
    return _elimination(system, order)


def fold(size: int) -> tuple[int, ...]:
    """Return the seeds 1 to `size`, a power of two, in the order of the bracket (ruling 116).

    In each doubling the seed s meets size + 1 - s: 1 2; 1 4 3 2; 1 8 5 4 3 6 7 2.
    """
    seeds = [1]
    while len(seeds) < size:
        total = 2 * len(seeds) + 1
        seeds = [
            each
            for place, seed in enumerate(seeds)
            for each in ((seed, total - seed) if place % 2 == 0 else (total - seed, seed))
        ]
    return tuple(seeds)


def rounds_of(teams: int) -> int:
    """Return the number of rounds of a single elimination among so many teams."""
    return (teams - 1).bit_length()


def _elimination(system: Elimination, order: Sequence[str]) -> tuple[Match, ...]:
    teams = len(order)
    last = rounds_of(teams)
    matches: list[Match] = []
    sides: list[Side] = [order[seed - 1] if seed <= teams else None for seed in fold(1 << last)]
    for number in range(1, last + 1):
        if number == last and system.third is not None and teams >= FEWEST_FOR_THIRD:
            first, second = matches[-2:]
            losers = (LoserOf(first.number), LoserOf(second.number))
            matches.append(Match(len(matches) + 1, number, MatchStage.THIRD, system.third, losers))
        stage = MatchStage.FINAL if number == last else MatchStage.ROUND
        winners: list[Side] = []
        for home, away in zip(sides[::2], sides[1::2], strict=True):
            if home is None or away is None:
                winners.append(away if home is None else home)  # a bye
                continue
            race = system.race(last - number)
            matches.append(Match(len(matches) + 1, number, stage, race, (home, away)))
            winners.append(WinnerOf(len(matches)))
        sides = winners
    return tuple(matches)


def _round_robin(system: RoundRobin, order: Sequence[str]) -> tuple[Match, ...]:
    """Pair by Berger's tables; with an odd number of teams, who meets the absent last one rests."""
    seats: list[str | None] = [*order, *([None] if len(order) % 2 else [])]
    turning = len(seats) - 1  # the last one stays where it is
    matches: list[Match] = []
    for number in range(1, turning + 1):
        middle = (number - 1) * (len(seats) // 2) % turning
        ends = (seats[middle], seats[turning])
        pairs = [ends if number % 2 else ends[::-1]]
        for step in range(1, len(seats) // 2):
            pairs.append((seats[(middle + step) % turning], seats[(middle - step) % turning]))
        for home, away in pairs:
            if home is not None and away is not None:
                matches.append(
                    Match(len(matches) + 1, number, MatchStage.ROUND, system.race, (home, away))
                )
    return tuple(matches)
