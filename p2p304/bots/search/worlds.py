"""Worlds of any game: the cards that a view leaves open, laid where nothing proved forbids them.

Nothing but the interface tells which slots there are. So cards are laid as slots are looked at; the
slots that imagined hands have looked at are known from then on, and laid all at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from p2p304.cards import Card, Slot
from p2p304.game import AnyGame
from p2p304.randomness import SeededRandomness
from p2p304.statements import (
    AllOfSuit,
    AnyOf,
    NoneOfSuit,
    NotCard,
    Statement,
    SuitsDiffer,
    holds,
    slots_of,
)
from p2p304.view import View

_TRIES: Final = 400
"""Layouts that are drawn until everything proved holds in one."""
_SWAPS: Final = 3
"""How often for each slot two cards change places, so that no layout is likelier than others."""


class NoCardLeftError(Exception):
    """No card that is left may lie in a slot: what was imagined cannot be."""


class Laid(dict[Slot, Card]):
    """The faces of a world: a card is laid in every slot that somebody looks at."""

    def __init__(self, faces: Mapping[Slot, Card], lay: Callable[[Slot], Card]) -> None:
        super().__init__(faces)
        self._lay = lay

    def __missing__(self, slot: Slot) -> Card:
        card = self[slot] = self._lay(slot)
        return card

    def __contains__(self, slot: object) -> bool:
        return True

    def get(self, slot: Slot, default: Any = None) -> Any:  # noqa: ARG002 - there is a card in each
        """Return the card of a slot."""
        return self[slot]

    def copied(self) -> Laid:
        """Return a copy to play a hand with; what it lays in a slot is laid in the world, too."""
        return Laid(self, self.__getitem__)


class _Asked(dict[Slot, Card]):
    """Faces, and those that were asked for: cards that the seat could act with."""

    def __init__(self, faces: Mapping[Slot, Card]) -> None:
        super().__init__(faces)
        self.cards: set[Card] = set()

    def __getitem__(self, slot: Slot) -> Card:
        card = super().__getitem__(slot)
        self.cards.add(card)
        return card


class OpenWorlds:
    """Worlds of a view of any game, all equally likely.

    A card that the seat gave away may lie anywhere: it has seen it, and not where it went.
    """

    def __init__(self, game: AnyGame, view: View[Any]) -> None:
        self._game = game
        self._view = view
        asked = _Asked(view.faces)
        game.legal_actions(View(view.seat, view.state, asked))
        known = set(view.faces.values())
        self._unseen = [card for card in game.pack if card not in known]
        self._gone = [card for card in game.pack if card in known and card not in asked.cards]
        self._points = {card: game.points_of(card) for card in game.pack}
        self._slots: list[Slot] = []
        self._pack = frozenset(game.pack)
        facts = [
            each for each in view.proved if any(slot not in view.faces for slot in slots_of(each))
        ]
        self._allowed = self._narrowed({}, facts) or {}
        self._checked = [each for each in facts if not isinstance(each, _OF_ONE_SLOT)]

    def learn(self, slot: Slot) -> None:
        """Note that imagined hands look at a slot whose card the seat has not seen."""
        if slot not in self._slots:
            self._slots.append(slot)

    def told(self, world: Laid) -> tuple[Card, ...]:
        """Return the cards that hands look at in a world, by which worlds are told apart."""
        return tuple(world[slot] for slot in self._slots)

    def draw(self, chance: SeededRandomness) -> Laid:
        """Return a world in which everything proved holds.

        Raises NoCardLeftError where none is found.
        """
        for _ in range(_TRIES):
            laid = self._laid(chance)
            if laid is not None and all(self._holds(each, laid) for each in self._checked):
                return laid
        raise NoCardLeftError

    def _holds(self, statement: Statement, laid: Laid) -> bool:
        """Tell whether a statement holds; one of slots that nobody looks at any more does."""
        if not all(dict.__contains__(laid, slot) for slot in slots_of(statement)):
            return True
        return holds(statement, laid, points=self._points)

    def _laid(self, chance: SeededRandomness) -> Laid | None:
        """Return faces with a card in every slot that is known, and more for those that are not;
        None where that fails."""
        cards, gone = list(self._unseen), list(self._gone)
        chance.shuffle(cards)
        chance.shuffle(gone)
        allowed = self._supposed(cards, chance)
        if allowed is None:
            return None
        slots = sorted(self._slots, key=lambda slot: len(allowed.get(slot, self._pack)))
        lacking = len(slots) - len(cards)
        if lacking > 0:
            cards += gone[-lacking:]
            del gone[-lacking:]
        found = _matched(slots, cards, allowed)
        if found is None:
            return None
        if allowed:
            _swap(found, slots, allowed, chance)
        used = {*found.values()}
        left = [card for card in cards if card not in used]

        def lay(slot: Slot) -> Card:
            if not left:
                left.extend(gone)
                gone.clear()
            for place in range(len(left) - 1, -1, -1):
                if _fits(allowed, slot, left[place]):
                    self.learn(slot)
                    return left.pop(place)
            raise NoCardLeftError

        return Laid({**self._view.faces, **found}, lay)

    def _supposed(self, cards: Sequence[Card], chance: SeededRandomness) -> Allowed | None:
        """Return which cards each slot may hold in the next world, where what is proved of several
        slots leaves it open: one alternative of each, and a card for what others differ from."""
        allowed: Allowed | None = self._allowed
        for each in self._checked:
            fact: Statement = each
            if isinstance(each, AnyOf):
                fact = each.alternatives[chance.randbelow(len(each.alternatives))]
            if allowed is None:
                return None
            if isinstance(fact, SuitsDiffer) and fact.other not in self._view.faces:
                fits = [card for card in cards if _fits(allowed, fact.other, card)]
                if not fits:
                    return None
                allowed = {**allowed, fact.other: frozenset(fits[:1])}
            allowed = self._narrowed(allowed, [fact])
        return allowed

    def _narrowed(self, allowed: Allowed, facts: Iterable[Statement]) -> Allowed | None:
        """Return which cards each hidden slot may hold once these facts hold, too; None where a
        card that is known contradicts one."""
        faces, found = self._view.faces, dict(allowed)
        for fact in facts:
            match fact:
                case NoneOfSuit(slots, suit):
                    keeps = frozenset(card for card in self._pack if card.suit != suit)
                case AllOfSuit(slots, suit):
                    keeps = frozenset(card for card in self._pack if card.suit == suit)
                case NotCard(slots, card):
                    keeps = self._pack - {card}
                case SuitsDiffer(slots, other):
                    known = [faces[other]] if other in faces else [*found.get(other, ())]
                    if len({card.suit for card in known}) != 1:
                        continue
                    keeps = frozenset(card for card in self._pack if card.suit != known[0].suit)
                case _:
                    continue
            for slot in slots:
                if slot not in faces:
                    found[slot] = found.get(slot, self._pack) & keeps
                elif faces[slot] not in keeps:
                    return None
        return found


Allowed = dict[Slot, frozenset[Card]]
"""The cards that a hidden slot may hold, of those slots of which anything is known."""
_OF_ONE_SLOT: Final = (NoneOfSuit, AllOfSuit, NotCard)
"""Statements that say of each slot by itself what it may hold."""


def _fits(allowed: Allowed, slot: Slot, card: Card) -> bool:
    cards = allowed.get(slot)
    return cards is None or card in cards


def _matched(slots: list[Slot], cards: list[Card], allowed: Allowed) -> dict[Slot, Card] | None:
    """Lay a card in each slot, the narrowest first; by augmenting paths, which find a way wherever
    there is one."""
    found: dict[Slot, Card] = {}
    lies: dict[Card, Slot] = {}

    def place(slot: Slot, tried: set[Card]) -> bool:
        for card in cards:
            if card not in lies and _fits(allowed, slot, card):
                lies[card], found[slot] = slot, card
                return True
        for card in cards:
            if card not in tried and _fits(allowed, slot, card):
                tried.add(card)
                if place(lies[card], tried):
                    lies[card], found[slot] = slot, card
                    return True
        return False

    return found if all(place(slot, set()) for slot in slots) else None


def _swap(
    found: dict[Slot, Card], slots: list[Slot], allowed: Allowed, chance: SeededRandomness
) -> None:
    """Exchange cards at random wherever both may lie in the other's slot: what was laid narrowest
    first is not equally likely before."""
    for _ in range(_SWAPS * len(slots)):
        one, other = slots[chance.randbelow(len(slots))], slots[chance.randbelow(len(slots))]
        if _fits(allowed, one, found[other]) and _fits(allowed, other, found[one]):
            found[one], found[other] = found[other], found[one]
