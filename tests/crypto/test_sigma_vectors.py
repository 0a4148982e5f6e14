"""Proofs byte for byte: the drafts' vectors over P-256, our own over secp256k1."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cli.conformance.answers import ask
from cli.conformance.operations.cards import parse_relation
from p2p304.plain_json import Json
from protocol.errors import ProofError
from protocol.proofs.ciphersuite import decode_scalar
from protocol.proofs.sigma import (
    BATCHABLE,
    COMPACT,
    prove_with_nonces,
    session_tag,
    verify_batchable,
    verify_compact,
)
from protocol.proofs.sponge import DuplexSponge, derive_session_id
from tests.crypto.draft_records import records
from tests.crypto.p256 import P256, Value
from tests.vectors.collect import VECTORS
from tests.vectors.sigma_secp256k1 import accepted

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
