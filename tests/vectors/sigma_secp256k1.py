"""Writes `specs/vectors/sigma-secp256k1.json`: proofs over secp256k1 from pinned entropy.

    python -m tests.vectors.sigma_secp256k1

Accepted proofs of the draft's example relations in both flavors, and for each a family of
mutations that must be refused, with the check that must fail.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from protocol.errors import ProofError
from protocol.group.point import (
    Point,
    base_multiply,
    hash_to_curve,
    linear_combination,
    multiply,
    negate,
)
from protocol.group.scalar import ORDER, Scalar, SecretScalar, secret_scalar
from protocol.proofs.ciphersuite import SECP256K1
from protocol.proofs.relation import GENERATOR_INDEX, LinearRelation, RelationBuilder
from protocol.proofs.sigma import prove_batchable, prove_compact
from tests.crypto.seeded_entropy import seeded
from tests.crypto.sigma_records import verify_record

PATH = Path(__file__).parents[2] / "specs/vectors/sigma-secp256k1.json"

Case = tuple[str, LinearRelation[Point], list[SecretScalar]]
Record = dict[str, str]

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


def plus_order(proof: bytes, start: int) -> bytes:
    """A scalar's non-canonical twin if it fits 32 bytes, else the order itself."""
    value = int.from_bytes(proof[start : start + 32], "big") + ORDER
    lifted = value if value < 2**256 else ORDER
    return proof[:start] + lifted.to_bytes(32, "big") + proof[start + 32 :]


def flip(data: bytes, position: int) -> bytes:
    changed = bytearray(data)
    changed[position] ^= 1
    return bytes(changed)


def mutations(accepted: Record, relation: LinearRelation[Point]) -> Iterator[tuple[str, Record]]:
    """Records that differ from an accepted one in one respect."""
    proof, instance = bytes.fromhex(accepted["proof"]), bytes.fromhex(accepted["instance"])

    def with_proof(changed: bytes) -> Record:
        return {**accepted, "proof": changed.hex()}

    yield "proof a byte longer", with_proof(proof + b"\0")
    yield "proof a byte shorter", with_proof(proof[:-1])
    yield "no proof", with_proof(b"")
    yield "last response changed", with_proof(flip(proof, -1))
    yield "last response not reduced", with_proof(plus_order(proof, len(proof) - 32))
    yield "first byte changed", with_proof(flip(proof, 0 if accepted["flavor"] == "compact" else 5))
    yield "all zero", with_proof(bytes(len(proof)))
    yield "another session", {**accepted, "session": accepted["session"] + "'"}
    other = "batchable" if accepted["flavor"] == "compact" else "compact"
    yield "the other flavor", {**accepted, "flavor": other}
    tail = instance[-33:]
    opposite = negate(Point.from_bytes(tail)).to_bytes()
    yield "last element negated", {**accepted, "instance": (instance[:-33] + opposite).hex()}
    yield (
        "last element uncompressed",
        {**accepted, "instance": (instance[:-33] + b"\4" + tail[1:]).hex()},
    )
    yield "last element the identity", {**accepted, "instance": (instance[:-33] + bytes(33)).hex()}
    coefficient = 4 + 4 + 4 + 31
    yield "first coefficient changed", {**accepted, "instance": flip(instance, coefficient).hex()}
    if accepted["flavor"] == "batchable":
        yield "commitment with prefix 04", with_proof(b"\4" + proof[1:])
        yield "commitment the identity", with_proof(bytes(33) + proof[33:])
        width = 33 * len(relation.equations)
        yield "commitment negated", with_proof(flip(proof, 0))
        yield "first response not reduced", with_proof(plus_order(proof, width))


def render() -> str:
    """The whole file as text."""
    accepts: list[Record] = []
    rejects: list[Record] = []
    for name, relation, witness in cases():
        for flavor, prove in (("compact", prove_compact), ("batchable", prove_batchable)):
            proof = prove(
                relation, witness, session=name.encode(), entropy=seeded(f"{name}/{flavor}")
            )
            accepted = {
                "id": f"{name}/{flavor}",
                "flavor": flavor,
                "session": name,
                "instance": relation.to_bytes().hex(),
                "proof": proof.hex(),
            }
            accepts.append(accepted)
            for change, record in mutations(accepted, relation):
                try:
                    verify_record(record)
                except ProofError as error:
                    expect = error.check
                else:
                    raise AssertionError(f"{accepted['id']}: {change} is accepted")
                rejects.append(
                    {
                        **record,
                        "id": f"{accepted['id']}: {change}",
                        "base": accepted["id"],
                        "expect": expect,
                    }
                )
    document = {
        "ciphersuite": SECP256K1.ciphersuite.decode(),
        "accepts": accepts,
        "rejects": rejects,
    }
    return json.dumps(document, indent=1) + "\n"


if __name__ == "__main__":
    PATH.parent.mkdir(parents=True, exist_ok=True)
    PATH.write_text(render())
