"""The edges of statements: nothing, too little, zero, identities, and what decoys look like."""

from __future__ import annotations

from dataclasses import replace

import pytest

from p2p304.seats import Seat
from protocol.cards.deck import hand_over
from protocol.cards.handover import apply_hand_over
from protocol.cards.statements import (
    ScoreProof,
    ScoreTable,
    prove_score_below,
    verify_score_below,
)
from protocol.errors import LocalError, MalformedMessage
from protocol.group.point import GENERATOR, Point, base_multiply, linear_combination, multiply
from protocol.group.scalar import Scalar, SecretScalar
from protocol.proofs.batch_dleq import BatchEquality, prove_equality, verify_equality
from protocol.proofs.inequality import (
    Comparison,
    Witnessed,
    prove_distinction,
    verify_distinction,
)
from protocol.proofs.shuffle import remask
from tests.crypto.dealing import PACK_8, context, dealt, points_of, refused
from tests.crypto.seeded_entropy import seeded

KEY = SecretScalar(424_242)
OTHER = base_multiply(Scalar(77))


# --- masks ----------------------------------------------------------------------------------------


def test_a_mask_of_zero_leaves_a_card_as_it_is() -> None:
    card = (GENERATOR, OTHER, base_multiply(Scalar(78)))
    assert remask(card, (OTHER, GENERATOR), Scalar(0)) == card


def test_a_handed_over_half_is_never_the_identity() -> None:
    table = dealt("identity")
    slot = table.hand(0)[0]
    where = context(0, "hand-over")
    message = hand_over(
        table.deck, slot, Seat(1), table.secrets[0], context=where, entropy=table.entropy
    )
    card = table.deck.hidden(slot).card
    for lost in (
        card._replace(card=message.card_share),
        card._replace(suit=message.suit_share),
    ):
        refused("hand-over.identity", apply_hand_over, lost, message)


# --- batches --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "bases", "images"),
    [
        ((), ((OTHER,),), ()),
        ((OTHER,), (), ((),)),
        ((OTHER,), ((OTHER,),), ()),
        ((OTHER,), ((OTHER,),), (((OTHER,),), ((OTHER,),))),
        ((OTHER,), ((OTHER,), (GENERATOR,)), (((OTHER,),),)),
        ((OTHER,), ((OTHER,),), (((OTHER,), (GENERATOR,)),)),
    ],
)
def test_a_batch_has_keys_places_and_an_image_for_each(
    keys: tuple[Point, ...],
    bases: tuple[tuple[Point], ...],
    images: tuple[tuple[tuple[Point], ...], ...],
) -> None:
    with pytest.raises(LocalError, match="a batch has"):
        BatchEquality(keys, bases, images)


def test_a_batch_whose_sum_is_the_identity_is_refused() -> None:
    """A hidden card that is its own row proves nothing, and is no crash."""
    statement = BatchEquality((OTHER,), ((GENERATOR, GENERATOR),), (((OTHER, OTHER),),))
    session = b"s" * 32
    said = refused("rows", verify_equality, statement, bytes(64), session=session, check="rows")
    assert "equality.identity" in said
    chance = seeded("none")
    refused("equality.identity", prove_equality, statement, [KEY], session=session, entropy=chance)


# --- comparisons ----------------------------------------------------------------------------------


def compared(message: int, point: int, mask: int) -> Comparison:
    """A comparison of `message·G`, masked under KEY, with `point·G`."""
    half = linear_combination([(Scalar(message), GENERATOR), (Scalar(mask), base_multiply(KEY))])
    return Comparison((base_multiply(Scalar(mask)),), (half, base_multiply(Scalar(point))))


@pytest.mark.parametrize(
    ("lists", "true_list"),
    [
        ((), 0),
        (((),), 0),
        (((compared(5, 6, 7),), ()), 0),
        (((compared(5, 6, 7),),), 1),
        (((compared(5, 6, 7),),), -1),
    ],
)
def test_nothing_is_not_told_apart(
    lists: tuple[tuple[Comparison, ...], ...], true_list: int
) -> None:
    with pytest.raises(LocalError, match="lists of comparisons"):
        prove_distinction(
            lists, true_list, base_multiply(KEY), KEY, session=b"s", entropy=seeded("none")
        )


def test_what_is_published_for_other_lists_is_random_whether_they_are_true_or_not() -> None:
    """With logarithms that this test alone knows: T of the proved list is ρ(M - P), others are not.

    An honest T for the true comparisons of other lists, or none for the false ones, would tell
    more than the statement.
    """
    lists = (
        (compared(5, 6, 11), compared(5, 5, 12)),  # one true, one false
        (compared(5, 7, 13), compared(8, 6, 14)),  # both true: the one that is proved
        (compared(9, 7, 15),),  # true as well
    )
    differences = ((5 - 6, 5 - 5), (5 - 7, 8 - 6), (9 - 7,))
    key = base_multiply(KEY)
    proof = prove_distinction(lists, 1, key, KEY, session=b"s", entropy=seeded("decoys"))
    verify_distinction(lists, key, proof, session=b"s", check="alternatives")

    def honest(witnessed: Witnessed, difference: int) -> bool:
        """Whether `x·T = (M - P)·Z / G`, that is whether T is ρ(M - P)."""
        if difference == 0:
            return False
        scaled = multiply(witnessed.scaled_key, Scalar(abs(difference)))
        reached = multiply(witnessed.scaled_difference, KEY)
        signed = linear_combination([(Scalar(1) if difference > 0 else -Scalar(1), scaled)])
        return reached == signed

    found = [
        [honest(*pair) for pair in zip(row, numbers, strict=True)]
        for row, numbers in zip(proof.witnessed, differences, strict=True)
    ]
    assert found == [[False, False], [True, True], [False]]
    assert len({pair for row in proof.witnessed for pair in row}) == 5


# --- scores ---------------------------------------------------------------------------------------


def test_a_place_too_many_or_too_few_is_refused_by_name() -> None:
    table = dealt("places")
    slots = table.hand(0)[:2]
    hidden = table.deck.under(Seat(0), slots)
    faces = [table.faces(0)[slot] for slot in slots]
    where, scores = context(0, "score"), ScoreTable.of(PACK_8, points_of(PACK_8))
    proof = prove_score_below(
        scores, hidden, faces, 100, table.secrets[0], context=where, entropy=table.entropy
    )
    keys = table.deck.keys[0]
    verify_score_below(scores, hidden, 100, keys, proof, context=where)
    first, second = proof.places
    for places in ((first, second, second), (first, first), (first,), ()):
        changed = replace(proof, places=places)
        refused(
            "score.places",
            lambda changed=changed: verify_score_below(  # type: ignore[misc]
                scores, hidden, 100, keys, changed, context=where
            ),
        )


@pytest.mark.parametrize("data", [None, 7, ["a"]])
def test_what_is_no_bytes_at_all_is_no_score(data: object) -> None:
    scores = ScoreTable.of(PACK_8, points_of(PACK_8))
    with pytest.raises(MalformedMessage, match=r"score\.type"):
        ScoreProof.from_bytes(data, table=scores, cards=2, limit=100)  # type: ignore[arg-type]
