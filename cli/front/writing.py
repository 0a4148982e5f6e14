"""A game's lines as text, suits as signs or letters and names of seats; and the state of a hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from cli.wording import capital
from p2p304.cards import Card, Suit
from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.seats import Seat, place_name
from p2p304.sentences import Line, Unseen, Who, join_items, say
from p2p304.telling import Lying, Scene
from p2p304.view import View

SUIT_SIGNS: Final = {Suit.SPADES: "♠", Suit.HEARTS: "♥", Suit.DIAMONDS: "♦", Suit.CLUBS: "♣"}


def rank_text(card: Card) -> str:
    """Return a card's rank as it is shown: "10", "J"."""
    # Cards are written with one letter on the wire, and read better as 10.
    return "10" if card.rank.letter == "T" else card.rank.letter


class Writer:
    """A writer of a game's lines for a table, whose number of seats gives the names of places."""

    __slots__ = ("ascii_only", "seats", "signs")

    def __init__(self, seats: int, *, ascii_only: bool = False) -> None:
        """Set up a writer for a table of `seats`; with `ascii_only` it writes letters for suits."""
        self.seats = seats
        self.ascii_only = ascii_only
        # A terminal without the signs shows letters.
        self.signs = {suit: suit.letter for suit in Suit} if ascii_only else SUIT_SIGNS

    def seat(self, seat: int) -> str:
        """Return the name of a seat: "South", or "seat 5" at a table without names of places."""
        return place_name(seat, self.seats)

    def join_seats(self, seats: Sequence[Seat]) -> str:
        """Return several seats as a list: "East, North and West"; "" for none."""
        return self.line(join_items([say(Who(seat)) for seat in seats])) if seats else ""

    def card(self, card: Card | None) -> str:
        """Return a card as it is shown: "10♠", "10S" with `ascii_only`; "??" for None."""
        return Unseen.CARD.value if card is None else rank_text(card) + self.signs[card.suit]

    def cards(self, cards: Iterable[Card | None]) -> str:
        """Return several cards with a space between two."""
        return " ".join(map(self.card, cards))

    def line(self, line: Line) -> str:
        """Return a line of a telling as text; raises TypeError for what is no part of a line."""
        said = ""
        for part in line:
            match part:
                case str():
                    said += part
                # A suit in a sentence is a word, as in "hearts are trump"; signs stand on cards.
                case Suit():
                    said += part.name.lower()
                case Card():
                    said += self.card(part)
                case Who(seat):
                    said += self.seat(seat)
                case Unseen():
                    said += part.value
                case _:
                    # A game that tells what no front end can write has a defect.
                    raise TypeError(f"no part of a line: {part!r}")
        return said

    def sentence(self, line: Line) -> str:
        """Return a line of a telling as text with a capital first letter."""
        return capital(self.line(line))


def situation(
    game: AnyGame, view: View[Any], scores: tuple[int, ...], writer: Writer
) -> tuple[str, ...]:
    """Return the state of the hand as lines, for the player of the view's seat.

    `scores` are the match's before this hand.
    """
    scene = telling_of(game).scene(view, scores)
    # A card laid beside the hand (the trump indicator) is told with the contract.
    own = None if view.seat is None else scene.places[view.seat].side_card
    lies = [] if own is None else [f"your {own.label} is {writer.card(own.card)}"]
    return (*_lines(scene, lies, writer), f"You hold  {hand_line(game, view, writer)}")


def hand_line(game: AnyGame, view: View[Any], writer: Writer) -> str:
    """Return the cards of the view's seat by suit, in the game's order, and their points if they
    have any; "no cards" for none.
    """
    # `apart`: cards that are not in the hand now, though they are the seat's.
    cards = [each.card for each in telling_of(game).hand(view) if not each.apart]
    groups = [
        " ".join([writer.signs[suit], *map(rank_text, held)])
        # The game's order keeps suits together, so that `groupby` finds each once.
        for suit, held in groupby(cards, key=lambda card: card.suit)
    ]
    points = sum(map(game.points_of, cards))
    return ("   ".join(groups) or "no cards") + (f"   ({points} points)" if points else "")


# The rules let nobody look at an earlier trick, so no front end keeps one.
def last_trick(game: AnyGame, view: View[Any], writer: Writer) -> str:
    """Return the last complete trick in words, or a sentence that there is none; the rules
    forbid looking at earlier ones.
    """
    telling = telling_of(game)
    if not telling.last_trick(view):
        return "No trick has been taken yet."
    return writer.sentence(telling.trick_line(view.state, view.faces))


def _lines(scene: Scene, lies: list[str], writer: Writer) -> Iterator[str]:
    """Yield the scene as lines: contract, auction, counts and the trick.

    The line of the contract, if there is one, ends with `lies`: the card beside our hand in words.
    """
    # Labels have ten cells: the texts after them stand below each other.
    if scene.contract:
        yield f"Contract  {'; '.join([*map(writer.line, scene.contract), *lies])}"
    calls = [
        f"{writer.seat(seat)} {', '.join(place.calls)}"
        for seat, place in enumerate(scene.places)
        if place.calls
    ]
    # Once play has begun the auction is over, and its calls are in the contract.
    if calls and scene.middle:
        yield f"Auction   {'; '.join(calls)}"
    # The first is the match's own score, which other lines tell.
    for count in scene.counts[1:]:
        values = ", ".join(f"{writer.line(side)} {value}" for side, value in count.values)
        yield f"{count.word:<9} {values}"
    # A trick that somebody has won is lying there only to be seen.
    if scene.lying and not any(each.wins for each in scene.lying):
        cards = ", ".join(f"{writer.seat(each.seat)} {_face(each, writer)}" for each in scene.lying)
        yield f"Trick {scene.tricks + 1:<3} {cards}"


def _face(card: Lying, writer: Writer) -> str:
    """Return a card on the table in words, in brackets if it lies face down."""
    if card.card is None:
        return "[face down]"
    # In brackets: its owner sees it, and it lies face down for the others.
    return f"[{writer.card(card.card)}]" if card.down else writer.card(card.card)
