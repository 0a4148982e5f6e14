"""Proving that one of several statements holds without saying which (OR composition).

After Cramer, Damgård and Schoenmakers (CRYPTO 1994) over the relations of
`protocol.proofs.relation`; draft-irtf-cfrg-sigma-protocols-03 leaves composition to the interface
of its section 4.1. A branch is a whole linear relation, so that branches are themselves
conjunctions. The prover simulates every branch but its own under challenges of its choice; the
challenges of all branches must add up to the one that the transcript gives:

    sum of challenges = H(session, all relations, all commitments)

A proof lists each branch's challenge and response, in order. The verifier recomputes each
branch's commitment by itself and checks the sum: without the sum every branch could be simulated
(specs/attacks.md, FS6).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from protocol import labels
from protocol.entropy import Entropy
from protocol.errors import LocalError, ProofError
from protocol.proofs.ciphersuite import Element, Group
from protocol.proofs.nonces import HedgedSource
from protocol.proofs.relation import LinearRelation
from protocol.proofs.sigma import (
    COMPACT,
    ScalarLike,
    encode_scalars,
    own_commitment,
    recompute_commitment,
    respond,
    session_tag,
    split_scalars,
    witness_values,
)
from protocol.proofs.sponge import DuplexSponge, derive_session_id

# A flavour of its own in the tag (specs 2.6): no other proof's challenge is one of these.
DISJUNCTION: Final = COMPACT + b"-OR"


def prove_any(
    branches: Sequence[LinearRelation[Element]],
    known: int,
    witness: Sequence[ScalarLike],
    *,
    session: bytes,
    entropy: Entropy,
) -> bytes:
    """Return a proof that some branch holds, made with the witness of branch number `known`, from
    0.

    The proof has `scalar_bytes · (branches + all their scalars)` bytes. Neither the proof nor the
    time that it takes shows which branch is known. Raises `LocalError` for no branches, branches of
    several groups, a `known` out of range, a witness of another length and an empty session. A
    wrong witness gives a proof that every verifier refuses.

    Args:
        branches: public relations over one group, in an order that the verifier shares.
        witness: the scalars of branch `known`, in the order of its relation.
        session: 32 bytes from `ProofContext.session_identifier`, which bind the proof.
        entropy: gives 32 bytes, which are hedged with the witness.
    """
    if not 0 <= known < len(branches):
        raise LocalError("the known branch is none of the branches")
    suite = _common_group(branches)
    tag = session_tag(session, DISJUNCTION, suite.ciphersuite)
    source = HedgedSource(
        labels.DISJUNCTION_NONCE,
        # `known` too: with one witness for two branches, two proofs must not share their nonces.
        (tag, _statement(branches), known.to_bytes(4, "big")),
        witness_values(witness, branches[known].num_scalars),
        suite.order,
        entropy,
    )
    challenges = []
    responses = []
    commitments = []
    for index, branch in enumerate(branches):
        secrets = source.scalars(branch.num_scalars)  # our nonces, or a simulated response
        challenge = source.next_scalar()
        # Both are computed for every branch: branches differ in length, and time would tell.
        honest, simulated = own_commitment(branch, secrets), _simulate(branch, secrets, challenge)
        # 0 for now: the sum below is that of the other branches.
        challenges.append(0 if index == known else challenge)
        responses.append(secrets)
        commitments.append(honest if index == known else simulated)
    total = _challenge(branches, commitments, tag)
    # Only this challenge is not free: without the sum every branch could be simulated (attacks.md,
    # FS6).
    challenges[known] = (total - sum(challenges)) % suite.order
    responses[known] = respond(suite, responses[known], witness, challenges[known])
    return b"".join(
        encode_scalars(suite, (challenge, *response))
        for challenge, response in zip(challenges, responses, strict=True)
    )


def verify_any(
    branches: Sequence[LinearRelation[Element]], proof: bytes, *, session: bytes
) -> None:
    """Verify a proof that some branch holds; branches and session as for `prove_any`, from the
    verifier's own state.

    Raises `ProofError` with `sigma.type`, `sigma.length`, `sigma.scalar`, `sigma.commitment` or
    `disjunction.sum` (the branches' challenges do not add up to the transcript's), and `LocalError`
    for no branches, branches of several groups and an empty session.
    """
    suite = _common_group(branches)
    scalars = split_scalars(suite, proof, sum(1 + branch.num_scalars for branch in branches))
    commitments = []
    start = 0
    total = 0
    for branch in branches:
        challenge, *response = scalars[start : start + 1 + branch.num_scalars]
        start += 1 + branch.num_scalars
        total += challenge
        commitments.append(recompute_commitment(branch, response, challenge))
    tag = session_tag(session, DISJUNCTION, suite.ciphersuite)
    # The one check that a simulator of all branches fails (attacks.md, FS6).
    if total % suite.order != _challenge(branches, commitments, tag):
        raise ProofError("disjunction.sum")


def _common_group(branches: Sequence[LinearRelation[Element]]) -> Group[Element]:
    """Return the group of all branches; raises `LocalError` for no branches and for several
    groups.
    """
    if not branches:
        raise LocalError("a disjunction has at least one branch")
    suite = branches[0].group
    # By identity: a suite is one constant, such as `SECP256K1`, and compares as nothing else.
    if any(branch.group is not suite for branch in branches):
        raise LocalError("the branches of a disjunction share one group")
    return suite


def _simulate(branch: LinearRelation[Element], response: Sequence[int], challenge: int) -> bytes:
    """Return the encoded commitment that makes a chosen response and challenge valid for a branch.

    Raises `LocalError` if an element of it is the identity.
    """
    try:
        return recompute_commitment(branch, response, challenge)
    # Of our own response and challenge, drawn at random: no peer is at fault.
    except ProofError:
        raise LocalError("a simulated commitment is the identity") from None


def _statement(branches: Sequence[LinearRelation[Element]]) -> bytes:
    """Return the number of branches and each branch's serialization, which is prefix-free."""
    # Little-endian, as all counts of the draft's serialization.
    return len(branches).to_bytes(4, "little") + b"".join(b.to_bytes() for b in branches)


def _challenge(
    branches: Sequence[LinearRelation[Element]], commitments: Sequence[bytes], tag: bytes
) -> int:
    """Return the challenge of all branches and their commitments, hashed under `tag`
    (`session_tag`).
    """
    sponge = DuplexSponge(derive_session_id(tag))
    sponge.absorb(_statement(branches))
    for commitment in commitments:
        sponge.absorb(commitment)
    return sponge.squeeze_scalar(branches[0].group.order)
