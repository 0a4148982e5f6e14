"""One honest message of masked cards of each kind: its bytes, its fields, and who judges it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from p2p304.cards import Card, Slot, Suit
from p2p304.seats import Seat
from p2p304.statements import (
    AllOfSuit,
    AnyOf,
    IsCard,
    NoneOfSuit,
    NotCard,
    PointsBelow,
    Statement,
    SuitsDiffer,
)
from protocol.cards.deck import ProvenShuffle, hand_over, remix_hand, share_cards
from protocol.cards.handover import HandOver
from protocol.cards.keys import KeyStep, prove_keys, verify_keys
from protocol.cards.shares import ShareBatch
from protocol.cards.statements import prove_statements, verify_statements
from protocol.proofs.context import ProofContext
from tests.crypto.dealing import PACK_8, Dealt, context, dealt, points_of, undealt

PRIME = 2**256 - 2**32 - 977
POINT, SCALAR, PLACE = 33, 32, 2
HERE = context(0, "mutated")
POINTS = points_of(PACK_8)


@dataclass(frozen=True)
class Message:
    """One honest message: its bytes, the widths of its fields, how it is decoded and accepted."""

    name: str
    data: bytes
    fields: tuple[int, ...]
    decode: Callable[[bytes], object]
    accept: Callable[..., object]

    def judge(self, data: bytes, where: ProofContext) -> object:
        return self.accept(self.decode(data), context=where)

    def __post_init__(self) -> None:
        assert sum(self.fields) == len(self.data)

    def spans(self) -> Iterator[tuple[int, int]]:
        start = 0
        for width in self.fields:
            yield start, start + width
            start += width


def layout(points: int, scalars: int) -> tuple[int, ...]:
    return (POINT,) * points + (SCALAR,) * scalars


def shuffle_layout(cards: int) -> tuple[int, ...]:
    return layout(3 * cards + 2 * cards + 4, 3 + cards)


def key_message(seed: str) -> Message:
    table = undealt(seed)
    step = prove_keys(table.secrets[0], context=HERE, entropy=table.entropy)
    accept = partial(verify_keys, used=frozenset())
    return Message("keys", step.to_bytes(), layout(2, 3), KeyStep.from_bytes, accept)


def shuffle_message(seed: str, pack: Sequence[Card] = PACK_8) -> Message:
    table, cards = undealt(seed, pack=pack), len(pack)
    decode = partial(ProvenShuffle.from_bytes, cards=cards)
    data = table.shuffled(HERE).to_bytes()
    return Message("shuffle", data, shuffle_layout(cards), decode, table.deck.after_shuffle)


def share_message(seed: str) -> Message:
    table = undealt(seed)
    deck = table.deck.dealt(Seat(1), [Slot(place) for place in range(4)])
    batch = share_cards(deck, Seat(0), table.secrets[0], context=HERE, entropy=table.entropy)
    decode, accept = partial(ShareBatch.from_bytes, cards=4), partial(deck.after_shares, Seat(0))
    return Message("shares", batch.to_bytes(), layout(8, 3), decode, accept)


def handover_message(seed: str) -> Message:
    table = dealt(seed)
    slot, secret = table.hand(0)[1], table.secrets[0]
    message = hand_over(table.deck, slot, Seat(1), secret, context=HERE, entropy=table.entropy)
    accept = partial(table.deck.after_handover, slot, Seat(1))
    return Message("hand-over", message.to_bytes(), layout(3, 4), HandOver.from_bytes, accept)


def remix_message(seed: str) -> Message:
    table = dealt(seed)
    before, after = table.hand(0), [Slot(40 + place) for place in range(4)]
    step = remix_hand(table.deck, Seat(0), before, context=HERE, entropy=table.entropy)
    decode = partial(ProvenShuffle.from_bytes, cards=4)
    accept = partial(table.deck.after_remix, Seat(0), before, after)
    return Message("remix", step.to_bytes(), shuffle_layout(4), decode, accept)


def alone(proof: bytes) -> list[bytes]:
    return [proof]


def statement_message(
    name: str, state: Callable[[Dealt], tuple[Statement, tuple[int, ...]]], seed: str
) -> Message:
    table = dealt(seed)
    statement, fields = state(table)
    (proof,) = prove_statements(
        table.deck, Seat(0), table.secrets[0], [statement],
        points=POINTS, context=HERE, entropy=table.entropy,
    )  # fmt: skip
    accept = partial(verify_statements, table.deck, Seat(0), [statement], points=POINTS)
    return Message(name, proof, fields, alone, accept)


def split(table: Dealt) -> tuple[Suit, tuple[Slot, ...], tuple[Slot, ...]]:
    """A suit in the hand, the slots that hold it, and those that do not."""
    faces = table.faces(0)
    suit = next(iter(faces.values())).suit
    of = tuple(slot for slot, face in faces.items() if face.suit == suit)
    return suit, of, tuple(slot for slot in faces if slot not in of)


def opening(table: Dealt) -> tuple[Statement, tuple[int, ...]]:
    slot, face = next(iter(table.faces(0).items()))
    return IsCard(slot, face), layout(0, 2)


def suit_opening(table: Dealt) -> tuple[Statement, tuple[int, ...]]:
    suit, of, _ = split(table)
    return AllOfSuit(of, suit), layout(0, 2)


def not_this_card(table: Dealt) -> tuple[Statement, tuple[int, ...]]:
    slot, *others = table.hand(0)
    named = table.faces(0)[slot]
    return NotCard(tuple(others), named), layout(2 * len(others), 1 + 2 * len(others))


def none_of_suit(table: Dealt) -> tuple[Statement, tuple[int, ...]]:
    suit, _, others = split(table)
    return NoneOfSuit(others, suit), layout(2 * len(others), 1 + 2 * len(others))


def suits_differ(table: Dealt) -> tuple[Statement, tuple[int, ...]]:
    _, of, others = split(table)
    return SuitsDiffer(others, of[0]), layout(2 * len(others), 1 + 2 * len(others))


def any_of(table: Dealt) -> tuple[Statement, tuple[int, ...]]:
    suit, of, others = split(table)
    slots = len(of) + len(others)
    either = AnyOf((NoneOfSuit(of, suit), NoneOfSuit(others, suit)))
    return either, layout(2 * slots, 2 + 2 * slots)


def points_below(table: Dealt) -> tuple[Statement, tuple[int, ...]]:
    slots = table.hand(0)[:2]
    # Two cards of jacks (30) and nines (20) count 40, 50 or 60.
    return PointsBelow(slots, 61), (*shuffle_layout(8), PLACE, PLACE, *layout(0, 2 + 3 * 2))


STATEMENTS: dict[str, Callable[[Dealt], tuple[Statement, tuple[int, ...]]]] = {
    "opening": opening,
    "suit opening": suit_opening,
    "not this card": not_this_card,
    "none of suit": none_of_suit,
    "suits differ": suits_differ,
    "any of": any_of,
    "points below": points_below,
}
MAKERS: dict[str, Callable[[str], Message]] = {
    "keys": key_message,
    "shuffle": shuffle_message,
    "shares": share_message,
    "hand-over": handover_message,
    "remix": remix_message,
    **{name: partial(statement_message, name, state) for name, state in STATEMENTS.items()},
}
