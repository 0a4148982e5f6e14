"""Proofs that masked halves do not hold given points, and that one of several such lists does not.

For a ciphertext `(A, B)` under the prover's key `X = x·G` and a point P, the prover picks ρ and
publishes `Z = ρ·X` and `T = ρ·(M - P)`, M being what is masked, with a proof of

    Z = y·G        Z = ρ·X        T = ρ·(B - P) - y·A

T is no identity, so M differs from P, and T shows nothing else (plaintext inequality after
Camenisch and Shoup 2003). Two ciphertexts are compared by their difference. A list of comparisons
is one linear relation; several lists, of which one holds, are its disjunction: for the lists that
are not proved, T is a random point, which nobody can tell from `ρ·(M - P)` without a Diffie-Hellman
oracle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from protocol import labels
from protocol.entropy import Entropy
from protocol.errors import IdentityPoint, LocalError, ProofError
from protocol.group.layout import Difference, LayoutReader, join
from protocol.group.point import Point, base_multiply, linear_combination, multiply
from protocol.group.scalar import ORDER, Scalar, SecretScalar
from protocol.proofs.ciphersuite import SECP256K1
from protocol.proofs.disjunction import prove_any, verify_any
from protocol.proofs.nonces import HedgedSource
from protocol.proofs.relation import GENERATOR_INDEX, LinearRelation, RelationBuilder
from protocol.proofs.sigma import prove_relation, verify_compact


class Comparison(NamedTuple):
    """Two values that must differ: a ciphertext `(A,)`, `(B, P)` and a point P, or two
    ciphertexts `(A1, A2)`, `(B1, B2)`.
    """

    masks: Difference
    values: tuple[Point, Point]


class Witnessed(NamedTuple):
    """The two points that a prover publishes for one comparison."""

    scaled_key: Point  #: Z
    scaled_difference: Point  #: T


@dataclass(frozen=True, slots=True)
class DistinctionProof:
    """The proof of `prove_distinction`: Z and T of every comparison of every list, and the proof
    over them.
    """

    witnessed: tuple[tuple[Witnessed, ...], ...]
    proof: bytes

    def to_bytes(self) -> bytes:
        """Return the points, list by list, then the proof's scalars."""
        return join([p for row in self.witnessed for pair in row for p in pair]) + self.proof

    @classmethod
    def from_bytes(cls, data: bytes, *, counts: Sequence[int]) -> DistinctionProof:
        """Return the proof that `data` encodes, for lists of `counts` comparisons.

        Raises `MalformedMessage` with `distinction.length`, `point.*` or `scalar.*`.
        """
        # Two for each comparison, and the challenge of each list.
        scalars = len(counts) + 2 * sum(counts)
        reader = LayoutReader("distinction", data, points=2 * sum(counts), scalars=scalars)
        witnessed = tuple(
            tuple(Witnessed(*reader.points(2)) for _ in range(count)) for count in counts
        )
        # Read and joined again, since each scalar must be reduced: one proof has one spelling
        # (attacks.md, FS8).
        return cls(witnessed, join((), reader.scalars(scalars)))


