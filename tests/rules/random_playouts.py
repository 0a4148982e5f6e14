"""Deals and players of imagined hands that chance makes, for tests and measurements."""

from __future__ import annotations

from collections.abc import Iterator

from p2p304.bots.play304.imagined_table import Duties, Imagined, ImaginedTable
from p2p304.bots.play304.playout import Choice
from p2p304.randomness import SeededRandomness
from p2p304.rules304.bits import BIT, SUIT_OF
from p2p304.rules304.pack import PACK


def at_random(chance: SeededRandomness) -> Choice:
    """Return the choice of players who draw their cards."""

    def choice(table: ImaginedTable, legal: int) -> int:
        for _ in range(chance.word() * legal.bit_count() >> 64):
            legal &= legal - 1
        return legal & -legal

    return choice


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
