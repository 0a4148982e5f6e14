"""How fast cards are shuffled, proved and judged here, beside what the curve itself costs.

The processor of this thread is timed; the floor of each is counted, and priced in the same run.
"""

from __future__ import annotations

import secrets
import time
from typing import Final

from p2p304.cards import Card, Rank, Suit
from protocol.cards.keys import (
    MaskedCard,
    cards_from_bytes,
    cards_to_bytes,
    draw_hand_secret,
    start_deck,
    table_keys,
)
from protocol.group.constants import card_point, chain_base, shuffle_generators
from protocol.group.point import POINT_BYTES
from protocol.proofs.context import ProofContext
from protocol.proofs.shuffle import (
    ShuffleProof,
    ShuffleStatement,
    prove_shuffle,
    shuffle_cards,
    verify_shuffle,
)
from tests.bench.figures import Figure, Part, Tell
from tests.bench.floors import OperationCosts
from tests.bench.statements import Message, counted, statement_messages

PACK: Final = tuple(Card(suit, rank) for suit in Suit for rank in Rank)
"""All 52 cards; a smaller pack is the first of them."""
SIZES: Final = (8, 32, 52)
QUICK_SIZES: Final = (32,)
OPERATIONS: Final = "counted group operations at their cost here"
VALUES, QUICK_VALUES = 21, 5
_SEATS: Final = 4
_CARD_BYTES: Final = 3 * POINT_BYTES
_PURPOSE: Final = b"bench"
_HERE: Final = ProofContext(1, b"bench", b"shuffle", 0, 0, 0, "shuffle", bytes(32))


def shuffle_message(count: int) -> Message:
    """Prepare a shuffle of the first `count` cards of the pack, with its proof."""
    shuffle_generators(count)  # constants are computed once at start and belong to no proof
    chain_base()
    for card in PACK[:count]:
        card_point(card)
    entropy = secrets.token_bytes
    keys = table_keys([draw_hand_secret(entropy).keys() for _ in range(_SEATS)])
    bases = tuple(keys)
    start = cards_to_bytes(start_deck(PACK[:count], keys))
    before = cards_from_bytes(start, count=count)

    def make() -> bytes:
        after, secret = shuffle_cards(before, keys, entropy)
        proof = prove_shuffle(
            ShuffleStatement(bases, before, after),
            secret,
            context=_HERE,
            purpose=_PURPOSE,
            entropy=entropy,
        )
        return cards_to_bytes([MaskedCard(*card) for card in after]) + proof.to_bytes()

    def judge(data: bytes) -> None:
        end = count * _CARD_BYTES
        verify_shuffle(
            ShuffleStatement(bases, before, cards_from_bytes(data[:end], count=count)),
            ShuffleProof.from_bytes(data[end:], cards=count),
            context=_HERE,
            purpose=_PURPOSE,
        )

    return Message(make, judge)


def messages(*, quick: bool) -> dict[str, Message]:
    """Prepare every kind of message that is measured, by its name."""
    sizes = QUICK_SIZES if quick else SIZES
    shuffles = {f"shuffle of {count} cards": shuffle_message(count) for count in sizes}
    return {**shuffles, **statement_messages()}


def cards_part(*, quick: bool, tell: Tell) -> Part:
    """Measure every kind of message about cards, each made anew and judged several times."""
    costs, figures = OperationCosts.measured(), list[Figure]()
    for name, message in messages(quick=quick).items():
        tell(name)
        data, made, judged = counted(message)
        spent = [measured(message) for _ in range(QUICK_VALUES if quick else VALUES)]
        for what, count, times in zip(
            ("made", "judged"), (made, judged), zip(*spent, strict=True), strict=True
        ):
            floor = costs.of(count)
            figures.append(
                Figure.of(f"{name}, {what}", "ms", times, floor=floor, floor_is=OPERATIONS)
            )
        figures.append(Figure.single(f"{name}, sent", "bytes", len(data)))
    prices = ", ".join(
        f"{name.replace('_', ' ')} {getattr(costs, name):.2f}" for name in costs.__slots__
    )
    notes = (f"one operation in microseconds: {prices}",)
    return Part("cards", "Shuffles and statements, one thread", tuple(figures), notes=notes)


def measured(message: Message) -> tuple[float, float]:
    """Return the milliseconds of this thread that making and judging a message take."""
    begun = time.thread_time()
    data = message.make()
    made = time.thread_time()
    message.judge(data)
    return 1_000 * (made - begun), 1_000 * (time.thread_time() - made)
