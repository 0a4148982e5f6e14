"""Relations whose proofs are vectors, over secp256k1: the draft's examples, and a weighted one."""

from __future__ import annotations

from collections.abc import Iterator

from protocol.group.point import Point, base_multiply, hash_to_curve, linear_combination, multiply
from protocol.group.scalar import ORDER, Scalar, SecretScalar, secret_scalar
from protocol.proofs.ciphersuite import SECP256K1
from protocol.proofs.relation import GENERATOR_INDEX, LinearRelation, RelationBuilder
from protocol.proofs.sigma import BATCHABLE, COMPACT, prove_relation
from tests.crypto.seeded_entropy import seeded

Case = tuple[str, LinearRelation[Point], list[SecretScalar]]

H = hash_to_curve(b"H", b"P2P304-VECTORS")
J = hash_to_curve(b"J", b"P2P304-VECTORS")


def cases() -> Iterator[Case]:
    """The draft's example relations (section 3.4), and one with weights as in a batch of shares."""
    draw = seeded("sigma vectors, witnesses")
    x, r, y = (secret_scalar(draw) for _ in range(3))

    build = RelationBuilder(SECP256K1)
    secret = build.scalar()
    build.equation([build.element(base_multiply(x))], [(secret, GENERATOR_INDEX)])
    yield "discrete_logarithm", build.relation(), [x]

    build = RelationBuilder(SECP256K1)
    secret = build.scalar()
    base, key, share = (build.element(p) for p in (H, base_multiply(x), multiply(H, x)))
    build.equation([key], [(secret, GENERATOR_INDEX)])
    build.equation([share], [(secret, base)])
    yield "dleq", build.relation(), [x]

    build = RelationBuilder(SECP256K1)
    message, blinding = build.scalar(), build.scalar()
    base = build.element(H)
    commitment = build.element(linear_combination([(x, base_multiply(Scalar(1))), (r, H)]))
    build.equation([commitment], [(message, GENERATOR_INDEX), (blinding, base)])
    yield "pedersen_commitment", build.relation(), [x, r]

    build = RelationBuilder(SECP256K1)
    secret = build.scalar()
    plain = base_multiply(y)
    first, second = base_multiply(r), linear_combination([(x * r, H), (Scalar(ORDER - 1), plain)])
    key, e0, e1, m = (build.element(p) for p in (base_multiply(x), multiply(H, r), second, plain))
    build.equation([key], [(secret, GENERATOR_INDEX)])
    build.equation([m, e1], [(secret, e0)])
    yield "elgamal_decryption", build.relation(), [x]

    build = RelationBuilder(SECP256K1)
    secret = build.scalar()
    key = build.element(base_multiply(x))
    cards = [build.element(p) for p in (H, J, first)]
    shares = [build.element(multiply(p, x)) for p in (H, J, first)]
    weights = (1, 2**127 + 5, 2**128 - 1)
    build.equation([key], [(secret, GENERATOR_INDEX)])
    build.equation(
        list(zip(shares, weights, strict=True)),
        [(secret, card, weight) for card, weight in zip(cards, weights, strict=True)],
    )
    yield "weighted_shares", build.relation(), [x]


def accepted() -> Iterator[dict[str, str]]:
    """The records of `specs/vectors/sigma-secp256k1.json` that hold, from pinned entropy."""
    for name, relation, witness in cases():
        for flavor, tag in (("compact", COMPACT), ("batchable", BATCHABLE)):
            draw = seeded(f"{name}/{flavor}")
            yield {
                "id": f"{name}/{flavor}",
                "flavor": flavor,
                "session": name,
                "instance": relation.to_bytes().hex(),
                "proof": prove_relation(
                    relation, witness, session=name.encode(), entropy=draw, flavor=tag
                ).hex(),
            }
