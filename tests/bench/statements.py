"""Keys, shares, hand-overs and statements about hidden cards, each made and judged."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Final, NamedTuple

from p2p304.cards import Slot, Suit
from p2p304.rules304.pack import CARD_POINTS, PACK
from p2p304.seats import Seat
from p2p304.statements import (
    AllOfSuit,
    AnyOf,
    IsCard,
    NoneOfSuit,
    PointsBelow,
    Statement,
    SuitsDiffer,
)
from protocol.cards.deck import Deck, hand_over, share_cards
from protocol.cards.handover import HandOver
from protocol.cards.keys import KeyStep, draw_hand_secret, prove_keys, verify_keys
from protocol.cards.shares import ShareBatch
from protocol.cards.statements import verify_statements
from tests.bench.counting import OperationCounter
from tests.vectors.own_hand import CONTEXT, OwnHand

HAND: Final = "JS 9S AS TS KS QS 8S 7S"
ME, READER = Seat(0), Seat(1)


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


def statement_messages() -> dict[str, Message]:
    """Prepare every kind of message about cards but shuffles, at a table where it is true."""
    own = OwnHand(secrets.token_hex(8), f"{HAND} JH")
    slots = tuple(map(Slot, range(len(own.faces))))
    hand, spades, hearts = slots[:-1], Suit.SPADES, Suit.HEARTS
    opened = tuple(IsCard(slot, own.faces[slot]) for slot in hand)
    lists = (NoneOfSuit(hand, hearts), NoneOfSuit(hand, spades))
    statements: dict[str, tuple[Statement, ...]] = {
        "opening, 8 cards": opened,
        "opening, 1 card": opened[:1],
        "all of suit, 8 cards": (AllOfSuit(hand, spades),),
        "none of suit, 1 card": (NoneOfSuit(hand[:1], hearts),),
        "none of suit, 8 cards": (NoneOfSuit(hand, hearts),),
        "one of two lists, 8 cards each": (AnyOf(lists),),
        "points below 15, 4 cards": (PointsBelow(hand[4:], 15),),
        "suits differ, 2 cards": (SuitsDiffer(hand[:2], slots[-1]),),
    }
    return {
        "keys": Message(_make_keys, _judge_keys),
        **_shares_and_handover(),
        **{name: _stated(own, claims) for name, claims in statements.items()},
    }


def _make_keys() -> bytes:
    secret = draw_hand_secret(secrets.token_bytes)
    return prove_keys(secret, context=CONTEXT, entropy=secrets.token_bytes).to_bytes()


def _judge_keys(data: bytes) -> None:
    verify_keys(KeyStep.from_bytes(data), context=CONTEXT, used=frozenset())


def _shares_and_handover() -> dict[str, Message]:
    """Prepare a seat's shares of the four cards of each other seat; and, once all have shared, a
    card of its own for another seat's eyes."""
    secret = [draw_hand_secret(secrets.token_bytes) for _ in range(4)]
    dealt = Deck.start(PACK, [each.keys() for each in secret])
    for seat in range(4):
        dealt = dealt.dealt(Seat(seat), [Slot(4 * seat + place) for place in range(4)])
    shared, draw = dealt, secrets.token_bytes
    for seat in map(Seat, range(4)):
        batch = share_cards(shared, seat, secret[seat], context=CONTEXT, entropy=draw)
        shared = shared.after_shares(seat, batch, context=CONTEXT)

    def make_shares() -> bytes:
        return share_cards(dealt, ME, secret[0], context=CONTEXT, entropy=draw).to_bytes()

    def judge_shares(data: bytes) -> object:
        return dealt.after_shares(ME, ShareBatch.from_bytes(data, cards=12), context=CONTEXT)

    def make_handover() -> bytes:
        own = Slot(0)
        return hand_over(shared, own, READER, secret[0], context=CONTEXT, entropy=draw).to_bytes()

    def judge_handover(data: bytes) -> object:
        return shared.after_handover(Slot(0), READER, HandOver.from_bytes(data), context=CONTEXT)

    return {
        "shares, 12 cards": Message(make_shares, judge_shares),
        "hand-over": Message(make_handover, judge_handover),
    }


def _stated(own: OwnHand, statements: tuple[Statement, ...]) -> Message:
    def judge(proof: bytes) -> None:
        verify_statements(own.deck(), ME, statements, (proof,), points=CARD_POINTS, context=CONTEXT)

    return Message(lambda: own.proofs(*statements)[0], judge)
