"""A proof that one list of ciphertexts is another, remasked and permuted.

The argument of Terelius and Wikström (AFRICACRYPT 2010) after the pseudo-code of Haenni, Locher,
Koenig and Dubuis (FC 2017), for ElGamal ciphertexts `(A, B_1..B_w)` of any width: one randomness
and one permutation move all halves of a card, so that halves cannot change places between cards.

With π the permutation, `E'_i = E_π(i) + r_i·(G, Y_1..Y_w)`:

    c_π(i) = s_π(i)·G + h_i                    commits to the permutation matrix
    u      = weights from everything so far;   u'_i = u_π(i)
    k_i    = t_i·G + u'_i·k_(i-1), k_(-1) = H  commits to the products of the u'
    v, g   = weights from everything so far    (g_1 = 1)

and then one Σ-proof, with the same u' throughout, of the four equations

    matrix   Σ u_j·c_j              = a·G  + Σ u'_i·h_i
    chain    v_s·(Σ c_j - Σ h_i) + v_l·(k_(N-1) - (Π u_j)·H) + Σ v_i·k_i
                                    = b·G  + Σ u'_i·v_i·k_(i-1)
    mask     Σ u_j·A_j              = Σ u'_i·A'_i - d·G
    halves   Σ_m g_m·Σ u_j·B_j,m    = Σ u'_i·Σ_m g_m·B'_i,m - d·Σ_m g_m·Y_m

Where this differs from the paper, and why it is still sound, is in
specs/decisions (the shuffle argument's operations): weights are short, the chain's N equations
are one under weights drawn after the chain, and so are the halves. The mask equation stays by
itself: a shuffler who knows the keys, as in its own hand, could else balance one half with
another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from protocol import labels
from protocol.constants import chain_base, shuffle_generators
from protocol.context import ProofContext
from protocol.digest import frame
from protocol.entropy import Entropy
from protocol.errors import IdentityPoint, LocalError, ProofError
from protocol.group import (
    GENERATOR,
    ORDER,
    POINT_BYTES,
    SCALAR_BYTES,
    Point,
    Scalar,
    SecretScalar,
    base_multiply,
    linear_combination,
    multiply,
    secret_scalar,
    sum_points,
)
from protocol.layout import LayoutReader, join
from protocol.nonces import HedgedSource
from protocol.permutation import uniform_permutation
from protocol.sponge import DuplexSponge
from protocol.weights import draw_weights

Ciphertext = tuple[Point, ...]
"""`(A, B_1..B_w)`: the mask and as many halves as there are keys."""

_ANNOUNCEMENTS: Final = 4
_SUMS: Final = 3


@dataclass(frozen=True, slots=True)
class ShuffleStatement:
    """`after` is `before`, remasked under `keys` and permuted.

    Raises `LocalError` unless there is a key and a card, as many after as before, and one half
    for each key.
    """

    keys: tuple[Point, ...]
    before: tuple[Ciphertext, ...]
    after: tuple[Ciphertext, ...]

    def __post_init__(self) -> None:
        if not self.keys or not self.before or len(self.before) != len(self.after):
            raise LocalError("a shuffle has keys, cards, and as many cards after as before")
        width = 1 + len(self.keys)
        if any(len(card) != width for card in (*self.before, *self.after)):
            raise LocalError("a shuffled card has a mask and one half for each key")

    def to_bytes(self) -> bytes:
        """Everything the proof is about, in one unambiguous encoding."""
        return frame(
            labels.SHUFFLE_ARGUMENT,
            join(self.keys),
            b"".join([join(card) for card in self.before]),
            b"".join([join(card) for card in self.after]),
        )


@dataclass(frozen=True, slots=True)
class ShuffleSecret:
    """What only the shuffler knows: `after[i]` is `before[permutation[i]]` masked by `masks[i]`."""

    permutation: tuple[int, ...] = field(repr=False)
    masks: tuple[SecretScalar, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class ShuffleProof:
    """The argument's messages and responses, 98 bytes for each card and 228 more."""

    commitments: tuple[Point, ...]
    chain: tuple[Point, ...]
    announcements: tuple[Point, Point, Point, Point]
    """matrix, chain, mask, halves"""
    sums: tuple[Scalar, Scalar, Scalar]
    """the responses for a, b and d"""
    responses: tuple[Scalar, ...]
    """the responses for u'"""

    def to_bytes(self) -> bytes:
        """The fields in order, points before scalars."""
        return join(
            (*self.commitments, *self.chain, *self.announcements), (*self.sums, *self.responses)
        )

    @staticmethod
    def size(cards: int) -> int:
        """How many bytes the proof for so many cards takes."""
        return (2 * cards + _ANNOUNCEMENTS) * POINT_BYTES + (cards + _SUMS) * SCALAR_BYTES

    @classmethod
    def from_bytes(cls, data: bytes, *, cards: int) -> ShuffleProof:
        """The proof for so many cards.

        Raises `MalformedMessage` with `shuffle-proof.length`, `point.*` or `scalar.*`.
        """
        reader = LayoutReader(
            "shuffle-proof", data, points=2 * cards + _ANNOUNCEMENTS, scalars=cards + _SUMS
        )
        commitments = reader.points(cards)
        chain = reader.points(cards)
        announcements = (reader.point(), reader.point(), reader.point(), reader.point())
        sums = (reader.scalar(), reader.scalar(), reader.scalar())
        return cls(commitments, chain, announcements, sums, reader.scalars(cards))


