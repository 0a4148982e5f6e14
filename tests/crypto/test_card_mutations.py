"""Every field of every message of masked cards, changed in every way we could think of.

Each honest message is accepted; each of its mutations must be refused with a named check, and by
nothing else. The number of cases is asserted, so that a layout that shrinks is noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256

import pytest

from p2p304.cards import Slot, Suit
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
from protocol.cards.deck import ProvenShuffle, hand_over, remix_hand, share_cards, shuffle_deck
from protocol.cards.handover import HandOver
from protocol.cards.keys import KeyStep, prove_keys, verify_keys
from protocol.cards.shares import ShareBatch
from protocol.cards.statements import prove_statements, verify_statements
from protocol.errors import MalformedMessage, ProofError
from protocol.group.point import GENERATOR, Point, add
from protocol.group.scalar import ORDER, Scalar
from protocol.proofs.context import ProofContext
from tests.crypto.dealing import PACK_8, Dealt, context, dealt, other_contexts, points_of, undealt
from tests.long import long

PRIME = 2**256 - 2**32 - 977
POINT, SCALAR, PLACE = 33, 32, 2
HERE = context(0, "mutated")
POINTS = points_of(PACK_8)


@dataclass(frozen=True)
class Message:
    """One honest message: its bytes, the widths of its fields, and who judges it."""

    name: str
    data: bytes
    fields: tuple[int, ...]
    judge: Callable[[bytes, ProofContext], object]

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

    def judge(data: bytes, where: ProofContext) -> object:
        verify_keys(KeyStep.from_bytes(data), context=where, used=frozenset())
        return None

    return Message("keys", step.to_bytes(), layout(2, 3), judge)


def shuffle_message(seed: str) -> Message:
    table = undealt(seed)
    step = shuffle_deck(table.deck, context=HERE, entropy=table.entropy)

    def judge(data: bytes, where: ProofContext) -> object:
        return table.deck.after_shuffle(ProvenShuffle.from_bytes(data, cards=8), context=where)

    return Message("shuffle", step.to_bytes(), shuffle_layout(8), judge)


def share_message(seed: str) -> Message:
    table = undealt(seed)
    deck = table.deck.dealt(Seat(1), [Slot(place) for place in range(4)])
    batch = share_cards(deck, Seat(0), table.secrets[0], context=HERE, entropy=table.entropy)

    def judge(data: bytes, where: ProofContext) -> object:
        return deck.after_shares(Seat(0), ShareBatch.from_bytes(data, cards=4), context=where)

    return Message("shares", batch.to_bytes(), layout(8, 3), judge)


def handover_message(seed: str) -> Message:
    table = dealt(seed)
    slot = table.hand(0)[1]
    message = hand_over(
        table.deck, slot, Seat(1), table.secrets[0], context=HERE, entropy=table.entropy
    )

    def judge(data: bytes, where: ProofContext) -> object:
        decoded = HandOver.from_bytes(data)
        return table.deck.after_handover(slot, Seat(1), decoded, context=where)

    return Message("hand-over", message.to_bytes(), layout(3, 4), judge)


def remix_message(seed: str) -> Message:
    table = dealt(seed)
    before = table.hand(0)
    after = [Slot(40 + place) for place in range(4)]
    step = remix_hand(table.deck, Seat(0), before, context=HERE, entropy=table.entropy)

    def judge(data: bytes, where: ProofContext) -> object:
        decoded = ProvenShuffle.from_bytes(data, cards=4)
        return table.deck.after_remix(Seat(0), before, after, decoded, context=where)

    return Message("remix", step.to_bytes(), shuffle_layout(4), judge)


def statement_message(
    name: str, seed: str, state: Callable[[Dealt], tuple[Statement, tuple[int, ...]]]
) -> Message:
    table = dealt(seed)
    statement, fields = state(table)
    (proof,) = prove_statements(
        table.deck,
        Seat(0),
        table.secrets[0],
        [statement],
        points=POINTS,
        context=HERE,
        entropy=table.entropy,
    )

    def judge(data: bytes, where: ProofContext) -> object:
        verify_statements(table.deck, Seat(0), [statement], [data], points=POINTS, context=where)
        return None

    return Message(name, proof, fields, judge)


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
    return (
        AnyOf((NoneOfSuit(of, suit), NoneOfSuit(others, suit))),
        layout(2 * slots, 2 + 2 * slots),
    )


def points_below(table: Dealt) -> tuple[Statement, tuple[int, ...]]:
    slots = table.hand(0)[:2]
    # Two cards of jacks (30) and nines (20) count 40, 50 or 60.
    fields = (
        *layout(3 * 8 + 2 * 8 + 4, 3 + 8),
        *(PLACE,) * 2,
        *layout(0, 2),
        *layout(0, 3 * 2),
    )
    return PointsBelow(slots, 61), fields


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
    **{
        name: lambda seed, name=name, state=state: statement_message(  # type: ignore[misc]
            name, seed, state
        )
        for name, state in STATEMENTS.items()
    },
}


def changed_points(data: bytes) -> Iterator[bytes]:
    """Encodings of other points, and of none."""
    yield bytes([data[0] ^ 1]) + data[1:]  # the opposite point
    yield add(Point.from_bytes(data), GENERATOR).to_bytes()
    yield GENERATOR.to_bytes()
    yield bytes(POINT)
    for prefix in (0, 4, 5, 6, 7, 255):
        yield bytes([prefix]) + data[1:]
    yield data[:1] + PRIME.to_bytes(32, "big")
    yield data[:1] + (5).to_bytes(32, "big")  # on no point


def changed_scalars(data: bytes) -> Iterator[bytes]:
    """Other scalars, and what is none."""
    value = int.from_bytes(data, "big")
    for other in (0, 1, value + 1, ORDER - value, ORDER, ORDER + 1, 2**256 - 1):
        yield (other % 2**256).to_bytes(SCALAR, "big")
    if value + ORDER < 2**256:
        yield (value + ORDER).to_bytes(SCALAR, "big")


def bit_flips(data: bytes, seed: bytes, count: int) -> Iterator[bytes]:
    drawn = sha256(seed).digest()
    for at in range(count):
        bit = int.from_bytes(drawn[4 * at : 4 * at + 4], "big") % (8 * len(data))
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        yield bytes(flipped)


def mutations(message: Message, *, every: bool = True) -> Iterator[bytes]:
    """Every change of every field, or those that `test_mutations` does not make of each."""
    data = message.data
    spans = list(message.spans())
    for number, (start, end) in enumerate(spans):
        field = data[start:end]
        seed = f"{message.name}/{number}".encode()
        values = [*bit_flips(field, seed, 3 if every else 1)]
        changed = {POINT: changed_points, SCALAR: changed_scalars}.get(end - start)
        if changed is None:
            values += [b"\0\0", b"\0\x07", b"\0\x08", b"\xff\xff"]
        elif every:
            values += changed(field)
        if every:  # dropped, doubled, cut, longer
            values += [b"", field + field, field[:-1], field + b"\0"]
        yield from (data[:start] + value + data[end:] for value in values)
        for other_start, other_end in spans[number + 1 + (not every) : number + 3]:
            if other_end - other_start == end - start:  # exchanged with a neighbour
                middle = data[end:other_start]
                other = data[other_start:other_end]
                yield data[:start] + other + middle + field + data[other_end:]
    yield data[::-1]
    if every:
        yield from (b"", data[:-1], data + b"\0", data + data, b"\0" + data)


def survives(message: Message, data: bytes, where: ProofContext) -> str:
    """The check that refuses the message, or "" if none does."""
    try:
        message.judge(data, where)
    except (MalformedMessage, ProofError) as error:
        return error.check
    return ""


@pytest.mark.parametrize(
    "every", [False, *long(True)], ids=["what is not in test_mutations", "all"]
)
@pytest.mark.parametrize("name", MAKERS)
def test_no_mutation_survives(name: str, every: bool) -> None:
    message, another = MAKERS[name](f"one {name}"), MAKERS[name](f"other {name}")
    assert survives(message, message.data, HERE) == ""
    assert survives(another, another.data, HERE) == ""
    survivors = [
        data.hex()
        for data in mutations(message, every=every)
        if data != message.data and not survives(message, data, HERE)
    ]
    assert survivors == []
    # Replayed: from another hand at the same place, and at every other place.
    if name != "keys":  # other keys at the same place are simply other keys
        assert survives(message, another.data, HERE)
    assert [
        where for where in other_contexts(HERE) if not survives(message, message.data, where)
    ] == []
    # Spliced: each field taken from the other hand's message.
    for start, end in message.spans():
        spliced = message.data[:start] + another.data[start:end] + message.data[end:]
        if len(message.data) == len(another.data) and spliced != message.data:
            assert survives(message, spliced, HERE)


def test_there_are_enough_mutations() -> None:
    cases = {name: len(set(mutations(make(f"one {name}")))) for name, make in MAKERS.items()}
    assert sum(cases.values()) >= 3000, cases


def test_equal_fields_of_different_messages_are_not_exchangeable() -> None:
    """A scalar of one message's proof is none of another's, even under one key."""
    keys = key_message("one")
    value = Scalar.from_bytes(keys.data[66:98])
    moved = keys.data[:66] + (value + Scalar(1)).to_bytes() + keys.data[98:]
    assert survives(keys, moved, HERE) == "key.proof"
