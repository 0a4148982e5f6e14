"""OR composition: complete, hiding, and unforgeable without the sum (specs/attacks.md, FS6, A4)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from protocol.errors import LocalError, ProofError
from protocol.group.point import Point, base_multiply, hash_to_curve, multiply
from protocol.group.scalar import ORDER, SecretScalar
from protocol.proofs.ciphersuite import SECP256K1
from protocol.proofs.disjunction import DISJUNCTION, prove_any, verify_any
from protocol.proofs.relation import GENERATOR_INDEX, LinearRelation, RelationBuilder
from protocol.proofs.sigma import (
    COMPACT,
    encode_scalars,
    prove_compact,
    recompute_commitment,
    split_scalars,
    verify_compact,
)
from tests.crypto.dealing import refused
from tests.crypto.p256 import P256
from tests.crypto.seeded_entropy import seeded, stuck

H = hash_to_curve(b"H", b"tests-only")
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
    plain = prove_compact(branch, [KEY], session=b"s", entropy=seeded("one"))
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
    first = split_scalars(
        SECP256K1, prove_any(TRUE_FIRST, 0, [KEY], session=b"s", entropy=stuck), 7
    )
    second = split_scalars(
        SECP256K1, prove_any(TRUE_FIRST, 0, [KEY], session=b"t", entropy=stuck), 7
    )
    assert not set(first) & set(second)
    difference = pow(first[0] - second[0], -1, ORDER)
    assert (first[1] - second[1]) * difference % ORDER != KEY.value
