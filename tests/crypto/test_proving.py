"""Masked cards: keys of two halves, and statements of the rules with their proofs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from p2p304.cards import Card, Rank, Slot, Suit
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
    holds,
)
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
from protocol.cards.statements import ScoreProof, ScoreTable, prove_statements, verify_statements
from protocol.errors import LocalError, ProofError
from protocol.group.constants import card_point, score_unit, suit_point
from protocol.group.point import (
    GENERATOR,
    Point,
    add,
    base_multiply,
    linear_combination,
    multiply,
    negate,
    subtract,
    sum_points,
)
from protocol.group.scalar import ORDER, Scalar
from protocol.proofs.inequality import Comparison, DistinctionProof, Witnessed, verify_distinction
from tests.crypto.dealing import PACK_8, PACK_16, PACK_32, Dealt, context, dealt, points_of, refused
from tests.crypto.seeded_entropy import seeded

# --- masking --------------------------------------------------------------------------------------

# Keys of two halves and masked cards: proofs of possession, rogue keys, one mask under one key.

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
    assert deck.hidden_card(Slot(0)).locks == {Seat(0), Seat(1)}


# --- proving --------------------------------------------------------------------------------------

# Statements of the rules and their proofs: true ones pass, false ones cannot be shown.

PLAY = context(0, "play")
POINTS = points_of(PACK_32)
TABLE = dealt("statements", pack=PACK_16, seats=2, each=8)
HAND = TABLE.hand(0)
FACES = TABLE.faces(0)


def prove(
    *statements: Statement, table: Dealt = TABLE, secret: HandSecret | None = None
) -> tuple[bytes, ...]:
    return prove_statements(
        table.deck, Seat(0), secret or table.secrets[0], statements,
        points=POINTS, context=PLAY, entropy=table.entropy
    )  # fmt: skip


def verify(
    *statements: Statement, proofs: Sequence[bytes], deck: Deck = TABLE.deck, seat: int = 0
) -> None:
    verify_statements(deck, Seat(seat), statements, proofs, points=POINTS, context=PLAY)


def of_suit(suit: Suit) -> tuple[Slot, ...]:
    return tuple(slot for slot in HAND if FACES[slot].suit == suit)


def not_of(suit: Suit) -> tuple[Slot, ...]:
    return tuple(slot for slot in HAND if FACES[slot].suit != suit)


HELD = FACES[HAND[0]].suit
LOW = tuple(sorted(HAND, key=lambda slot: POINTS[FACES[slot]])[:4])

ANOTHER = next(card for card in PACK_16 if card not in FACES.values())
FALSE: tuple[Statement, ...] = (
    IsCard(HAND[3], FACES[HAND[4]]),
    IsCard(HAND[3], ANOTHER),
    NotCard(HAND, FACES[HAND[5]]),
    NotCard(HAND[:1], FACES[HAND[0]]),
    NoneOfSuit(HAND, HELD),
    AllOfSuit(HAND, HELD),
    SuitsDiffer(HAND[1:], HAND[0]) if of_suit(HELD)[1:] else SuitsDiffer(HAND, HAND[0]),
    AnyOf((NoneOfSuit(HAND, HELD), NoneOfSuit(of_suit(HELD), HELD))),
    PointsBelow(LOW, sum(POINTS[FACES[slot]] for slot in LOW)),
    PointsBelow(HAND, 15),
    PointsBelow(HAND[:2], 0),
)


@pytest.mark.parametrize("statement", FALSE, ids=lambda s: type(s).__name__)
def test_a_false_statement_is_proved_by_nobody(statement: Statement) -> None:
    assert not holds(statement, FACES, points=POINTS)
    with pytest.raises((LocalError, ProofError)):
        verify(statement, proofs=prove(statement))


def test_a_score_below_a_limit_that_no_sum_is_below_is_refused() -> None:
    (low,) = prove(PointsBelow(LOW, 15))
    below = [each for each in ScoreTable.of(PACK_16, POINTS).sums(4) if each < 15]
    without_sum = low[: -64 * len(below)]
    refused("score.limit", verify, PointsBelow(LOW, 0), proofs=(without_sum,))


def test_the_purposes_do_not_mix() -> None:
    slots = of_suit(HELD)[:1]
    card = FACES[slots[0]]
    opening, suit_opening = prove(IsCard(slots[0], card)), prove(AllOfSuit(slots, HELD))
    refused("suit-opening.proof", verify, AllOfSuit(slots, HELD), proofs=opening)
    refused("opening.proof", verify, IsCard(slots[0], card), proofs=suit_opening)
    one = NoneOfSuit(not_of(HELD)[:1], HELD)
    alone = prove(one)
    refused("alternatives.proof", verify, AnyOf((one,)), proofs=alone)
    slot = not_of(HELD)[:1]
    other = NotCard(slot, card)
    refused("card-distinction.proof", verify, other, proofs=alone)
    refused("distinction.proof", verify, one, proofs=prove(other))


def test_a_card_that_one_holds_is_not_denied_with_what_proves_that_others_do_not() -> None:
    """Proofs of other cards, slots, orders and hands, and those made with half of the points."""
    held, kept = FACES[HAND[0]], HAND[1:]
    true = prove(NotCard(kept, held))
    elsewhere = prove(NotCard(HAND, ANOTHER))
    wrong = "card-distinction.proof"
    refused(wrong, verify, NotCard(HAND[:-1], held), proofs=true)
    refused(wrong, verify, NotCard(HAND, held), proofs=elsewhere)
    refused(wrong, verify, NotCard(kept, ANOTHER), proofs=true)
    refused(wrong, verify, NotCard(kept[::-1], held), proofs=true)
    refused("distinction.length", verify, NotCard(HAND, held), proofs=true)
    with pytest.raises(LocalError, match="equal"):
        prove(NotCard(HAND, held))


def test_a_card_of_the_same_suit_is_another_card() -> None:
    """The card half is looked at, not the suit half: a suit has many cards."""
    slots = of_suit(HELD)
    absent = next(card for card in PACK_16 if card.suit == HELD and card not in FACES.values())
    verify(NotCard(slots, absent), proofs=prove(NotCard(slots, absent)))
    twin = [slot for slot in slots if FACES[slot] != FACES[slots[0]]]
    named = NotCard(tuple(twin), FACES[slots[0]])
    verify(named, proofs=prove(named))


def test_several_statements_of_one_action() -> None:
    statements = (
        NoneOfSuit(not_of(HELD)[:2], HELD),
        IsCard(HAND[0], FACES[HAND[0]]),
        NoneOfSuit(not_of(HELD)[:2], HELD),
    )
    proofs = prove(*statements)
    assert len(proofs) == 3
    verify(*statements, proofs=proofs)
    refused("statement.count", verify, *statements, proofs=proofs[:2])
    refused("statement.count", verify, *statements, proofs=(*proofs, b""))
    swapped = (proofs[0], proofs[2], proofs[1])
    refused("distinction.proof", verify, *statements, proofs=swapped)


def test_only_cards_under_the_own_keys_are_spoken_of() -> None:
    theirs = TABLE.hand(1)
    for statement in (
        IsCard(theirs[0], ANOTHER),
        NotCard((HAND[0], theirs[0]), ANOTHER),
        NoneOfSuit(theirs, HELD),
        SuitsDiffer(HAND[:1], theirs[0]),
        PointsBelow(theirs, 15),
    ):
        refused("deck.locks", prove, statement)
        refused("deck.locks", verify, statement, proofs=(b"",))
    refused("deck.slot", verify, IsCard(Slot(99), ANOTHER), proofs=(bytes(64),))


def test_a_proof_for_other_numbers_of_comparisons_is_refused() -> None:
    slots = not_of(HELD)[:2]
    (data,) = prove(NoneOfSuit(slots, HELD))
    proof = DistinctionProof.from_bytes(data, counts=(2,))
    cards = TABLE.deck.under(Seat(0), slots)
    both = [Comparison((card.mask,), (card.suit, suit_point(HELD))) for card in cards]
    key = TABLE.deck.keys[0].suit
    told = {"session": b"here", "check": "distinction.proof"}
    for lists in ([both[:1]], [both, both], [both[:1], both[1:]]):
        refused("distinction.count", verify_distinction, lists, key, proof, **told)


# "None is a trump" under weak Fiat-Shamir (specs/attacks.md, A3)


def weak_challenge(announced: Sequence[Point]) -> Scalar:
    """A challenge that forgets the statement, the key and what was published."""
    return Scalar.uniform(seeded("".join(p.to_bytes().hex() for p in announced))(64))


def forged_distinction(
    card: MaskedCard, suit: Suit, secret: HandSecret
) -> tuple[Witnessed, tuple[Point, ...], tuple[Scalar, Scalar, Scalar]]:
    """A transcript in which Z and T are chosen after the challenge, for a card OF the suit."""
    key = secret.keys().suit
    secret_suit = Scalar(secret.suit.value)
    blind_nonce, product_nonce, free = Scalar(3), Scalar(5), base_multiply(Scalar(99))
    announced = (base_multiply(product_nonce), multiply(key, blind_nonce), free)
    challenge = weak_challenge(announced)
    blind = Scalar(1717)
    product = product_nonce + secret_suit * (blind - blind_nonce)
    inverse = Scalar(pow(challenge.value, -1, ORDER))
    scaled_key = multiply(subtract(base_multiply(product), announced[0]), inverse)
    reached = linear_combination(
        [
            (blind, card.suit),
            (-blind, suit_point(suit)),
            (-product, card.mask),
            (Scalar(1), multiply(free, -Scalar(1))),
        ]
    )
    return (
        Witnessed(scaled_key, multiply(reached, inverse)),
        announced,
        (challenge, blind, product),
    )


def test_weak_fiat_shamir_proves_that_a_trump_is_none_and_ours_does_not() -> None:
    slot = of_suit(HELD)[0]
    (card,) = TABLE.deck.under(Seat(0), (slot,))
    key = TABLE.deck.keys[0].suit
    witnessed, announced, (challenge, blind, product) = forged_distinction(
        card, HELD, TABLE.secrets[0]
    )
    # The weak verifier: three equations and its challenge. All hold, and T is no identity.
    assert weak_challenge(announced) == challenge
    assert base_multiply(product) == add(announced[0], multiply(witnessed.scaled_key, challenge))
    assert multiply(key, blind) == add(announced[1], multiply(witnessed.scaled_key, challenge))
    assert linear_combination(
        [(blind, card.suit), (-blind, suit_point(HELD)), (-product, card.mask)]
    ) == add(announced[2], multiply(witnessed.scaled_difference, challenge))

    data = challenge.to_bytes() + blind.to_bytes() + product.to_bytes()
    forged = DistinctionProof(((witnessed,),), data)
    comparison = Comparison((card.mask,), (card.suit, suit_point(HELD)))
    told = {"session": b"here", "check": "distinction.proof"}
    refused("distinction.proof", verify_distinction, ((comparison,),), key, forged, **told)
    refused("distinction.proof", verify, NoneOfSuit((slot,), HELD), proofs=(forged.to_bytes(),))


# Which alternative is true does not show


def test_alternatives_look_alike() -> None:
    first = AnyOf((NoneOfSuit(not_of(HELD), HELD), NoneOfSuit(HAND, HELD)))
    second = AnyOf((NoneOfSuit(HAND, HELD), NoneOfSuit(not_of(HELD), HELD)))
    (one,), (other,) = prove(first), prove(second)
    assert len(one) == len(other)
    refused("alternatives.proof", verify, second, proofs=(one,))
    # T of a list that is false is no identity and no function of Z that an outsider knows.
    proof = DistinctionProof.from_bytes(other, counts=(8, len(not_of(HELD))))
    points = [point for row in proof.witnessed for pair in row for point in pair]
    assert len(set(points)) == len(points)
    assert GENERATOR not in points


def test_simulating_every_alternative_is_refused() -> None:
    """specs/attacks.md, A4: without the sum check this transcript would pass."""
    statement = AnyOf((NoneOfSuit(HAND, HELD), NoneOfSuit(of_suit(HELD), HELD)))
    counts = (len(HAND), len(of_suit(HELD)))
    entropy = seeded("simulated")
    points = b"".join(
        base_multiply(Scalar.uniform(entropy(64))).to_bytes() for _ in range(2 * sum(counts))
    )
    scalars = b"".join(Scalar.uniform(entropy(64)).to_bytes() for _ in range(2 + 2 * sum(counts)))
    refused("alternatives.proof", verify, statement, proofs=(points + scalars,))


# Points below a limit


def test_the_sums_of_a_pack_are_what_its_cards_can_have() -> None:
    table = ScoreTable.of(PACK_32, POINTS)
    assert table.sums(0) == (0,)
    assert table.sums(1) == (0, 2, 3, 10, 11, 20, 30)
    assert table.sums(32) == (304,)
    assert table.sums(4)[:6] == (0, 2, 3, 4, 5, 6)
    assert max(table.sums(4)) == 120
    with pytest.raises(LocalError):
        ScoreTable.of(PACK_32, {PACK_32[0]: 3})


def score_proof() -> ScoreProof:
    (proof,) = prove(PointsBelow(LOW, 15))
    return ScoreProof.from_bytes(proof, table=ScoreTable.of(PACK_16, POINTS), cards=4, limit=15)


def test_a_card_that_is_not_its_row_or_of_another_proof_is_refused() -> None:
    proof, other = score_proof(), score_proof()
    assert other.rows != proof.rows
    first, second, *rest = proof.places
    free = next(place for place in range(16) if place not in proof.places)
    for check, wrong in (
        ("score.rows", {"places": (second, first, *rest)}),
        ("score.places", {"places": (first, first, *rest)}),
        ("score.rows", {"places": (free, second, *rest)}),
        ("score.place", {"places": (16, second, *rest)}),
        ("score.sum", {"low_sum": other.low_sum}),
        ("score.rows", {"same_cards": other.same_cards}),
        ("shuffle.equation", {"rows": other.rows}),
    ):
        data = replace(proof, **wrong).to_bytes()
        refused(check, verify, PointsBelow(LOW, 15), proofs=(data,))


def test_a_score_proof_stays_below_the_largest_message() -> None:
    table = dealt("big", pack=PACK_32, seats=2, each=4)
    faces = table.faces(0)
    limit = sum(POINTS[face] for face in faces.values()) + 1
    (proof,) = prove(PointsBelow(table.hand(0), limit), table=table)
    verify(PointsBelow(table.hand(0), limit), proofs=(proof,), deck=table.deck)
    assert len(proof) < 16_000
