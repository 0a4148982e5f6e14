"""The masked deck and its shuffles: honest ones, all ways to cheat by name, what is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from p2p304.cards import Card, Slot
from p2p304.seats import Seat
from protocol.cards.deck import Deck, ProvenShuffle, hand_over, read_card, remix_hand, share_cards
from protocol.cards.handover import HandOver, prove_handover
from protocol.cards.keys import HandSecret, MaskedCard, draw_hand_secret
from protocol.cards.shares import Share, ShareBatch, without_share
from protocol.errors import LocalError
from protocol.group.constants import card_point, chain_base, constants_digest, shuffle_generators
from protocol.group.layout import join
from protocol.group.point import (
    GENERATOR,
    Point,
    add,
    base_multiply,
    combine_reduced,
    linear_combination,
    multiply,
    subtract,
)
from protocol.group.scalar import ORDER, Scalar, SecretScalar, secret_scalar
from protocol.proofs import shuffle
from protocol.proofs.batch_dleq import BatchEquality, prove_equality, verify_equality
from protocol.proofs.shuffle import (
    Ciphertext,
    ShuffleProof,
    ShuffleSecret,
    ShuffleStatement,
    prove_shuffle,
    remask,
    shuffle_cards,
    uniform_permutation,
    verify_shuffle,
)
from protocol.proofs.sponge import LAMBDA, DuplexSponge, draw_weights
from tests.bench.counting import OperationCounter
from tests.crypto.dealing import PACK_16, Dealt, broken, context, dealt, refused, undealt
from tests.crypto.seeded_entropy import seeded, stuck

# --- deck -----------------------------------------------------------------------------------------

# The masked deck: shares, hand-overs, remixing and reading, and what each of them refuses.
#
# What is merely changed, exchanged or said elsewhere is refused in test_mutations, of every
# message.

SHUFFLE = context(0, "shuffle")
SHARES = context(1, "shares")
OVER = context(0, "hand-over")
REMIX = context(0, "remix")


def read(table: Dealt, deck: Deck, slot: Slot, reader: int) -> Card:
    return read_card(deck, slot, Seat(reader), table.secrets[reader], entropy=table.entropy)


# Shuffling the deck


def test_a_dealt_deck_is_not_shuffled_again() -> None:
    table, step = dealt("late"), undealt("late").shuffled(SHUFFLE)
    refused("deck.dealt", table.deck.after_shuffle, step, context=SHUFFLE)
    refused("deck.dealt", table.deck.with_owner, Seat(0), [Slot(5)])
    refused("deck.slot", table.deck.with_owner, Seat(0), [Slot(99)])


# Shares


def shared(seed: str) -> tuple[Dealt, Deck, ShareBatch]:
    """A shuffled deck with four cards dealt to each of two seats, and seat 1's shares."""
    start = undealt(seed)
    deck = start.deck.after_shuffle(start.shuffled(SHUFFLE), context=SHUFFLE)
    deck = deck.with_owner(Seat(0), [Slot(s) for s in range(4)])
    deck = deck.with_owner(Seat(1), [Slot(s) for s in range(4, 8)])
    batch = share_cards(deck, Seat(1), start.secrets[1], context=SHARES, entropy=start.entropy)
    return start, deck, batch


def test_a_seat_shares_what_it_owes_and_never_its_own_cards() -> None:
    start, deck, batch = shared("owed")
    assert deck.owed_shares(Seat(1)) == (0, 1, 2, 3)
    assert len(batch.shares) == 4
    after = deck.after_shares(Seat(1), batch, context=SHARES)
    assert after.owed_shares(Seat(1)) == ()
    with pytest.raises(LocalError):
        share_cards(after, Seat(1), start.secrets[1], context=SHARES, entropy=start.entropy)
    refused("shares.none", after.after_shares, Seat(1), batch, context=SHARES)


def test_a_share_too_few_or_too_many_is_refused() -> None:
    _, deck, batch = shared("count")
    for shares in (batch.shares[:3], (*batch.shares, batch.shares[3])):
        bad = ShareBatch(shares, batch.proof)
        refused("shares.count", deck.after_shares, Seat(1), bad, context=SHARES)


def test_errors_that_cancel_pass_a_batch_without_weights_and_not_ours() -> None:
    """FS10: D_0 + E and D_1 - E have the right sum."""
    start, deck, batch = shared("cancelling")
    secret = start.secrets[1]
    error = base_multiply(Scalar(424242))
    a, b, c, d = batch.shares
    shares = (a._replace(card=add(a.card, error)), b._replace(card=subtract(b.card, error)), c, d)
    cards = [deck.slots[Slot(s)].card for s in range(4)]
    masks = linear_combination([(Scalar(1), card.mask) for card in cards])
    weak_sum = linear_combination([(Scalar(1), share.card) for share in shares])
    assert weak_sum == multiply(masks, secret.card)  # all that a batch with weights 1 looks at
    weak = BatchEquality(keys=(secret.keys().card,), bases=((masks,),), images=(((weak_sum,),),))
    proof = prove_equality(weak, (secret.card,), session=b"weak", entropy=start.entropy)
    verify_equality(weak, proof, session=b"weak", check="weak")  # the forgery succeeds

    honest = BatchEquality(
        keys=tuple(secret.keys()),
        bases=tuple((card.mask,) for card in cards),
        images=(
            tuple((share.card,) for share in shares),
            tuple((share.suit,) for share in shares),
        ),
    )
    both = (secret.card, secret.suit)
    forged = prove_equality(honest, both, session=b"strong", entropy=start.entropy)
    refused("strong", verify_equality, honest, forged, session=b"strong", check="strong")
    bad = ShareBatch(shares, batch.proof)
    refused("shares.proof", deck.after_shares, Seat(1), bad, context=SHARES)


