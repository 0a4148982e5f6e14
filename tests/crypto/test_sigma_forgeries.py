"""Forgeries that work against weak designs, run first against the weak design and then ours.

The names A1, A2, A8 are those of the threat catalogue: a rogue key, a wrong share under weak
Fiat–Shamir, generators with known logarithms. A4 (OR without the sum) and A7 (repeated nonce)
stand beside the code they attack.
"""

from __future__ import annotations

import pytest

from protocol import labels
from protocol.errors import ProofError
from protocol.group.point import (
    GENERATOR,
    Point,
    add,
    base_multiply,
    hash_to_curve,
    linear_combination,
    multiply,
    subtract,
    sum_points,
)
from protocol.group.scalar import ORDER, Scalar, SecretScalar, secret_scalar
from protocol.proofs.ciphersuite import SECP256K1
from protocol.proofs.relation import GENERATOR_INDEX, LinearRelation, RelationBuilder
from protocol.proofs.sigma import (
    encode_scalars,
    prove_batchable,
    prove_compact,
    verify_batchable,
    verify_compact,
)
from protocol.proofs.sponge import DuplexSponge
from tests.crypto.seeded_entropy import seeded

CARD = hash_to_curve(b"a card", b"tests-only")
WRONG_CARD = hash_to_curve(b"a better card", b"tests-only")


def possession(key: Point) -> LinearRelation[Point]:
    """I know x with `X = x·G`."""
    build = RelationBuilder(SECP256K1)
    secret = build.scalar()
    build.equation([build.element(key)], [(secret, GENERATOR_INDEX)])
    return build.relation()


def share_relation(key: Point, a: Point, share: Point) -> LinearRelation[Point]:
    """I know x with `X = x·G` and `D = x·A`."""
    build = RelationBuilder(SECP256K1)
    secret = build.scalar()
    x, base, d = (build.element(point) for point in (key, a, share))
    build.equation([x], [(secret, GENERATOR_INDEX)])
    build.equation([d], [(secret, base)])
    return build.relation()


def test_a1_a_rogue_key_reads_the_deck_without_proofs_of_possession_and_not_with_them() -> None:
    draw = seeded("rogue")
    honest = [secret_scalar(draw) for _ in range(3)]
    keys = [base_multiply(secret) for secret in honest]
    mine = secret_scalar(draw)
    rogue = subtract(base_multiply(mine), sum_points(keys))

    # Weak: the table key is the sum of whatever the seats publish. The last seat alone reads.
    table_key = sum_points([*keys, rogue])
    randomness = secret_scalar(draw)
    a, b = base_multiply(randomness), add(CARD, multiply(table_key, randomness))
    assert subtract(b, multiply(a, mine)) == CARD

    # Ours: a key counts with a proof of possession bound to its seat. Nothing at hand is one.
    proofs = [
        prove_compact(
            possession(key), [secret], session=f"key of seat {seat}".encode(), entropy=draw
        )
        for seat, (key, secret) in enumerate(zip(keys, honest, strict=True))
    ]
    for seat, (key, proof) in enumerate(zip(keys, proofs, strict=True)):
        verify_compact(possession(key), proof, session=f"key of seat {seat}".encode())
    for_my_key = prove_compact(
        possession(base_multiply(mine)), [mine], session=b"key of seat 3", entropy=draw
    )
    for attempt in (b"", bytes(64), for_my_key, *proofs):
        with pytest.raises(ProofError):
            verify_compact(possession(rogue), attempt, session=b"key of seat 3")
    # Nor does another seat's whole message help: its proof names its own seat.
    with pytest.raises(ProofError):
        verify_compact(possession(keys[0]), proofs[0], session=b"key of seat 3")


def weak_challenge(*commitments: Point) -> int:
    """Weak Fiat–Shamir: the commitments alone, not the statement."""
    sponge = DuplexSponge(bytes(32))
    for commitment in commitments:
        sponge.absorb(commitment.to_bytes())
    return sponge.squeeze_scalar(ORDER)


def weak_verify(key: Point, a: Point, share: Point, proof: tuple[Point, Point, Scalar]) -> bool:
    first, second, response = proof
    challenge = Scalar(weak_challenge(first, second))
    return base_multiply(response) == linear_combination(
        [(Scalar(1), first), (challenge, key)]
    ) and multiply(a, response) == linear_combination([(Scalar(1), second), (challenge, share)])


