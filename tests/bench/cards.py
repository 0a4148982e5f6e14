"""How fast messages about cards are made and judged here, beside what the curve itself costs.

The processor of this thread is timed; the floor of each is counted, and priced in the same run.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

from p2p304 import statements as stated
from p2p304.cards import Card, Rank, Slot, Suit
from p2p304.rules304 import pack
from p2p304.seats import Seat
from protocol.cards import deck, keys, statements
from protocol.cards.handover import HandOver
from protocol.cards.shares import ShareBatch
from protocol.group.constants import card_point, chain_base, shuffle_generators
from protocol.group.point import POINT_BYTES
from protocol.proofs import shuffle
from tests.bench.counting import OperationCosts, OperationCounter
from tests.bench.figures import Figure, Part, Tell
from tests.vectors.card_vectors import CONTEXT, OwnHand

#: All 52 cards; a smaller pack is the first of them.
PACK: Final = tuple(Card(suit, rank) for suit in Suit for rank in Rank)
OPERATIONS: Final = "counted group operations at their cost here"
ME, READER = Seat(0), Seat(1)
SEATS: Final = tuple(map(Seat, range(4)))


class Message(NamedTuple):
    """One kind of message: making it, and judging its bytes."""

    make: Callable[[], bytes]
    judge: Callable[[bytes], object]


def counted(message: Message) -> tuple[bytes, OperationCounter, OperationCounter]:
    """Return a message's bytes, and what is counted while it is made and judged."""
    with OperationCounter() as made:
        data = message.make()
    with OperationCounter() as judged:
        message.judge(data)
    return data, made, judged


def measured(message: Message) -> tuple[float, float]:
    """Return the milliseconds of this thread that making and judging a message take."""
    begun = time.thread_time()
    data = message.make()
    made = time.thread_time()
    message.judge(data)
    return 1_000 * (made - begun), 1_000 * (time.thread_time() - made)


def cards_part(*, quick: bool, tell: Tell) -> Part:
    """Measure every kind of message about cards, each made anew and judged several times."""
    costs, figures = OperationCosts.measured(), list[Figure]()
    sizes, values = ((32,), 5) if quick else ((8, 32, 52), 21)
    shuffles = {f"shuffle of {count} cards": shuffle_message(count) for count in sizes}
    for name, message in {**shuffles, **statement_messages()}.items():
        tell(name)
        data, *counts = counted(message)
        spent = zip(*(measured(message) for _ in range(values)), strict=True)
        for what, count, times in zip(("made", "judged"), counts, spent, strict=True):
            known = {"floor": costs.of(count), "floor_is": OPERATIONS}
            figures.append(Figure.of(f"{name}, {what}", "ms", times, **known))
        figures.append(Figure.of(f"{name}, sent", "bytes", [len(data)]))
    prices = (f"{name.replace('_', ' ')} {cost:.2f}" for name, cost in costs._asdict().items())
    notes = (f"one operation in microseconds: {', '.join(prices)}",)
    return Part("cards", "Shuffles and statements, one thread", tuple(figures), notes=notes)


def shuffle_message(count: int) -> Message:
    """Prepare a shuffle of the first `count` cards of the pack, with its proof."""
    shuffle_generators(count)  # constants are computed once at start and belong to no proof
    chain_base()
    for card in PACK[:count]:
        card_point(card)
    draw = secrets.token_bytes
    table = keys.table_keys([keys.draw_hand_secret(draw).keys() for _ in SEATS])
    start = keys.cards_to_bytes(keys.start_deck(PACK[:count], table))
    before = keys.cards_from_bytes(start, count=count)
    end = count * 3 * POINT_BYTES

    def make() -> bytes:
        after, secret = shuffle.shuffle_cards(before, table, draw)
        shown = shuffle.ShuffleStatement(tuple(table), before, after)
        proof = shuffle.prove_shuffle(
            shown, secret, context=CONTEXT, purpose=b"bench", entropy=draw
        )
        return keys.cards_to_bytes([keys.MaskedCard(*card) for card in after]) + proof.to_bytes()

    def judge(data: bytes) -> None:
        after = keys.cards_from_bytes(data[:end], count=count)
        shown = shuffle.ShuffleStatement(tuple(table), before, after)
        proof = shuffle.ShuffleProof.from_bytes(data[end:], cards=count)
        shuffle.verify_shuffle(shown, proof, context=CONTEXT, purpose=b"bench")

    return Message(make, judge)