def test_the_identity_never_becomes_a_masked_half() -> None:
    card = MaskedCard(*(base_multiply(Scalar(n)) for n in (3, 4, 5)))
    refused("shares.identity", without_share, card, Share(card.card, card.mask))
    refused("shares.identity", without_share, card, Share(card.mask, card.suit))


# Hand-over


def handed(table: Dealt, slot: Slot, reader: int = 1) -> HandOver:
    return hand_over(
        table.deck, slot, Seat(reader), table.secrets[0], context=OVER, entropy=table.entropy
    )


def test_a_handed_over_card_is_read_by_its_owner_and_its_reader_alone() -> None:
    table = dealt("over", pack=PACK_16, seats=3)
    slot = table.hand(0)[2]
    message = HandOver.from_bytes(handed(table, slot).to_bytes())
    assert len(message.to_bytes()) == 227
    deck = table.deck.after_handover(slot, Seat(1), message, context=OVER)
    assert deck.hidden_card(slot).owner == Seat(0)
    for reader in (0, 1):
        assert read(table, deck, slot, reader) == table.faces(0)[slot]
        refused("deck.handed", deck.after_handover, slot, Seat(reader), message, context=OVER)
    refused("deck.locks", read, table, deck, slot, 2)


def test_a_card_that_moves_is_its_readers_who_mixes_it_into_its_hand() -> None:
    table = dealt("moves", pack=PACK_16, seats=3)
    slot, face = table.hand(0)[1], table.faces(0)[table.hand(0)[1]]
    message = HandOver.from_bytes(handed(table, slot).to_bytes())
    deck = table.deck.after_handover(slot, Seat(1), message, context=OVER, moves=True)
    assert deck.hidden_card(slot).owner == Seat(1)
    assert [read(table, deck, slot, seat) for seat in (0, 1)] == [face, face]
    refused("deck.locks", read, table, deck, slot, 2)
    kept = (*table.hand(1), slot)
    after = tuple(Slot(40 + place) for place in range(len(kept)))
    step = remix_hand(deck, Seat(1), kept, context=REMIX, entropy=table.entropy)
    mixed = deck.after_remix(Seat(1), kept, after, step, context=REMIX)
    assert {read(table, mixed, each, 1) for each in after} == {*table.faces(1).values(), face}
    for seat in (0, 2):
        for each in after:
            refused("deck.locks", read, table, mixed, each, seat)
    own = table.hand(0)
    refused("deck.remix", remix_hand, deck, Seat(0), own, context=REMIX, entropy=table.entropy)


def test_a_card_is_handed_over_to_one_seat_after_another() -> None:
    table = dealt("twice", pack=PACK_16, seats=3)
    slot = table.hand(0)[0]
    deck = table.deck
    for reader in (1, 2):
        message = handed(table, slot, reader)
        deck = deck.after_handover(slot, Seat(reader), message, context=OVER)
    for seat in range(3):
        assert read(table, deck, slot, seat) == table.faces(0)[slot]
    assert len(deck.covers) == 2


def test_the_share_of_a_stranger_is_no_handover() -> None:
    table = dealt("stranger", seats=2)
    slot, other = table.hand(0)[0], draw_hand_secret(seeded("other"))
    card, reader = table.deck.hidden_card(slot).card, table.deck.keys[1]
    message = prove_handover(card, other, reader, context=OVER, entropy=table.entropy)
    refused("hand-over.proof", table.deck.after_handover, slot, Seat(1), message, context=OVER)
    # And a program that has mixed up its keys notices before it sends.
    with pytest.raises(LocalError):
        hand_over(table.deck, slot, Seat(1), other, context=OVER, entropy=table.entropy)
    owing = undealt("stranger").deck.with_owner(Seat(1), [slot])
    with pytest.raises(LocalError):
        share_cards(owing, Seat(0), other, context=OVER, entropy=table.entropy)


def test_a_reused_handover_randomness_names_both_cards_and_is_refused() -> None:
    """specs/attacks.md, A5: an outsider takes the differences of what two hand-overs publish."""
    table = dealt("reused", pack=PACK_16, seats=3)
    first, second = table.hand(0)[:2]
    cover = Scalar(31337)
    bare = []
    for slot in (first, second):  # a weak owner: the same ρ for both
        card = table.deck.hidden_card(slot).card
        covered = multiply(table.deck.keys[1].card, cover)
        share = add(multiply(card.mask, table.secrets[0].card), covered)
        bare.append(subtract(card.card, share))
    seen = subtract(*bare)
    named = [
        (one, other)
        for one in PACK_16
        for other in PACK_16
        if one != other and subtract(card_point(one), card_point(other)) == seen
    ]
    assert named == [(table.faces(0)[first], table.faces(0)[second])]

    good, again = handed(table, first), handed(table, second)
    deck = table.deck.after_handover(first, Seat(1), good, context=OVER)
    reused = replace(again, cover=good.cover)
    refused("hand-over.reused", deck.after_handover, second, Seat(1), reused, context=OVER)
    # An R of an earlier hand at this table counts as well.
    earlier = table.deck._replace(covers=frozenset({again.cover.to_bytes()}))
    refused("hand-over.reused", earlier.after_handover, second, Seat(1), again, context=OVER)


