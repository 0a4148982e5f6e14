"""The masked deck: shares, hand-overs, remixing and reading, and what each of them refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from p2p304.cards import Card, Slot
from p2p304.seats import Seat
from protocol.cards.deck import (
    Deck,
    ProvenShuffle,
    hand_over,
    remix_hand,
    share_cards,
    shuffle_deck,
)
from protocol.cards.handover import HandOver, prove_handover
from protocol.cards.keys import HandSecret, MaskedCard, draw_hand_secret
from protocol.cards.reading import read_card
from protocol.cards.shares import Share, ShareBatch, prove_shares, without_share
from protocol.errors import InternalFault, LocalError, MalformedMessage, ProofError
from protocol.group.constants import card_point
from protocol.group.point import (
    GENERATOR,
    Point,
    add,
    base_multiply,
    linear_combination,
    multiply,
    negate,
    subtract,
)
from protocol.group.scalar import Scalar
from protocol.proofs.batch_dleq import BatchEquality, prove_equality, verify_equality
from protocol.proofs.shuffle import ShuffleSecret, ShuffleStatement, prove_shuffle, remask
from tests.crypto.dealing import PACK_8, PACK_16, Dealt, context, dealt, other_contexts, undealt
from tests.crypto.seeded_entropy import seeded, stuck

SHUFFLE = context(0, "shuffle")
SHARES = context(1, "shares")
OVER = context(0, "hand-over")
REMIX = context(0, "remix")


def broken(check: str, action: Callable[[], object]) -> None:
    """Something of our own must be broken for this."""
    with pytest.raises(InternalFault) as caught:
        action()
    assert caught.value.check == check


def checked(check: str, action: Callable[[], object]) -> None:
    with pytest.raises(ProofError) as caught:
        action()
    assert caught.value.check == check


# Shuffling the deck


def test_every_card_is_dealt_once_and_read_by_its_owner_alone() -> None:
    table = dealt("whole", pack=PACK_16, seats=4)
    faces = [face for seat in range(4) for face in table.faces(seat).values()]
    assert sorted(faces) == sorted(PACK_16)
    for seat in range(4):
        slot = table.hand(seat)[0]
        for other in range(4):
            if other != seat:
                secret = table.secrets[other]
                checked(
                    "deck.locks",
                    lambda s=slot, o=other, k=secret: read_card(  # type: ignore[misc]
                        table.deck, s, Seat(o), k, entropy=table.entropy
                    ),
                )


def test_a_shuffle_of_an_older_deck_is_refused() -> None:
    """M059: the second shuffler goes back behind the first."""
    start = undealt("older")
    first = shuffle_deck(start.deck, context=SHUFFLE, entropy=start.entropy)
    deck = start.deck.after_shuffle(first, context=SHUFFLE)
    where = context(1, "shuffle")
    stale = shuffle_deck(start.deck, context=where, entropy=start.entropy)
    checked("shuffle.equation", lambda: deck.after_shuffle(stale, context=where))
    checked("shuffle.equation", lambda: deck.after_shuffle(first, context=SHUFFLE))


def test_a_shuffle_with_a_card_more_or_less_is_refused() -> None:
    start = undealt("count")
    step = shuffle_deck(start.deck, context=SHUFFLE, entropy=start.entropy)
    assert ProvenShuffle.from_bytes(step.to_bytes(), cards=8) == step
    assert len(step.to_bytes()) == ProvenShuffle.size(8)
    for cards in (7, 9):
        with pytest.raises(MalformedMessage):
            ProvenShuffle.from_bytes(step.to_bytes(), cards=cards)
    fewer = replace(step, cards=step.cards[1:])
    checked("deck.shuffle-count", lambda: start.deck.after_shuffle(fewer, context=SHUFFLE))


def test_a_dealt_deck_is_not_shuffled_again() -> None:
    table = dealt("late")
    fresh = undealt("late")
    step = shuffle_deck(fresh.deck, context=SHUFFLE, entropy=fresh.entropy)
    checked("deck.dealt", lambda: table.deck.after_shuffle(step, context=SHUFFLE))
    checked("deck.dealt", lambda: table.deck.dealt(Seat(0), [Slot(5)]))
    checked("deck.slot", lambda: table.deck.dealt(Seat(0), [Slot(99)]))


# Shares


def shared(seed: str) -> tuple[Dealt, Deck, ShareBatch]:
    """A shuffled deck with four cards dealt to each of two seats, and seat 1's shares."""
    start = undealt(seed)
    step = shuffle_deck(start.deck, context=SHUFFLE, entropy=start.entropy)
    deck = start.deck.after_shuffle(step, context=SHUFFLE)
    deck = deck.dealt(Seat(0), [Slot(s) for s in range(4)])
    deck = deck.dealt(Seat(1), [Slot(s) for s in range(4, 8)])
    batch = share_cards(deck, Seat(1), start.secrets[1], context=SHARES, entropy=start.entropy)
    return start, deck, batch


