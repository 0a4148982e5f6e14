"""Shares, openings, hand-overs and statements about hidden cards, each made and judged."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from p2p304.cards import Card, Rank, Slot, Suit
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
from protocol.cards.keys import HandSecret, KeyStep, draw_hand_secret, prove_keys, verify_keys
from protocol.cards.shares import ShareBatch
from protocol.cards.statements import prove_statements, verify_statements
from protocol.proofs.context import ProofContext

_HERE: Final = ProofContext(1, b"bench", b"statements", 0, 0, 0, "bench", bytes(32))
_ME: Final = Seat(0)
_POINTS: Final = {
    Rank.JACK: 30,
    Rank.NINE: 20,
    Rank.ACE: 11,
    Rank.TEN: 10,
    Rank.KING: 3,
    Rank.QUEEN: 2,
}
_RANKS: Final = (*_POINTS, Rank.EIGHT, Rank.SEVEN)
_PACK: Final = tuple(Card(suit, rank) for suit in Suit for rank in _RANKS)
_HAND: Final = 8


@dataclass(frozen=True, slots=True)
class _Table:
    """An unshuffled deck of four seats: seat 0 holds the spades under its own keys."""

    deck: Deck
    secrets: tuple[HandSecret, ...]
    points: Mapping[Card, int]

    @classmethod
    def laid(cls) -> _Table:
        secret = tuple(draw_hand_secret(secrets.token_bytes) for _ in range(4))
        deck = Deck.start(_PACK, [each.keys() for each in secret])
        for seat in range(4):
            slots = [Slot(seat * _HAND + place) for place in range(_HAND)]
            deck = deck.dealt(Seat(seat), slots)
        for seat in range(4):
            batch = share_cards(
                deck, Seat(seat), secret[seat], context=_HERE, entropy=secrets.token_bytes
            )
            deck = deck.after_shares(Seat(seat), batch, context=_HERE)
        return cls(deck, secret, {card: _POINTS.get(card.rank, 0) for card in _PACK})


class Message(NamedTuple):
    """One kind of message: making it, and judging its bytes."""

    make: Callable[[], bytes]
    judge: Callable[[bytes], object]


def statement_messages() -> dict[str, Message]:
    """Prepare every kind of message about cards but shuffles, at a table where it is true."""
    table = _Table.laid()
    hand = tuple(Slot(place) for place in range(_HAND))
    spades, hearts = Suit.SPADES, Suit.HEARTS
    low = hand[4:]  # king, queen, eight, seven: 5 points
    statements: dict[str, Statement] = {
        "opening, 1 card": IsCard(hand[0], _PACK[0]),
        "all of suit, 8 cards": AllOfSuit(hand, spades),
        "none of suit, 1 card": NoneOfSuit(hand[:1], hearts),
        "none of suit, 8 cards": NoneOfSuit(hand, hearts),
        "one of two lists, 8 cards each": AnyOf(
            (NoneOfSuit(hand, hearts), NoneOfSuit(hand, spades))
        ),
        "points below 15, 4 cards": PointsBelow(low, 15),
    }
    opened = tuple(IsCard(slot, _PACK[slot]) for slot in hand)
    differing = (SuitsDiffer(hand[:2], Slot(_HAND)),)
    return {
        "keys": Message(_make_keys, _judge_keys),
        "shares, 12 cards": _shares(),
        "hand-over": _handover(table),
        "opening, 8 cards": _statement(table, opened),
        **{name: _statement(table, (claim,)) for name, claim in statements.items()},
        "suits differ, 2 cards": _statement(_with_foreign_card(table), differing),
    }


def _make_keys() -> bytes:
    secret = draw_hand_secret(secrets.token_bytes)
    return prove_keys(secret, context=_HERE, entropy=secrets.token_bytes).to_bytes()


def _judge_keys(data: bytes) -> None:
    verify_keys(KeyStep.from_bytes(data), context=_HERE, used=frozenset())


def _shares() -> Message:
    """Prepare a seat's shares of the four cards of each other seat."""
    secret = tuple(draw_hand_secret(secrets.token_bytes) for _ in range(4))
    deck = Deck.start(_PACK, [each.keys() for each in secret])
    for seat in range(4):
        deck = deck.dealt(Seat(seat), [Slot(4 * seat + place) for place in range(4)])
    return Message(
        lambda: share_cards(
            deck, _ME, secret[0], context=_HERE, entropy=secrets.token_bytes
        ).to_bytes(),
        lambda data: deck.after_shares(_ME, ShareBatch.from_bytes(data, cards=12), context=_HERE),
    )


def _handover(table: _Table) -> Message:
    slot, reader = Slot(0), Seat(1)
    return Message(
        lambda: hand_over(
            table.deck,
            slot,
            reader,
            table.secrets[0],
            context=_HERE,
            entropy=secrets.token_bytes,
        ).to_bytes(),
        lambda data: table.deck.after_handover(
            slot, reader, HandOver.from_bytes(data), context=_HERE
        ),
    )


def _with_foreign_card(table: _Table) -> _Table:
    """Return the table after seat 1 handed a card of another suit over to seat 0."""
    slot = Slot(_HAND)
    message = hand_over(
        table.deck, slot, _ME, table.secrets[1], context=_HERE, entropy=secrets.token_bytes
    )
    deck = table.deck.after_handover(slot, _ME, message, context=_HERE)
    return _Table(deck, table.secrets, table.points)


def _statement(table: _Table, statements: tuple[Statement, ...]) -> Message:
    def make() -> bytes:
        (proof,) = prove_statements(
            table.deck,
            _ME,
            table.secrets[0],
            statements,
            points=table.points,
            context=_HERE,
            entropy=secrets.token_bytes,
        )
        return proof

    def judge(proof: bytes) -> None:
        verify_statements(table.deck, _ME, statements, (proof,), points=table.points, context=_HERE)

    return Message(make, judge)