def statement_messages() -> dict[str, Message]:
    """Prepare every kind of message about cards but shuffles, at a table where it is true."""
    own = OwnHand(secrets.token_hex(8), "JS 9S AS TS KS QS 8S 7S JH")
    slots = tuple(map(Slot, range(len(own.faces))))
    hand, spades, hearts = slots[:-1], Suit.SPADES, Suit.HEARTS
    lists = (stated.NoneOfSuit(hand, suit) for suit in (hearts, spades))
    opened = tuple(stated.IsCard(slot, own.faces[slot]) for slot in hand)
    claims: dict[str, tuple[stated.Statement, ...]] = {
        "opening, 8 cards": opened,
        "opening, 1 card": opened[:1],
        "all of suit, 8 cards": (stated.AllOfSuit(hand, spades),),
        "none of suit, 1 card": (stated.NoneOfSuit(hand[:1], hearts),),
        "none of suit, 8 cards": (stated.NoneOfSuit(hand, hearts),),
        "one of two lists, 8 cards each": (stated.AnyOf(tuple(lists)),),
        "points below 15, 4 cards": (stated.PointsBelow(hand[4:], 15),),
        "suits differ, 2 cards": (stated.SuitsDiffer(hand[:2], slots[-1]),),
    }
    return {**_of_a_deal(), **{name: _stated(own, each) for name, each in claims.items()}}


def _of_a_deal() -> dict[str, Message]:
    """Prepare keys; a seat's shares of the four cards of each other seat; and, once all have
    shared, a card of its own for another seat's eyes."""
    draw, own = secrets.token_bytes, Slot(0)
    known: dict[str, Any] = {"context": CONTEXT, "entropy": draw}
    step, handed = keys.KeyStep.from_bytes, HandOver.from_bytes
    shares = partial(ShareBatch.from_bytes, cards=12)
    secret = [keys.draw_hand_secret(draw) for _ in SEATS]
    dealt = deck.Deck.start(pack.PACK, [each.keys() for each in secret])
    for seat in SEATS:
        dealt = dealt.with_owner(seat, [Slot(4 * seat + place) for place in range(4)])
    shared = dealt
    for seat in SEATS:
        batch = deck.share_cards(shared, seat, secret[seat], **known)
        shared = shared.after_shares(seat, batch, context=CONTEXT)
    return {
        "keys": Message(
            lambda: keys.prove_keys(keys.draw_hand_secret(draw), **known).to_bytes(),
            lambda data: keys.verify_keys(step(data), context=CONTEXT, used=frozenset()),
        ),
        "shares, 12 cards": Message(
            lambda: deck.share_cards(dealt, ME, secret[0], **known).to_bytes(),
            lambda data: dealt.after_shares(ME, shares(data), context=CONTEXT),
        ),
        "hand-over": Message(
            lambda: deck.hand_over(shared, own, READER, secret[0], **known).to_bytes(),
            lambda data: shared.after_handover(own, READER, handed(data), context=CONTEXT),
        ),
    }


def _stated(own: OwnHand, claims: tuple[stated.Statement, ...]) -> Message:
    def judge(proof: bytes) -> None:
        statements.verify_statements(
            own.deck(), ME, claims, (proof,), points=pack.CARD_POINTS, context=CONTEXT
        )

    return Message(lambda: own.proofs(*claims)[0], judge)