def test_a_broken_random_source_covers_two_cards_with_two_randomnesses() -> None:
    table = dealt("stuck", pack=PACK_16, seats=3)
    covers = {
        hand_over(table.deck, slot, Seat(1), table.secrets[0], context=OVER, entropy=stuck).cover
        for slot in table.hand(0)
    }
    assert len(covers) == 4


# Remixing the own hand


def remixed(table: Dealt, before: tuple[Slot, ...]) -> ProvenShuffle:
    return remix_hand(table.deck, Seat(0), before, context=REMIX, entropy=table.entropy)


AFTER = tuple(Slot(50 + place) for place in range(4))


def test_a_remix_of_other_cards_or_under_other_keys_is_refused() -> None:
    """M073: under the table's keys; SH12: another hand; slots of other seats."""
    table = dealt("keys", pack=PACK_16, seats=4)
    before = table.hand(0)
    good = remixed(table, before)
    entropy = seeded("cheat")
    cards, keys = table.deck.under(Seat(0), before), table.deck.keys
    joint = [linear_combination([(Scalar(1), k[half]) for k in keys]) for half in (0, 1)]
    order, masks = (2, 0, 3, 1), draw_hand_secret(entropy)
    secret = ShuffleSecret(order, (masks.card, masks.suit, masks.card, masks.suit))
    after = tuple(
        MaskedCard(*remask(cards[origin], joint, mask))
        for origin, mask in zip(order, secret.masks, strict=True)
    )
    remix = table.deck.after_remix
    for claimed in (joint, list(keys[0])):
        statement = ShuffleStatement(tuple(claimed), cards, after)
        purpose = b"hand-shuffle"
        proof = prove_shuffle(statement, secret, context=REMIX, purpose=purpose, entropy=entropy)
        step = ProvenShuffle(after, proof)
        refused("shuffle.equation", remix, Seat(0), before, AFTER, step, context=REMIX)
    for check, given, slots in (
        ("deck.locks", table.hand(1), AFTER),
        ("deck.remix", (before[0],) * 4, AFTER),
        ("deck.remix", (), ()),
        ("deck.shuffle-count", before[:3], AFTER[:3]),
    ):
        refused(check, remix, Seat(0), given, slots, good, context=REMIX)
    for wrong in (AFTER[:3], (*AFTER[:3], AFTER[0]), (*AFTER, AFTER[0]), before):
        with pytest.raises(LocalError):
            remix(Seat(0), before, wrong, good, context=REMIX)


def test_an_opened_card_that_is_mixed_in_again_is_hidden_again() -> None:
    table = dealt("again", pack=PACK_16, seats=4)
    before = table.hand(0)
    shown, kept = before[0], table.hand(1)[0]
    deck = table.deck.with_face(shown, table.faces(0)[shown]).with_face(kept, table.faces(1)[kept])
    step = remix_hand(deck, Seat(0), before, context=REMIX, entropy=table.entropy)
    mixed = deck.after_remix(Seat(0), before, AFTER, step, context=REMIX)
    assert set(mixed.faces) == {kept}
    assert not set(before) & set(mixed.slots)


def test_shares_lie_by_ascending_slot_whatever_the_order_of_dealing() -> None:
    table = undealt("order", pack=PACK_16, seats=2)
    slots = dict(reversed(table.deck.slots.items()))
    deck = table.deck._replace(slots=slots).with_owner(Seat(1), [Slot(9), Slot(3), Slot(5)])
    assert deck.owed_shares(Seat(0)) == (3, 5, 9)


def test_a_card_of_another_seat_is_not_mixed_in_by_its_reader() -> None:
    table = dealt("lent", pack=PACK_16, seats=3)
    lent = table.hand(0)[0]
    deck = table.deck.after_handover(lent, Seat(1), handed(table, lent), context=OVER)
    before = (lent, *table.hand(1)[:3])
    refused("deck.remix", remix_hand, deck, Seat(1), before, context=REMIX, entropy=table.entropy)


# Reading and opening


def replaced(table: Dealt, slot: Slot, card: MaskedCard) -> Deck:
    hidden = table.deck.hidden_card(slot)._replace(card=card)
    return table.deck._replace(slots={**table.deck.slots, slot: hidden})


def test_reading_tells_when_our_own_checks_must_be_broken() -> None:
    """DL5: only a deck that was never verified holds such cards."""
    table = dealt("alarm")
    slot, other = table.hand(0)[:2]
    card, faces = table.deck.hidden_card(slot).card, table.faces(0)
    for check, wrong in (
        ("deck.not-a-card", card._replace(card=add(card.card, GENERATOR))),
        ("deck.not-a-card", card._replace(card=multiply(card.mask, table.secrets[0].card))),
        ("deck.halves", card._replace(suit=add(card.suit, GENERATOR))),
    ):
        broken(check, read, table, replaced(table, slot, wrong), slot, 0)
    refused("deck.slot", read, table, table.deck, Slot(77), 0)

    deck = table.deck.with_face(slot, faces[slot])
    assert deck.with_face(slot, faces[slot]) is deck
    broken("deck.face", deck.with_face, slot, faces[other])
    broken("deck.twice", deck.with_face, other, faces[slot])
    refused("deck.slot", deck.with_face, Slot(77), faces[other])


