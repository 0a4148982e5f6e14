"""Lines of a game's telling as text: signs of suits or letters, and what seats are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from cli.wording import capital
from p2p304.cards import Card, Suit
from p2p304.seats import Seat, place_name
from p2p304.sentences import Line, Unseen, Who, listed, say

SUIT_SIGNS: Final = {Suit.SPADES: "♠", Suit.HEARTS: "♥", Suit.DIAMONDS: "♦", Suit.CLUBS: "♣"}


def rank_text(card: Card) -> str:
    """Return the rank as it is shown: "10", "J"."""
    return "10" if card.rank.letter == "T" else card.rank.letter


def card_text(card: Card | None, *, ascii_only: bool = False) -> str:
    """Return the card as it is shown: "10♠", or "10S" without signs; "??" for an unknown one."""
    if card is None:
        return Unseen.CARD.value
    return rank_text(card) + suit_text(card.suit, ascii_only=ascii_only)


def suit_text(suit: Suit, *, ascii_only: bool = False) -> str:
    """Return the suit's sign, or its letter where there are no signs."""
    return suit.letter if ascii_only else SUIT_SIGNS[suit]


class Writer:
    """Writes lines of a telling for one table, whose number of seats names its places."""

    __slots__ = ("ascii_only", "seats")

    def __init__(self, seats: int, *, ascii_only: bool = False) -> None:
        """Write for a table of so many seats; `ascii_only` puts letters in the place of signs."""
        self.seats = seats
        self.ascii_only = ascii_only

    def seat(self, seat: int) -> str:
        """Return what a seat is called: "South", or "seat 5" where the table has no such name."""
        return place_name(seat, self.seats)

    def seats_named(self, seats: Sequence[Seat]) -> str:
        """Return several seats as a person lists them: "East, North and West"; "" for none."""
        return self.line(listed([say(Who(seat)) for seat in seats])) if seats else ""

    def card(self, card: Card | None) -> str:
        """Return the card as it is shown."""
        return card_text(card, ascii_only=self.ascii_only)

    def cards(self, cards: Iterable[Card | None]) -> str:
        """Return several cards, with a blank between two."""
        return " ".join(map(self.card, cards))

    def line(self, line: Line) -> str:
        """Return the line as text."""
        return "".join(self._part(part) for part in line)

    def sentence(self, line: Line) -> str:
        """Return the line as text that begins with a capital letter."""
        return capital(self.line(line))

    def _part(self, part: object) -> str:
        match part:
            case str():
                return part
            case Suit():
                return part.name.lower()
            case Card():
                return self.card(part)
            case Who(seat):
                return self.seat(seat)
            case Unseen():
                return part.value
            case _:
                raise TypeError(f"no part of a line: {part!r}")
