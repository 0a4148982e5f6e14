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
WIDTH: Final = len(EVERY_RANK)  #: Bits of a suit.
WHOLE_SUIT: Final = (1 << WIDTH) - 1
SHIFTS: Final = tuple(WIDTH * suit for suit in SUITS)  #: Where the bits of each suit begin.
# Strengths begin below 0, bits at 0.
_WEAKEST: Final = min(STRENGTH.values())


def _place(card: Card) -> int:
    """Return the number of the bit, from 0, that stands for a card."""
    return SHIFTS[card.suit] + STRENGTH[card.rank] - _WEAKEST


BIT: Final = {card: 1 << _place(card) for card in CARD_POINTS}
CARD: Final = {bit: card for card, bit in BIT.items()}
SUIT_BITS: Final = tuple(WHOLE_SUIT << shift for shift in SHIFTS)
# Plain integers: they index faster than members of an IntEnum.
SUIT_OF: Final = {bit: int(card.suit) for bit, card in CARD.items()}
# All bits of the suit above this one: 2 * bit - 1 has this bit and every lower one set.
#: For each card, the cards of its suit that beat it.
ABOVE: Final = {bit: SUIT_BITS[suit] & ~(2 * bit - 1) for bit, suit in SUIT_OF.items()}


def mask(cards: Iterable[Card]) -> int:
    """Return a set of cards as an integer with the bit of each card set; 0 for no cards. A card
    that is named twice counts once.
    """
    # A set first: a card that is named twice must not carry into the next bit.
    return sum({BIT[card] for card in cards})


def bits(cards: int) -> tuple[int, ...]:
    """Return the single bits that make up the set `cards`, each as a power of two, lowest first;
    empty for 0.
    """
    found = []
    while cards:
        # The lowest set bit, by two's complement.
        low = cards & -cards
        found.append(low)
        cards ^= low
    return tuple(found)


# Unbounded, here and below: each of 11 ranks is in one set, in the other, or in neither, so that
# there are 3 ** 11 entries at the most.
@cache
def runs(cards: int, dividers: int) -> tuple[tuple[int, ...], ...]:
    """Return the cards of one suit split into runs, the lowest run first: a run is cards with no
    divider between them in rank, so that they win and lose against the dividers alike.

    Both arguments are sets of one suit, shifted down to its first bit. Each run is a tuple of
    single bits from high to low. Empty for no cards.
    """
    groups: list[list[int]] = []
    apart = True
    for place in range(WIDTH):
        bit = 1 << place
        if cards & bit:
            if apart:
                groups.append([])
            # In front, so that a run goes from high to low.
            groups[-1].insert(0, bit)
            apart = False
        elif dividers & bit:
            apart = True
    return tuple(map(tuple, groups))


@cache
def squeeze(live: int, cards: int) -> int:
    """Return the set `cards`, which lies within `live`, with the bits that `live` lacks cut out:
    the lowest live card becomes bit 0, the next one bit 1. squeeze(0b10110, 0b10010) -> 0b101.
    """
    return sum(1 << place for place, bit in enumerate(bits(live)) if cards & bit)
