"""The ten checks of an instance (draft-irtf-cfrg-sigma-protocols-03 section 3.5), and shapes."""

from __future__ import annotations

import pytest

from protocol.errors import LocalError, ProofError
from protocol.group.point import (
    GENERATOR,
    Point,
    base_multiply,
    hash_to_curve,
    linear_combination,
    multiply,
    negate,
)
from protocol.group.scalar import ORDER, SecretScalar
from protocol.proofs.ciphersuite import SECP256K1
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
from protocol.proofs.sigma import (
    BATCHABLE,
    COMPACT,
    prove_batchable,
    prove_compact,
    prove_with_nonces,
    verify_batchable,
    verify_compact,
)
from tests.crypto.dealing import refused
from tests.crypto.p256 import P256
from tests.crypto.seeded_entropy import seeded

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
Instance = tuple[tuple[Point | None, ...], tuple[Equation, ...]]
"""Elements and equations."""

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
"""What each of the ten checks is for, its name, and instances that it refuses."""


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
    proof = prove_compact(relation, witness, session=b"s", entropy=seeded("cancel"))
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
    proof = prove_compact(relation, [r], session=b"s", entropy=seeded("minus"))
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
    proof = prove_compact(first, [X], session=b"s", entropy=seeded("sum"))
    verify_compact(first, proof, session=b"s")
    with pytest.raises(ProofError):
        verify_compact(second, proof, session=b"s")


RELATION = LinearRelation(SECP256K1, (GENERATOR, Y), (GOOD,))


@pytest.mark.parametrize("witness", [[], [X, X]])
def test_a_prover_refuses_a_witness_that_does_not_fit(witness: list[SecretScalar]) -> None:
    for prove in (prove_compact, prove_batchable):
        with pytest.raises(LocalError):
            prove(RELATION, witness, session=b"s", entropy=seeded("w"))


@pytest.mark.parametrize("nonces", [[], [5, 6]])
def test_a_prover_refuses_nonces_that_do_not_fit(nonces: list[int]) -> None:
    for flavor in (COMPACT, BATCHABLE):
        with pytest.raises(LocalError):
            prove_with_nonces(RELATION, [X], nonces, session=b"s", flavor=flavor)


def test_a_proof_needs_a_session() -> None:
    with pytest.raises(LocalError):
        prove_compact(RELATION, [X], session=b"", entropy=seeded("w"))
    with pytest.raises(LocalError):
        verify_compact(RELATION, (bytes(31) + b"\1") * 2, session=b"")


@pytest.mark.parametrize("proof", ["00" * 64, None, bytearray(64), [0] * 64])
def test_a_proof_that_is_not_bytes_is_refused(proof: object) -> None:
    for verify in (verify_compact, verify_batchable):
        refused("sigma.type", verify, RELATION, proof, session=b"s")


def test_a_proof_of_one_kind_is_no_proof_of_the_other_even_at_the_same_length() -> None:
    compact = prove_compact(RELATION, [X], session=b"s", entropy=seeded("k"))
    batchable = prove_batchable(RELATION, [X], session=b"s", entropy=seeded("k"))
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