def test_shares_arrive_in_any_order() -> None:
    start, deck, second = shared("order")
    where = context(0, "shares")
    first = share_cards(deck, Seat(0), start.secrets[0], context=where, entropy=start.entropy)
    one = deck.after_shares(Seat(0), first, context=where)
    one = one.after_shares(Seat(1), second, context=SHARES)
    other = deck.after_shares(Seat(1), second, context=SHARES)
    other = other.after_shares(Seat(0), first, context=where)
    assert dict(one.slots) == dict(other.slots)


def test_a_seat_shares_what_it_owes_and_never_its_own_cards() -> None:
    start, deck, batch = shared("owed")
    assert deck.owed_shares(Seat(1)) == (0, 1, 2, 3)
    assert len(batch.shares) == 4
    after = deck.after_shares(Seat(1), batch, context=SHARES)
    assert after.owed_shares(Seat(1)) == ()
    with pytest.raises(LocalError):
        share_cards(after, Seat(1), start.secrets[1], context=SHARES, entropy=start.entropy)
    checked("shares.none", lambda: after.after_shares(Seat(1), batch, context=SHARES))


@pytest.mark.parametrize("half", ["card", "suit"])
def test_wrong_shares_are_refused(half: str) -> None:
    _, deck, batch = shared("wrong")
    good = batch.shares[2]
    for wrong in (
        add(getattr(good, half), GENERATOR),
        getattr(batch.shares[1], half),
        negate(getattr(good, half)),
        good.suit if half == "card" else good.card,
    ):
        shares = (*batch.shares[:2], good._replace(**{half: wrong}), batch.shares[3])
        bad = ShareBatch(shares, batch.proof)
        checked("shares.proof", lambda b=bad: deck.after_shares(Seat(1), b, context=SHARES))  # type: ignore[misc]


def test_exchanged_shares_are_refused() -> None:
    """M070, and a batch with one more or one less."""
    start, deck, batch = shared("exchanged")
    a, b, c, d = batch.shares
    for shares, check in (
        ((a, d, c, b), "shares.proof"),
        ((a, b, c), "shares.count"),
        ((a, b, c, d, d), "shares.count"),
    ):
        bad = ShareBatch(shares, batch.proof)
        checked(check, lambda w=bad: deck.after_shares(Seat(1), w, context=SHARES))  # type: ignore[misc]
    again = ShareBatch.from_bytes(batch.to_bytes(), cards=4)
    assert again == batch
    for cards in (3, 5):
        with pytest.raises(MalformedMessage):
            ShareBatch.from_bytes(batch.to_bytes(), cards=cards)
    another = prove_shares(
        [deck.slots[Slot(s)].card for s in (4, 5, 6, 7)],
        start.secrets[1],
        context=SHARES,
        entropy=start.entropy,
    )
    checked("shares.proof", lambda: deck.after_shares(Seat(1), another, context=SHARES))


def test_shares_hold_in_their_own_context_and_for_their_own_key_alone() -> None:
    start, deck, batch = shared("place")
    for where in other_contexts(SHARES):
        checked("shares.proof", lambda w=where: deck.after_shares(Seat(1), batch, context=w))  # type: ignore[misc]
    stranger = draw_hand_secret(seeded("stranger"))
    cards = [deck.slots[Slot(s)].card for s in range(4)]
    foreign = prove_shares(cards, stranger, context=SHARES, entropy=start.entropy)
    checked("shares.proof", lambda: deck.after_shares(Seat(1), foreign, context=SHARES))