def remask(card: Ciphertext, keys: Sequence[Point], mask: Scalar) -> Ciphertext:
    """The same card under another mask: `(A + mask·G, B_m + mask·Y_m)`.

    A mask of 0 changes nothing. Raises `IdentityPoint` if a part becomes the identity.
    """
    if not mask:
        return card
    first = sum_points((card[0], base_multiply(mask)))
    return (
        first,
        *[
            sum_points((half, multiply(key, mask)))
            for half, key in zip(card[1:], keys, strict=True)
        ],
    )


def shuffle_cards(
    cards: Sequence[Ciphertext], keys: Sequence[Point], entropy: Entropy
) -> tuple[tuple[Ciphertext, ...], ShuffleSecret]:
    """The cards in a uniformly random order under fresh masks, and what proves it."""
    permutation = uniform_permutation(len(cards), entropy)
    masks = tuple(secret_scalar(entropy) for _ in cards)
    after = tuple(
        remask(cards[origin], keys, mask) for origin, mask in zip(permutation, masks, strict=True)
    )
    return after, ShuffleSecret(permutation, masks)


def prove_shuffle(
    statement: ShuffleStatement,
    secret: ShuffleSecret,
    *,
    context: ProofContext,
    purpose: bytes,
    entropy: Entropy,
    self_check: bool = True,
) -> ShuffleProof:
    """The argument for `statement`, checked by ourselves before it leaves.

    Nonces are hedged: they depend on the secret and the statement beside 32 fresh bytes. Raises
    `ProofError` if the secret does not prove the statement, `LocalError` if it does not fit it.
    `self_check=False` is for benchmarks alone.
    """
    count = len(statement.before)
    permutation = secret.permutation
    if sorted(permutation) != list(range(count)) or len(secret.masks) != count:
        raise LocalError("the shuffle's secret does not fit its statement")
    sponge = DuplexSponge(context.session_identifier(purpose))
    statement_bytes = statement.to_bytes()
    source = HedgedSource(
        labels.SHUFFLE_NONCE,
        (context.session_identifier(purpose), statement_bytes),
        (*permutation, *[mask.value for mask in secret.masks]),
        ORDER,
        entropy,
    )
    matrix_nonce, chain_nonce, mask_nonce = source.scalars(_SUMS)
    nonce = source.scalars(count)
    blind = source.scalars(count)
    link_blind = source.scalars(count)
    generators = shuffle_generators(count)

    placed = {
        origin: sum_points((base_multiply(Scalar(blind[origin])), generators[place]))
        for place, origin in enumerate(permutation)
    }
    commitments = tuple(placed[origin] for origin in range(count))
    sponge.absorb(statement_bytes + join(commitments))
    weights = draw_weights(sponge, count)
    moved = [weights[origin] for origin in permutation]

    # Each link is opened as `link_base[i]·G + product[i]·H`, which makes the chain's announcement
    # two multiplications whatever the number of cards.
    chain: list[Point] = []
    link, base_part, product = chain_base(), 0, 1
    announced_base, announced_product = chain_nonce, 0
    openings: list[tuple[int, int]] = []
    for each, weight in zip(link_blind, moved, strict=True):
        openings.append((base_part, product))
        link = sum_points((base_multiply(Scalar(each)), multiply(link, Scalar(weight))))
        base_part = (each + weight * base_part) % ORDER
        product = weight * product % ORDER
        chain.append(link)
    sponge.absorb(join(chain))
    link_weights, sum_weight, last_weight, half_weights = _second_weights(
        sponge, count, len(statement.keys)
    )
    for each, weight, (base, value) in zip(nonce, link_weights, openings, strict=True):
        announced_base += each * weight * base
        announced_product += each * weight * value

    nonce_scalars = [Scalar(each) for each in nonce]
    merged = [_merge(card[1:], half_weights) for card in statement.after]
    merged_key = _merge(statement.keys, half_weights)
    announcements = (
        linear_combination(
            [(Scalar(matrix_nonce), GENERATOR), *zip(nonce_scalars, generators, strict=True)]
        ),
        linear_combination(
            [
                (Scalar(announced_base % ORDER), GENERATOR),
                (Scalar(announced_product % ORDER), chain_base()),
            ]
        ),
        linear_combination(
            [
                (Scalar(-mask_nonce % ORDER), GENERATOR),
                *[
                    (each, card[0])
                    for each, card in zip(nonce_scalars, statement.after, strict=True)
                ],
            ]
        ),
        linear_combination(
            [
                (Scalar(-mask_nonce % ORDER), merged_key),
                *zip(nonce_scalars, merged, strict=True),
            ]
        ),
    )
    sponge.absorb(join(announcements))
    (challenge,) = draw_weights(sponge, 1)
    matrix_sum = sum(weight * each for weight, each in zip(weights, blind, strict=True))
    chain_sum = (
        sum_weight * sum(blind)
        + last_weight * base_part
        + sum(weight * each for weight, each in zip(link_weights, link_blind, strict=True))
    )
    mask_sum = sum(weight * mask.value for weight, mask in zip(moved, secret.masks, strict=True))
    proof = ShuffleProof(
        commitments,
        tuple(chain),
        announcements,
        (
            Scalar((matrix_nonce + challenge * matrix_sum) % ORDER),
            Scalar((chain_nonce + challenge * chain_sum) % ORDER),
            Scalar((mask_nonce + challenge * mask_sum) % ORDER),
        ),
        tuple(
            Scalar((each + challenge * weight) % ORDER)
            for each, weight in zip(nonce, moved, strict=True)
        ),
    )
    if self_check:
        verify_shuffle(statement, proof, context=context, purpose=purpose)
    return proof


