"""The packs of 304: which cards there are, how they rank, count and are dealt; cards as bits.

One order of ranks and one list of points serve every pack (RULES 1, PROFILES 3): a pack has some of
the ranks, and leaves out the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
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


# --- bits -----------------------------------------------------------------------------------------

# For searches: one bit a card, stronger cards higher within a suit. A suit has as many bits as
# there are ranks in all packs; a pack that lacks some leaves theirs 0.

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
