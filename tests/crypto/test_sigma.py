"""Sigma protocols: vectors, instances, edges, disjunctions, and chance that is broken."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from p2p304.seats import Seat
from protocol.cards.deck import hand_over
from protocol.cards.handover import apply_hand_over
from protocol.cards.statements import ScoreProof, ScoreTable, prove_score_below, verify_score_below
from protocol.errors import LocalError, MalformedMessage, ProofError
from protocol.group.point import (
    GENERATOR,
    Point,
    base_multiply,
    hash_to_curve,
    linear_combination,
    multiply,
    negate,
)
from protocol.group.scalar import ORDER, Scalar, SecretScalar
from protocol.proofs.batch_dleq import BatchEquality, prove_equality, verify_equality
from protocol.proofs.ciphersuite import SECP256K1, decode_scalar
from protocol.proofs.disjunction import DISJUNCTION, prove_any, verify_any
from protocol.proofs.inequality import Comparison, Witnessed, prove_distinction, verify_distinction
from protocol.proofs.nonces import HedgedSource
from protocol.proofs.relation import (
    GENERATOR_INDEX,
    ElementIndex,
    Equation,
    ImageTerm,
    LinearRelation,
    RelationBuilder,
    RelationTerm,
    ScalarIndex,
)
from protocol.proofs.shuffle import remask
from protocol.proofs.sigma import (
    BATCHABLE,
    COMPACT,
    encode_scalars,
    prove_relation,
    prove_with_nonces,
    recompute_commitment,
    session_tag,
    split_scalars,
    verify_batchable,
    verify_compact,
)
from protocol.proofs.sponge import DuplexSponge, derive_session_id
from tests.crypto.dealing import PACK_8, context, dealt, points_of, refused
from tests.crypto.draft_records import records
from tests.crypto.p256 import P256, Value
from tests.crypto.seeded_entropy import seeded, stuck
from tests.vectors.answers import ask
from tests.vectors.collect import VECTORS
from tests.vectors.operations.cards import parse_relation
from tests.vectors.plain_json import Json
from tests.vectors.sigma_secp256k1 import accepted

# --- sigma instances ------------------------------------------------------------------------------

# The ten checks of an instance (draft-irtf-cfrg-sigma-protocols-03 section 3.5), and shapes.

H = hash_to_curve(b"H", b"tests-only")
X = SecretScalar(987654321)
Y = base_multiply(X)


def image(element: int, coefficient: int = 1) -> ImageTerm:
    return ImageTerm(ElementIndex(element), coefficient)


def term(scalar: int, element: int, coefficient: int = 1) -> RelationTerm:
    return RelationTerm(ScalarIndex(scalar), ElementIndex(element), coefficient)


GOOD = Equation((image(1),), (term(0, 0),))
TWO = (GENERATOR, Y)
USED = Equation((image(1),), (term(0, 2), term(0, 0)))
SUMMED = Equation((image(2), image(3, 2)), (term(0, 0),))
Instance = tuple[tuple[Point | None, ...], tuple[Equation, ...]]  #: Elements and equations.

#: What each of the ten checks is for, its name, and instances that it refuses.
WRONG: dict[str, tuple[Instance, ...]] = {
    "1 an instance has an equation: equations": (((GENERATOR,), ()),),
    "2 an equation has an image and terms: empty": tuple(
        (TWO, (*before, equation))
        for before in ((), (GOOD,))
        for equation in (
            Equation((), (term(0, 0),)), Equation((image(1),), ()), Equation((), ())
        )
    ),
    "3 indices are small natural numbers: index": tuple(
        (TWO, (equation,))
        for index in (-1, 2**32, 2**40, True)
        for equation in (
            Equation((image(index),), (term(0, 0),)),
            Equation((image(1),), (term(index, 0),)),
            Equation((image(1),), (term(0, index),)),
        )
    ),
    "4 every index refers to an element: element": (
        (TWO, (Equation((image(2),), (term(0, 1),)),)),
        (TWO, (Equation((image(1),), (term(0, 2),)),)),
        ((), (Equation((image(0),), (term(0, 0),)),)),
    ),
    # Else a message could carry an element that no equation binds to anything.
    "5 every element is used: unused-element": (((GENERATOR, Y, H), (GOOD,)),),
    # Else its response would be accepted unchecked, and the proof would be malleable.
    "6 every scalar is used: unused-scalar": ((TWO, (Equation((image(1),), (term(1, 0),)),)),),
    "7 the first element is the generator: generator": tuple(
        ((first, Y), (GOOD,)) for first in (H, negate(GENERATOR), None)
    ),
    "8 no element is the identity: identity": (
        ((GENERATOR, None), (GOOD,)),
        ((GENERATOR, Y, None), (Equation((image(1),), (term(0, 0), term(0, 2))),)),
    ),
    # Such an equation is satisfied by the witness 0 and proves nothing.
    "9 no image is the identity: image": tuple(
        ((GENERATOR, Y, negate(Y)), (USED, Equation(terms, (term(0, 0),))))
        for terms in (
            (image(1, 0),),
            (image(1), image(1, ORDER - 1)),
            (image(1), image(2)),
            (image(1, 7), image(2, 7)),
        )
    ),
    "10 no scalar multiplies the identity everywhere: column": tuple(
        ((GENERATOR, Y, H, negate(H)), (Equation((image(1),), terms), SUMMED))
        for terms in (
            (term(0, 0), term(1, 0, 0)),
            (term(0, 0), term(1, 2), term(1, 2, ORDER - 1)),
            (term(0, 0), term(1, 2), term(1, 3)),
        )
    ),
}  # fmt: skip


@pytest.mark.parametrize("check", WRONG)
def test_an_instance_is_checked(check: str) -> None:
    for elements, equations in WRONG[check]:
        name = f"instance.{check.rpartition(' ')[2]}"
        refused(name, LinearRelation, SECP256K1, elements, equations)


def test_a_scalar_may_cancel_in_one_equation_if_another_holds_it() -> None:
    build = RelationBuilder(SECP256K1)
    x, z = build.scalar(), build.scalar()
    first, second, h = build.element(Y), build.element(H), build.element(H)
    build.equation([first], [(x, GENERATOR_INDEX), (z, h), (z, h, -1)])
    build.equation([second], [(z, h)])
    relation = build.relation()
    witness = [X, SecretScalar(1)]
    proof = prove_relation(relation, witness, session=b"s", entropy=seeded("cancel"))
    verify_compact(relation, proof, session=b"s")


@pytest.mark.parametrize("coefficient", [-1, ORDER, 2**256])
def test_a_coefficient_is_reduced(coefficient: int) -> None:
    with pytest.raises(LocalError):
        LinearRelation(SECP256K1, TWO, (Equation((image(1),), (term(0, 0, coefficient),)),))


def test_a_coefficient_is_reduced_over_any_group() -> None:
    suite = P256()
    equation = Equation((image(0),), (term(0, 0, suite.order + 1),))
    with pytest.raises(LocalError):
        LinearRelation(suite, (suite.generator,), (equation,))


def test_the_builder_reduces_negative_coefficients() -> None:
    """`B - S = r·Y` as the statement *not of suit* writes it."""
    r = SecretScalar(1234)
    masked = linear_combination([(r, Y), (SecretScalar(1), H)])
    build = RelationBuilder(SECP256K1)
    secret = build.scalar()
    b, s, y = build.element(masked), build.element(H), build.element(Y)
    build.equation([b, (s, -1)], [(secret, y)])
    relation = build.relation()
    proof = prove_relation(relation, [r], session=b"s", entropy=seeded("minus"))
    verify_compact(relation, proof, session=b"s")
    assert relation.images == (multiply(Y, r),)


def test_an_identity_result_of_a_peers_point_is_refused_where_it_would_prove_nothing() -> None:
    """A card equal to the suit point makes `B - S` the identity: refused before any proof."""
    build = RelationBuilder(SECP256K1)
    secret = build.scalar()
    b, s, y = build.element(H), build.element(H), build.element(Y)
    build.equation([b, (s, -1)], [(secret, y)])
    refused("instance.image", build.relation)


def test_elements_are_bound_one_by_one() -> None:
    """FS1: the same sum from other summands is another statement (section 3.2)."""

    def statement(first: Point, second: Point) -> LinearRelation[Point]:
        build = RelationBuilder(SECP256K1)
        secret = build.scalar()
        build.equation([build.element(first), build.element(second)], [(secret, GENERATOR_INDEX)])
        return build.relation()

    first, second = (
        statement(linear_combination([(SecretScalar(1), Y), (-SecretScalar(1), each)]), each)
        for each in (H, base_multiply(SecretScalar(77)))
    )
    assert first.images == second.images
    proof = prove_relation(first, [X], session=b"s", entropy=seeded("sum"))
    verify_compact(first, proof, session=b"s")
    with pytest.raises(ProofError):
        verify_compact(second, proof, session=b"s")


RELATION = LinearRelation(SECP256K1, (GENERATOR, Y), (GOOD,))


@pytest.mark.parametrize("witness", [[], [X, X]])
def test_a_prover_refuses_a_witness_that_does_not_fit(witness: list[SecretScalar]) -> None:
    for flavor in (COMPACT, BATCHABLE):
        with pytest.raises(LocalError):
            prove_relation(RELATION, witness, session=b"s", entropy=seeded("w"), flavor=flavor)


@pytest.mark.parametrize("nonces", [[], [5, 6]])
def test_a_prover_refuses_nonces_that_do_not_fit(nonces: list[int]) -> None:
    for flavor in (COMPACT, BATCHABLE):
        with pytest.raises(LocalError):
            prove_with_nonces(RELATION, [X], nonces, session=b"s", flavor=flavor)


def test_a_proof_needs_a_session() -> None:
    with pytest.raises(LocalError):
        prove_relation(RELATION, [X], session=b"", entropy=seeded("w"))
    with pytest.raises(LocalError):
        verify_compact(RELATION, (bytes(31) + b"\1") * 2, session=b"")


@pytest.mark.parametrize("proof", ["00" * 64, None, bytearray(64), [0] * 64])
def test_a_proof_that_is_not_bytes_is_refused(proof: object) -> None:
    for verify in (verify_compact, verify_batchable):
        refused("sigma.type", verify, RELATION, proof, session=b"s")


def test_a_proof_of_one_kind_is_no_proof_of_the_other_even_at_the_same_length() -> None:
    compact = prove_relation(RELATION, [X], session=b"s", entropy=seeded("k"))
    batchable = prove_relation(RELATION, [X], session=b"s", entropy=seeded("k"), flavor=BATCHABLE)
    for verify, proof in (
        (verify_batchable, compact),
        (verify_compact, batchable),
        (verify_compact, compact[:32] + batchable[33:]),
    ):
        with pytest.raises(ProofError):
            verify(RELATION, proof, session=b"s")


def test_a_commitment_that_is_the_identity_is_refused() -> None:
    """Response 0 under challenge 0 recomputes the identity (section 5.5, step 7)."""
    refused("sigma.commitment", verify_compact, RELATION, bytes(64), session=b"s")


# --- edges of proofs ------------------------------------------------------------------------------

# The edges of statements: nothing, too little, zero, identities, and what decoys look like.

EDGE_KEY = SecretScalar(424_242)
EDGE_OTHER = base_multiply(Scalar(77))


# --- masks ----------------------------------------------------------------------------------------


def test_a_mask_of_zero_leaves_a_card_as_it_is() -> None:
    card = (GENERATOR, EDGE_OTHER, base_multiply(Scalar(78)))
    assert remask(card, (EDGE_OTHER, GENERATOR), Scalar(0)) == card


def test_a_handed_over_half_is_never_the_identity() -> None:
    table = dealt("identity")
    slot = table.hand(0)[0]
    where = context(0, "hand-over")
    message = hand_over(
        table.deck, slot, Seat(1), table.secrets[0], context=where, entropy=table.entropy
    )
    card = table.deck.hidden_card(slot).card
    for lost in (
        card._replace(card=message.card_share),
        card._replace(suit=message.suit_share),
    ):
        refused("hand-over.identity", apply_hand_over, lost, message)


# --- batches --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "bases", "images"),
    [
        ((), ((EDGE_OTHER,),), ()),
        ((EDGE_OTHER,), (), ((),)),
        ((EDGE_OTHER,), ((EDGE_OTHER,),), ()),
        ((EDGE_OTHER,), ((EDGE_OTHER,),), (((EDGE_OTHER,),), ((EDGE_OTHER,),))),
        ((EDGE_OTHER,), ((EDGE_OTHER,), (GENERATOR,)), (((EDGE_OTHER,),),)),
        ((EDGE_OTHER,), ((EDGE_OTHER,),), (((EDGE_OTHER,), (GENERATOR,)),)),
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
    statement = BatchEquality(
        (EDGE_OTHER,), ((GENERATOR, GENERATOR),), (((EDGE_OTHER, EDGE_OTHER),),)
    )
    session = b"s" * 32
    said = refused("rows", verify_equality, statement, bytes(64), session=session, check="rows")
    assert "equality.identity" in said
    chance = seeded("none")
    refused(
        "equality.identity", prove_equality, statement, [EDGE_KEY], session=session, entropy=chance
    )


# --- comparisons ----------------------------------------------------------------------------------


def compared(message: int, point: int, mask: int) -> Comparison:
    """A comparison of `message·G`, masked under KEY, with `point·G`."""
    half = linear_combination(
        [(Scalar(message), GENERATOR), (Scalar(mask), base_multiply(EDGE_KEY))]
    )
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
            lists,
            true_list,
            base_multiply(EDGE_KEY),
            EDGE_KEY,
            session=b"s",
            entropy=seeded("none"),
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
    key = base_multiply(EDGE_KEY)
    proof = prove_distinction(lists, 1, key, EDGE_KEY, session=b"s", entropy=seeded("decoys"))
    verify_distinction(lists, key, proof, session=b"s", check="alternatives")

    def honest(witnessed: Witnessed, difference: int) -> bool:
        """Whether `x·T = (M - P)·Z / G`, that is whether T is ρ(M - P)."""
        if difference == 0:
            return False
        scaled = multiply(witnessed.scaled_key, Scalar(abs(difference)))
        reached = multiply(witnessed.scaled_difference, EDGE_KEY)
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


# --- sigma disjunction ----------------------------------------------------------------------------

# OR composition: complete, hiding, and unforgeable without the sum (specs/attacks.md, FS6, A4).

J = hash_to_curve(b"J", b"tests-only")
KEY = SecretScalar(0xFEEDFACE)
OTHER = SecretScalar(0xBADC0DE)


def same_log(
    base: Point, share_key: SecretScalar, key: SecretScalar = KEY
) -> LinearRelation[Point]:
    """An AND branch: `X = x·G` and `D = x·base`; false unless both keys are one."""
    build = RelationBuilder(SECP256K1)
    secret = build.scalar()
    x, a, d = (build.element(p) for p in (base_multiply(key), base, multiply(base, share_key)))
    build.equation([x], [(secret, GENERATOR_INDEX)])
    build.equation([d], [(secret, a)])
    return build.relation()


def opening(blinding: SecretScalar) -> LinearRelation[Point]:
    """A branch of another shape: two scalars in one equation."""
    build = RelationBuilder(SECP256K1)
    m, r = build.scalar(), build.scalar()
    commitment = build.element(
        Point.from_bytes(multiply(J, blinding).to_bytes())  # nobody knows a plain opening of H
    )
    h, j = build.element(H), build.element(J)
    build.equation([commitment], [(m, h), (r, j)])
    return build.relation()


TRUE_FIRST = (same_log(H, KEY), same_log(J, OTHER), opening(OTHER))
ALL_FALSE = (same_log(H, OTHER), same_log(J, OTHER))


def not_proved(check: str, branches: Sequence[LinearRelation[Point]], proof: object) -> None:
    refused(check, verify_any, branches, proof, session=b"s")


def test_a_witness_of_another_length_is_our_own_mistake() -> None:
    with pytest.raises(LocalError):
        prove_any(ALL_FALSE, 0, [], session=b"s", entropy=seeded("false"))


@pytest.mark.parametrize("known", [-1, 3])
def test_the_known_branch_is_one_of_them(known: int) -> None:
    with pytest.raises(LocalError):
        prove_any(TRUE_FIRST, known, [KEY], session=b"s", entropy=seeded("or"))


def test_no_branches_prove_nothing() -> None:
    with pytest.raises(LocalError):
        prove_any((), 0, [], session=b"s", entropy=seeded("or"))
    with pytest.raises(LocalError):
        verify_any((), b"", session=b"s")


def test_branches_over_two_groups_are_refused() -> None:
    build = RelationBuilder(P256())
    secret = build.scalar()
    build.equation([GENERATOR_INDEX], [(secret, GENERATOR_INDEX)])
    with pytest.raises(LocalError):
        verify_any((TRUE_FIRST[0], build.relation()), bytes(128), session=b"s")  # type: ignore[misc]


def simulate_every_branch(branches: tuple[LinearRelation[Point], ...]) -> bytes:
    """The forgery: chosen challenges and responses for every branch, no witness at all."""
    chosen = (i + 1 for i in range(100))
    return b"".join(
        encode_scalars(SECP256K1, [next(chosen) for _ in range(1 + branch.num_scalars)])
        for branch in branches
    )


def verify_without_the_sum(branches: tuple[LinearRelation[Point], ...], proof: bytes) -> None:
    """The weak variant: every branch's equations hold, nobody adds up the challenges."""
    scalars = split_scalars(SECP256K1, proof, sum(1 + b.num_scalars for b in branches))
    for branch in branches:
        challenge, response = scalars[0], scalars[1 : 1 + branch.num_scalars]
        scalars = scalars[1 + branch.num_scalars :]
        commitment = branch.simulated_commitment(response, challenge)
        expected = branch.map(response)
        for got, want, image in zip(commitment, expected, branch.images, strict=True):
            assert got is not None
            assert SECP256K1.combine([(1, got), (challenge, image)]) == want