def test_undealt_and_half_shared_cards_are_under_nobody_alone() -> None:
    start, deck, batch = shared("locks")
    for seat in (0, 1):
        refused("deck.locks", deck.under, Seat(seat), [Slot(0)])
    refused("deck.locks", hand_over, start.deck, Slot(0), Seat(1), start.secrets[0],
            context=OVER, entropy=start.entropy)  # fmt: skip
    after = deck.after_shares(Seat(1), batch, context=SHARES)
    assert len(after.under(Seat(0), [Slot(0), Slot(3)])) == 2


def test_weak_fiat_shamir_proves_a_wrong_share_and_ours_does_not() -> None:
    """attacks.md, A2: the challenge covers the announcement alone, so the share is chosen last."""
    start, deck, batch = shared("weak")
    secret = start.secrets[1]
    card = deck.slots[Slot(0)].card
    (response, challenge), weak_share, announced = weak_share_forgery(secret, card.mask)
    left = linear_combination([(response, card.mask)])
    right = linear_combination([(Scalar(1), announced[1]), (challenge, weak_share)])
    assert left == right  # the weak verifier's second equation holds
    assert weak_challenge(announced) == challenge  # and so does its challenge
    assert weak_share != multiply(card.mask, secret.card)
    first, *rest = batch.shares
    forged = ShareBatch((first._replace(card=weak_share), *rest), batch.proof)
    refused("shares.proof", deck.after_shares, Seat(1), forged, context=SHARES)
    data = challenge.to_bytes() + response.to_bytes()
    images = (((weak_share,),),)
    weak = BatchEquality(keys=(secret.keys().card,), bases=((card.mask,),), images=images)
    refused("shares", verify_equality, weak, data, session=b"here", check="shares")


def weak_challenge(announced: tuple[Point, Point]) -> Scalar:
    """A challenge that forgets the statement."""
    seed = announced[0].to_bytes() + announced[1].to_bytes()
    return Scalar.uniform(seeded(seed.hex())(64))


def weak_share_forgery(
    secret: HandSecret, mask: Point
) -> tuple[tuple[Scalar, Scalar], Point, tuple[Point, Point]]:
    """A share that is wrong and a transcript that satisfies `response·A = T + challenge·D`."""
    nonce = Scalar(1234567)
    announced = (base_multiply(nonce), base_multiply(Scalar(7654321)))
    challenge = weak_challenge(announced)
    response = nonce + challenge * Scalar(secret.card.value)
    share = multiply(
        subtract(multiply(mask, response), announced[1]), Scalar(pow(challenge.value, -1, ORDER))
    )
    return (response, challenge), share, announced


# --- shuffle --------------------------------------------------------------------------------------

# The shuffle argument: honest shuffles, and every way to cheat refused by name.

HERE = context(0, "shuffle")
PURPOSE = b"test-shuffle"


def random_cards(seed: str, cards: int, halves: int) -> tuple[Ciphertext, ...]:
    entropy = seeded(seed)
    return tuple(
        tuple(base_multiply(secret_scalar(entropy)) for _ in range(1 + halves))
        for _ in range(cards)
    )


def random_keys(seed: str, halves: int) -> tuple[Point, ...]:
    entropy = seeded("keys" + seed)
    return tuple(base_multiply(secret_scalar(entropy)) for _ in range(halves))


def honest(
    seed: str, cards: int = 4, halves: int = 2
) -> tuple[ShuffleStatement, ShuffleSecret, ShuffleProof]:
    entropy = seeded(seed)
    keys = random_keys(seed, halves)
    before = random_cards(seed, cards, halves)
    after, secret = shuffle_cards(before, keys, entropy)
    statement = ShuffleStatement(keys, before, after)
    return statement, secret, prove(statement, secret)


def prove(statement: ShuffleStatement, secret: ShuffleSecret) -> ShuffleProof:
    entropy = seeded("prove")
    return prove_shuffle(statement, secret, context=HERE, purpose=PURPOSE, entropy=entropy)


def verify(statement: ShuffleStatement, proof: ShuffleProof) -> None:
    verify_shuffle(statement, proof, context=HERE, purpose=PURPOSE)


def test_a_shuffle_that_changes_nothing_is_legal() -> None:
    keys, before = random_keys("still", 2), random_cards("still", 4, 2)
    secret = ShuffleSecret((0, 1, 2, 3), (SecretScalar(0),) * 4)
    statement = ShuffleStatement(keys, before, before)
    verify(statement, prove(statement, secret))


def test_the_identity_permutation_with_fresh_masks_is_legal() -> None:
    entropy = seeded("fresh")
    keys, before = random_keys("fresh", 2), random_cards("fresh", 4, 2)
    masks = tuple(secret_scalar(entropy) for _ in range(4))
    after = tuple(remask(card, keys, m) for card, m in zip(before, masks, strict=True))
    statement = ShuffleStatement(keys, before, after)
    verify(statement, prove(statement, ShuffleSecret((0, 1, 2, 3), masks)))


EXTRA = base_multiply(Scalar(77))


