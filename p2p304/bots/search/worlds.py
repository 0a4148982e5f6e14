"""Worlds of any game: the cards that a view leaves open, laid where nothing proved forbids them.

Nothing but the interface tells which slots there are. So cards are laid as slots are looked at; the
slots that a few imagined hands looked at are known from then on, and laid all at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from p2p304.bots.search.interface import World
from p2p304.cards import Card, Slot
from p2p304.game import AnyGame
from p2p304.randomness import SeededRandomness
from p2p304.statements import AllOfSuit, NoneOfSuit, NotCard, Statement, holds, slots_of
from p2p304.view import View

_TRIES: Final = 60
"""Layouts that are drawn until everything proved holds in one."""
_SWAPS: Final = 3
"""How often for each slot two cards change places, so that no layout is likelier than others."""

Likelihood = Callable[[View[Any], Mapping[Slot, Card]], float]


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
    """Worlds of a view of any game, all equally likely but for what `likelihood` says of them.

    A card that the seat gave away may lie anywhere: it has seen it, and not where it went.
    """

    def __init__(self, game: AnyGame, view: View[Any], likelihood: Likelihood | None) -> None:
        self._game = game
        self._view = view
        self._likelihood = likelihood
        asked = _Asked(view.faces)
        game.legal_actions(View(view.seat, view.state, asked))
        known = set(view.faces.values())
        self._unseen = [card for card in game.pack if card not in known]
        self._gone = [card for card in game.pack if card in known and card not in asked.cards]
        self._points = {card: game.points_of(card) for card in game.pack}
        self._slots: list[Slot] = []
        self._allowed, self._checked = _facts(game, view)

    def learn(self, slot: Slot) -> None:
        """Note that imagined hands look at a slot whose card the seat has not seen."""
        if slot not in self._slots:
            self._slots.append(slot)

    def draw(self, chance: SeededRandomness) -> World:
        """Return a world in which everything proved holds.

        Raises NoCardLeftError where none is found.
        """
        for _ in range(_TRIES):
            laid = self._laid(chance)
            if laid is not None and all(self._holds(each, laid) for each in self._checked):
                break
        else:
            raise NoCardLeftError
        weight = 1.0 if self._likelihood is None else self._likelihood(self._view, laid)
        return World(laid, weight)

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
        slots = sorted(self._slots, key=lambda slot: len(self._allowed.get(slot, self._game.pack)))
        lacking = len(slots) - len(cards)
        if lacking > 0:
            cards += gone[-lacking:]
            del gone[-lacking:]
        found = self._matched(slots, cards)
        if found is None:
            return None
        if self._allowed:
            self._swap(found, slots, chance)
        used = {*found.values()}
        left = [card for card in cards if card not in used]

        def lay(slot: Slot) -> Card:
            if not left:
                left.extend(gone)
                gone.clear()
            for place in range(len(left) - 1, -1, -1):
                if self._fits(slot, left[place]):
                    return left.pop(place)
            raise NoCardLeftError

        return Laid({**self._view.faces, **found}, lay)

    def _fits(self, slot: Slot, card: Card) -> bool:
        allowed = self._allowed.get(slot)
        return allowed is None or card in allowed

    def _matched(self, slots: list[Slot], cards: list[Card]) -> dict[Slot, Card] | None:
        """Lay a card in each slot, the narrowest first; by augmenting paths, which find a way
        wherever there is one."""
        found: dict[Slot, Card] = {}
        lies: dict[Card, Slot] = {}

        def place(slot: Slot, tried: set[Card]) -> bool:
            for card in cards:
                if card not in lies and self._fits(slot, card):
                    lies[card], found[slot] = slot, card
                    return True
            for card in cards:
                if card not in tried and self._fits(slot, card):
                    tried.add(card)
                    if place(lies[card], tried):
                        lies[card], found[slot] = slot, card
                        return True
            return False

        return found if all(place(slot, set()) for slot in slots) else None

    def _swap(self, found: dict[Slot, Card], slots: list[Slot], chance: SeededRandomness) -> None:
        """Exchange cards at random wherever both may lie in the other's slot: what was laid
        narrowest first is not equally likely before."""
        for _ in range(_SWAPS * len(slots)):
            one, other = slots[chance.randbelow(len(slots))], slots[chance.randbelow(len(slots))]
            if self._fits(one, found[other]) and self._fits(other, found[one]):
                found[one], found[other] = found[other], found[one]


def _facts(game: AnyGame, view: View[Any]) -> tuple[dict[Slot, frozenset[Card]], list[Statement]]:
    """Return which cards a hidden slot may hold, where something is proved of it alone, and what
    else is proved."""
    pack = frozenset(game.pack)
    allowed: dict[Slot, frozenset[Card]] = {}
    others: list[Statement] = []
    for fact in view.proved:
        match fact:
            case NoneOfSuit(slots, suit):
                keeps = frozenset(card for card in pack if card.suit != suit)
            case AllOfSuit(slots, suit):
                keeps = frozenset(card for card in pack if card.suit == suit)
            case NotCard(slots, card):
                keeps = pack - {card}
            case _:
                if not all(slot in view.faces for slot in slots_of(fact)):
                    others.append(fact)
                continue
        for slot in slots:
            if slot not in view.faces:
                allowed[slot] = allowed.get(slot, pack) & keeps
    return allowed, others