def test_errors_that_cancel_pass_a_batch_without_weights_and_not_ours() -> None:
    """FS10: D_0 + E and D_1 - E have the right sum."""
    start, deck, batch = shared("cancelling")
    secret = start.secrets[1]
    error = base_multiply(Scalar(424242))
    a, b, c, d = batch.shares
    shares = (
        a._replace(card=add(a.card, error)),
        b._replace(card=subtract(b.card, error)),
        c,
        d,
    )
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
    checked("strong", lambda: verify_equality(honest, forged, session=b"strong", check="strong"))
    bad = ShareBatch(shares, batch.proof)
    checked("shares.proof", lambda: deck.after_shares(Seat(1), bad, context=SHARES))


def test_errors_that_cancel_between_halves_are_refused() -> None:
    _, deck, batch = shared("halves")
    a, *rest = batch.shares
    error = base_multiply(Scalar(7))
    crossed = Share(add(a.card, error), subtract(a.suit, error))
    bad = ShareBatch((crossed, *rest), batch.proof)
    checked("shares.proof", lambda: deck.after_shares(Seat(1), bad, context=SHARES))


def test_the_identity_never_becomes_a_masked_half() -> None:
    card = MaskedCard(*(base_multiply(Scalar(n)) for n in (3, 4, 5)))
    checked("shares.identity", lambda: without_share(card, Share(card.card, card.mask)))
    checked("shares.identity", lambda: without_share(card, Share(card.mask, card.suit)))


# Hand-over


def reader_faces(table: Dealt, deck: Deck, slot: Slot, reader: int) -> Card:
    return read_card(deck, slot, Seat(reader), table.secrets[reader], entropy=table.entropy)


def handed(table: Dealt, slot: Slot, reader: int = 1) -> HandOver:
    owner = 0
    return hand_over(
        table.deck,
        slot,
        Seat(reader),
        table.secrets[owner],
        context=OVER,
        entropy=table.entropy,
    )


def test_a_handed_over_card_is_read_by_its_owner_and_its_reader_alone() -> None:
    table = dealt("over", pack=PACK_16, seats=3)
    slot = table.hand(0)[2]
    message = HandOver.from_bytes(handed(table, slot).to_bytes())
    assert len(message.to_bytes()) == 227
    deck = table.deck.after_handover(slot, Seat(1), message, context=OVER)
    assert reader_faces(table, deck, slot, 1) == table.faces(0)[slot]
    assert deck.hidden(slot).owner == Seat(0)
    assert reader_faces(table, deck, slot, 0) == table.faces(0)[slot]
    checked("deck.locks", lambda: reader_faces(table, deck, slot, 2))
    checked("deck.handed", lambda: deck.after_handover(slot, Seat(1), message, context=OVER))
    checked("deck.handed", lambda: deck.after_handover(slot, Seat(0), message, context=OVER))


def test_a_card_that_moves_is_its_readers_who_mixes_it_into_its_hand() -> None:
    table = dealt("moves", pack=PACK_16, seats=3)
    slot, face = table.hand(0)[1], table.faces(0)[table.hand(0)[1]]
    message = HandOver.from_bytes(handed(table, slot).to_bytes())
    deck = table.deck.after_handover(slot, Seat(1), message, context=OVER, moves=True)
    assert deck.hidden(slot).owner == Seat(1)
    assert [reader_faces(table, deck, slot, seat) for seat in (0, 1)] == [face, face]
    checked("deck.locks", lambda: reader_faces(table, deck, slot, 2))
    kept = (*table.hand(1), slot)
    after = tuple(Slot(40 + place) for place in range(len(kept)))
    step = remix_hand(deck, Seat(1), kept, context=REMIX, entropy=table.entropy)
    mixed = deck.after_remix(Seat(1), kept, after, step, context=REMIX)
    found = {reader_faces(table, mixed, each, 1) for each in after}
    assert found == {*table.faces(1).values(), face}
    for seat in (0, 2):
        for each in after:
            checked("deck.locks", lambda s=seat, e=each: reader_faces(table, mixed, e, s))  # type: ignore[misc]
    own = table.hand(0)
    checked(
        "deck.remix",
        lambda: remix_hand(deck, Seat(0), own, context=REMIX, entropy=table.entropy),
    )