def prove_distinction(
    lists: Sequence[Sequence[Comparison]],
    true_list: int,
    key: Point,
    secret: SecretScalar,
    *,
    session: bytes,
    entropy: Entropy,
) -> DistinctionProof:
    """Return a proof that all comparisons of some list hold, which does not show of which list if
    there are several.

    Raises `LocalError` if there is no list, a list is empty, or no list has the number `true_list`,
    and if a comparison of that list does not hold.

    Args:
        lists: public; each holds pairs of values, which differ in list `true_list`.
        true_list: the number, from 0, of the list that is proved.
        key: of the seat under whose keys alone the cards are masked.
        secret: behind `key`.
        session: 32 bytes from `ProofContext.session_identifier`, which bind the proof.
        entropy: gives bytes, which are hedged with the secret.
    """
    if not lists or not all(lists) or not 0 <= true_list < len(lists):
        raise LocalError("lists of comparisons are not empty, and the true one is one of them")
    source = HedgedSource(
        labels.DISTINCTION_NONCE,
        (
            session,
            key.to_bytes(),
            *[
                b"".join([join((*c.masks, *c.values)) for c in comparisons])
                for comparisons in lists
            ],
        ),
        # Which list is true is a secret, too.
        (secret.value, true_list),
        ORDER,
        entropy,
    )
    witnessed = []
    witness: list[SecretScalar] = []
    for number, comparisons in enumerate(lists):
        row = []
        for comparison in comparisons:
            blind = SecretScalar(source.next_scalar())
            # Made anew for the type checker alone, to which a product is any Scalar.
            product = SecretScalar((blind * secret).value)
            # Both are computed for every list: lists differ in length, and time would tell.
            decoy = base_multiply(Scalar(source.next_scalar()))
            difference = _scaled_difference(comparison, blind, product)
            # For a list that may be false: a random point looks like ρ·(M - P) to everybody.
            if number != true_list:
                difference = decoy
            elif difference is None:
                raise LocalError("what should differ is equal: the statement is false")
            else:
                witness += [blind, product]
            row.append(Witnessed(multiply(key, blind), difference))
        witnessed.append(tuple(row))
    relations = [
        _relation(key, comparisons, row) for comparisons, row in zip(lists, witnessed, strict=True)
    ]
    # Of one list nothing is hidden, and a plain proof is shorter than a disjunction.
    if len(relations) == 1:
        proof = prove_relation(relations[0], witness, session=session, entropy=entropy)
    else:
        proof = prove_any(relations, true_list, witness, session=session, entropy=entropy)
    return DistinctionProof(tuple(witnessed), proof)


def verify_distinction(
    lists: Sequence[Sequence[Comparison]],
    key: Point,
    proof: DistinctionProof,
    *,
    session: bytes,
    check: str,
) -> None:
    """Verify a proof that all comparisons of some list hold.

    Raises `ProofError` with `distinction.count` for a proof of other numbers of comparisons, and
    with `check` for one that does not hold.

    Args:
        lists, key, session: as for `prove_distinction`, from the verifier's own state.
        proof: decoded for the same numbers of comparisons.
        check: the name of the failure: several kinds of statement are proved so.
    """
    if [len(row) for row in proof.witnessed] != [len(comparisons) for comparisons in lists]:
        raise ProofError("distinction.count")
    try:
        relations = [
            _relation(key, comparisons, row)
            for comparisons, row in zip(lists, proof.witnessed, strict=True)
        ]
        # As in `prove_distinction`: one list needs no disjunction.
        if len(relations) == 1:
            verify_compact(relations[0], proof.proof, session=session)
        else:
            verify_any(relations, proof.proof, session=session)
    # The check of the proof system goes into the detail: vectors name the statement that failed.
    except ProofError as error:
        raise ProofError(check, error.check) from None


def _scaled_difference(
    comparison: Comparison, blind: SecretScalar, product: SecretScalar
) -> Point | None:
    """Return T, `ρ·(M - P)`, of a comparison; None if M is P, so that nothing can be proved.

    `blind` is ρ, `product` is ρ times the secret.
    """
    first, second = comparison.values
    terms: list[tuple[Scalar, Point]] = [(blind, first), (-blind, second)]
    # Not strict: one mask, or two that are compared.
    terms += zip((-product, product), comparison.masks, strict=False)
    try:
        return linear_combination(terms)
    # T is the identity just where the two values are equal.
    except IdentityPoint:
        return None


def _relation(
    key: Point, comparisons: Sequence[Comparison], row: Sequence[Witnessed]
) -> LinearRelation[Point]:
    """Return the relation behind one list: the three equations of each comparison
    (specs/04-cards.md), with its Z and T from `row`.
    """
    builder = RelationBuilder(SECP256K1)
    key_index = builder.element(key)
    for comparison, (scaled_key, scaled_difference) in zip(comparisons, row, strict=True):
        blind, product = builder.scalar(), builder.scalar()
        scaled = builder.element(scaled_key)
        difference = builder.element(scaled_difference)
        first, second = (builder.element(point) for point in comparison.values)
        masks = [builder.element(point) for point in comparison.masks]
        builder.equation([scaled], [(product, GENERATOR_INDEX)])
        builder.equation([scaled], [(blind, key_index)])
        builder.equation(
            [difference],
            [
                (blind, first),
                (blind, second, -1),
                # Not strict: one mask, or two that are compared.
                *[(product, mask, sign) for mask, sign in zip(masks, (-1, 1), strict=False)],
            ],
        )
    return builder.relation()
