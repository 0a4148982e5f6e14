"""A contest of bots over many hands, shared among the cores of this machine."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from dataclasses import fields
from multiprocessing import Pool
from typing import Final, NamedTuple

from cli.children import isolated_workers
from cli.errors import CheckFailed
from p2p304.bots.contest import ContestResult, Tally, contest
from p2p304.bots.thinking import LEVELS
from p2p304.errors import GameError
from p2p304.games import agreement, create_game
from p2p304.randomness import SeededRandomness
from p2p304.simulator import GameDefect

SHARE_HANDS: Final = 50
"""Hands of one share: enough that few matches are cut short by its end, and a bar still moves."""


class Share(NamedTuple):
    """A part of a simulation: everything that decides how it goes."""

    game: str
    profile: str | None
    house: tuple[str, ...]
    level: str
    """How long the competent bots think: one of LEVELS."""
    seed: int
    hands: int


def shares(
    game: str,
    profile: str | None,
    house: tuple[str, ...],
    level: str,
    *,
    seed: int,
    hands: int,
) -> tuple[Share, ...]:
    """Return the parts of a simulation of `hands` hands; they do not depend on the machine."""
    seeds = SeededRandomness(seed)
    sizes = [min(SHARE_HANDS, hands - start) for start in range(0, hands, SHARE_HANDS)]
    return tuple(Share(game, profile, house, level, seeds.word(), size) for size in sizes)


def play(share: Share) -> ContestResult:
    """Play one share, with every statement and disclosure checked against the real cards.

    Raises CheckFailed, and says how to see it again, for a move that does not stand.
    """
    game = create_game(share.game, agreement(share.game, share.profile, share.house))
    try:
        return contest(game, share.hands, share.seed, thinking=LEVELS[share.level])
    except (GameError, GameDefect) as error:
        # They hold more than their message and would not survive the way from another process.
        raise CheckFailed(f"In {share}: {error}.") from None


def results_of(parts: Sequence[Share], *, processes: int) -> Iterator[ContestResult]:
    """Yield the result of each share, in order, played in so many processes."""
    with isolated_workers(), Pool(processes, initializer=_leave_interrupts_to_the_parent) as pool:
        yield from pool.imap(play, parts)


def together(results: Sequence[ContestResult]) -> ContestResult:
    """Return all results as one, added up."""
    home, away = (
        Tally(*(sum(getattr(each.pairs[side], field.name) for each in results) for field in _TALLY))
        for side in (0, 1)
    )
    return ContestResult(
        hands=sum(each.hands for each in results),
        voids=sum(each.voids for each in results),
        matches=sum(each.matches for each in results),
        pairs=(home, away),
    )


_TALLY: Final = fields(Tally)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