def test_a_card_is_handed_over_to_one_seat_after_another() -> None:
    table = dealt("twice", pack=PACK_16, seats=3)
    slot = table.hand(0)[0]
    deck = table.deck
    for reader in (1, 2):
        message = handed(table, slot, reader)
        deck = deck.after_handover(slot, Seat(reader), message, context=OVER)
    for seat in range(3):
        assert reader_faces(table, deck, slot, seat) == table.faces(0)[slot]
    assert len(deck.covers) == 2


def test_wrong_handovers_are_refused() -> None:
    """M084 to M086 and DL7."""
    table = dealt("wrong", pack=PACK_16, seats=3)
    slot, neighbour = table.hand(0)[:2]
    good = handed(table, slot)
    for wrong in (
        replace(good, card_share=add(good.card_share, GENERATOR)),
        replace(good, suit_share=add(good.suit_share, GENERATOR)),
        replace(good, cover=add(good.cover, GENERATOR)),
        replace(good, card_share=good.suit_share, suit_share=good.card_share),
        handed(table, neighbour),
        handed(table, slot, reader=2),
    ):
        checked(
            "hand-over.proof",
            lambda w=wrong: table.deck.after_handover(slot, Seat(1), w, context=OVER),  # type: ignore[misc]
        )
    for where in other_contexts(OVER):
        checked(
            "hand-over.proof",
            lambda w=where: table.deck.after_handover(slot, Seat(1), good, context=w),  # type: ignore[misc]
        )
    own = table.hand(1)[0]
    checked("hand-over.proof", lambda: table.deck.after_handover(own, Seat(2), good, context=OVER))


def test_the_share_of_a_stranger_is_no_handover() -> None:
    table = dealt("stranger", seats=2)
    slot = table.hand(0)[0]
    other = draw_hand_secret(seeded("other"))
    message = prove_handover(
        table.deck.hidden(slot).card,
        other,
        table.deck.keys[1],
        context=OVER,
        entropy=table.entropy,
    )
    checked(
        "hand-over.proof",
        lambda: table.deck.after_handover(slot, Seat(1), message, context=OVER),
    )
    # And a program that has mixed up its keys notices before it sends.
    with pytest.raises(LocalError):
        hand_over(table.deck, slot, Seat(1), other, context=OVER, entropy=table.entropy)
    owing = undealt("stranger").deck.dealt(Seat(1), [slot])
    with pytest.raises(LocalError):
        share_cards(owing, Seat(0), other, context=OVER, entropy=table.entropy)


def test_a_reused_handover_randomness_names_both_cards_and_is_refused() -> None:
    """specs/attacks.md, A5: an outsider takes the differences of what two hand-overs publish."""
    table = dealt("reused", pack=PACK_16, seats=3)
    first, second = table.hand(0)[:2]
    faces = table.faces(0)
    cover = Scalar(31337)
    shares = {}
    for slot in (first, second):  # a weak owner: the same ρ for both
        card = table.deck.hidden(slot).card
        shares[slot] = add(
            multiply(card.mask, table.secrets[0].card),
            multiply(table.deck.keys[1].card, cover),
        )
    cards = {slot: table.deck.hidden(slot).card.card for slot in (first, second)}
    seen = subtract(subtract(cards[first], cards[second]), subtract(shares[first], shares[second]))
    named = [
        (one, other)
        for one in PACK_16
        for other in PACK_16
        if one != other and subtract(card_point(one), card_point(other)) == seen
    ]
    assert named == [(faces[first], faces[second])]

    good = handed(table, first)
    deck = table.deck.after_handover(first, Seat(1), good, context=OVER)
    again = handed(table, second)
    checked(
        "hand-over.reused",
        lambda: deck.after_handover(
            second, Seat(1), replace(again, cover=good.cover), context=OVER
        ),
    )
    # An R of an earlier hand at this table counts as well.
    earlier = table.deck._replace(covers=frozenset({again.cover.to_bytes()}))
    checked(
        "hand-over.reused",
        lambda: earlier.after_handover(second, Seat(1), again, context=OVER),
    )


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


