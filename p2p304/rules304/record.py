"""The record of a hand in cards, which the notation writes and reads."""

from __future__ import annotations

from dataclasses import dataclass

from p2p304.cards import Card
from p2p304.rules304.dealing import BATCH, SIZE
from p2p304.rules304.moves import Move
from p2p304.rules304.pack import PACK
from p2p304.rules304.profile import Profile
from p2p304.rules304.state import SEATS, right_of
from p2p304.seats import Seat


@dataclass(frozen=True, slots=True)
class HandRecord:
    """A hand in cards: what was agreed, dealt and chosen, and nothing that follows from it.

    `hands` holds eight cards for each seat in the order in which they were dealt, whether or not
    the second batch ever was. Without `parted` it is not known which four of a seat came first.
    """

    profile: Profile
    dealer: Seat
    cut: int
    hands: tuple[tuple[Card, ...], ...]
    moves: tuple[Move, ...]
    parted: bool = True

    def deck(self) -> tuple[Card, ...]:
        """The shuffled deck, before the cut, that deals these hands."""
        deck: list[Card] = [PACK[0]] * SIZE
        for batch in range(2):
            for turn in range(SEATS):
                hand = self.hands[right_of(self.dealer, 1 + turn)]
                for place in range(BATCH):
                    position = (batch * SEATS + turn) * BATCH + place
                    deck[(position + self.cut) % SIZE] = hand[batch * BATCH + place]
        return tuple(deck)
