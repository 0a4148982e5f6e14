"""Layouts of the cards that a seat has not seen, drawn at random from those that the facts allow.

Every fact about hidden cards in 304 speaks of suits (see `p2p304.statements`). Once a trump suit is
supposed, each fact says which suits a slot cannot hold; slots of one hand that may hold the same
suits are one room. Who bids holds trumps: layouts in which the maker does are drawn more often.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from p2p304.bots.play304.imagined_table import POINTS, Imagined
from p2p304.bots.play304.scenes import stage_of
from p2p304.cards import Card, Slot
from p2p304.randomness import Randomness
from p2p304.rules304.bits import BIT, CARD, SUIT_BITS, SUITS, bits, mask
from p2p304.rules304.pack import Deck
from p2p304.rules304.state import State
from p2p304.rules304.tricks import total_tricks
from p2p304.statements import AllOfSuit, AnyOf, NoneOfSuit, Statement, SuitsDiffer
from p2p304.view import View

EVERY_SUIT: Final = 0b1111
_NOWHERE: Final = -1


Allowed = dict[Slot, int]
"""The suits that each unknown slot may hold, as a set of bits."""


class Room(NamedTuple):
    """Unknown slots of one place that may hold the same suits."""

    place: int
    """The seat in whose hand they are, or -1 for cards that lie on the table or in no hand."""
    slots: tuple[Slot, ...]
    cards: int
    """The unseen cards that they may hold."""


class Supposition(NamedTuple):
    """A trump suit that may be, and where the unseen cards may lie then."""

    trump: int
    rooms: tuple[Room, ...]
    weight: int


class Layouts:
    """Everything needed to imagine layouts for the seat of one view, after trump was chosen.

    Raises ValueError for a view without a seat or before trump is chosen.
    """

    def __init__(self, view: View[State]) -> None:
        state, seat = view.state, view.seat
        if seat is None or state.maker is None or state.trump_slot is None:
            raise ValueError("nothing is imagined before trump is chosen, or by a spectator")
        self._state = state
        self._seat = seat
        self._faces = view.faces
        self._maker = state.maker
        self._indicator = state.trump_slot
        self._stage = stage_of(state)
        self._seen = {slot: BIT[card] for slot, card in view.faces.items()}
        seen = mask(view.faces[slot] for slot in _slots_in_sight(state) if slot in view.faces)
        self.unseen: Final = whole(state.profile.deck) & ~seen
        """The cards that the seat has not seen, as bits."""
        self._suppositions = tuple(self._supposed())
        if not self._suppositions:
            raise ValueError("no layout fits what the seat has seen")

    def layout(self, chance: Randomness) -> dict[Slot, Card]:
        """Return one layout: a face for every slot whose card the seat has not seen."""
        laid = self._laid(self._chosen(chance), chance)
        return {slot: CARD[card] for slot, card in laid.items()}

    def draw(self, chance: Randomness) -> Imagined:
        """Return a layout, as the place from which playouts begin with the seat to act next."""
        supposition = self._chosen(chance)
        laid = self._laid(supposition, chance)
        rival = self._laid(supposition, chance)
        trumps = SUIT_BITS[supposition.trump]
        mine, theirs = self._claim(laid, trumps), self._claim(rival, trumps)
        if chance.randbelow(mine + theirs) >= mine:
            laid = rival
        return self._stage.scene(self._seen | laid)

    # ------------------------------------------------------------------ what is certain

    def _supposed(self) -> Iterator[Supposition]:
        state, faces = self._state, self._faces
        trump = state.trump
        if trump is None and self._indicator in faces:
            trump = faces[self._indicator].suit
        for suit in SUITS if trump is None else (trump,):
            for allowed in self._worlds(suit):
                supposition = Supposition(suit, self._rooms(allowed), self._likely(suit))
                if _matched(supposition.rooms, bits(self.unseen)) is not None:
                    yield supposition

    def _likely(self, suit: int) -> int:
        """Return how likely the maker chose this suit: the more of it is unseen, the more so."""
        unseen = self.unseen & SUIT_BITS[suit]
        return (1 + sum(POINTS[card] for card in bits(unseen))) ** 2

    def _worlds(self, trump: int) -> list[Allowed]:
        """Return the ways to satisfy the facts under this trump; none if they exclude it."""
        allowed = {
            slot: EVERY_SUIT for slot in _slots_in_sight(self._state) if slot not in self._faces
        }
        if self._indicator in allowed:
            allowed[self._indicator] = 1 << trump
        worlds = [allowed]
        for fact in self._state.facts:
            alternatives = fact.alternatives if isinstance(fact, AnyOf) else (fact,)
            narrowed: list[Allowed] = []
            for world in worlds:
                for each in alternatives:
                    after = self._narrowed(world, trump, each)
                    if after is not None and after not in narrowed:
                        narrowed.append(after)
            worlds = narrowed
        return worlds

    def _narrowed(self, allowed: Allowed, trump: int, fact: Statement) -> Allowed | None:
        """Return `allowed` as the fact leaves it; None where a known card contradicts it."""
        faces = self._faces
        match fact:
            case NoneOfSuit(slots, suit):
                keeps = EVERY_SUIT & ~(1 << suit)
            case AllOfSuit(slots, suit):
                keeps = 1 << suit
            case SuitsDiffer(slots, other):
                face = faces.get(other)
                keeps = EVERY_SUIT & ~(1 << (trump if face is None else face.suit))
            case _:
                return allowed
        narrowed = dict(allowed)
        for slot in slots:
            if slot in narrowed:
                narrowed[slot] &= keeps
            elif slot in faces and not keeps >> faces[slot].suit & 1:
                return None
        return narrowed

    def _rooms(self, allowed: dict[Slot, int]) -> tuple[Room, ...]:
        rooms: dict[tuple[int, int], list[Slot]] = {}
        places = {slot: seat for seat, hand in enumerate(self._state.hands) for slot in hand}
        for slot, suits in allowed.items():
            rooms.setdefault((places.get(slot, _NOWHERE), suits), []).append(slot)
        narrow = sorted(rooms.items(), key=lambda room: room[0][1].bit_count())
        return tuple(
            Room(place, tuple(slots), self.unseen & _cards_of_suits(suits))
            for (place, suits), slots in narrow
        )

    # ------------------------------------------------------------------ what is imagined

    def _chosen(self, chance: Randomness) -> Supposition:
        suppositions = self._suppositions
        if len(suppositions) == 1:
            return suppositions[0]
        drawn = chance.randbelow(sum(each.weight for each in suppositions))
        for each in suppositions:
            if drawn < each.weight:
                return each
            drawn -= each.weight
        raise AssertionError("the weights add up")

    def _laid(self, supposition: Supposition, chance: Randomness) -> dict[Slot, int]:
        """Return a card for each unknown slot."""
        cards = list(bits(self.unseen))
        chance.shuffle(cards)
        laid = _filled(supposition.rooms, cards) or _matched(supposition.rooms, cards)
        assert laid is not None, "only suppositions that have a layout are kept"
        return laid

    def _claim(self, laid: dict[Slot, int], trumps: int) -> int:
        """Return how well the maker's trumps explain that it bid."""
        if self._maker == self._seat:
            return 1
        held = 0
        for slot in self._state.hands[self._maker]:
            card = laid.get(slot, 0)
            if card & trumps:
                held += 10 + POINTS[card]
        return 10 + held


