"""The record of a hand in cards, which the notation writes and reads."""

from __future__ import annotations

from dataclasses import dataclass

from p2p304.cards import Card
from p2p304.rules304.dealing import batch_places
from p2p304.rules304.moves import Move
from p2p304.rules304.profile import Profile
from p2p304.seats import Seat


@dataclass(frozen=True, slots=True)
class HandRecord:
    """A hand in cards: what was agreed, dealt and chosen, and nothing that follows from it.

    `hands` holds all cards for each seat in the order in which they were dealt, whether or not
    the second batch ever was. Without `parted` it is not known which of a seat came first.
    """

    profile: Profile
    dealer: Seat
    cut: int
    hands: tuple[tuple[Card, ...], ...]
    moves: tuple[Move, ...]
    parted: bool = True

    def deck(self) -> tuple[Card, ...]:
        """Return the shuffled deck, before the cut, that deals these hands."""
        deck = list(self.profile.deck.cards)
        done = 0
        for batch, size in enumerate(self.profile.deal_batches.sizes):
            places = batch_places(self.profile, self.dealer, self.cut, batch)
            for seat, hand in enumerate(self.hands):
                for place, card in zip(places[seat], hand[done : done + size], strict=True):
                    deck[place] = card
            done += size
        return tuple(deck)
