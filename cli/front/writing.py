"""A game's lines as text: suits as signs or letters, and names of seats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from cli.wording import capital
from p2p304.cards import Card, Suit
from p2p304.seats import Seat, place_name
from p2p304.sentences import Line, Unseen, Who, join_items, say

SUIT_SIGNS: Final = {Suit.SPADES: "♠", Suit.HEARTS: "♥", Suit.DIAMONDS: "♦", Suit.CLUBS: "♣"}


def rank_text(card: Card) -> str:
    """Return a card's rank as it is shown: "10", "J"."""
    # Cards are written with one letter on the wire, and read better as 10.
    return "10" if card.rank.letter == "T" else card.rank.letter


def card_text(card: Card | None, *, ascii_only: bool = False) -> str:
    """Return a card as it is shown: "10♠", "10S" with `ascii_only`; "??" for None."""
    if card is None:
        return Unseen.CARD.value
    return rank_text(card) + suit_text(card.suit, ascii_only=ascii_only)


def suit_text(suit: Suit, *, ascii_only: bool = False) -> str:
    """Return the suit's sign, or its letter with `ascii_only`."""
    # A terminal without the signs shows letters.
    return suit.letter if ascii_only else SUIT_SIGNS[suit]


class Writer:
    """A writer of a game's lines for a table, whose number of seats gives the names of places."""

    __slots__ = ("ascii_only", "seats")

    def __init__(self, seats: int, *, ascii_only: bool = False) -> None:
        """Set up a writer for a table of `seats`; with `ascii_only` it writes letters for suits."""
        self.seats = seats
        self.ascii_only = ascii_only

    def seat(self, seat: int) -> str:
        """Return the name of a seat: "South", or "seat 5" at a table without names of places."""
        return place_name(seat, self.seats)

    def join_seats(self, seats: Sequence[Seat]) -> str:
        """Return several seats as a list: "East, North and West"; "" for none."""
        return self.line(join_items([say(Who(seat)) for seat in seats])) if seats else ""

    def card(self, card: Card | None) -> str:
        """Return a card as it is shown; "??" for None."""
        return card_text(card, ascii_only=self.ascii_only)

    def cards(self, cards: Iterable[Card | None]) -> str:
        """Return several cards with a space between two."""
        return " ".join(map(self.card, cards))

    def line(self, line: Line) -> str:
        """Return a line of a telling as text."""
        return "".join(self._part(part) for part in line)

    def sentence(self, line: Line) -> str:
        """Return a line of a telling as text with a capital first letter."""
        return capital(self.line(line))

    def _part(self, part: object) -> str:
        """Return one part of a line as text; raises TypeError for what is no part."""
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
                # A game that tells what no front end can write has a defect.
                raise TypeError(f"no part of a line: {part!r}")