def test_a2_a_wrong_share_verifies_under_weak_fiat_shamir_and_not_under_ours() -> None:
    draw = seeded("weak")
    secret = secret_scalar(draw)
    key, randomness = base_multiply(secret), secret_scalar(draw)
    a, b = base_multiply(randomness), add(CARD, multiply(key, randomness))

    # The forger fixes its commitments first, learns the challenge, and then computes a share
    # that fits them: another point than x·A, so that the card opens as no card or another one.
    nonce, offset = secret_scalar(draw), secret_scalar(draw)
    first = base_multiply(nonce)
    second = add(multiply(a, nonce), multiply(WRONG_CARD, offset))
    challenge = Scalar(weak_challenge(first, second))
    response = (nonce + challenge * secret).revealed()  # type: ignore[attr-defined]
    share = linear_combination(
        [(challenge.inverse() * response, a), (-challenge.inverse(), second)]
    )
    assert share != multiply(a, secret)
    assert weak_verify(key, a, share, (first, second, response))
    assert subtract(b, share) != CARD

    # Ours absorbs the statement before the challenge: the same trick lands on another challenge.
    relation = share_relation(key, a, share)
    forged = first.to_bytes() + second.to_bytes() + response.to_bytes()
    with pytest.raises(ProofError) as caught:
        verify_batchable(relation, forged, session=b"share")
    assert caught.value.check == "sigma.response"
    compact = encode_scalars(SECP256K1, (challenge.value, response.value))
    with pytest.raises(ProofError) as caught:
        verify_compact(relation, compact, session=b"share")
    assert caught.value.check == "sigma.challenge"
    right = share_relation(key, a, multiply(a, secret))
    proof = prove_batchable(right, [secret], session=b"share", entropy=draw)
    verify_batchable(right, proof, session=b"share")
    with pytest.raises(ProofError):
        verify_batchable(relation, proof, session=b"share")


def test_a_simulated_proof_of_a_false_statement_is_refused() -> None:
    """The simulator gives transcripts whose equations hold; only the challenge gives it away."""
    draw = seeded("simulate")
    relation = share_relation(base_multiply(secret_scalar(draw)), CARD, WRONG_CARD)
    for _ in range(8):
        challenge, response = secret_scalar(draw).value, secret_scalar(draw).value
        commitment = relation.simulated_commitment([response], challenge)
        for got, want, image in zip(
            commitment, relation.map([response]), relation.images, strict=True
        ):
            assert got is not None
            assert SECP256K1.combine([(1, got), (challenge, image)]) == want
        with pytest.raises(ProofError) as caught:
            verify_compact(relation, encode_scalars(SECP256K1, (challenge, response)), session=b"s")
        assert caught.value.check == "sigma.challenge"


def opens(base: Point, commitment: Point, message: int, blinding: int) -> bool:
    return (
        linear_combination([(Scalar(message), GENERATOR), (Scalar(blinding), base)]) == commitment
    )


def test_a8_a_generator_with_a_known_logarithm_opens_two_ways_and_ours_does_not() -> None:
    trapdoor, message, other, blinding = 1234567, 8, 32, 99991

    def second_opening(logarithm: int) -> int:
        return (message - other) * pow(logarithm, -1, ORDER) % ORDER + blinding

    # Weak: H = k·G. Whoever knows k opens a commitment to 8 as one to 32.
    weak = base_multiply(Scalar(trapdoor))
    commitment = linear_combination([(Scalar(message), GENERATOR), (Scalar(blinding), weak)])
    assert opens(weak, commitment, message, blinding)
    assert opens(weak, commitment, other, second_opening(trapdoor) % ORDER)

    # Ours comes from hashing to the curve: no such k is known, and no small one exists.
    ours = hash_to_curve(b"pin", labels.SHUFFLE_GENERATOR_DST)
    commitment = linear_combination([(Scalar(message), GENERATOR), (Scalar(blinding), ours)])
    assert opens(ours, commitment, message, blinding)
    assert not opens(ours, commitment, other, second_opening(trapdoor) % ORDER)
    multiple = GENERATOR
    for logarithm in range(1, 2000):
        assert multiple != ours
        assert not (
            logarithm < 20 and opens(ours, commitment, other, second_opening(logarithm) % ORDER)
        )
        multiple = add(multiple, GENERATOR)


@pytest.mark.parametrize("field", range(8))
def test_a_proof_holds_in_its_own_session_only(field: int) -> None:
    """FS2: version, table, ledger, deal attempt, round, seat, kind, last digest."""
    draw = seeded("sessions")
    secret = SecretScalar(31337)
    relation = possession(base_multiply(secret))
    fields = ["v1", "table", "hand 1", "deal 0", "round 3", "west", "share", "digest"]
    proof = prove_compact(relation, [secret], session="/".join(fields).encode(), entropy=draw)
    verify_compact(relation, proof, session="/".join(fields).encode())
    fields[field] += "'"
    with pytest.raises(ProofError) as caught:
        verify_compact(relation, proof, session="/".join(fields).encode())
    assert caught.value.check == "sigma.challenge"
