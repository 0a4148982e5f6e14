"""Keys of two halves and masked cards: proofs of possession, rogue keys, one mask under one key."""

from __future__ import annotations

import pytest

from p2p304.cards import Card, Rank, Slot, Suit
from p2p304.seats import Seat
from protocol.cards.deck import Deck, shuffle_deck
from protocol.cards.keys import (
    HandKeys,
    HandSecret,
    KeyStep,
    MaskedCard,
    cards_from_bytes,
    cards_to_bytes,
    draw_hand_secret,
    prove_keys,
    start_deck,
    table_keys,
    verify_keys,
)
from protocol.errors import LocalError, MalformedMessage, ProofError
from protocol.group.constants import card_point, score_unit, suit_point
from protocol.group.point import (
    GENERATOR,
    POINT_BYTES,
    Point,
    base_multiply,
    multiply,
    negate,
    subtract,
    sum_points,
)
from protocol.group.scalar import ORDER, Scalar, SecretScalar
from tests.crypto.dealing import PACK_8, PACK_32, context, other_contexts
from tests.crypto.seeded_entropy import seeded

HERE = context(3, "keys")


def step_of(seed: str) -> tuple[HandSecret, KeyStep]:
    entropy = seeded(seed)
    secret = draw_hand_secret(entropy)
    return secret, prove_keys(secret, context=HERE, entropy=entropy)


def refused(step: KeyStep, check: str, used: frozenset[bytes] = frozenset()) -> None:
    with pytest.raises(ProofError) as caught:
        verify_keys(step, context=HERE, used=used)
    assert caught.value.check == check


def test_honest_keys_are_accepted() -> None:
    secret, step = step_of("honest")
    again = KeyStep.from_bytes(step.to_bytes())
    assert again == step
    assert len(step.to_bytes()) == 162
    verify_keys(again, context=HERE, used=frozenset({b"\2" * POINT_BYTES}))
    assert secret.keys() == again.keys


def test_a_proof_of_possession_holds_in_its_own_context_alone() -> None:
    _, step = step_of("context")
    for where in other_contexts(HERE):
        with pytest.raises(ProofError, match=r"key\.proof"):
            verify_keys(step, context=where, used=frozenset())


def test_keys_with_known_or_equal_secrets_are_refused() -> None:
    entropy = seeded("known")
    one, other = SecretScalar(1), SecretScalar(77)
    for secret, check in (
        (HandSecret(one, other), "key.generator"),
        (HandSecret(other, one), "key.generator"),
        (HandSecret(other, other), "key.halves"),
    ):
        refused(prove_keys(secret, context=HERE, entropy=entropy), check)


def test_a_key_seen_before_at_the_table_is_refused() -> None:
    _, step = step_of("reused")
    for key in step.keys:
        refused(step, "key.reused", frozenset({key.to_bytes()}))


def test_a_proof_for_other_keys_is_refused() -> None:
    _, mine = step_of("mine")
    _, theirs = step_of("theirs")
    refused(KeyStep(mine.keys, theirs.proof), "key.proof")
    refused(KeyStep(HandKeys(mine.keys.card, theirs.keys.suit), mine.proof), "key.proof")
    refused(KeyStep(HandKeys(*reversed(mine.keys)), mine.proof), "key.proof")


def rogue_keys(others: list[HandKeys], known: HandSecret) -> HandKeys:
    """Keys that make the table's sums keys whose secrets the rogue knows alone."""
    mine = known.keys()
    return HandKeys(
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

    refused(KeyStep(rogue, known_step.proof), "key.proof")  # a proof for what it knows
    refused(KeyStep(rogue, step_of("other 0")[1].proof), "key.proof")  # another seat's proof
    refused(KeyStep(rogue, bytes(96)), "key.proof")  # none


def test_keys_that_cancel_are_refused() -> None:
    """G8; and G10: two seats with opposite keys are harmless as long as the sum is no identity."""
    keys = [step_of(f"cancel {seat}")[0].keys() for seat in range(3)]
    opposite = HandKeys(negate(keys[0].card), negate(keys[0].suit))
    with pytest.raises(ProofError, match=r"key\.sum"):
        table_keys([keys[0], opposite])
    assert table_keys([keys[0], keys[1], opposite]) == keys[1]
    Deck.start(PACK_8, [keys[0], keys[1], opposite])
    last = HandKeys(
        negate(sum_points([each.card for each in keys])),
        negate(sum_points([each.suit for each in keys])),
    )
    with pytest.raises(ProofError, match=r"key\.sum"):
        table_keys([*keys, last])


def differences(cards: tuple[Card, ...]) -> dict[Point, Card]:
    return {subtract(card_point(card), suit_point(card.suit)): card for card in cards}


def test_one_mask_under_one_key_names_the_card() -> None:
    """attacks.md, A6: with one key for both halves an outsider reads every card; with two, none."""
    secret, _ = step_of("one key")
    weak_keys = HandKeys(secret.keys().card, secret.keys().card)
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
    refused(KeyStep(weak_keys, bytes(96)), "key.halves")


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
    lost = HandKeys(negate(card_point(PACK_8[3])), keys.suit)
    with pytest.raises(ProofError, match=r"deck\.start"):
        start_deck(PACK_8, lost)


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
        with pytest.raises(MalformedMessage) as caught:
            cards_from_bytes(data, count=count)
        assert caught.value.check == "cards.length"
    with pytest.raises(MalformedMessage) as caught:
        cards_from_bytes("x" * 792, count=8)  # type: ignore[arg-type]
    assert caught.value.check == "cards.type"
    with pytest.raises(MalformedMessage) as caught:  # M063: an output whose mask is the identity
        cards_from_bytes(bytes(33) + data[33:], count=8)
    assert caught.value.check == "point.prefix"


def test_key_steps_decode_strictly() -> None:
    data = step_of("strict")[1].to_bytes()
    order = ORDER.to_bytes(32, "big")
    for wrong, check in (
        (data[:-1], "key-step.length"),
        (data + b"\0", "key-step.length"),
        (b"\4" + data[1:], "point.prefix"),
        (data[:33] + bytes(33) + data[66:], "point.prefix"),
        (data[:66] + order + data[98:], "scalar.range"),
        (data[:130] + order, "scalar.range"),
        (bytearray(data), "key-step.type"),
    ):
        with pytest.raises(MalformedMessage) as caught:
            KeyStep.from_bytes(wrong)  # type: ignore[arg-type]
        assert caught.value.check == check


def test_secrets_do_not_show() -> None:
    secret, _ = step_of("repr")
    for text in (repr(secret), str(secret), f"{secret}"):
        assert text == "HandSecret()"


def test_the_deck_shows_no_cards_in_its_repr() -> None:
    keys = [step_of(f"show {seat}")[0].keys() for seat in range(2)]
    deck = Deck.start(PACK_8, keys)
    assert "slots" not in repr(deck)
    assert deck.hidden(Slot(0)).locks == {Seat(0), Seat(1)}
