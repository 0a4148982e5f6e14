"""Layouts drawn as likely as they are: all that the facts allow alike, weighed by what was done.

Who bids holds trumps, who passes holds few; who did not cut has none, and who led a low card had a
reason. Each call and each card of the others was chosen by somebody who held certain cards; a
layout is as likely as it makes these choices usual (Rebstock, Solinas and Buro, "Learning Policies
from Human Data for Skat", 2019). What is usual was learned from play (`make likelihoods`).
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import factorial
from typing import Final, NamedTuple

from p2p304.bots.play304.imagined_table import Imagined
from p2p304.bots.play304.moments import Moment, moments, options, share
from p2p304.bots.play304.promise import likely_trump
from p2p304.bots.play304.sampling import Layouts, Room, Supposition
from p2p304.bots.play304.usual_calls import Heard, fits, heard_in, likely
from p2p304.bots.tables import likely304 as learned
from p2p304.cards import Card, Slot
from p2p304.randomness import Randomness
from p2p304.rules304.bits import CARD, SUIT_BITS, SUITS, WIDTH, bits
from p2p304.rules304.state import State
from p2p304.seats import Seat
from p2p304.view import View

_BLOCK: Final = 48
"""Layouts that are chosen at once."""
_POOL: Final = 3
"""Layouts that are weighed for each of them."""
_FAINT: Final = 1e-9
_DULL: Final = 0.8
"""The power of what cards say: their signs are not independent of each other."""
_FIRST: Final = 4
"""Cards of the first batch."""
_FRACTION: Final = 1 << 53
_ABOVE: Final = len(SUITS) * WIDTH
"""Bits of all cards."""

Counts = tuple[int, ...]


class Ways:
    """The ways in which the unseen cards of each suit go into rooms, each as likely as it has
    layouts."""

    def __init__(self, rooms: Sequence[Room], unseen: int) -> None:
        groups: dict[int, list[Slot]] = {}
        for room in rooms:
            groups.setdefault(room.cards, []).extend(room.slots)
        ordered = sorted(groups.items(), key=lambda each: each[0].bit_count())
        self._groups = [(cards, tuple(slots)) for cards, slots in ordered]
        self._suits = [bits(unseen & SUIT_BITS[suit]) for suit in SUITS]
        self._known: dict[tuple[int, Counts], float] = {}
        self._splits: dict[tuple[int, Counts], tuple[list[Counts], list[float]]] = {}
        self._start = tuple(map(len, self._suits))
        volume = self._count(0, self._start)
        for _, slots in self._groups:
            volume *= factorial(len(slots))
        self.volume: Final = volume
        """How many layouts there are, times what is the same for all suppositions."""

    def _count(self, place: int, left: Counts) -> float:
        if place == len(self._groups):
            return float(not any(left))
        key = place, left
        found = self._known.get(key)
        if found is None:
            splits: list[Counts] = []
            shares: list[float] = []
            cards, slots = self._groups[place]
            most = [n if cards & SUIT_BITS[suit] else 0 for suit, n in enumerate(left)]
            last = place == len(self._groups) - 1
            for split in [left] if last else _splits(len(slots), most):
                if sum(split) != len(slots) or any(n > m for n, m in zip(split, most, strict=True)):
                    continue
                rest = tuple(n - taken for n, taken in zip(left, split, strict=True))
                ways = self._count(place + 1, rest)
                for taken in split:
                    ways /= _FACTORIALS[taken]
                if ways:
                    splits.append(split)
                    shares.append(ways)
            found = sum(shares)
            self._known[key] = found
            self._splits[key] = splits, list(accumulate(shares))
        return found

    def draw(self, chance: Randomness) -> dict[Slot, int]:
        """Return a card for each slot, every layout as likely as any other."""
        stacks = []
        for cards in self._suits:
            stack = list(cards)
            chance.shuffle(stack)
            stacks.append(stack)
        laid: dict[Slot, int] = {}
        left = self._start
        for place, (_, slots) in enumerate(self._groups):
            splits, sums = self._splits[place, left]
            drawn = chance.randbelow(_FRACTION) / _FRACTION * sums[-1]
            split = splits[min(bisect(sums, drawn), len(splits) - 1)]
            some: list[int] = []
            for stack, taken in zip(stacks, split, strict=True):
                if taken:
                    some += stack[-taken:]
                    del stack[-taken:]
            chance.shuffle(some)
            laid.update(zip(slots, some, strict=True))
            left = tuple(n - taken for n, taken in zip(left, split, strict=True))
        return laid


_FACTORIALS: Final = tuple(float(factorial(n)) for n in range(41))


def _splits(size: int, most: list[int]) -> list[Counts]:
    one, two, three, four = most
    return [
        (a, b, c, d)
        for a in range(min(one, size) + 1)
        for b in range(min(two, size - a) + 1)
        for c in range(min(three, size - a - b) + 1)
        if (d := size - a - b - c) <= four
    ]


class Weighed(NamedTuple):
    """A layout and how well it explains what was done, beside the other ones."""

    supposition: Supposition
    laid: dict[Slot, int]
    weight: float


class Belief(Layouts):
    """The layouts of one view, drawn as likely as the others' calls and cards make them.

    Raises ValueError as `Layouts` does.
    """

    def __init__(self, view: View[State]) -> None:
        super().__init__(view)
        self._ways = [Ways(each.rooms, self.unseen) for each in self._suppositions]
        self._left: list[Weighed] = []
        self._shares: dict[tuple[int, int, int], float] = {}
        self._heard = self._calls()
        self._moments = tuple(self._plays())

    def layout(self, chance: Randomness) -> dict[Slot, Card]:
        """Return one layout: a face for every slot whose card the seat has not seen."""
        return {slot: CARD[card] for slot, card in self._drawn(chance).laid.items()}

    def draw(self, chance: Randomness) -> Imagined:
        """Return a layout, as the place from which playouts begin with the seat to act next."""
        return self._stage.scene(self._seen | self._drawn(chance).laid)

    # ------------------------------------------------------------------ what is drawn

    def _drawn(self, chance: Randomness) -> Weighed:
        if not self._left:
            pool = self._pool(chance)
            sums = list(accumulate(each.weight for each in pool))
            step = sums[-1] / _BLOCK
            # Evenly over the sum, so that as few as can be are drawn twice.
            first = chance.randbelow(_FRACTION) / _FRACTION
            places = (bisect(sums, (place + first) * step) for place in range(_BLOCK))
            self._left = [pool[min(place, len(pool) - 1)] for place in places]
            chance.shuffle(self._left)
        return self._left.pop()

    def _pool(self, chance: Randomness) -> list[Weighed]:
        """Return layouts that the facts allow, each as likely as any other, with their weights."""
        volumes = list(accumulate(ways.volume for ways in self._ways))
        pool = []
        for _ in range(_POOL * _BLOCK):
            drawn = chance.randbelow(_FRACTION) / _FRACTION * volumes[-1]
            place = min(bisect(volumes, drawn), len(volumes) - 1)
            laid = self._ways[place].draw(chance)
            supposition = self._suppositions[place]
            weight = self._weight(supposition.trump, laid, chance)
            pool.append(Weighed(supposition, laid, max(weight, _FAINT)))
        return pool

    # ------------------------------------------------------------------ what explains what was done

    def _calls(self) -> dict[Seat, list[Heard]]:
        state = self._state
        heard: dict[Seat, list[Heard]] = {}
        if not fits(state.profile):
            return heard
        for each in heard_in(state.profile, state.dealer, state.calls, state.auction):
            if each.seat != self._seat:
                heard.setdefault(each.seat, []).append(each)
        return heard

    def _plays(self) -> Iterator[tuple[list[Moment], list[Slot]]]:
        """Yield what the others played, each with the places of what its hand held then."""
        state = self._state
        played: dict[Seat, list[Moment]] = {seat: [] for seat in state.everybody}
        for each in moments(state):
            played[each.seat].append(each)
        for seat, own in played.items():
            if seat != self._seat:
                kept = list(state.hands[seat])
                if seat == self._maker and state.indicator is not None:
                    kept.append(state.indicator)
                yield own, kept

    def _weight(self, trump: int, laid: dict[Slot, int], chance: Randomness) -> float:
        cards = self._seen | laid
        weight = 1.0
        state = self._state
        trumps = SUIT_BITS[trump]
        for seat, heard in self._heard.items():
            first = self._first(seat, cards, chance)
            if not first:
                continue
            for each in heard:
                weight *= likely(state.profile, each, first)
            if seat == self._maker:
                weight *= likely_trump(first, trump)
        said = 1.0
        for own, kept in self._moments:
            hand = 0
            for slot in kept:
                hand |= cards[slot]
            for moment in reversed(own):
                card = cards[moment.slot]
                hand |= card
                indicator = 0
                if not moment.role and not moment.open:
                    indicator = cards[self._indicator]
                among = options(moment, hand, trumps, indicator & hand) | card
                if among == card:
                    continue
                # Who follows chooses among the suit, whatever else it holds.
                rest = among if card & moment.led else hand
                key = id(moment), card, rest | trumps << _ABOVE
                found = self._shares.get(key)
                if found is None:
                    found = share(learned.PLAYS, moment, card, among, hand, trumps)
                    self._shares[key] = found
                said *= found
        return float(weight * said**_DULL)

    def _first(self, seat: Seat, cards: dict[Slot, int], chance: Randomness) -> int:
        """Return which of a seat's cards may have been its first ones."""
        slots = list(self._state.dealt[seat])
        if not slots:
            # Hands are not sorted yet: the first batch comes first, the indicator was of it.
            slots = list(self._state.hands[seat][:_FIRST])
            if seat == self._maker:
                slots[-1:] = [self._indicator]
        if len(slots) <= _FIRST:
            return sum(cards[slot] for slot in slots)
        first = size = 0
        if seat == self._maker:
            if self._indicator not in slots:
                return 0
            slots.remove(self._indicator)
            first, size = cards[self._indicator], 1
        left = len(slots)
        while size < _FIRST:
            left -= 1
            place = chance.randbelow(left + 1)
            slots[place], slots[left] = slots[left], slots[place]
            first |= cards[slots[left]]
            size += 1
        return first
