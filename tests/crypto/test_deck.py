"""The masked deck: shares, hand-overs, remixing and reading, and what each of them refuses.

What is merely changed, exchanged or said elsewhere is refused in test_mutations, of every message.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from p2p304.cards import Card, Slot
from p2p304.seats import Seat
from protocol.cards.deck import (
    Deck,
    ProvenShuffle,
    hand_over,
    read_card,
    remix_hand,
    share_cards,
)
from protocol.cards.handover import HandOver, prove_handover
from protocol.cards.keys import HandSecret, MaskedCard, draw_hand_secret
from protocol.cards.shares import Share, ShareBatch, without_share
from protocol.errors import LocalError
from protocol.group.constants import card_point
from protocol.group.point import (
    GENERATOR,
    Point,
    add,
    base_multiply,
    linear_combination,
    multiply,
    subtract,
)
from protocol.group.scalar import Scalar
from protocol.proofs.batch_dleq import BatchEquality, prove_equality, verify_equality
from protocol.proofs.shuffle import ShuffleSecret, ShuffleStatement, prove_shuffle, remask
from tests.crypto.dealing import PACK_16, Dealt, broken, context, dealt, refused, undealt
from tests.crypto.seeded_entropy import seeded, stuck

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
    share = multiply(subtract(multiply(mask, response), announced[1]), challenge.inverse())
    return (response, challenge), share, announced
