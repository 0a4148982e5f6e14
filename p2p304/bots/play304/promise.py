"""What the first four cards promise: to a maker with its trump suit, to a partner, to an opponent.

Points of the maker's team are a sum over the seats: what each seat's four cards add or take, by
their ranks in trumps and beside them. The weights were learned from play (`make likelihoods`).
"""

from __future__ import annotations

from functools import lru_cache
from math import erf, sqrt
from typing import Final, NamedTuple

from p2p304.bots.tables import likely304 as learned
from p2p304.rules304.bits import BIT, SUIT_BITS, SUITS, bits
from p2p304.rules304.pack import Deck

RANKS: Final = Deck.SEVEN_UP.ranks
MAKER, MATE, FOE = range(3)
"""What a seat is to a contract."""
_REMEMBERED: Final = 1 << 16
"""Hands whose worth is kept; there are 35,960 of four cards."""
_ROOT: Final = sqrt(2)
_DOUBT: Final = 8.0
"""Points by which a trump suit must promise more to be chosen twice as often."""


class Worth(NamedTuple):
    """What four cards add to the points of the maker's team in one role."""

    trumps: tuple[float, ...]
    """For each rank, high to low, a trump of that rank."""
    beside: tuple[float, ...]
    length: tuple[float, ...]
    """By the number of trumps."""


WORTHS: Final = tuple(Worth(*each) for each in learned.WORTHS)
_CARDS: Final = tuple(
    tuple(
        {
            BIT[card]: (worth.trumps if card.suit == trump else worth.beside)[
                RANKS.index(card.rank)
            ]
            for card in Deck.SEVEN_UP.cards
        }
        for trump in SUITS
    )
    for worth in WORTHS
)
"""For each role and trump suit what each card adds."""


@lru_cache(maxsize=_REMEMBERED)
def worth(role: int, cards: int, trump: int) -> float:
    """Return what these four cards add in a role, with this trump suit."""
    each = _CARDS[role][trump]
    length = WORTHS[role].length[(cards & SUIT_BITS[trump]).bit_count()]
    return length + sum(each[card] for card in bits(cards))


class Best(NamedTuple):
    """The trump suit with which four cards promise a maker most, and the points promised when
    nothing is known of the others."""

    points: float
    trump: int


@lru_cache(maxsize=_REMEMBERED)
def best_trump(cards: int) -> Best:
    """Return the best trump suit for these four cards."""
    suits = [suit for suit in SUITS if cards & SUIT_BITS[suit]]
    points, trump = max((worth(MAKER, cards, suit), -suit) for suit in suits)
    return Best(points, -trump)


@lru_cache(maxsize=_REMEMBERED)
def support(cards: int) -> float:
    """Return what these four cards add to a partner's contract, whatever its trumps are."""
    return sum(worth(MATE, cards, suit) for suit in SUITS) / len(SUITS)


@lru_cache(maxsize=_REMEMBERED)
def likely_trump(cards: int, trump: int) -> float:
    """Return how likely a maker with these four cards chooses this trump suit, from 0 to 1."""
    most = best_trump(cards).points
    odds = [
        2.0 ** ((worth(MAKER, cards, suit) - most) / _DOUBT) if cards & SUIT_BITS[suit] else 0.0
        for suit in SUITS
    ]
    return odds[trump] / sum(odds)


def made_chance(points: float, bid: int, spread: float) -> float:
    """Return how likely a bid is made where so many points are expected, give or take a spread."""
    return 0.5 * (1 + erf((points - bid + 0.5) / (spread * _ROOT)))
