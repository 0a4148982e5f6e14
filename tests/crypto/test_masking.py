"""Keys of two halves and masked cards: proofs of possession, rogue keys, one mask under one key."""

from __future__ import annotations

import pytest

from p2p304.cards import Card, Rank, Slot, Suit
from p2p304.seats import Seat
from protocol.cards.deck import Deck, shuffle_deck
from protocol.cards.keys import (
    HandSecret,
    KeyStep,
    MaskedCard,
    SeatKeys,
    cards_from_bytes,
    cards_to_bytes,
    draw_hand_secret,
    prove_keys,
    start_deck,
    table_keys,
    verify_keys,
)
from protocol.errors import LocalError
from protocol.group.constants import card_point, score_unit, suit_point
from protocol.group.point import (
    GENERATOR,
    Point,
    base_multiply,
    multiply,
    negate,
    subtract,
    sum_points,
)
from protocol.group.scalar import ORDER, Scalar
from tests.crypto.dealing import PACK_8, PACK_32, context, refused
from tests.crypto.seeded_entropy import seeded

HERE = context(3, "keys")


def step_of(seed: str) -> tuple[HandSecret, KeyStep]:
    entropy = seeded(seed)
    secret = draw_hand_secret(entropy)
    return secret, prove_keys(secret, context=HERE, entropy=entropy)


def not_taken(check: str, step: KeyStep, used: frozenset[bytes] = frozenset()) -> None:
    refused(check, verify_keys, step, context=HERE, used=used)


def test_a_key_seen_before_at_the_table_is_refused() -> None:
    _, step = step_of("reused")
    for key in step.keys:
        not_taken("key.reused", step, frozenset({key.to_bytes()}))


def rogue_keys(others: list[SeatKeys], known: HandSecret) -> SeatKeys:
    """Keys that make the table's sums keys whose secrets the rogue knows alone."""
    mine = known.keys()
    return SeatKeys(
        sum_points([mine.card, *[negate(each.card) for each in others]]),
        sum_points([mine.suit, *[negate(each.suit) for each in others]]),
    )


def test_without_proofs_of_possession_the_last_seat_reads_the_whole_deck() -> None:
    """attacks.md, A1, G9: the attack works on the cards, and no proof can be made for its keys."""
    others = [step_of(f"other {seat}")[0].keys() for seat in range(3)]
    known, known_step = step_of("rogue")
    rogue = rogue_keys(others, known)
    deck = Deck.start(PACK_8, [*others, rogue])
    where = context(0, "shuffle")
    shuffled = deck.after_shuffle(
        shuffle_deck(deck, context=where, entropy=seeded("fair")), context=where
    )
    read = {
        subtract(hidden.card.card, multiply(hidden.card.mask, known.card))
        for hidden in shuffled.slots.values()
    }
    assert read == {card_point(card) for card in PACK_8}  # without anybody's share

    not_taken("key.proof", KeyStep(rogue, known_step.proof))  # a proof for what it knows
    not_taken("key.proof", KeyStep(rogue, step_of("other 0")[1].proof))  # another seat's proof
    not_taken("key.proof", KeyStep(rogue, bytes(96)))  # none


def test_keys_that_cancel_are_refused() -> None:
    """G8; and G10: two seats with opposite keys are harmless as long as the sum is no identity."""
    keys = [step_of(f"cancel {seat}")[0].keys() for seat in range(3)]
    opposite = SeatKeys(negate(keys[0].card), negate(keys[0].suit))
    refused("key.sum", table_keys, [keys[0], opposite])
    assert table_keys([keys[0], keys[1], opposite]) == keys[1]
    Deck.start(PACK_8, [keys[0], keys[1], opposite])
    last = SeatKeys(
        negate(sum_points([each.card for each in keys])),
        negate(sum_points([each.suit for each in keys])),
    )
    refused("key.sum", table_keys, [*keys, last])


def differences(cards: tuple[Card, ...]) -> dict[Point, Card]:
    return {subtract(card_point(card), suit_point(card.suit)): card for card in cards}


def test_one_mask_under_one_key_names_the_card() -> None:
    """attacks.md, A6: with one key for both halves an outsider reads every card; with two, none."""
    secret, _ = step_of("one key")
    weak_keys = SeatKeys(secret.keys().card, secret.keys().card)
    table = differences(PACK_32)
    weak = start_deck(PACK_32, weak_keys)
    masked = [
        MaskedCard(
            multiply(card.mask, Scalar(1)),
            sum_points((card.card, multiply(weak_keys.card, Scalar(9 + place)))),
            sum_points((card.suit, multiply(weak_keys.suit, Scalar(9 + place)))),
        )
        for place, card in enumerate(weak)
    ]
    assert [table.get(subtract(card.card, card.suit)) for card in masked] == list(PACK_32)

    strong = start_deck(PACK_32, secret.keys())
    assert not [card for card in strong if subtract(card.card, card.suit) in table]
    not_taken("key.halves", KeyStep(weak_keys, bytes(96)))


def test_the_start_deck_is_the_pack_in_public_order() -> None:
    secret, _ = step_of("start")
    keys = secret.keys()
    deck = start_deck(PACK_32, keys)
    assert {card.mask for card in deck} == {GENERATOR}
    assert [subtract(card.card, keys.card) for card in deck] == [card_point(c) for c in PACK_32]
    assert [subtract(card.suit, keys.suit) for card in deck] == [
        suit_point(card.suit) for card in PACK_32
    ]
    with pytest.raises(LocalError):
        start_deck((*PACK_8, PACK_8[0]), keys)
    lost = SeatKeys(negate(card_point(PACK_8[3])), keys.suit)
    refused("deck.start", start_deck, PACK_8, lost)


def test_constant_points_are_distinct_and_not_small_multiples() -> None:
    cards = [card_point(Card(suit, rank)) for suit in Suit for rank in Rank]
    points = {*cards, *map(suit_point, Suit), score_unit()}
    assert len(points) == 57
    small = {base_multiply(Scalar(k % ORDER)) for k in (*range(1, 200), *range(-199, 0))}
    assert not points & small


def test_masked_cards_decode_strictly() -> None:
    secret, _ = step_of("bytes")
    cards = start_deck(PACK_8, secret.keys())
    data = cards_to_bytes(cards)
    assert cards_from_bytes(data, count=8) == cards
    for count in (7, 9):
        refused("cards.length", cards_from_bytes, data, count=count)
    refused("cards.type", cards_from_bytes, "x" * 792, count=8)
    # M063: an output whose mask is the identity
    refused("point.prefix", cards_from_bytes, bytes(33) + data[33:], count=8)


def test_the_deck_shows_no_cards_in_its_repr() -> None:
    keys = [step_of(f"show {seat}")[0].keys() for seat in range(2)]
    deck = Deck.start(PACK_8, keys)
    assert "slots" not in repr(deck)
    assert deck.hidden(Slot(0)).locks == {Seat(0), Seat(1)}
