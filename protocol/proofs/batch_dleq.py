"""One secret behind a key and behind many points at once: the batch proof of shares and openings.

For each half h of a card there is a key `X_h = x_h·G` and, for each place k of the batch, an
image that must be `x_h` times the base of that place. Weights w_k come from a hash over all keys,
bases and images, after all of them are fixed, so that errors cannot be chosen to cancel; then one
linear relation proves, for every half,

    X_h = x_h·G      Σ w_k·image_h,k = x_h·(Σ w_k·base_k)

A wrong image passes with a probability of 2^-128 (Bellare, Garay, Rabin 1998, small exponents).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from protocol import labels
from protocol.encoding import digest
from protocol.entropy import Entropy
from protocol.errors import IdentityPoint, LocalError, ProofError
from protocol.group.layout import Difference, join
from protocol.group.point import Point, combine_reduced
from protocol.group.scalar import ORDER, SCALAR_BYTES, SecretScalar
from protocol.proofs.ciphersuite import SECP256K1
from protocol.proofs.relation import GENERATOR_INDEX, LinearRelation, RelationBuilder
from protocol.proofs.sigma import prove_relation, verify_compact
from protocol.proofs.sponge import DuplexSponge, draw_weights


@dataclass(frozen=True, slots=True)
class BatchEquality:
    """The statement, for each key number h and each place, that `images[h]` there is the secret of
    `keys[h]` times the base there.

    Raises `LocalError` unless there is a key, a place, and an image for each key and place.
    """

    keys: tuple[Point, ...]
    bases: tuple[Difference, ...]
    images: tuple[tuple[Difference, ...], ...]

    def __post_init__(self) -> None:
        """Check the numbers of keys, bases and images; raises `LocalError`."""
        if not self.keys or not self.bases or len(self.images) != len(self.keys):
            raise LocalError("a batch has keys, places, and a row of images for each key")
        if any(len(row) != len(self.bases) for row in self.images):
            raise LocalError("a batch has an image for each key and place")


def equality_bytes(halves: int) -> int:
    """Return the number of bytes of a proof for `halves` keys, whatever the number of places."""
    # The challenge, and a response for each key.
    return (1 + halves) * SCALAR_BYTES


def prove_equality(
    statement: BatchEquality,
    secrets: Sequence[SecretScalar],
    *,
    session: bytes,
    entropy: Entropy,
) -> bytes:
    """Return a proof of the statement, 32 bytes for each key and 32 more (specs/04-cards.md, 4.5).

    Raises `LocalError` for another number of secrets than keys, `ProofError` `equality.identity` or
    `instance.*` for points of which nothing can be stated. Wrong secrets give a proof that every
    verifier refuses.

    Args:
        secrets: of the keys, in their order.
        session: 32 bytes from `ProofContext.session_identifier`, which bind the proof to a seat, a
            place and a purpose.
        entropy: gives 32 bytes; nonces depend on the secrets, too.
    """
    relation, bound = _relation(statement, session)
    return prove_relation(relation, secrets, session=bound, entropy=entropy)


def verify_equality(statement: BatchEquality, proof: bytes, *, session: bytes, check: str) -> None:
    """Verify a proof of the statement; raises `ProofError` with `check`, and the failed check as
    detail.

    Args:
        session: as in `prove_equality`.
        check: the name of the failure, such as "shares.proof": one relation stands behind several
            kinds of proof.
    """
    try:
        relation, bound = _relation(statement, session)
        verify_compact(relation, proof, session=bound)
    # The check of the proof system goes into the detail: vectors name the statement that failed.
    except ProofError as error:
        raise ProofError(check, error.check) from None


def _relation(statement: BatchEquality, session: bytes) -> tuple[LinearRelation[Point], bytes]:
    """Return the weighted relation of a statement, and the session, 32 bytes, hashed with all
    its points.
    """
    bound = digest(
        labels.BATCH_EQUALITY,
        session,
        join(statement.keys),
        *[join(each) for row in (statement.bases, *statement.images) for each in row],
    )
    # After all points are fixed: weights that are known beforehand let errors cancel (attacks.md,
    # FS10).
    weights = draw_weights(DuplexSponge(bound), len(statement.bases))
    builder = RelationBuilder(SECP256K1)
    base = builder.element(_weigh(statement.bases, weights))
    for key, row in zip(statement.keys, statement.images, strict=True):
        secret = builder.scalar()
        builder.equation([builder.element(key)], [(secret, GENERATOR_INDEX)])
        builder.equation([builder.element(_weigh(row, weights))], [(secret, base)])
    return builder.relation(), bound


def _weigh(row: Sequence[Difference], weights: Sequence[int]) -> Point:
    """Return the sum of the differences in `row`, each times its weight; raises `ProofError`
    with `equality.identity`.
    """
    terms: list[tuple[int, Point]] = []
    for difference, weight in zip(row, weights, strict=True):
        # Not strict: a difference is one point, or two of which the second is subtracted.
        terms += zip((weight, ORDER - weight), difference, strict=False)
    try:
        return combine_reduced(terms)
    # With weights hashed from all points an honest sum is never that, but by negligible chance
    # (specs/04-cards.md 4.5).
    except IdentityPoint:
        raise ProofError("equality.identity") from None
