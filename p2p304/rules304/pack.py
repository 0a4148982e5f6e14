"""The packs of 304: which cards there are, how they rank, what they count, how they are dealt.

One order of ranks and one list of points serve every pack (RULES 1, PROFILES 3): a pack has some of
the ranks, and leaves out the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final

from p2p304.cards import Card, Rank, Suit

# Two and three stand above the jack in the packs that have them (PROFILES 3.1).
#: Every rank that some pack has, high to low.
EVERY_RANK: Final = (
    Rank.TWO,
    Rank.THREE,
    Rank.JACK,
    Rank.NINE,
    Rank.ACE,
    Rank.TEN,
    Rank.KING,
    Rank.QUEEN,
    Rank.EIGHT,
    Rank.SEVEN,
    Rank.SIX,
)

RANK_POINTS: Final[Mapping[Rank, int]] = MappingProxyType(
    # RULES 1 and PROFILES 3.1, from the highest rank to the lowest.
    dict(zip(EVERY_RANK, (100, 50, 30, 20, 11, 10, 3, 2, 0, 0, 0), strict=True))
)
#: What a card counts, in every pack that has it.
CARD_POINTS: Final[Mapping[Card, int]] = MappingProxyType(
    {Card(suit, rank): points for suit in Suit for rank, points in RANK_POINTS.items()}
)

#: Of two cards of one suit, the one whose rank has the greater strength beats the other.
STRENGTH: Final[Mapping[Rank, int]] = MappingProxyType(
    # Only compared, never shown. The jack, highest of the usual pack, is 0, weaker ranks are
    # negative.
    {rank: 2 - place for place, rank in enumerate(EVERY_RANK)}
)


class Pack(Enum):
    """A pack (the parameter `deck`): how many cards, and which ranks of each suit."""

    NINE_UP = "24: 9-A", "J9ATKQ"
    SEVEN_UP = "32: 7-A", "J9ATKQ87"
    SIX_UP = "36: 6-A", "J9ATKQ876"
    THREES_TOP = "36: 7-A, 3 high", "3J9ATKQ87"
    TWOS_TOP = "40: 7-A, 2 and 3 high", "23J9ATKQ87"

    ranks: tuple[Rank, ...]  #: High to low.
    #: Suit by suit, high to low: the public order from which shuffling starts.
    cards: tuple[Card, ...]
    card_set: frozenset[Card]
    points: int  #: What all the cards count.

    def __new__(cls, text: str, letters: str) -> Pack:
        """Make the pack of the ranks named by `letters`, such as "J9ATKQ87"; `text` is its name on
        the screen and in agreements.
        """
        deck = object.__new__(cls)
        # The text alone is the value, so that Pack("32: 7-A") finds it; the rest are attributes.
        deck._value_ = text
        deck.ranks = tuple(rank for rank in EVERY_RANK if rank.letter in letters)
        deck.cards = tuple(Card(suit, rank) for suit in Suit for rank in deck.ranks)
        deck.card_set = frozenset(deck.cards)
        deck.points = sum(CARD_POINTS[card] for card in deck.cards)
        return deck

    @property
    def rank_points(self) -> str:
        """The ranks from high to low, each with its points: "J:30 9:20 ..."."""
        return " ".join(f"{rank.letter}:{RANK_POINTS[rank]}" for rank in self.ranks)


class DealBatches(Enum):
    """How many cards each seat gets before and after the indicator is placed."""

    FOUR_FOUR = "4 + 4", (4, 4)
    THREE_ONE = "3 + 1", (3, 1)
    FOUR_TWO = "4 + 2", (4, 2)
    THREE_TWO = "3 + 2", (3, 2)

    sizes: tuple[int, int]
    cards: int  #: Cards of each seat, which is the number of tricks.

    def __new__(cls, text: str, sizes: tuple[int, int]) -> DealBatches:
        """Make the batches of a deal: `sizes` are how many cards each seat gets before and after
        the indicator is laid; `text` is the name in agreements.
        """
        batches = object.__new__(cls)
        # As in Pack: the text alone is the value.
        batches._value_ = text
        batches.sizes = sizes
        batches.cards = sum(sizes)
        return batches


#: Which pack is dealt how; the number of seats follows.
DEALS: Final = frozenset(
    {
        # PROFILES 3.1 has no rules for other combinations.
        (Pack.SEVEN_UP, DealBatches.FOUR_FOUR),
        (Pack.SEVEN_UP, DealBatches.THREE_ONE),
        (Pack.NINE_UP, DealBatches.THREE_ONE),
        (Pack.SIX_UP, DealBatches.FOUR_TWO),
        (Pack.THREES_TOP, DealBatches.FOUR_TWO),
        (Pack.TWOS_TOP, DealBatches.THREE_TWO),
    }
)

PACK: Final = Pack.SEVEN_UP.cards  #: The pack for four seats.