def test_a_remixed_hand_holds_the_same_cards_in_new_slots() -> None:
    table = dealt("remix", pack=PACK_16, seats=4)
    before = table.hand(0)
    step = remixed(table, before)
    deck = table.deck.after_remix(Seat(0), before, AFTER, step, context=REMIX)
    mixed = replace(table, deck=deck)
    assert mixed.hand(0) == AFTER
    assert sorted(mixed.faces(0).values()) == sorted(table.faces(0).values())
    checked("deck.slot", lambda: deck.hidden(before[0]))
    masks = {hidden.card.mask for hidden in table.deck.slots.values()}
    assert not masks & {deck.hidden(slot).card.mask for slot in AFTER}


def test_a_card_may_stay_out_of_a_remix() -> None:
    table = dealt("indicator", pack=PACK_16, seats=4)
    out, *before = table.hand(0)
    step = remixed(table, tuple(before))
    deck = table.deck.after_remix(Seat(0), before, AFTER[:3], step, context=REMIX)
    assert set(replace(table, deck=deck).hand(0)) == {out, *AFTER[:3]}


def test_a_remix_of_other_cards_or_under_other_keys_is_refused() -> None:
    """M073: under the table's keys; SH12: another hand; slots of other seats."""
    table = dealt("keys", pack=PACK_16, seats=4)
    before = table.hand(0)
    good = remixed(table, before)
    entropy = seeded("cheat")
    cards = table.deck.under(Seat(0), before)
    keys = table.deck.keys
    joint = [linear_combination([(Scalar(1), k[half]) for k in keys]) for half in (0, 1)]
    order, masks = (2, 0, 3, 1), draw_hand_secret(entropy)
    secret = ShuffleSecret(order, (masks.card, masks.suit, masks.card, masks.suit))
    after = tuple(
        MaskedCard(*remask(cards[origin], joint, mask))
        for origin, mask in zip(order, secret.masks, strict=True)
    )
    for statement_keys in (joint, list(keys[0])):
        statement = ShuffleStatement(tuple(statement_keys), cards, after)
        proof = prove_shuffle(
            statement,
            secret,
            context=REMIX,
            purpose=b"hand-shuffle",
            entropy=entropy,
        )
        step = ProvenShuffle(after, proof)
        checked(
            "shuffle.equation",
            lambda s=step: table.deck.after_remix(Seat(0), before, AFTER, s, context=REMIX),  # type: ignore[misc]
        )
    checked(
        "deck.locks",
        lambda: table.deck.after_remix(Seat(0), table.hand(1), AFTER, good, context=REMIX),
    )
    checked(
        "deck.remix",
        lambda: table.deck.after_remix(Seat(0), (before[0],) * 4, AFTER, good, context=REMIX),
    )
    checked(
        "deck.shuffle-count",
        lambda: table.deck.after_remix(Seat(0), before[:3], AFTER[:3], good, context=REMIX),
    )
    for slots in (AFTER[:3], (*AFTER[:3], AFTER[0]), (*AFTER, AFTER[0]), before):
        with pytest.raises(LocalError):
            table.deck.after_remix(Seat(0), before, slots, good, context=REMIX)


def test_an_opened_card_that_is_mixed_in_again_is_hidden_again() -> None:
    table = dealt("again", pack=PACK_16, seats=4)
    before = table.hand(0)
    shown, kept = before[0], table.hand(1)[0]
    deck = table.deck.opened(shown, table.faces(0)[shown]).opened(kept, table.faces(1)[kept])
    step = remix_hand(deck, Seat(0), before, context=REMIX, entropy=table.entropy)
    mixed = deck.after_remix(Seat(0), before, AFTER, step, context=REMIX)
    assert set(mixed.faces) == {kept}
    assert not set(before) & set(mixed.slots)
    checked(
        "deck.remix",
        lambda: table.deck.after_remix(Seat(0), (), (), step, context=REMIX),
    )


def test_shares_lie_by_ascending_slot_whatever_the_order_of_dealing() -> None:
    table = undealt("order", pack=PACK_16, seats=2)
    slots = dict(reversed(table.deck.slots.items()))
    deck = table.deck._replace(slots=slots).dealt(Seat(1), [Slot(9), Slot(3), Slot(5)])
    assert deck.owed_shares(Seat(0)) == (3, 5, 9)


