"""The pack of four-seat 304: which cards there are, how they rank and what they count (RULES 1)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from p2p304.cards import Card, Rank, Suit

RANKS_HIGH_TO_LOW: Final = (
    Rank.JACK,
    Rank.NINE,
    Rank.ACE,
    Rank.TEN,
    Rank.KING,
    Rank.QUEEN,
    Rank.EIGHT,
    Rank.SEVEN,
)

RANK_POINTS: Final[Mapping[Rank, int]] = MappingProxyType(
    dict(zip(RANKS_HIGH_TO_LOW, (30, 20, 11, 10, 3, 2, 0, 0), strict=True))
)

PACK: Final = tuple(Card(suit, rank) for suit in Suit for rank in RANKS_HIGH_TO_LOW)
"""All 32 cards, suit by suit, high to low: the public order from which shuffling starts."""

CARD_POINTS: Final[Mapping[Card, int]] = MappingProxyType(
    {card: RANK_POINTS[card.rank] for card in PACK}
)

STRENGTH: Final[Mapping[Rank, int]] = MappingProxyType(
    {rank: -place for place, rank in enumerate(RANKS_HIGH_TO_LOW)}
)
"""Of two cards of one suit, the one whose rank has the greater strength beats the other."""

BATCHES: Final = (4, 4)
"""How many cards each seat gets before and after the indicator is placed."""
