"""Proofs of knowledge for linear relations, made non-interactive.

After draft-irtf-cfrg-sigma-protocols-03: the protocol of section 4, the challenge of section 5.2,
the batchable and compact proofs of sections 5.4 and 5.5. For a relation `images = M · witness`:

    commitment = M · nonces      challenge = H(session, relation, commitment)
    response = nonces + challenge · witness      M · response = commitment + challenge · images

A *compact* proof is (challenge, response), a *batchable* one (commitment, response). The session
names where and for what a proof is made; a verifier builds it, and the relation, from its own
state. Batch verification (section 5.6) is left out: without a multi-scalar multiplication in the
library it saves nothing.

Nonces and responses are computed with Python's integers, in variable time; the nonces are used
once and never leave this machine. See `protocol.group.point` on timing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from protocol import labels
from protocol.entropy import Entropy
from protocol.errors import IdentityPoint, LocalError, MalformedMessage, ProofError
from protocol.proofs.ciphersuite import Element, Group, decode_scalar
from protocol.proofs.nonces import HedgedSource
from protocol.proofs.relation import LinearRelation
from protocol.proofs.sponge import DuplexSponge, derive_session_id

# The draft's names, part of the tag under which a challenge is hashed (specs 2.6): no proof of one
# form passes for one of the other.
COMPACT: Final = b"CMPT"
BATCHABLE: Final = b"DSFS"


class ScalarLike(Protocol):
    """A secret scalar of any group, such as `protocol.group.scalar.Scalar`."""

    @property
    def value(self) -> int:
        """The scalar as an integer from 0 to order-1."""
        ...


def prove_relation(
    relation: LinearRelation[Element],
    witness: Sequence[ScalarLike],
    *,
    session: bytes,
    entropy: Entropy,
    flavor: bytes = COMPACT,
) -> bytes:
    """Return a proof of the relation: a compact one of `scalar_bytes · (1 + number of scalars)`
    bytes; or a batchable one, the commitment's elements and then the response's scalars.

    A wrong witness gives a proof that every verifier refuses. Raises `LocalError` for a witness of
    another length, for an empty session, and if a commitment is the identity.

    Args:
        relation: the public statement.
        witness: its secret scalars, in the order in which the relation declares them.
        session: 32 bytes from `ProofContext.session_identifier`, which bind the proof.
        entropy: gives 32 bytes, which are hedged with the witness: a source that repeats itself
            gives nothing away.
        flavor: COMPACT; or BATCHABLE, which no message holds, as a compact proof is shorter: it is
            here for the draft's test vectors.
    """
    source = HedgedSource(
        labels.PROOF_NONCE,
        (session_tag(session, flavor, relation.group.ciphersuite), relation.to_bytes()),
        witness_values(witness, relation.num_scalars),
        relation.group.order,
        entropy,
    )
    # The function of the test vectors, with nonces that are drawn here and used once.
    nonces = source.scalars(relation.num_scalars)
    return prove_with_nonces(relation, witness, nonces, session=session, flavor=flavor)


def verify_compact(relation: LinearRelation[Element], proof: bytes, *, session: bytes) -> None:
    """Verify a compact proof of the relation.

    Raises `ProofError` with `sigma.type`, `sigma.length`, `sigma.scalar` (not below the order),
    `sigma.commitment` (the recomputed commitment has an identity) or `sigma.challenge`.

    Args:
        relation, session: the verifier's own; nothing of them comes from the message.
        proof: any bytes of a peer.
    """
    challenge, *response = split_scalars(relation.group, proof, 1 + relation.num_scalars)
    commitment = recompute_commitment(relation, response, challenge)
    # The compact form: the commitment is not sent but recomputed, and the challenge must hash back.
    if challenge != _challenge(relation, commitment, session, COMPACT):
        raise ProofError("sigma.challenge")


def verify_batchable(relation: LinearRelation[Element], proof: bytes, *, session: bytes) -> None:
    """Verify a batchable proof of the relation.

    Raises `ProofError` with `sigma.type`, `sigma.length`, `sigma.point` (a commitment that does not
    decode), `sigma.scalar`, `sigma.commitment` or `sigma.response`.
    """
    suite = relation.group
    width = suite.element_bytes
    split = width * len(relation.equations)
    # A caller's mistake alone: what a message holds is bytes (specs 6.3).
    if type(proof) is not bytes:
        raise ProofError("sigma.type", type(proof).__name__)
    # The length before any decoding: one proof has one shape (attacks.md, FS8).
    if len(proof) != split + suite.scalar_bytes * relation.num_scalars:
        raise ProofError("sigma.length", f"{len(proof)} bytes")
    commitment = proof[:split]
    try:
        for start in range(0, split, width):
            # For the error alone: the commitment is compared as bytes.
            suite.decode(commitment[start : start + width])
    # Within a proof every error is the proof's, whatever does not decode in it.
    except MalformedMessage as error:
        raise ProofError("sigma.point", str(error)) from None
    response = split_scalars(suite, proof[split:], relation.num_scalars)
    challenge = _challenge(relation, commitment, session, BATCHABLE)
    if recompute_commitment(relation, response, challenge) != commitment:
        raise ProofError("sigma.response")


def prove_with_nonces(
    relation: LinearRelation[Element],
    witness: Sequence[ScalarLike],
    nonces: Sequence[int],
    *,
    session: bytes,
    flavor: bytes,
) -> bytes:
    """Return a proof made with given nonces; called by test vectors and the functions above alone,
    since a nonce used twice reveals the witness.

    `flavor` is COMPACT or BATCHABLE. Raises `LocalError` for nonces or a witness of another length.
    """
    suite = relation.group
    commitment = own_commitment(relation, nonces)
    challenge = _challenge(relation, commitment, session, flavor)
    response = respond(suite, nonces, witness, challenge)
    # Compact: challenge and response; the verifier recomputes the commitment.
    if flavor == COMPACT:
        return encode_scalars(suite, (challenge, *response))
    return commitment + encode_scalars(suite, response)


def session_tag(session: bytes, flavor: bytes, ciphersuite: bytes) -> bytes:
    """Return the tag under which a proof's challenge is hashed: session, flavor (such as COMPACT),
    name of the suite (section 5.1).

    `session` must combine its fields unambiguously (see `protocol.encoding`). Raises `LocalError`
    for an empty session.
    """
    if not session:
        raise LocalError("a proof needs a session")
    return session + b"-" + flavor + b"-with-" + ciphersuite


def witness_values(witness: Sequence[ScalarLike], count: int) -> tuple[int, ...]:
    """Return the witness as integers; raises `LocalError` unless there are `count` of them."""
    if len(witness) != count:
        raise LocalError(f"the relation has {count} secret scalars, not {len(witness)}")
    return tuple(scalar.value for scalar in witness)


def respond(
    suite: Group[Element],
    nonces: Sequence[int],
    witness: Sequence[ScalarLike],
    challenge: int,
) -> tuple[int, ...]:
    """Return the response `nonces + challenge · witness` modulo the order; raises `LocalError`
    if their numbers differ.
    """
    values = witness_values(witness, len(nonces))
    return tuple(
        (nonce + challenge * secret) % suite.order
        for nonce, secret in zip(nonces, values, strict=True)
    )


def own_commitment(relation: LinearRelation[Element], nonces: Sequence[int]) -> bytes:
    """Return the encoded commitment of our nonces; raises `LocalError` for another number of
    nonces than scalars, and if an element is the identity.
    """
    if len(nonces) != relation.num_scalars:
        raise LocalError(f"the relation has {relation.num_scalars} secret scalars")
    try:
        return _encode_elements(relation.group, relation.map(nonces))
    # Of our own nonces, which are random: it does not happen, and no peer is at fault.
    except IdentityPoint:
        raise LocalError("a commitment is the identity: no proof exists") from None


def recompute_commitment(
    relation: LinearRelation[Element], response: Sequence[int], challenge: int
) -> bytes:
    """Return the encoded commitment that a response and a challenge imply (section 4.4).

    Raises `ProofError` with `sigma.commitment` if an element is the identity.
    """
    try:
        return _encode_elements(relation.group, relation.simulated_commitment(response, challenge))
    # Of a peer's numbers: an identity has no encoding to be hashed (attacks.md, G1).
    except IdentityPoint:
        raise ProofError("sigma.commitment", "the identity") from None


def encode_scalars(suite: Group[Element], scalars: Sequence[int]) -> bytes:
    """Return the scalars, each big-endian at the suite's width, as one string of bytes."""
    return b"".join(scalar.to_bytes(suite.scalar_bytes, "big") for scalar in scalars)