def test_a_card_of_another_seat_is_not_mixed_in_by_its_reader() -> None:
    table = dealt("lent", pack=PACK_16, seats=3)
    lent = table.hand(0)[0]
    deck = table.deck.after_handover(lent, Seat(1), handed(table, lent), context=OVER)
    before = (lent, *table.hand(1)[:3])
    checked(
        "deck.remix",
        lambda: remix_hand(deck, Seat(1), before, context=REMIX, entropy=table.entropy),
    )


def test_a_remix_that_drops_a_card_and_doubles_another_is_refused() -> None:
    """M074."""
    table = dealt("doubled", pack=PACK_16, seats=4)
    before = table.hand(0)
    good = remixed(table, before)
    twin = MaskedCard(*remask(good.cards[1], table.deck.keys[0], Scalar(99)))
    doubled = replace(good, cards=(twin, *good.cards[1:]))
    checked(
        "shuffle.equation",
        lambda: table.deck.after_remix(Seat(0), before, AFTER, doubled, context=REMIX),
    )


def test_a_deck_shuffle_is_no_hand_shuffle() -> None:
    """The same statement under another purpose: a proof for one is none for the other."""
    alone = undealt("alone", seats=1)
    step = shuffle_deck(alone.deck, context=REMIX, entropy=alone.entropy)
    slots = tuple(Slot(place) for place in range(8))
    new = tuple(Slot(20 + place) for place in range(8))
    deck = alone.deck.dealt(Seat(0), slots)
    checked("shuffle.equation", lambda: deck.after_remix(Seat(0), slots, new, step, context=REMIX))


# Reading and opening


def replaced(table: Dealt, slot: Slot, card: MaskedCard) -> Deck:
    hidden = table.deck.hidden(slot)._replace(card=card)
    return table.deck._replace(slots={**table.deck.slots, slot: hidden})


def test_reading_tells_when_our_own_checks_must_be_broken() -> None:
    """DL5: only a deck that was never verified holds such cards."""
    table = dealt("alarm")
    slot, other = table.hand(0)[:2]
    card = table.deck.hidden(slot).card
    table_faces = table.faces(0)
    foreign = replaced(table, slot, card._replace(card=add(card.card, GENERATOR)))
    broken("deck.not-a-card", lambda: reader_faces(table, foreign, slot, 0))
    bare = replaced(table, slot, card._replace(card=multiply(card.mask, table.secrets[0].card)))
    broken("deck.not-a-card", lambda: reader_faces(table, bare, slot, 0))
    crossed = replaced(table, slot, card._replace(suit=add(card.suit, GENERATOR)))
    broken("deck.halves", lambda: reader_faces(table, crossed, slot, 0))
    checked("deck.slot", lambda: reader_faces(table, table.deck, Slot(77), 0))

    deck = table.deck.opened(slot, table_faces[slot])
    assert deck.opened(slot, table_faces[slot]) is deck
    broken("deck.face", lambda: deck.opened(slot, table_faces[other]))
    broken("deck.twice", lambda: deck.opened(other, table_faces[slot]))
    checked("deck.slot", lambda: deck.opened(Slot(77), table_faces[other]))


def test_undealt_and_half_shared_cards_are_under_nobody_alone() -> None:
    start, deck, batch = shared("locks")
    for seat in (0, 1):
        checked("deck.locks", lambda s=seat: deck.under(Seat(s), [Slot(0)]))  # type: ignore[misc]
    checked("deck.locks", lambda: start.deck._owner(Slot(0)))
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
    checked("shares.proof", lambda: deck.after_shares(Seat(1), forged, context=SHARES))
    data = challenge.to_bytes() + response.to_bytes()
    weak = BatchEquality(
        keys=(secret.keys().card,), bases=((card.mask,),), images=(((weak_share,),),)
    )
    checked(
        "shares.proof",
        lambda: verify_equality(weak, data, session=b"here", check="shares.proof"),
    )


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


def test_the_pack_may_be_any_pack() -> None:
    assert len(dealt("any", pack=PACK_8, seats=1, each=8).faces(0)) == 8