@cache
def whole(deck: Deck) -> int:
    """Return all cards of a pack, as bits."""
    return mask(deck.cards)


def _slots_in_sight(state: State) -> tuple[Slot, ...]:
    """Return every slot that holds a card of the pack now or did so when it was played, each
    once."""
    slots = [slot for hand in state.hands for slot in hand]
    slots += [play.slot for play in state.plays]
    slots += [play.slot for trick in state.tricks for play in trick.plays]
    if state.indicator is not None:
        slots.append(state.indicator)
    dealt, pack = total_tricks(state) * state.seats, len(state.profile.deck.cards)
    # Half court deals one batch; the rest of the pack lies where nobody looks.
    slots += [Slot((state.cut + place) % pack) for place in range(dealt, pack)]
    return tuple(slots)


def _cards_of_suits(suits: int) -> int:
    return sum(SUIT_BITS[suit] for suit in SUITS if suits >> suit & 1)


def _filled(rooms: tuple[Room, ...], cards: list[int]) -> dict[Slot, int] | None:
    """Return the cards put into the rooms as they come, the narrowest room first; None if that
    fails."""
    laid: dict[Slot, int] = {}
    rest = cards
    for room in rooms:
        size, fitting = len(room.slots), room.cards
        chosen: list[int] = []
        left: list[int] = []
        for card in rest:
            if len(chosen) < size and card & fitting:
                chosen.append(card)
            else:
                left.append(card)
        if len(chosen) < size:
            return None
        laid.update(zip(room.slots, chosen, strict=True))
        rest = left
    return laid


def _matched(rooms: tuple[Room, ...], cards: list[int] | tuple[int, ...]) -> dict[Slot, int] | None:
    """Put the cards into the rooms by augmenting paths, which find a layout wherever there is
    one."""
    laid: dict[Slot, int] = {}
    fitting = {slot: room.cards for room in rooms for slot in room.slots}
    where: dict[int, Slot] = {}

    def place(slot: Slot, tried: set[int]) -> bool:
        for card in cards:
            if card & fitting[slot] and card not in tried:
                tried.add(card)
                if card not in where or place(where[card], tried):
                    where[card] = slot
                    laid[slot] = card
                    return True
        return False

    return laid if all(place(slot, set()) for slot in fitting) else None
