"""Hands of 304 with imagined cards, played to their end in a moment by rules of thumb."""

from __future__ import annotations

from collections.abc import Callable

from p2p304.bots.play304.imagined_table import (
    Imagined,
    ImaginedTable,
    PlayedOut,
)
from p2p304.bots.play304.own_hand import choice_by_own_hand

#: Which of several legal cards the seat on turn plays.
Choice = Callable[[ImaginedTable, int], int]


def play_out(scene: Imagined, first: int = 0, choice: Choice = choice_by_own_hand) -> PlayedOut:
    """Return how a hand ends from `scene`: the points of the maker's team and the tricks that it
    lost.

    The seat on turn plays `first`, a card as one bit, unless it is 0; `choice` chooses every other
    card.
    """
    table = ImaginedTable(scene)
    if first:
        table.play(first)
    return play_on(table, choice)


def play_on(table: ImaginedTable, choice: Choice) -> PlayedOut:
    """Play the hand on the table to its end, with cards that `choice` chooses, and return the
    points of the maker's team and the tricks that it lost.
    """
    # Looked up once: a search plays thousands of hands out.
    legal, play = table.legal, table.play
    while not table.over:
        cards = legal()
        # A single bit less its lowest bit is 0: one legal card leaves nothing to choose.
        play(choice(table, cards) if cards & cards - 1 else cards)
    return PlayedOut(table.points, table.lost)
