"""Hands of 304 with imagined cards, played to their end in a moment by rules of thumb."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from p2p304.bots.play304.imagined_table import (
    Duties,
    Imagined,
    ImaginedTable,
    PlayedOut,
)
from p2p304.bots.play304.own_hand import choice_by_own_hand
from p2p304.randomness import SeededRandomness
from p2p304.rules304.bits import BIT, SUIT_OF
from p2p304.rules304.pack import PACK

Choice = Callable[[ImaginedTable, int], int]
"""Which of several legal cards the seat on turn plays."""


def at_random(chance: SeededRandomness) -> Choice:
    """Return the choice of players who draw their cards."""

    def choice(table: ImaginedTable, legal: int) -> int:  # noqa: ARG001 - chance does not look
        for _ in range(chance.word() * legal.bit_count() >> 64):
            legal &= legal - 1
        return legal & -legal

    return choice


def play_out(scene: Imagined, first: int = 0, choice: Choice = choice_by_own_hand) -> PlayedOut:
    """Return how the hand ends if the seat on turn plays `first`, or any card if that is 0; every
    seat decides on what it may know, unless `choice` says otherwise."""
    table = ImaginedTable(scene)
    if first:
        table.play(first)
    return play_on(table, choice)


def play_on(table: ImaginedTable, choice: Choice) -> PlayedOut:
    """Play the hand on the table to its end, and return it."""
    legal, play = table.legal, table.play
    while not table.over:
        cards = legal()
        play(choice(table, cards) if cards & cards - 1 else cards)
    return PlayedOut(table.points, table.lost)


def random_deals(chance: SeededRandomness) -> Iterator[Imagined]:
    """Yield deals of four seats with hidden trump, before the first card; no end."""
    cards = [BIT[card] for card in PACK]
    sides = tuple(tuple((seat + maker) % 2 for seat in range(4)) for maker in range(2))
    while True:
        chance.shuffle(cards)
        word = chance.word()
        maker, turn, laid = word & 3, word >> 2 & 3, cards[0]
        hands = [sum(cards[place : place + 8]) for place in (0, 8, 16, 24)]
        hands[0] ^= laid
        hands = hands[-maker:] + hands[:-maker]
        yield Imagined(
            hands=tuple(hands),
            side=sides[maker & 1],
            maker=maker,
            trump=SUIT_OF[laid],
            turn=turn,
            indicator=laid,
            hidden=True,
            first=True,
            duties=Duties(opens_all_trumps=True, exhausted=True),
        )
