"""Proofs byte for byte: the drafts' vectors over P-256, our own over secp256k1."""

from __future__ import annotations

import json
from typing import Any

import pytest

from protocol.errors import ProofError
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
from tests.crypto.p256 import P256
from tests.crypto.sigma_records import parse_relation, scalars, verify_record
from tests.vectors.sigma_secp256k1 import PATH, render

SUITE = P256()
DRAFT = records("sigma-proofs_Shake128_P256.json")
OWN: dict[str, Any] = json.loads(PATH.read_text())


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
    proof = prove_with_nonces(
        relation,
        scalars(SUITE, bytes.fromhex(record["Witness"])),
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


def test_our_vectors_are_what_their_generator_gives() -> None:
    assert PATH.read_text() == render()


@pytest.mark.parametrize("record", OWN["accepts"], ids=lambda record: record["id"])
def test_a_vector_of_ours_is_accepted(record: dict[str, Any]) -> None:
    verify_record(record)


def test_a_rejected_vector_names_its_base_and_the_check() -> None:
    for record in OWN["rejects"]:
        assert record["base"] in {accepted["id"] for accepted in OWN["accepts"]}
        with pytest.raises(ProofError) as caught:
            verify_record(record)
        assert caught.value.check == record["expect"]


def test_there_are_more_rejects_than_accepts() -> None:
    assert len(OWN["rejects"]) > len(OWN["accepts"])