def split_scalars(suite: Group[Element], data: bytes, count: int) -> tuple[int, ...]:
    """Return the `count` scalars that `data` encodes one after the other.

    Raises `ProofError` with `sigma.type` (no bytes), `sigma.length` (another number of bytes) or
    `sigma.scalar` (a number not below the order).
    """
    # A caller's mistake alone: what a message holds is bytes (specs 6.3).
    if type(data) is not bytes:
        raise ProofError("sigma.type", type(data).__name__)
    width = suite.scalar_bytes
    if len(data) != count * width:
        raise ProofError("sigma.length", f"{len(data)} bytes, expected {count * width}")
    try:
        return tuple(
            decode_scalar(suite, data[start : start + width])
            for start in range(0, len(data), width)
        )
    # Within a proof every error is the proof's, whatever does not decode in it.
    except MalformedMessage as error:
        raise ProofError("sigma.scalar", str(error)) from None


def _encode_elements(suite: Group[Element], elements: Sequence[Element | None]) -> bytes:
    """Return the encoded elements as one string of bytes; raises `IdentityPoint` for a None
    among them.
    """
    parts = []
    for element in elements:
        if element is None:
            raise IdentityPoint("an element is the identity")
        parts.append(suite.encode(element))
    return b"".join(parts)


def _challenge(
    relation: LinearRelation[Element], commitment: bytes, session: bytes, flavor: bytes
) -> int:
    """Return the challenge of a relation and an encoded commitment, under the tag of session and
    flavor (section 5.2).
    """
    suite = relation.group
    tag = session_tag(session, flavor, suite.ciphersuite)
    sponge = DuplexSponge(derive_session_id(tag))
    # The whole statement, then the commitment (attacks.md, FS1).
    sponge.absorb(relation.to_bytes())
    sponge.absorb(commitment)
    return sponge.squeeze_scalar(suite.order)