def verify_shuffle(
    statement: ShuffleStatement, proof: ShuffleProof, *, context: ProofContext, purpose: bytes
) -> None:
    """Returns if the proof holds; else raises `ProofError`.

    The checks: `shuffle.count` (the proof is for another number of cards), `shuffle.identity` (a
    sum in the argument is the identity), `shuffle.equation` (an equation does not hold). The four
    equations are checked as one, under weights drawn from the whole proof: an announcement is
    compared with what the responses give.
    """
    count = len(statement.before)
    if {len(proof.commitments), len(proof.chain), len(proof.responses)} != {count}:
        raise ProofError("shuffle.count", f"expected {count} cards")
    sponge = DuplexSponge(context.session_identifier(purpose))
    sponge.absorb(statement.to_bytes() + join(proof.commitments))
    weights = draw_weights(sponge, count)
    sponge.absorb(join(proof.chain))
    link_weights, sum_weight, last_weight, half_weights = _second_weights(
        sponge, count, len(statement.keys)
    )
    sponge.absorb(join(proof.announcements))
    (challenge,) = draw_weights(sponge, 1)
    sponge.absorb(join((), (*proof.sums, *proof.responses)))
    matrix_weight, chain_weight, mask_weight = draw_weights(sponge, 3)

    matrix_sum, chain_sum, mask_sum = (each.value for each in proof.sums)
    response = [each.value for each in proof.responses]
    product = 1
    for weight in weights:
        product = product * weight % ORDER
    # The coefficient of each link: it is the base of the next response and an image itself.
    links = [-challenge * weight for weight in link_weights]
    links[-1] -= challenge * last_weight
    for place in range(1, count):
        links[place - 1] += response[place] * link_weights[place]
    first_link = response[0] * link_weights[0] + challenge * last_weight * product
    generators = shuffle_generators(count)
    short = [Scalar(weight) for weight in weights]
    matrix_scalar, mask_scalar = Scalar(matrix_weight), Scalar(mask_weight)
    half_scalars = [Scalar(weight) for weight in half_weights]
    matrix_announced, chain_announced, mask_announced, halves_announced = proof.announcements
    try:
        sums_before = [
            linear_combination(list(zip(short, column, strict=True)))
            for column in (proof.commitments, *zip(*statement.before, strict=True))
        ]
        before_weights = [matrix_weight, mask_weight, *half_weights]
        total = linear_combination(
            [
                *[
                    (
                        each,
                        linear_combination(
                            [
                                (matrix_scalar, generator),
                                (mask_scalar, card[0]),
                                *zip(half_scalars, card[1:], strict=True),
                            ]
                        ),
                    )
                    for each, generator, card in zip(
                        proof.responses, generators, statement.after, strict=True
                    )
                ],
                *[
                    (Scalar(chain_weight * link % ORDER), point)
                    for link, point in zip(links, proof.chain, strict=True)
                ],
                *[
                    (Scalar(-challenge * weight % ORDER), point)
                    for weight, point in zip(before_weights, sums_before, strict=True)
                ],
                (Scalar(chain_weight * first_link % ORDER), chain_base()),
                (
                    Scalar(-challenge * chain_weight * sum_weight % ORDER),
                    sum_points(proof.commitments),
                ),
                (
                    Scalar(challenge * chain_weight * sum_weight % ORDER),
                    sum_points(generators),
                ),
                (Scalar(-mask_sum % ORDER), _merge(statement.keys, half_weights)),
                (
                    Scalar(
                        (
                            matrix_weight * matrix_sum
                            + chain_weight * chain_sum
                            - mask_weight * mask_sum
                        )
                        % ORDER
                    ),
                    GENERATOR,
                ),
            ]
        )
        announced = linear_combination(
            [
                (matrix_scalar, matrix_announced),
                (Scalar(chain_weight), chain_announced),
                (mask_scalar, mask_announced),
                (Scalar(1), halves_announced),
            ]
        )
    except IdentityPoint:
        raise ProofError("shuffle.identity") from None
    if total != announced:
        raise ProofError("shuffle.equation")


def _second_weights(
    sponge: DuplexSponge, count: int, halves: int
) -> tuple[list[int], int, int, list[int]]:
    """The weights of the links, of the sum, of the last link, and of the halves (the first: 1)."""
    drawn = draw_weights(sponge, count + 2 + halves - 1)
    return drawn[:count], drawn[count], drawn[count + 1], [1, *drawn[count + 2 :]]


def _merge(points: Sequence[Point], weights: Sequence[int]) -> Point:
    return linear_combination(
        [(Scalar(weight), point) for weight, point in zip(weights, points, strict=True)]
    )
