"""A decision of 304 as its seat sees it: the cards it may play, and who wins the trick so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from p2p304.cards import Card, Suit
from p2p304.rules304.actions import Action, PlayCard, PlayDown
from p2p304.rules304.pack import STRENGTH
from p2p304.rules304.state import State
from p2p304.seats import Seat
from p2p304.view import View


class AskedSeat(NamedTuple):
    """A decision: what the seat sees, may do, and does."""

    view: View[State]
    seat: Seat
    legal: Sequence[Action]
    action: Action

    @property
    def state(self) -> State:
        """The public state."""
        return self.view.state

    @property
    def trump(self) -> Suit | None:
        """The trump suit, as far as the seat knows it."""
        return self.state.trump_by(self.view.faces)

    def card(self, action: Action) -> Card:
        """Return the card of a play."""
        assert isinstance(action, PlayCard | PlayDown)
        return self.view.faces[action.slot]

    @property
    def others(self) -> list[Card]:
        """The cards that the seat could play instead."""
        return [
            self.card(each)
            for each in self.legal
            if isinstance(each, PlayCard | PlayDown) and each != self.action
        ]

    @property
    def unseen(self) -> frozenset[Card]:
        """The cards that the seat has not seen."""
        return self.state.profile.deck.card_set - {*self.view.faces.values()}

    def ours(self, seat: Seat) -> bool:
        """Tell whether a seat is known to play with the one that decides."""
        return self.state.team_of(seat) == self.state.team_of(self.seat)


def winning(asked: AskedSeat) -> tuple[Seat, Card] | None:
    """Return whose card wins the trick so far, as far as it can be seen; None if another card that
    lies face down may be a trump."""
    state, faces = asked.state, asked.view.faces
    if any(play.slot not in faces for play in state.plays):
        return None
    lying = [(play.seat, faces[play.slot], play.down) for play in state.plays]
    led = lying[0][1].suit

    def strength(each: tuple[Seat, Card, bool]) -> tuple[int, int]:
        _, card, down = each
        cuts = card.suit is asked.trump and card.suit is not led
        plain = card.suit is led and not down
        return (2 if cuts else 1 if plain else 0), STRENGTH[card.rank]

    winner, card, _ = max(lying, key=strength)
    return winner, card


def beats(asked: AskedSeat, card: Card, best: Card) -> bool:
    """Tell whether a card that lies open beats the best one so far."""
    if card.suit is best.suit:
        return STRENGTH[card.rank] > STRENGTH[best.rank]
    return card.suit is asked.trump


def is_last(asked: AskedSeat) -> bool:
    """Tell whether the seat plays the last card of the trick."""
    return len(asked.state.plays) == asked.state.seats - 1