def test_an_or_proof_without_the_sum_check_is_forged_and_ours_is_not() -> None:
    forged = simulate_every_branch(ALL_FALSE)
    verify_without_the_sum(ALL_FALSE, forged)
    not_proved("disjunction.sum", ALL_FALSE, forged)


def test_a_plain_proof_and_a_disjunction_of_one_are_different_proofs() -> None:
    branch = TRUE_FIRST[0]
    alone = prove_any((branch,), 0, [KEY], session=b"s", entropy=seeded("one"))
    plain = prove_relation(branch, [KEY], session=b"s", entropy=seeded("one"))
    not_proved("disjunction.sum", (branch,), plain)
    with pytest.raises(ProofError):
        verify_compact(branch, alone, session=b"s")
    assert DISJUNCTION != COMPACT


def test_every_branch_looks_the_same_whichever_is_known() -> None:
    """Challenges and responses of known and simulated branches are full-width alike."""
    both = (same_log(H, KEY), same_log(J, KEY))
    for known in (0, 1):
        entropy = seeded(f"hiding {known}")
        for _ in range(8):
            proof = prove_any(both, known, [KEY], session=b"s", entropy=entropy)
            scalars = split_scalars(SECP256K1, proof, 4)
            assert all(scalar.bit_length() > 200 for scalar in scalars)
            for number, branch in enumerate(both):
                recompute_commitment(branch, scalars[2 * number + 1 :][:1], scalars[2 * number])


