"""Statements of the rules and their proofs: true ones pass, false ones cannot be shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from p2p304.cards import Slot, Suit
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
from protocol.cards.deck import Deck
from protocol.cards.keys import HandSecret, MaskedCard
from protocol.cards.statements import (
    ScoreProof,
    ScoreTable,
    prove_statements,
    verify_statements,
)
from protocol.errors import LocalError, ProofError
from protocol.group.constants import suit_point
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
from protocol.proofs.inequality import Comparison, DistinctionProof, Witnessed, verify_distinction
from tests.crypto.dealing import PACK_16, PACK_32, Dealt, context, dealt, points_of, refused
from tests.crypto.seeded_entropy import seeded

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
        points=POINTS, context=PLAY, entropy=table.entropy,
    )  # fmt: skip


def verify(
    *statements: Statement,
    proofs: Sequence[bytes],
    deck: Deck = TABLE.deck,
    seat: int = 0,
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
    inverse = challenge.inverse()
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
