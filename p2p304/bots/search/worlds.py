"""Worlds of any game: the cards that a view leaves open, laid where nothing proved forbids them.

Nothing but the interface tells which slots there are. So cards are laid as slots are looked at; the
slots that imagined hands have looked at are known from then on, and laid all at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from p2p304.cards import Card, Faces, Slot
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

# What is proved of several slots together is checked afterwards, so most draws may fail.
#: Layouts that are drawn until everything proved holds in one. A choice: fewer give up worlds that
#: there are, more spend time on worlds that there are not.
_TRIES: Final = 400
#: How often for each slot two cards change places, so that no layout is likelier than others. A
#: choice: more mixes better, and costs time for each world.
_SWAPS: Final = 3
#: Statements that say of each slot by itself what it may hold.
_OF_ONE_SLOT: Final = (NoneOfSuit, AllOfSuit, NotCard)
#: The cards that a hidden slot may hold, of those slots of which anything is known.
Allowed = dict[Slot, frozenset[Card]]


class NoCardLeftError(Exception):
    """Raised where an imagined world is impossible: no card that is left may lie in a slot, no
    layout was found, or a seat that is to act has no legal action.
    """


class Laid(dict[Slot, Card]):
    """The faces of a world; a card is laid in a slot when it is first looked at."""

    def __init__(self, faces: Faces, lay: Callable[[Slot], Card]) -> None:
        """Begin with `faces`; `lay` is asked for the card of any other slot when that is first
        looked at.
        """
        super().__init__(faces)
        self._lay = lay

    def __missing__(self, slot: Slot) -> Card:
        """Lay a card in the slot, and return it; raises NoCardLeftError where none may lie
        there.
        """
        card = self[slot] = self._lay(slot)
        return card

    def __contains__(self, slot: object) -> bool:
        """Return True: every slot has a card once it is looked at."""
        return True

    def get(self, slot: Slot, default: Any = None) -> Any:  # noqa: ARG002 - there is a card in each
        """Return the card of a slot; `default` is never used, since every slot has a card."""
        return self[slot]

    def copy(self) -> Laid:
        """Return a copy that an imagined hand may change. A slot that is first looked at in the
        copy gets its card in this world, too.
        """
        # So that all choices of a race are played with the same cards, whichever looks first.
        return Laid(self, self.__getitem__)


class _Asked(dict[Slot, Card]):
    """Faces that record which cards were looked up."""

    def __init__(self, faces: Faces) -> None:
        """Begin with `faces`, of which no card has been looked up."""
        super().__init__(faces)
        self.cards: set[Card] = set()

    def __getitem__(self, slot: Slot) -> Card:
        """Return the card of a slot, and record it."""
        # By `[]` alone: so games look up the cards of a seat's hand when they list its actions.
        card = super().__getitem__(slot)
        self.cards.add(card)
        return card


class OpenWorlds:
    """Draws worlds that fit a view of any game, all about equally likely.

    A card that the seat has seen and no longer holds may lie in any slot: it may have been mixed
    with others.
    """

    def __init__(self, game: AnyGame, view: View[Any]) -> None:
        """Work out which cards the view leaves open, and what is proved of hidden slots."""
        self._game = game
        self._view = view
        asked = _Asked(view.faces)
        # Which cards the seat still holds only the game knows: those that it looks up to list the
        # actions.
        game.legal_actions(View(view.seat, view.state, asked))
        known = set(view.faces.values())
        self._unseen = [card for card in game.pack if card not in known]
        self._gone = [card for card in game.pack if card in known and card not in asked.cards]
        self._points = {card: game.points_of(card) for card in game.pack}
        # A list, in the order of learning: a set has no order of its own, and a seed must replay.
        self._slots: list[Slot] = []
        self._pack = frozenset(game.pack)
        # What speaks of known cards alone narrows nothing.
        facts = [
            each for each in view.proved if any(slot not in view.faces for slot in slots_of(each))
        ]
        # Never None: what was proved is true of the cards that the seat knows.
        self._allowed = self._narrow({}, facts) or {}
        self._checked = [each for each in facts if not isinstance(each, _OF_ONE_SLOT)]

    def learn(self, slot: Slot) -> None:
        """Record `slot` among those that imagined hands look at; the seat has not seen its card."""
        if slot not in self._slots:
            self._slots.append(slot)

    def visible_cards(self, world: Laid) -> tuple[Card, ...]:
        """Return the cards of `world` in all slots that imagined hands look at: two worlds with
        equal ones are the same to a hand.
        """
        return tuple(world[slot] for slot in self._slots)

    def draw(self, chance: SeededRandomness) -> Laid:
        """Return a random world in which everything proved holds; raises NoCardLeftError where
        400 layouts failed.
        """
        for _ in range(_TRIES):
            laid = self._lay_out(chance)
            if laid is not None and all(self._holds(each, laid) for each in self._checked):
                return laid
        raise NoCardLeftError

    def _holds(self, statement: Statement, laid: Laid) -> bool:
        """Tell whether a statement is true of the layout `laid`; True also where it names a slot
        that has no card there yet.
        """
        # The plain dictionary's test: our own `__contains__` is always true.
        if not all(dict.__contains__(laid, slot) for slot in slots_of(statement)):
            return True
        return holds(statement, laid, points=self._points)

    def _lay_out(self, chance: SeededRandomness) -> Laid | None:
        """Return a random layout: a card for every slot that imagined hands are known to look at,
        and for any other slot one that is drawn when it is looked at.

        None where what is proved leaves some slot no card. A layout may still contradict what is
        proved of several slots together.
        """
        cards, gone = list(self._unseen), list(self._gone)
        chance.shuffle(cards)
        chance.shuffle(gone)
        allowed = self._suppose(cards, chance)
        if allowed is None:
            return None
        # Narrow slots first, while there are cards left that fit them.
        slots = sorted(self._slots, key=lambda slot: len(allowed.get(slot, self._pack)))
        # More slots than unseen cards: some hold cards that the seat gave away.
        lacking = len(slots) - len(cards)
        if lacking > 0:
            # Some of those given away, drawn by the shuffle, since any may lie in these slots.
            cards += gone[-lacking:]
            del gone[-lacking:]
        found = _match(slots, cards, allowed)
        if found is None:
            return None
        # With nothing proved each slot took the next of the shuffled cards: mixed already.
        if allowed:
            _swap(found, slots, allowed, chance)
        used = {*found.values()}
        left = [card for card in cards if card not in used]

        def lay(slot: Slot) -> Card:
            """Return a card that may lie in `slot`, and take it from those that are left; raises
            NoCardLeftError where none may.
            """
            # No unseen card is left: the slot holds one of the cards that were given away.
            if not left:
                left.extend(gone)
                gone.clear()
            # From the end, where popping is cheap; the list is shuffled.
            for place in range(len(left) - 1, -1, -1):
                if _fits(allowed, slot, left[place]):
                    # In the worlds to come it gets its card with the others, before a hand begins.
                    self.learn(slot)
                    return left.pop(place)
            raise NoCardLeftError

        return Laid({**self._view.faces, **found}, lay)

    def _suppose(self, cards: Sequence[Card], chance: SeededRandomness) -> Allowed | None:
        """Return the cards that each slot may hold in the next world; None where that is
        impossible.

        Of each AnyOf one alternative is drawn, and for each hidden slot from whose suit others must
        differ one card.
        """
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
                # The suit that others must differ from is drawn with one card, the first of the
                # shuffled ones; else the fact narrows nothing.
                allowed = {**allowed, fact.other: frozenset(fits[:1])}
            allowed = self._narrow(allowed, [fact])
        return allowed

    def _narrow(self, allowed: Allowed, facts: Iterable[Statement]) -> Allowed | None:
        """Return `allowed`, the cards that hidden slots may hold, without those that the facts
        exclude; None where a known card contradicts a fact.
        """
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
                    known = [faces[other]] if other in faces else [*found.get(other, self._pack)]
                    # As long as the other slot may hold several suits, the fact excludes none.
                    if len({card.suit for card in known}) != 1:
                        continue
                    keeps = frozenset(card for card in self._pack if card.suit != known[0].suit)
                # AnyOf and PointsBelow exclude no card of a single slot: `draw` checks them in the
                # whole layout.
                case _:
                    continue
            for slot in slots:
                if slot not in faces:
                    found[slot] = found.get(slot, self._pack) & keeps
                elif faces[slot] not in keeps:
                    return None
        return found


def _fits(allowed: Allowed, slot: Slot, card: Card) -> bool:
    """Tell whether `card` may lie in `slot` by `allowed`, the cards that each slot may hold;
    True where nothing is known of the slot.
    """
    cards = allowed.get(slot)
    return cards is None or card in cards


def _match(slots: list[Slot], cards: list[Card], allowed: Allowed) -> dict[Slot, Card] | None:
    """Return a different card of `cards` for each slot, one that `allowed` lets lie there; None
    where there is no such assignment.

    `slots` come narrowest first. Augmenting paths find an assignment wherever there is one.
    """
    found: dict[Slot, Card] = {}
    lies: dict[Card, Slot] = {}

    def place(slot: Slot, tried: set[Card]) -> bool:
        """Lay a card in `slot`, and move others to other slots where that is necessary; return
        whether it worked. `tried` are the cards already moved.
        """
        # A card that lies nowhere yet, if one fits; else one that can make room.
        for card in cards:
            if card not in lies and _fits(allowed, slot, card):
                lies[card], found[slot] = slot, card
                return True
        for card in cards:
            if card not in tried and _fits(allowed, slot, card):
                tried.add(card)
                # The card's slot takes another card, and this slot takes its place (an augmenting
                # path).
                if place(lies[card], tried):
                    lies[card], found[slot] = slot, card
                    return True
        return False

    return found if all(place(slot, set()) for slot in slots) else None


def _swap(
    found: dict[Slot, Card], slots: list[Slot], allowed: Allowed, chance: SeededRandomness
) -> None:
    """Exchange the cards of random pairs of slots in `found` wherever `allowed` lets each lie in
    the other slot, so that all layouts become about equally likely.
    """
    for _ in range(_SWAPS * len(slots)):
        one, other = slots[chance.randbelow(len(slots))], slots[chance.randbelow(len(slots))]
        if _fits(allowed, one, found[other]) and _fits(allowed, other, found[one]):
            found[one], found[other] = found[other], found[one]