def test_a_stuck_source_shows_neither_the_key_nor_the_branch() -> None:
    """Simulated challenges are hedged too: repeated ones would single out the known branch."""
    first, second = (
        split_scalars(SECP256K1, prove_any(TRUE_FIRST, 0, [KEY], session=s, entropy=stuck), 7)
        for s in (b"s", b"t")
    )
    assert not set(first) & set(second)
    difference = pow(first[0] - second[0], -1, ORDER)
    assert (first[1] - second[1]) * difference % ORDER != KEY.value


# --- sigma nonces ---------------------------------------------------------------------------------

# A broken random source reveals no key (specs/attacks.md, FS9, A7).

KEPT_KEY = SecretScalar(0xC0FFEE1234567890)


FIRST, SECOND = (
    same_log(hash_to_curve(name, b"tests-only"), KEPT_KEY, KEPT_KEY)
    for name in (b"first card", b"second card")
)


def extracted(first: bytes, second: bytes) -> int:
    """What the special soundness extractor computes from two proofs on one nonce."""
    c1, s1, c2, s2 = (
        int.from_bytes(part, "big")
        for proof in (first, second)
        for part in (proof[:32], proof[32:])
    )
    return (s1 - s2) * pow(c1 - c2, -1, ORDER) % ORDER


def test_a_repeated_nonce_reveals_the_key_and_ours_does_not() -> None:
    """The forgery, against nonces taken straight from a stuck source, and then against ours."""
    nonce = int.from_bytes(stuck(32), "big") % ORDER
    weak = [
        prove_with_nonces(relation, [KEPT_KEY], [nonce], session=b"s", flavor=COMPACT)
        for relation in (FIRST, SECOND)
    ]
    assert extracted(*weak) == KEPT_KEY.value

    ours = [
        prove_relation(relation, [KEPT_KEY], session=b"s", entropy=stuck)
        for relation in (FIRST, SECOND)
    ]
    assert extracted(*ours) != KEPT_KEY.value


