"""Contests and duels of bots over many hands, shared among the cores of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from functools import cache
from itertools import count
from typing import Final, NamedTuple

from cli.errors import CheckFailed
from cli.progress import Advance
from cli.worker_pool import WorkerPool
from p2p304.bots.compare.contest import ContestResult, Tally, contest
from p2p304.bots.compare.duels import Deal, Duel, kind_called, new_match, play_deal
from p2p304.bots.play304.thinking import DEPTHS
from p2p304.errors import GameError
from p2p304.game import MatchState
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
    """How long the competent bots think: one of DEPTHS."""
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
        return contest(game, share.hands, share.seed, thinking=DEPTHS[share.level])
    except (GameError, GameDefect) as error:
        # They hold more than their message and would not survive the way from another process.
        raise CheckFailed(f"In {share}: {error}.") from None


def results_of(parts: Sequence[Share], *, processes: int) -> Iterator[ContestResult]:
    """Yield the result of each share, as they are done, played in so many processes."""
    left = list(parts)
    with WorkerPool(play, processes) as pool:
        for _ in parts:
            while left and pool.idle:
                pool.give(left.pop(0))
            yield pool.done()


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


class Pairing(NamedTuple):
    """Two kinds of player, and everything else that decides how their deals go."""

    game: str
    agreed: str
    kinds: tuple[str, str]
    seed: int
    both: bool
    """Whether each deal is played both ways."""


class Due(NamedTuple):
    """A deal that is to be played; `state` is the match's, None before its first deal."""

    pairing: Pairing
    match: int
    number: int = 0
    state: MatchState | None = None


def play_due(due: Due) -> tuple[Deal, MatchState]:
    """Play a deal, and return it and where its match stands then.

    Raises CheckFailed, and says how to see it again, for a move that does not stand.
    """
    pairing, match, number, state = due
    game = _game(pairing.game, pairing.agreed)
    one, other = (kind_called(name, game) for name in pairing.kinds)
    before = new_match(game, pairing.seed, match) if state is None else state
    try:
        return play_deal(
            game,
            (one, other),
            pairing.seed,
            before,
            match=match,
            number=number,
            both=pairing.both,
        )
    except (GameError, GameDefect) as error:
        raise CheckFailed(f"In {due}: {error}.") from None


_game = cache(create_game)


def play_duel(
    pairing: Pairing,
    standing: Duel,
    enough: Callable[[Duel], bool],
    *,
    processes: int,
    advance: Advance,
) -> None:
    """Play until the duel is over, and count in `standing` what is there at any time."""
    fresh = count()
    with WorkerPool(play_due, processes) as pool:
        while True:
            while pool.idle:
                pool.give(Due(pairing, next(fresh)))
            deal, state = pool.done()
            before = standing.done
            over = standing.add(deal, enough)
            advance(standing.done - before)
            if over:
                return
            if not deal.ended:
                pool.give(Due(pairing, deal.match, deal.number + 1, state))
