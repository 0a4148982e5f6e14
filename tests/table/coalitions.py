"""What coalitions can open: every hidden card against everything that some seats know together."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations

from p2p304.cards import Card, Slot, Suit
from protocol.cards.keys import HandSecret, MaskedCard
from protocol.errors import IdentityPoint
from protocol.group.constants import card_point, suit_point
from protocol.group.point import Point, add, multiply, negate
from tests.table.bus import Table


@lru_cache(maxsize=4)
def _meanings(pack: tuple[Card, ...]) -> tuple[dict[bytes, Card], dict[bytes, Suit]]:
    """What the points of the two halves stand for."""
    return (
        {card_point(card).to_bytes(): card for card in pack},
        {suit_point(suit).to_bytes(): suit for suit in {card.suit for card in pack}},
    )


@dataclass
class Snoop:
    """Tries, after every round, to open what the rules have not disclosed.

    For each coalition and each half of each masked card it takes off the members' own keys; if what
    remains is the point of a card, the card is open to them, and if it is the point of a suit, its
    suit is: enough to betray trump. `tried` counts, `leaks` must stay empty.
    """

    table: Table
    tried: int = 0
    leaks: list[str] = field(default_factory=list)
    _products: dict[tuple[bytes, int, int, int], Point] = field(default_factory=dict)
    _seen: set[tuple[int, int]] = field(default_factory=set)

    def look(self) -> None:
        """Try everything in the newest hand, once a round."""
        hand = self.table.sessions[0].table_state.hand
        if hand is None:
            return
        place = (hand.origin.ledger.number, len(hand.ledger.rounds))
        if place in self._seen or any(
            chair.session.table_state.hand is None
            or len(chair.session.table_state.hand.ledger.rounds) != place[1]
            or chair.session.table_state.hand.origin.ledger.number != place[0]
            for chair in self.table.chairs
        ):
            return
        self._seen.add(place)
        deck = hand.machine.deck
        seats = len(self.table.chairs)
        secrets = [
            self.table.arguments(seat)["secrets"].hand_secret(place[0]) for seat in range(seats)
        ]
        faces = [self._faces(seat) for seat in range(seats)]
        for size in range(1, seats):
            for members in combinations(range(seats), size):
                allowed = {slot for seat in members for slot in faces[seat]}
                for slot, hidden in deck.slots.items():
                    if slot in allowed:
                        continue
                    for masked in (hidden.card, *(card for _, card in hidden.handed)):
                        self.tried += 1
                        face = self.opened(deck.pack, masked, members, secrets, place[0])
                        if face is not None:
                            self.leaks.append(f"round {place}: {members} read slot {slot}: {face}")

    def _faces(self, seat: int) -> dict[Slot, Card]:
        view = self.table.sessions[seat].view()
        return dict(view.faces) if view is not None else {}

    def opened(
        self,
        pack: tuple[Card, ...],
        masked: MaskedCard,
        members: tuple[int, ...],
        secrets: list[HandSecret],
        deal: int,
    ) -> Card | Suit | None:
        """The card, or else the suit, that some of the members' keys alone uncover, if any."""
        for half, known in enumerate(_meanings(pack)):
            for size in range(len(members) + 1):
                for some in combinations(members, size):
                    point = (masked.card, masked.suit)[half]
                    try:
                        for seat in some:
                            product = self._product(masked, half, seat, secrets, deal)
                            point = add(point, negate(product))
                    except IdentityPoint:
                        continue
                    found: Card | Suit | None = known.get(point.to_bytes())
                    if found is not None:
                        return found
        return None

    def _product(
        self, masked: MaskedCard, half: int, seat: int, secrets: list[HandSecret], deal: int
    ) -> Point:
        """What a seat's key of this half put on the card."""
        key = (masked.mask.to_bytes(), half, seat, deal)
        product = self._products.get(key)
        if product is None:
            secret = (secrets[seat].card, secrets[seat].suit)[half]
            product = multiply(masked.mask, secret.reveal())
            self._products[key] = product
        return product