def fourth(made: ShuffleStatement, *card: Point) -> dict[str, Any]:
    return {"after": (*made.after[:3], card, *made.after[4:])}


def suits_turned(after: Sequence[Ciphertext]) -> tuple[Ciphertext, ...]:
    suits = [card[2] for card in after]
    return tuple((*card[:2], suit) for card, suit in zip(after, suits[1:] + suits[:1], strict=True))


#: What differs from the shuffle that was made, given that and its fourth card.
CHEATS: dict[str, Callable[[ShuffleStatement, Ciphertext], dict[str, Any]]] = {
    "a card doubled by remasking another":  # M056
        lambda made, _: fourth(made, *remask(made.after[5], made.keys, Scalar(9))),
    "a card that is no card":  # M057
        lambda made, _: fourth(made, *(base_multiply(Scalar(1000 + i)) for i in range(3))),
    "one card shifted to another":  # M058
        lambda made, card: fourth(made, card[0], add(card[1], EXTRA), card[2]),
    "one suit shifted to another":
        lambda made, card: fourth(made, card[0], card[1], add(card[2], EXTRA)),
    "halves balanced against each other":
        lambda made, card: fourth(made, card[0], add(card[1], EXTRA), subtract(card[2], EXTRA)),
    "a foreign mask":
        lambda made, card: fourth(made, add(card[0], EXTRA), *card[1:]),
    "two cards exchanged against the permutation":
        lambda made, _: {"after": (*made.after[1::-1], *made.after[2:])},
    "the deck before the previous shuffler":  # M059
        lambda made, _: {"before": random_cards("older", 8, 2)},
    "suits permuted apart from cards":  # M061
        lambda made, _: {"after": suits_turned(made.after)},
    "under other keys":  # M073
        lambda made, _: {"keys": random_keys("another", 2)},
    "keys exchanged":
        lambda made, _: {"keys": made.keys[::-1]},
}  # fmt: skip


@pytest.mark.parametrize("name", CHEATS)
def test_a_false_shuffle_is_refused_with_its_best_proof_and_with_the_honest_one(name: str) -> None:
    made, secret, honest_proof = honest(name, cards=8)
    statement = replace(made, **CHEATS[name](made, made.after[3]))
    for proof in (prove(statement, secret), honest_proof):
        refused("shuffle.equation", verify, statement, proof)


def test_halves_that_are_shuffled_each_alone_do_not_make_a_deck() -> None:
    """M061: each half by itself is a proper shuffle, with one mask, but of another order."""
    keys, before = random_keys("alone", 2), random_cards("alone", 4, 2)
    entropy = seeded("alone")
    masks = tuple(secret_scalar(entropy) for _ in range(4))
    orders = ((0, 1, 2, 3), (1, 0, 2, 3))
    halves = []
    for half, order in enumerate(orders):
        one = [(card[0], card[1 + half]) for card in before]
        after = tuple(
            remask(one[origin], keys[half : half + 1], mask)
            for origin, mask in zip(order, masks, strict=True)
        )
        statement = ShuffleStatement(keys[half : half + 1], tuple(one), after)
        verify(statement, prove(statement, ShuffleSecret(order, masks)))
        halves.append(after)
    mixed = tuple((a[0], a[1], b[1]) for a, b in zip(*halves, strict=True))
    statement = ShuffleStatement(keys, before, mixed)
    for order in orders:
        refused(
            "shuffle.equation", verify, statement, prove(statement, ShuffleSecret(order, masks))
        )


def test_a_hand_that_drops_a_card_and_doubles_another_is_refused() -> None:
    """M074, by a prover who claims a permutation that is none, or one that is not its own."""
    keys, before = random_keys("doubled", 2), random_cards("doubled", 4, 2)
    entropy = seeded("doubled")
    masks = tuple(secret_scalar(entropy) for _ in range(4))
    chosen = (0, 1, 2, 2)
    after = tuple(remask(before[c], keys, m) for c, m in zip(chosen, masks, strict=True))
    statement = ShuffleStatement(keys, before, after)
    with pytest.raises(LocalError):
        prove(statement, ShuffleSecret(chosen, masks))
    refused(
        "shuffle.equation", verify, statement, prove(statement, ShuffleSecret((0, 1, 2, 3), masks))
    )


def test_a_proof_for_another_number_of_cards_is_refused() -> None:
    """M060: 31 or 33 cards where 32 are awaited."""
    statement, _, proof = honest("count", cards=4)
    for cards in (3, 5):
        data = proof.to_bytes()
        refused("shuffle-proof.length", ShuffleProof.from_bytes, data, cards=cards)
        refused("shuffle.count", verify, statement, honest("other", cards=cards)[2])
    for name in ("responses", "chain", "commitments"):
        fewer = replace(proof, **{name: getattr(proof, name)[1:]})
        refused("shuffle.count", verify, statement, fewer)


def test_statements_that_make_no_sense_are_our_own_mistake() -> None:
    statement, secret, _ = honest("sense", cards=3)
    for keys, before, after in (
        ((), statement.before, statement.after),
        (statement.keys, (), ()),
        (statement.keys, statement.before, statement.after[1:]),
        (statement.keys[:1], statement.before, statement.after),
    ):
        with pytest.raises(LocalError):
            ShuffleStatement(keys, before, after)
    with pytest.raises(LocalError):
        prove(statement, replace(secret, permutation=(0, 1)))
    with pytest.raises(LocalError):
        prove(statement, replace(secret, masks=secret.masks[1:]))


