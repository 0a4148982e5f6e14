"""Cards: a suit and a rank, and how they are written; and slots, for cards without names.

What cards are worth is a game's business.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import IntEnum
from typing import Final, NamedTuple, NewType

from p2p304.errors import NotationError


class Suit(IntEnum):
    """The four suits, in the order in which hands are shown."""

    SPADES = 0
    HEARTS = 1
    DIAMONDS = 2
    CLUBS = 3

    @property
    def letter(self) -> str:
        """The suit's letter in texts: S, H, D or C."""
        return SUIT_LETTERS[self]


class Rank(IntEnum):
    """The thirteen ranks, numbered 2 to 14, aces 14. Which rank is higher in play is the game's
    business.
    """

    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13
    ACE = 14

    @property
    def letter(self) -> str:
        """The rank's letter in texts: 2 to 9, T, J, Q, K or A."""
        # Ranks begin at 2.
        return RANK_LETTERS[self - 2]


SUIT_LETTERS: Final = "SHDC"
RANK_LETTERS: Final = "23456789TJQKA"


class Card(NamedTuple):
    """One card of a pack: a suit and a rank. Compares and hashes by value."""

    suit: Suit
    rank: Rank

    def __str__(self) -> str:
        """Return the card as text, rank then suit: "9C", "TD"."""
        # Ranks begin at 2.
        return RANK_LETTERS[self.rank - 2] + SUIT_LETTERS[self.suit]

    def __repr__(self) -> str:
        """Return the card as errors and tests show it: "Card(9C)"."""
        return f"Card({self})"


_CARDS: Final = {str(card): card for card in (Card(suit, rank) for suit in Suit for rank in Rank)}
# No sign, no leading zero: each number has one text. Four digits are more than any slot or bid has.
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,3}")


#: A number that stands for one masked card, whose face is not public. The game hands the numbers
#: out and never reuses one within a hand, so that what was proved of a slot stays true of it. The
#: slots 0 to N-1, N cards being in the pack, are the places of the deck as the last seat shuffled
#: it; where a game cuts, it says which of them is dealt first. `disclosures.Remixed` retires a
#: seat's slots and brings as many new ones into being, from N on.
Slot = NewType("Slot", int)

Faces = Mapping[Slot, Card]  #: The cards of slots, as far as somebody knows them.


def parse_card(text: str, position: int = 0, *, exact: bool = False) -> Card:
    """Return the card that `text` names: rank then suit, such as "9C", "TD" or "10d".

    Raises NotationError for any other text. Any of the 52 cards is one, whether or not a game's
    pack has it.

    Args:
        text: one card in either case, without space around it.
        position: the 0-based place of `text` in a longer text, for the error.
        exact: whether "TD" alone is read, as actions write it: each card then has one text.
    """
    name = text if exact else text.upper()
    # Players write 10; texts of the game write T, so that every card has two characters.
    if name.startswith("10") and not exact:
        name = "T" + name[2:]
    card = _CARDS.get(name)
    if card is None:
        # Cut short and escaped, here and below: texts are strangers', and a terminal shows them.
        raise NotationError(f"{text[:12]!a} is no card; write rank then suit, such as 9C", position)
    return card


def parse_number(text: str, position: int) -> int:
    """Return a number of an action, such as a slot's: 0 to 9999 in digits, without leading zeros.

    Raises NotationError at `position`, the 0-based place of `text` in a longer one, otherwise.
    """
    if not _NUMBER.fullmatch(text):
        raise NotationError(f"{text[:12]!a} is no whole number from 0 to 9999", position)
    return int(text)


def parse_face(text: str, position: int) -> tuple[Slot, Card]:
    """Return slot and card of a text such as "40=9C"; raises NotationError, at `position` or at
    the card's place, for another text.
    """
    slot, equals, card = text.partition("=")
    if not equals:
        raise NotationError(f"{text[:12]!a} is no slot with a card, such as 40=9C", position)
    number = Slot(parse_number(slot, position))
    return number, parse_card(card, position + len(slot) + 1, exact=True)
