"""A broken random source reveals no key (specs/attacks.md, FS9, A7)."""

from __future__ import annotations

import pytest

from protocol.errors import LocalError
from protocol.group.point import Point, base_multiply, hash_to_curve, multiply
from protocol.group.scalar import ORDER, SecretScalar
from protocol.proofs.ciphersuite import SECP256K1
from protocol.proofs.nonces import HedgedSource
from protocol.proofs.relation import GENERATOR_INDEX, LinearRelation, RelationBuilder
from protocol.proofs.sigma import COMPACT, prove_batchable, prove_compact, prove_with_nonces
from tests.crypto.seeded_entropy import seeded, stuck

KEY = SecretScalar(0xC0FFEE1234567890)


def share_of(base: Point) -> LinearRelation[Point]:
    build = RelationBuilder(SECP256K1)
    secret = build.scalar()
    key, a, share = (build.element(p) for p in (base_multiply(KEY), base, multiply(base, KEY)))
    build.equation([key], [(secret, GENERATOR_INDEX)])
    build.equation([share], [(secret, a)])
    return build.relation()


FIRST = share_of(hash_to_curve(b"first card", b"tests-only"))
SECOND = share_of(hash_to_curve(b"second card", b"tests-only"))


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
        prove_with_nonces(relation, [KEY], [nonce], session=b"s", flavor=COMPACT)
        for relation in (FIRST, SECOND)
    ]
    assert extracted(*weak) == KEY.value

    ours = [
        prove_compact(relation, [KEY], session=b"s", entropy=stuck) for relation in (FIRST, SECOND)
    ]
    assert extracted(*ours) != KEY.value


def nonce_of(proof: bytes) -> int:
    challenge, response = (int.from_bytes(part, "big") for part in (proof[:32], proof[32:]))
    return (response - challenge * KEY.value) % ORDER


def test_a_stuck_source_gives_another_nonce_for_everything_that_differs() -> None:
    proofs = [
        prove_compact(FIRST, [KEY], session=b"s", entropy=stuck),
        prove_compact(SECOND, [KEY], session=b"s", entropy=stuck),
        prove_compact(FIRST, [KEY], session=b"t", entropy=stuck),
        prove_compact(FIRST, [KEY], session=b"s", entropy=seeded("good")),
    ]
    batchable = prove_batchable(FIRST, [KEY], session=b"s", entropy=stuck)
    nonces = {nonce_of(proof) for proof in proofs}
    assert len(nonces) == 4
    commitments = {base_multiply(SecretScalar(nonce)).to_bytes() for nonce in nonces}
    assert batchable[:33] not in commitments
    assert 0x42 not in nonces


def test_the_same_statement_under_a_stuck_source_gives_the_same_bytes() -> None:
    once = prove_compact(FIRST, [KEY], session=b"s", entropy=stuck)
    assert once == prove_compact(FIRST, [KEY], session=b"s", entropy=stuck)


def test_good_randomness_gives_another_proof_each_time() -> None:
    entropy = seeded("good")
    proofs = {prove_compact(FIRST, [KEY], session=b"s", entropy=entropy) for _ in range(8)}
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
        prove_compact(FIRST, [KEY], session=b"s", entropy=short)  # type: ignore[arg-type]