def nonce_of(proof: bytes) -> int:
    challenge, response = (int.from_bytes(part, "big") for part in (proof[:32], proof[32:]))
    return (response - challenge * KEPT_KEY.value) % ORDER


def test_a_stuck_source_gives_another_nonce_for_everything_that_differs() -> None:
    proofs = [
        prove_relation(FIRST, [KEPT_KEY], session=b"s", entropy=stuck),
        prove_relation(SECOND, [KEPT_KEY], session=b"s", entropy=stuck),
        prove_relation(FIRST, [KEPT_KEY], session=b"t", entropy=stuck),
        prove_relation(FIRST, [KEPT_KEY], session=b"s", entropy=seeded("good")),
    ]
    batchable = prove_relation(FIRST, [KEPT_KEY], session=b"s", entropy=stuck, flavor=BATCHABLE)
    nonces = {nonce_of(proof) for proof in proofs}
    assert len(nonces) == 4
    commitments = {base_multiply(SecretScalar(nonce)).to_bytes() for nonce in nonces}
    assert batchable[:33] not in commitments
    assert 0x42 not in nonces


def test_the_same_statement_under_a_stuck_source_gives_the_same_bytes() -> None:
    once = prove_relation(FIRST, [KEPT_KEY], session=b"s", entropy=stuck)
    assert once == prove_relation(FIRST, [KEPT_KEY], session=b"s", entropy=stuck)


