"""Cards of 304 as bits, for searches: one bit a card, stronger cards higher within a suit.

A suit has as many bits as there are ranks in all packs. A pack that lacks some leaves theirs 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

from p2p304.cards import Card, Suit
from p2p304.rules304.pack import CARD_POINTS, EVERY_RANK, STRENGTH

SUITS: Final = tuple(Suit)
WIDTH: Final = len(EVERY_RANK)
"""Bits of a suit."""
WHOLE_SUIT: Final = (1 << WIDTH) - 1
SHIFTS: Final = tuple(WIDTH * suit for suit in SUITS)
"""Where the bits of each suit begin."""
_WEAKEST: Final = min(STRENGTH.values())


def _place(card: Card) -> int:
    return SHIFTS[card.suit] + STRENGTH[card.rank] - _WEAKEST


BIT: Final = {card: 1 << _place(card) for card in CARD_POINTS}
CARD: Final = {bit: card for card, bit in BIT.items()}
SUIT_BITS: Final = tuple(WHOLE_SUIT << shift for shift in SHIFTS)
SUIT_OF: Final = {bit: int(card.suit) for bit, card in CARD.items()}
ABOVE: Final = {bit: SUIT_BITS[suit] & ~(2 * bit - 1) for bit, suit in SUIT_OF.items()}
"""For each card, the cards of its suit that beat it."""


def mask(cards: Iterable[Card]) -> int:
    """Return the set of these cards."""
    return sum({BIT[card] for card in cards})


def bits(cards: int) -> tuple[int, ...]:
    """Return the single bits of a set, lowest first."""
    found = []
    while cards:
        low = cards & -cards
        found.append(low)
        cards ^= low
    return tuple(found)


@cache
def runs(cards: int, dividers: int) -> tuple[tuple[int, ...], ...]:
    """Split the cards of a suit into groups at the dividers' ranks, each group from high to low.

    Both arguments are the bits of one suit, and so are those of the answer.
    """
    groups: list[list[int]] = []
    apart = True
    for place in range(WIDTH):
        bit = 1 << place
        if cards & bit:
            if apart:
                groups.append([])
            groups[-1].insert(0, bit)
            apart = False
        elif dividers & bit:
            apart = True
    return tuple(map(tuple, groups))


@cache
def squeezed(live: int, cards: int) -> int:
    """Return the bits `cards` without the places that `live` lacks, so that only order remains."""
    return sum(1 << place for place, bit in enumerate(bits(live)) if cards & bit)