def test_cancelling_points_are_refused_and_not_a_crash() -> None:
    statement, _, proof = honest("cancel", cards=2)
    point = proof.commitments[0]
    opposite = multiply(point, Scalar(ORDER - 1))
    refused("shuffle.equation", verify, statement, replace(proof, commitments=(point, opposite)))


def test_a_broken_random_source_does_not_repeat_nonces() -> None:
    """The same bytes for two statements give unrelated announcements."""
    keys, before = random_keys("stuck", 2), random_cards("stuck", 3, 2)
    proofs = []
    for mask in (5, 6):
        secret = ShuffleSecret((1, 2, 0), (SecretScalar(mask),) * 3)
        after = tuple(remask(before[origin], keys, Scalar(mask)) for origin in (1, 2, 0))
        statement = ShuffleStatement(keys, before, after)
        proofs.append(
            prove_shuffle(statement, secret, context=HERE, purpose=PURPOSE, entropy=stuck)
        )
    first, second = ({*p.commitments, *p.chain, *p.announcements} for p in proofs)
    assert len(first) == len(second) == 10
    assert not first & second


def test_secrets_do_not_show() -> None:
    _, secret, _ = honest("repr", cards=3)
    assert repr(secret) == str(secret) == "ShuffleSecret()"


def test_a_stuck_source_still_gives_a_permutation() -> None:
    for byte in (b"\x00", b"\x7f", b"\xff"):
        drawn = uniform_permutation(32, lambda n, byte=byte: byte * n)  # type: ignore[misc]
        assert sorted(drawn) == list(range(32))


def test_weights_are_short_distinct_and_never_zero() -> None:
    assert (LAMBDA * LAMBDA + LAMBDA + 1) % ORDER == 0
    edges = [bytes(16), b"\xff" * 8 + bytes(8), bytes(8) + b"\xff" * 8, b"\xff" * 16]
    stream: Any = SimpleNamespace(squeeze=lambda _: b"".join(edges))
    zeros, *others = draw_weights(stream, 4)
    assert zeros == 1
    assert len({zeros, *others}) == 4
    drawn = draw_weights(DuplexSponge(bytes(32)), 1000)
    assert len(set(drawn)) == 1000
    assert 0 not in drawn


def test_generators_are_distinct_and_stay_what_they_are() -> None:
    points = {chain_base(), GENERATOR, *shuffle_generators(52)}
    assert len(points) == 54
    assert shuffle_generators(52)[:8] == shuffle_generators(8)
    assert constants_digest(52).hex() == CONSTANTS_DIGEST


CONSTANTS_DIGEST = "4ab5c220f1971ff513637a32cced92472c60460339b429b7d266ffd7bf4aa5a1"


def test_the_argument_costs_what_the_specification_says() -> None:
    statement, secret, _ = honest("cost", cards=32)
    with OperationCounter() as proving:
        proof = prove(statement, secret)
    with OperationCounter() as verifying:
        verify(statement, proof)
    assert proving.multiplications == 5 * 32 + 3
    assert proving.base_multiplications == 2 * 32 + 3
    assert verifying.multiplications == 9 * 32 + 12
    assert verifying.base_multiplications == 1


# --- shuffle forgeries ----------------------------------------------------------------------------

# Forgeries that each violate one part of the shuffle argument, by a prover who does all it can.
#
# The prover below commits to any matrix M instead of a permutation and makes outputs for which
# everything but the part under test holds: `u' = M·u` and `E = M^T·E'` over the remasked outputs.
# A prover with a permutation passes, so that the refusals say something.

HALF = pow(2, -1, ORDER)
KEYS = (base_multiply(Scalar(501)), base_multiply(Scalar(502)))
MASKS = (61, 62, 63)
BEFORE: tuple[Ciphertext, ...] = tuple(
    tuple(base_multiply(Scalar(100 * card + part + 1)) for part in range(3)) for card in range(3)
)
Matrix = Sequence[Sequence[int]]  #: M[i][j]: how much of u_j is in u'_i.


def remasked(mixtures: Sequence[Sequence[tuple[int, int]]]) -> tuple[Ciphertext, ...]:
    """Outputs that are mixtures `(coefficient, card)` of the inputs under fresh masks."""
    cards = [
        tuple(
            combine_reduced([(value % ORDER, BEFORE[card][part]) for value, card in mixture])
            for part in range(3)
        )
        for mixture in mixtures
    ]
    return tuple(remask(card, KEYS, Scalar(m)) for card, m in zip(cards, MASKS, strict=True))


def dot(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(left, right, strict=True)) % ORDER


