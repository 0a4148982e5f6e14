"""A hand with prepared cards, for who has never played a game: whose moves are known, and why."""

from __future__ import annotations

from typing import NamedTuple

from p2p304.seats import Seat


class Lesson(NamedTuple):
    """What is told before a choice of the learner's, page by page, and about another choice."""

    title: str
    pages: tuple[str, ...]
    """Each short enough for the smallest screen, with cards as "9H"."""
    instead: str = ""
    """What is said of every other choice."""


class TaughtMove(NamedTuple):
    """One move of the hand, as it is typed; with a lesson if it is the learner's."""

    seat: Seat
    typed: str
    lesson: Lesson | None = None
    order: str = ""
    """The cards of a choice that states an order."""


class FirstHand(NamedTuple):
    """The hand: what is agreed, who deals, the cards in the order of dealing, and the moves.

    What decides nothing is done by itself, and is none of the moves.
    """

    parameters: str
    dealer: Seat
    learner: Seat
    deck: str
    moves: tuple[TaughtMove, ...]
    end: Lesson