def test_good_randomness_gives_another_proof_each_time() -> None:
    entropy = seeded("good")
    proofs = {prove_relation(FIRST, [KEPT_KEY], session=b"s", entropy=entropy) for _ in range(8)}
    assert len(proofs) == 8


def test_a_nonce_depends_on_the_witness_that_a_stuck_source_does_not_know() -> None:
    sources = [HedgedSource(b"l", (b"statement",), [value], ORDER, stuck) for value in (1, 2)]
    assert len({source.next_scalar() for source in sources}) == 2


def test_fields_of_a_hedged_source_cannot_run_into_each_other() -> None:
    one = HedgedSource(b"l", (b"ab", b"c"), [1], ORDER, stuck)
    two = HedgedSource(b"l", (b"a", b"bc"), [1], ORDER, stuck)
    assert one.scalars(2) != two.scalars(2)


def test_each_scalar_of_a_source_is_handed_out_once() -> None:
    source = HedgedSource(b"l", (b"s",), [1], ORDER, seeded("x"))
    drawn = source.scalars(20) + source.scalars(20)
    assert len(set(drawn)) == 40
    assert max(drawn).bit_length() > 250
    assert "redacted" in repr(source)


@pytest.mark.parametrize("short", [lambda length: b"", lambda length: bytes(length - 1)])
def test_a_source_that_gives_too_little_is_refused(short: object) -> None:
    with pytest.raises(LocalError):
        prove_relation(FIRST, [KEPT_KEY], session=b"s", entropy=short)  # type: ignore[arg-type]


