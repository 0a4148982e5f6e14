"""Caps judged by brute force: every layout, every continuation, straight from RULES 9, 11 and 13.

It shares no code with the judge but the values that both read. It is for small positions only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from p2p304.cards import Card, Slot, Suit
from p2p304.rules304.caps.information import InformationSet, PlayRules
from p2p304.rules304.pack import STRENGTH
from p2p304.statements import holds

Faces = dict[Slot, Card]


def layouts(information: InformationSet) -> Iterator[tuple[Suit, Faces]]:
    """Every trump suit and assignment of unseen cards that satisfies all facts, once."""
    slots = information.unknown_slots()
    groups = [*information.hands]
    seen = set()
    for cards in permutations(sorted(information.unseen)):
        faces = {**information.faces, **dict(zip(slots, cards, strict=True))}
        if information.indicator is not None:
            trump = faces[information.indicator].suit
        else:
            assert information.trump is not None
            trump = information.trump
        if information.trump is not None and trump != information.trump:
            continue
        if not all(holds(fact, faces) for fact in information.facts):
            continue
        key = (
            tuple(tuple(sorted(faces[slot] for slot in group)) for group in groups),
            tuple(faces[slot] for slot in slots if not any(slot in group for group in groups)),
        )
        if key not in seen:
            seen.add(key)
            yield trump, faces


@dataclass
class Table:
    """Open hands of all seats."""

    hands: list[list[Card]]
    maker: int
    trump: Suit
    rules: PlayRules
    indicator: Card | None
    """While it lies on the table."""
    hidden: bool
    armed: bool
    trick_number: int
    unbroken: set[object] = field(default_factory=set)
    """Starts of tricks from which the order holds, so that they are not played out again."""

    def start(self, leader: int) -> object:
        """Everything that matters at the start of a trick."""
        hands = tuple(map(frozenset, self.hands))
        return hands, self.indicator, self.hidden, self.armed, self.trick_number, leader

    def legal(self, seat: int, led: Suit | None) -> list[Card]:
        hand = self.hands[seat]
        closed = self.hidden and seat == self.maker
        if closed and not hand:
            assert self.indicator is not None
            return [self.indicator]
        if led is None:
            if closed and self.rules.first_lead_ban and self.trick_number == 1:
                plain = [card for card in hand if card.suit != self.trump]
                return hand if not plain and self.rules.all_trumps_may_lead else plain
            if seat == self.maker and self.armed:
                return [card for card in hand if card.suit == self.trump] or hand
            return hand
        following = [card for card in hand if card.suit == led]
        if following:
            return following
        if closed and led != self.trump:
            plain = [card for card in hand if card.suit != self.trump]
            return plain if self.indicator is None else [*plain, self.indicator]
        return hand


def winner_of(plays: Sequence[tuple[int, Card]], trump: Suit) -> int:
    """The seat that wins a complete trick."""
    trumps = [play for play in plays if play[1].suit == trump]
    in_suit = [play for play in plays if play[1].suit == plays[0][1].suit]
    return max(trumps or in_suit, key=lambda play: STRENGTH[play[1].rank])[0]


def broken(
    table: Table, seat: int, order: Sequence[Card], leader: int, plays: list[tuple[int, Card]]
) -> bool:
    """Whether some continuation makes the next card of `order` illegal or loses a trick."""
    seats = len(table.hands)
    if len(plays) == seats:
        winner = winner_of(plays, table.trump)
        if winner % 2 != seat % 2:
            return True
        if not any(table.hands) and table.indicator is None:
            return False
        led = plays[0][1].suit
        off_suit = [card for _, card in plays[1:] if card.suit != led]
        saved = (table.hidden, table.armed, table.indicator, list(table.hands[table.maker]))
        if leader == table.maker and led == table.trump and len(off_suit) == seats - 1:
            table.armed = table.rules.exhausted or table.armed
        opens = any(card.suit == table.trump for card in off_suit)
        opens = opens or (table.rules.opens_after_first and table.trick_number == 1)
        if table.hidden and opens:
            table.hidden = False
            if table.indicator is not None:
                table.hands[table.maker].append(table.indicator)
                table.indicator = None
        table.trick_number += 1
        start = table.start(winner)
        result = start not in table.unbroken and broken(table, seat, order, winner, [])
        if not result:
            table.unbroken.add(start)
        table.trick_number -= 1
        table.hidden, table.armed, table.indicator, table.hands[table.maker] = saved
        return result
    player = (leader + len(plays)) % seats
    led_suit = plays[0][1].suit if plays else None
    choices = list(table.legal(player, led_suit))
    if player == seat:
        if not order or order[0] not in choices:
            return True
        choices, order = [order[0]], order[1:]
    for card in choices:
        indicator = table.indicator
        at = -1
        if card == indicator:
            table.indicator = None
        else:
            at = table.hands[player].index(card)
            table.hands[player].pop(at)
        result = broken(table, seat, order, leader, [*plays, (player, card)])
        table.indicator = indicator
        if at >= 0:
            table.hands[player].insert(at, card)
        if result:
            return True
    return False


def is_sure(information: InformationSet, order: Sequence[Card]) -> bool:
    """RULES 13.2, by enumeration."""
    if not information.unbeaten:
        return False
    for trump, faces in layouts(information):
        on_table = information.on_table and information.indicator is not None
        table = Table(
            hands=[[faces[slot] for slot in hand] for hand in information.hands],
            maker=information.maker,
            trump=trump,
            rules=information.rules,
            indicator=faces[information.indicator] if on_table and information.indicator else None,
            hidden=information.hidden_trump,
            armed=information.rules.exhausted and trump in information.unfollowed,
            trick_number=information.trick,
        )
        plays = [(int(play.seat), faces[play.slot]) for play in information.plays]
        if broken(table, information.seat, order, information.leader, plays):
            return False
    return True