def forge(
    after: tuple[Ciphertext, ...], matrix: Matrix, *, lying_chain: bool = False
) -> tuple[ShuffleStatement, ShuffleProof]:
    """The best proof for a matrix; with `lying_chain` its last link has the right product."""
    count = len(after)
    statement = ShuffleStatement(KEYS, BEFORE, after)
    generators = shuffle_generators(count)
    sponge = DuplexSponge(HERE.session_identifier(PURPOSE))
    blinds = [71 + j for j in range(count)]
    commitments = tuple(
        combine_reduced(
            [
                (blinds[j], GENERATOR),
                *[(matrix[i][j] % ORDER, generators[i]) for i in range(count)],
            ]
        )
        for j in range(count)
    )
    sponge.absorb(statement.to_bytes() + join(commitments))
    weights = draw_weights(sponge, count)
    moved = [dot(row, weights) for row in matrix]
    steps = list(moved)
    if lying_chain:
        right = 1
        for weight in weights:
            right = right * weight % ORDER
        for step in moved[:-1]:
            right = right * pow(step, -1, ORDER) % ORDER
        steps[-1] = right
    link_blinds = [81 + i for i in range(count)]
    openings, chain = [(0, 1)], []
    for step, blind in zip(steps, link_blinds, strict=True):
        base, product = openings[-1]
        openings.append(((blind + step * base) % ORDER, step * product % ORDER))
        chain.append(
            combine_reduced([(openings[-1][0], GENERATOR), (openings[-1][1], chain_base())])
        )
    sponge.absorb(join(chain))
    *links, total, last, second_half = draw_weights(sponge, count + 3)
    halves = [1, second_half]
    nonces, (matrix_nonce, chain_nonce, mask_nonce) = [11, 12, 13], (21, 22, 23)

    def merged(points: Sequence[Point]) -> Point:
        return combine_reduced(list(zip(halves, points, strict=True)))

    def announced(first: int, base: Point, rest: Sequence[Point]) -> Point:
        return combine_reduced([(first % ORDER, base), *zip(nonces, rest, strict=True)])

    link_bases = [
        combine_reduced([(links[i], point)]) for i, point in enumerate((chain_base(), *chain[:-1]))
    ]
    announcements = (
        announced(matrix_nonce, GENERATOR, generators),
        announced(chain_nonce, GENERATOR, link_bases),
        announced(-mask_nonce, GENERATOR, [card[0] for card in after]),
        announced(-mask_nonce, merged(KEYS), [merged(card[1:]) for card in after]),
    )
    sponge.absorb(join(announcements))
    (challenge,) = draw_weights(sponge, 1)
    witness = (
        dot(weights, blinds),
        total * sum(blinds) + last * openings[-1][0] + dot(links, link_blinds),
        dot(moved, MASKS),
    )
    sums = [
        Scalar((nonce + challenge * value) % ORDER)
        for nonce, value in zip((matrix_nonce, chain_nonce, mask_nonce), witness, strict=True)
    ]
    responses = tuple(
        Scalar((nonce + challenge * value) % ORDER)
        for nonce, value in zip(nonces, moved, strict=True)
    )
    proof = ShuffleProof(
        commitments, tuple(chain), announcements, (sums[0], sums[1], sums[2]), responses
    )
    return statement, proof


PERMUTATION: Matrix = ((0, 1, 0), (0, 0, 1), (1, 0, 0))
SCALED: Matrix = ((2, 0, 0), (0, HALF, 0), (0, 0, 1))
MIXED: Matrix = ((1, 0, 0), (-1, 2, 0), (0, 0, 1))


def test_the_forger_is_an_honest_prover_when_it_has_a_permutation() -> None:
    verify(*forge(remasked([[(1, 1)], [(1, 2)], [(1, 0)]]), PERMUTATION))


def test_cards_that_are_scaled_are_refused() -> None:
    """u' = (2u_0, u_1/2, u_2) has the right product: only the sum of the matrix is wrong."""
    refused("shuffle.equation", verify, *forge(remasked([[(HALF, 0)], [(2, 1)], [(1, 2)]]), SCALED))


def test_cards_that_are_mixed_are_refused() -> None:
    """u' = (u_0, 2u_1 - u_0, u_2) adds up to the sum: only the product is wrong."""
    outputs = remasked([[(1, 0), (HALF, 1)], [(HALF, 1)], [(1, 2)]])
    refused("shuffle.equation", verify, *forge(outputs, MIXED))


def test_a_chain_whose_last_link_lies_is_refused() -> None:
    """The last link is what the product asks for: only that link's own step is wrong."""
    outputs = remasked([[(1, 0), (HALF, 1)], [(HALF, 1)], [(1, 2)]])
    reordered: Matrix = (MIXED[2], MIXED[0], MIXED[1])
    refused(
        "shuffle.equation",
        verify,
        *forge((outputs[2], outputs[0], outputs[1]), reordered, lying_chain=True),
    )
    refused("shuffle.equation", verify, *forge(outputs, MIXED, lying_chain=True))


class ForgetsResponses(DuplexSponge):
    """A weak verifier's sponge: the final weights do not depend on the responses."""

    __slots__ = ("_absorbed",)

    def __init__(self, session_id: bytes) -> None:
        super().__init__(session_id)
        self._absorbed = 0

    def absorb(self, data: bytes) -> None:
        self._absorbed += 1
        if self._absorbed <= 3:
            super().absorb(data)