# --- sigma vectors --------------------------------------------------------------------------------

# Proofs byte for byte: the drafts' vectors over P-256, our own over secp256k1.

SUITE = P256()
DRAFT = records("sigma-proofs_Shake128_P256.json")
OWN: Json = json.loads((VECTORS / "sigma-secp256k1.json").read_text("ascii"))


def drawn(relation: str, flavor: bytes, count: int) -> list[int]:
    """The nonces of the draft's vectors, from the seeded generator of its appendix."""
    tag = b"TestDRNG-SIGMA-PROOFS-" + flavor + b"-" + SUITE.ciphersuite + b"-" + relation.encode()
    sponge = DuplexSponge(derive_session_id(tag))
    return [sponge.squeeze_scalar(SUITE.order) for _ in range(count)]


def test_the_drafts_sigma_vectors_are_there() -> None:
    assert len(DRAFT) == 14


@pytest.mark.parametrize("record", DRAFT, ids=lambda record: record["Id"])
def test_a_vector_of_the_sigma_draft_comes_out_byte_for_byte(record: dict[str, Any]) -> None:
    relation = parse_relation(SUITE, bytes.fromhex(record["Instance"]))
    assert relation.to_bytes().hex() == record["Instance"]
    flavor = {"compact": COMPACT, "batchable": BATCHABLE}[record["Flavor"]]
    session = record["Relation"].encode()
    tag = session_tag(session, flavor, SUITE.ciphersuite)
    assert tag == record["Tag"].encode()
    assert derive_session_id(tag).hex() == record["SessionId"]
    data, width = bytes.fromhex(record["Witness"]), SUITE.scalar_bytes
    witness = [data[at : at + width] for at in range(0, len(data), width)]
    proof = prove_with_nonces(
        relation,
        [Value(decode_scalar(SUITE, each)) for each in witness],
        drawn(record["Relation"], flavor, relation.num_scalars),
        session=session,
        flavor=flavor,
    )
    assert proof.hex() == record["NargString"]


