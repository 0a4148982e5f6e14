"""Layouts that agree with what a seat knows: whether there are any, how many, and random ones.

A layout puts every unseen card into a slot that may hold it (RULES 13.1). Bots sample layouts to
think about what the others may have; the choice is uniform over all layouts of all trump suits that
the seat cannot exclude.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from math import comb
from typing import NamedTuple

from p2p304.cards import Card, Suit
from p2p304.randomness import Randomness
from p2p304.rules304.bits import SUITS
from p2p304.rules304.hypotheses import Hypothesis, Room, hypotheses
from p2p304.rules304.information import InformationSet
from p2p304.slots import Slot

Counts = tuple[int, int, int, int]
"""How many cards of each suit."""


class Layout(NamedTuple):
    """One way the unseen cards may lie."""

    trump: Suit
    faces: Mapping[Slot, Card]
    """The card of every slot that the seat does not know."""


class Layouts:
    """All layouts that one information set allows. Holds tables: keep it for many samples."""

    def __init__(self, information: InformationSet) -> None:
        self._cards = [
            sorted(card for card in information.unseen if card.suit is suit) for suit in SUITS
        ]
        self._counts: Counts = tuple(len(cards) for cards in self._cards)  # type: ignore[assignment]  # four suits
        self._worlds = tuple(
            _World(hypothesis, self._counts) for hypothesis in hypotheses(information)
        )

    def __len__(self) -> int:
        """How many layouts there are; the order of cards within a hand does not count."""
        return sum(world.layouts for world in self._worlds)

    def sample(self, chance: Randomness) -> Layout:
        """A layout drawn uniformly. Raises ValueError if none agrees with the facts."""
        total = len(self)
        if not total:
            raise ValueError("no layout agrees with what the seat knows")
        number = chance.randbelow(total)
        for world in self._worlds:
            if number < world.layouts:
                return self._drawn(world, number, chance)
            number -= world.layouts
        raise AssertionError("the layouts of all worlds add up to the total")

    def _drawn(self, world: _World, number: int, chance: Randomness) -> Layout:
        cards = [list(suit) for suit in self._cards]
        for suit in cards:
            chance.shuffle(suit)
        faces: dict[Slot, Card] = {}
        for room, counts in zip(world.rooms, world.split(number), strict=True):
            drawn = [cards[suit].pop() for suit in SUITS for _ in range(counts[suit])]
            chance.shuffle(drawn)
            faces.update(zip(room.slots, drawn, strict=True))
        return Layout(world.trump, faces)


class _World:
    """The layouts under one hypothesis, counted room by room from the last to the first."""

    def __init__(self, hypothesis: Hypothesis, counts: Counts) -> None:
        self.trump = hypothesis.trump
        # Rooms that may hold little come first, so that fewer splits are tried in vain.
        self.rooms = sorted(
            hypothesis.rooms(), key=lambda room: (room.allowed.bit_count(), len(room.slots))
        )
        self._counts = counts
        self._ways = cache(self._ways_from)
        self.layouts = self._ways(0, counts)

    def _ways_from(self, place: int, counts: Counts) -> int:
        """How many ways lead from here, with `counts` unseen cards left for the later rooms."""
        if place == len(self.rooms):
            return 1
        return sum(
            ways * self._ways(place + 1, rest)
            for _, rest, ways in _splits(self.rooms[place], counts)
        )

    def split(self, number: int) -> Iterator[Counts]:
        """The suits of each room in the layouts among which `number` counts."""
        counts = self._counts
        for place, room in enumerate(self.rooms):
            for taken, rest, ways in _splits(room, counts):
                weight = ways * self._ways(place + 1, rest)
                if number < weight:
                    yield taken
                    number //= ways
                    counts = rest
                    break
                number -= weight


def _splits(room: Room, counts: Counts) -> Iterator[tuple[Counts, Counts, int]]:
    """How a room can be filled: the suits taken, what they leave, and in how many ways."""
    most = [count if room.allowed >> suit & 1 else 0 for suit, count in enumerate(counts)]
    size = len(room.slots)
    if size == sum(counts):
        if sum(most) == size:
            yield counts, (0, 0, 0, 0), 1
        return
    for first in range(min(most[0], size) + 1):
        for second in range(min(most[1], size - first) + 1):
            for third in range(min(most[2], size - first - second) + 1):
                fourth = size - first - second - third
                if fourth <= most[3]:
                    taken = (first, second, third, fourth)
                    rest = (
                        counts[0] - first,
                        counts[1] - second,
                        counts[2] - third,
                        counts[3] - fourth,
                    )
                    ways = 1
                    for count, part in zip(counts, taken, strict=True):
                        ways *= comb(count, part)
                    yield taken, rest, ways