def tuned() -> tuple[ShuffleStatement, ShuffleProof]:
    """A foreign mask, whose error in one equation is made up for in another: weights known."""
    honest = remasked([[(1, 1)], [(1, 2)], [(1, 0)]])
    shift = 4711
    first = (add(honest[0][0], base_multiply(Scalar(shift))), *honest[0][1:])
    statement, proof = forge((first, *honest[1:]), PERMUTATION)
    sponge = DuplexSponge(HERE.session_identifier(PURPOSE))
    sponge.absorb(statement.to_bytes() + join(proof.commitments))
    weights = draw_weights(sponge, 3)
    sponge.absorb(join(proof.chain))
    draw_weights(sponge, 6)
    sponge.absorb(join(proof.announcements))
    challenge, matrix, _, mask = draw_weights(sponge, 4)
    error = mask * challenge * weights[1] * shift  # what the mask's equation is off by, times G
    repaired = (proof.sums[0].value - error * pow(matrix, -1, ORDER)) % ORDER
    sums = (Scalar(repaired), proof.sums[1], proof.sums[2])
    return statement, ShuffleProof(
        proof.commitments, proof.chain, proof.announcements, sums, proof.responses
    )


def test_final_weights_that_forget_the_responses_can_be_tuned_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    statement, proof = tuned()
    monkeypatch.setattr(shuffle, "DuplexSponge", ForgetsResponses)
    verify(statement, proof)


def test_ours_cannot() -> None:
    refused("shuffle.equation", verify, *tuned())


# --- shuffle known logarithms ---------------------------------------------------------------------

# specs/attacks.md, A8: whoever knows the generators' logarithms proves a deck of equal cards.

CARDS = 8
GENERATOR_LOGS = [1001 + 2 * place for place in range(CARDS)]
CHAIN_LOG = 5005
KEY = 31337


def point(log: int) -> Point:
    return base_multiply(Scalar(log % ORDER))


def masked(face: int, mask: int) -> tuple[Point, Point]:
    return point(mask), point(face + mask * KEY)


def forged() -> tuple[ShuffleStatement, ShuffleProof]:
    """Eight cards k·G go in, eight copies of the first come out, and all four equations hold."""
    faces = [2 + card for card in range(CARDS)]
    masks_after = [900 + place for place in range(CARDS)]
    before = tuple(masked(face, 1) for face in faces)
    after = tuple(masked(faces[0], mask) for mask in masks_after)
    statement = ShuffleStatement((point(KEY),), before, after)
    sponge = DuplexSponge(HERE.session_identifier(PURPOSE))

    committed = [70 + place for place in range(CARDS)]
    commitments = tuple(point(log) for log in committed)
    sponge.absorb(statement.to_bytes() + join(commitments))
    weights = draw_weights(sponge, CARDS)
    # All u' but the last at will, the last so that the faces balance.
    moved = [3 + place for place in range(CARDS - 1)]
    target = sum(w * face for w, face in zip(weights, faces, strict=True))
    moved.append((target * pow(faces[0], -1, ORDER) - sum(moved)) % ORDER)

    chained = [40 + place for place in range(CARDS)]
    chain = tuple(point(log) for log in chained)
    sponge.absorb(join(chain))
    *link_weights, sum_weight, last_weight = draw_weights(sponge, CARDS + 2)
    product = 1
    for each in weights:
        product = product * each % ORDER
    previous = [CHAIN_LOG, *chained[:-1]]
    matrix_sum = sum(w * c for w, c in zip(weights, committed, strict=True)) - sum(
        u * g for u, g in zip(moved, GENERATOR_LOGS, strict=True)
    )
    chain_sum = (
        sum_weight * (sum(committed) - sum(GENERATOR_LOGS))
        + last_weight * (chained[-1] - product * CHAIN_LOG)
        + sum(
            v * (k - u * p)
            for v, k, u, p in zip(link_weights, chained, moved, previous, strict=True)
        )
    )
    mask_sum = sum(u * m for u, m in zip(moved, masks_after, strict=True)) - sum(weights)

    nonces = [11 + place for place in range(CARDS)]
    matrix_nonce, chain_nonce, mask_nonce = 21, 22, 23
    halves = [faces[0] + mask * KEY for mask in masks_after]
    announced = (
        matrix_nonce + sum(n * g for n, g in zip(nonces, GENERATOR_LOGS, strict=True)),
        chain_nonce
        + sum(n * v * p for n, v, p in zip(nonces, link_weights, previous, strict=True)),
        -mask_nonce + sum(n * m for n, m in zip(nonces, masks_after, strict=True)),
        -mask_nonce * KEY + sum(n * h for n, h in zip(nonces, halves, strict=True)),
    )
    matrix, link, mask, half = (point(log) for log in announced)
    sponge.absorb(join((matrix, link, mask, half)))
    (challenge,) = draw_weights(sponge, 1)
    proof = ShuffleProof(
        commitments,
        chain,
        (matrix, link, mask, half),
        (
            Scalar((matrix_nonce + challenge * matrix_sum) % ORDER),
            Scalar((chain_nonce + challenge * chain_sum) % ORDER),
            Scalar((mask_nonce + challenge * mask_sum) % ORDER),
        ),
        tuple(Scalar((n + challenge * u) % ORDER) for n, u in zip(nonces, moved, strict=True)),
    )
    return statement, proof


def test_with_known_logarithms_a_deck_of_equal_cards_passes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    statement, proof = forged()
    known = tuple(point(log) for log in GENERATOR_LOGS)
    monkeypatch.setattr(shuffle, "shuffle_generators", lambda count: known[:count])
    monkeypatch.setattr(shuffle, "chain_base", lambda: point(CHAIN_LOG))
    verify(statement, proof)


def test_with_hashed_generators_it_does_not() -> None:
    refused("shuffle.equation", verify, *forged())