@pytest.mark.parametrize("record", DRAFT, ids=lambda record: record["Id"])
def test_a_vector_of_the_sigma_draft_with_any_byte_changed_is_refused(
    record: dict[str, Any],
) -> None:
    relation = parse_relation(SUITE, bytes.fromhex(record["Instance"]))
    session, proof = record["Relation"].encode(), bytes.fromhex(record["NargString"])
    verify = verify_compact if record["Flavor"] == "compact" else verify_batchable
    verify(relation, proof, session=session)
    other = verify_batchable if record["Flavor"] == "compact" else verify_compact
    with pytest.raises(ProofError):
        other(relation, proof, session=session)
    for position in (0, len(proof) // 2, len(proof) - 1):
        changed = bytearray(proof)
        changed[position] ^= 1
        with pytest.raises(ProofError):
            verify(relation, bytes(changed), session=session)
    for changed_length in (proof[:-1], proof + b"\0", b""):
        with pytest.raises(ProofError) as caught:
            verify(relation, changed_length, session=session)
        assert caught.value.check == "sigma.length"
    with pytest.raises(ProofError):
        verify(relation, proof, session=session + b"x")


def test_our_vectors_are_proved_again_byte_for_byte() -> None:
    assert [*accepted()] == OWN["accepts"]


def test_our_vectors_are_accepted_or_refused_by_the_check_that_they_name() -> None:
    sound = {record["id"] for record in OWN["accepts"]}
    assert len(OWN["rejects"]) > len(OWN["accepts"])
    for record in (*OWN["accepts"], *OWN["rejects"]):
        given = {name: record[name] for name in ("flavor", "proof")}
        given |= {"relation": record["instance"], "session": record["session"].encode().hex()}
        wrong = {"reject": record["expect"]} if "expect" in record else {"output": {}}
        assert ask("sigma.verify", given) == wrong, record["id"]
        assert record.get("base", record["id"]) in sound
