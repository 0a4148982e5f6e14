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
from typing import Final, NamedTuple

from protocol import labels
from protocol.encoding import frame
from protocol.entropy import Entropy
from protocol.errors import IdentityPoint, LocalError, ProofError
from protocol.group.constants import chain_base, shuffle_generators
from protocol.group.layout import LayoutReader, join
from protocol.group.point import (
    GENERATOR,
    POINT_BYTES,
    Point,
    base_multiply,
    combine_reduced,
    multiply,
    sum_points,
)
from protocol.group.scalar import ORDER, SCALAR_BYTES, Scalar, SecretScalar, secret_scalar
from protocol.proofs.context import ProofContext
from protocol.proofs.nonces import HedgedSource
from protocol.proofs.sponge import OVERSAMPLING_BYTES, DuplexSponge, decode_uint, draw_weights

# --- uniform permutations from an entropy source --------------------------------------------------

# 128 bits for a choice among at most some dozens: the remainder's bias stays below 2^-120.
_DRAW_BYTES = 16


def uniform_permutation(count: int, entropy: Entropy) -> tuple[int, ...]:
    """Return a uniform permutation of 0..count-1: entry i is the old place of the card that comes
    to place i.

    Drawn after Fisher and Yates with 16 bytes for each choice, modulo its range: a bias below
    2^-120 instead of a rejection loop that a broken source could make endless.
    """
    places = list(range(count))
    # All bytes in one call: the number of draws does not depend on what is drawn.
    drawn = entropy(_DRAW_BYTES * count)
    # The first 16 bytes stay unused, since place 0 has no choice: place i has the bytes from 16·i.
    for last in range(count - 1, 0, -1):
        start = _DRAW_BYTES * last
        pick = int.from_bytes(drawn[start : start + _DRAW_BYTES], "big") % (last + 1)
        places[last], places[pick] = places[pick], places[last]
    return tuple(places)


Ciphertext = tuple[Point, ...]  #: `(A, B_1..B_w)`: the mask and as many halves as there are keys.

# An announcement for each equation, and the responses for a, b and d.
_ANNOUNCEMENTS: Final = 4
_SUMS: Final = 3
_WIDE_BYTES: Final = SCALAR_BYTES + OVERSAMPLING_BYTES


@dataclass(frozen=True, slots=True)
class ShuffleStatement:
    """The statement that `after` is `before`, remasked under `keys` and permuted.

    Raises `LocalError` unless there is a key and a card, as many after as before, and one half for
    each key.
    """

    keys: tuple[Point, ...]
    before: tuple[Ciphertext, ...]
    after: tuple[Ciphertext, ...]

    def __post_init__(self) -> None:
        """Check the numbers of keys, cards and halves; raises `LocalError`."""
        if not self.keys or not self.before or len(self.before) != len(self.after):
            raise LocalError("a shuffle has keys, cards, and as many cards after as before")
        # A mask, and a half for each key.
        width = 1 + len(self.keys)
        if any(len(card) != width for card in (*self.before, *self.after)):
            raise LocalError("a shuffled card has a mask and one half for each key")

    def to_bytes(self) -> bytes:
        """Return all points of the statement in one unambiguous encoding."""
        return frame(
            labels.SHUFFLE_ARGUMENT,
            join(self.keys),
            join([point for card in self.before for point in card]),
            join([point for card in self.after for point in card]),
        )


@dataclass(frozen=True, slots=True)
class ShuffleSecret:
    """The shuffler's secret: `after[i]` is `before[permutation[i]]` remasked by `masks[i]`."""

    permutation: tuple[int, ...] = field(repr=False)
    masks: tuple[SecretScalar, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class ShuffleProof:
    """The messages and responses of the argument, 98 bytes for each card and 228 more."""

    commitments: tuple[Point, ...]
    chain: tuple[Point, ...]
    announcements: tuple[Point, ...]  #: matrix, chain, mask, halves
    sums: tuple[Scalar, ...]  #: the responses for a, b and d
    responses: tuple[Scalar, ...]  #: the responses for u'

    def to_bytes(self) -> bytes:
        """Return the fields in order, points before scalars."""
        return join(
            (*self.commitments, *self.chain, *self.announcements), (*self.sums, *self.responses)
        )

    @staticmethod
    def size(cards: int) -> int:
        """Return the number of bytes of a proof for `cards` cards."""
        return (2 * cards + _ANNOUNCEMENTS) * POINT_BYTES + (cards + _SUMS) * SCALAR_BYTES

    @classmethod
    def from_bytes(cls, data: bytes, *, cards: int) -> ShuffleProof:
        """Return the proof for `cards` cards that `data` encodes.

        Raises `MalformedMessage` with `shuffle-proof.length`, `point.*` or `scalar.*`.
        """
        reader = LayoutReader(
            "shuffle-proof", data, points=2 * cards + _ANNOUNCEMENTS, scalars=cards + _SUMS
        )
        commitments, chain = reader.points(cards), reader.points(cards)
        announcements, sums = reader.points(_ANNOUNCEMENTS), reader.scalars(_SUMS)
        return cls(commitments, chain, announcements, sums, reader.scalars(cards))


def remask(card: Ciphertext, keys: Sequence[Point], mask: Scalar) -> Ciphertext:
    """Return the same card under one more mask: `(A + mask·G, B_m + mask·Y_m)`.

    `keys` are the Y_m, one for each half. A mask of 0 changes nothing. Raises `IdentityPoint` if a
    part becomes the identity, and ValueError for another number of keys.
    """
    # 0 times a point is no Point.
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
    """Return the cards in a uniformly random order under fresh masks, and the secret for the proof.

    `keys` mask the cards before and after; `entropy` gives the order, then masks. Raises
    `LocalError` for a source that gives a mask of 0, or one mask twice: cards under equal masks
    would differ by their faces alone, which everybody could look up.
    """
    permutation = uniform_permutation(len(cards), entropy)
    masks = tuple(secret_scalar(entropy) for _ in cards)
    if len({mask.value for mask in masks}) != len(masks):
        raise LocalError("the random source gave the same mask twice")
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
) -> ShuffleProof:
    """Return a proof of `statement`.

    Raises `LocalError` if the secret does not fit the statement's size. A secret that does not
    satisfy the statement gives a proof that every verifier refuses. Nonces depend on secret,
    statement and 32 bytes of `entropy`.

    Args:
        secret: the permutation and the masks.
        context: that of the message with the proof.
        purpose: one of `labels`, one for each kind of shuffle; the verifier names the same one.
    """
    count = len(statement.before)
    permutation = secret.permutation
    # A wrong secret would give a proof that convicts us.
    if sorted(permutation) != list(range(count)) or len(secret.masks) != count:
        raise LocalError("the shuffle's secret does not fit its statement")
    session = context.session_identifier(purpose)
    statement_bytes = statement.to_bytes()
    drawn = _hedged_nonces(3 * count + _SUMS, (session, statement_bytes), secret, entropy)
    # Then for each card a nonce of its response, the blind of its commitment, and that of its link.
    matrix_nonce, chain_nonce, mask_nonce, *rest = drawn
    nonces, blinds, link_blinds = rest[:count], rest[count : 2 * count], rest[2 * count :]
    generators = shuffle_generators(count)

    # Placeholders: each place is overwritten, in the order of the permutation.
    commitments = [GENERATOR] * count
    for generator, origin in zip(generators, permutation, strict=True):
        commitments[origin] = combine_reduced(((blinds[origin], GENERATOR), (1, generator)))
    sponge = DuplexSponge(session)
    sponge.absorb(statement_bytes + join(commitments))
    weights = draw_weights(sponge, count)
    # u' of the module's docstring.
    moved = [weights[origin] for origin in permutation]

    chain, openings = _chain(moved, link_blinds)
    sponge.absorb(join(chain))
    second = _SecondWeights.draw(sponge, count, len(statement.keys))
    # Every link is an opening `base·G + product·H` that we know, so the chain's announcement takes
    # two multiplications, whatever the number of cards.
    announced_base, announced_product = chain_nonce, 0
    # A link has the opening before it as its base; the last one is nobody's base.
    for nonce, weight, (base, product) in zip(nonces, second.links, openings[:-1], strict=True):
        announced_base += nonce * weight * base
        announced_product += nonce * weight * product
    masks_after = [card[0] for card in statement.after]
    merged_after = [_merge(card[1:], second.halves) for card in statement.after]
    minus_mask = -mask_nonce % ORDER
    announcements = (
        combine_reduced(((matrix_nonce, GENERATOR), *zip(nonces, generators, strict=True))),
        combine_reduced(
            (
                (announced_base % ORDER, GENERATOR),
                (announced_product % ORDER, chain_base()),
            )
        ),
        combine_reduced(((minus_mask, GENERATOR), *zip(nonces, masks_after, strict=True))),
        combine_reduced(
            (
                (minus_mask, _merge(statement.keys, second.halves)),
                *zip(nonces, merged_after, strict=True),
            )
        ),
    )
    sponge.absorb(join(announcements))
    # A short scalar serves as challenge, too: half the price, 2^128 choices (see `draw_weights`).
    (challenge,) = draw_weights(sponge, 1)
    witness_sums = (
        _dot(weights, blinds),
        second.total * sum(blinds)
        + second.last * openings[-1][0]
        + _dot(second.links, link_blinds),
        _dot(moved, [mask.value for mask in secret.masks]),
    )
    # A Σ-protocol's responses: they show nothing of the witness, for each nonce is used once.
    sums, responses = (
        tuple(
            Scalar((nonce + challenge * secret) % ORDER)
            for nonce, secret in zip(used, witness, strict=True)
        )
        for used, witness in ((drawn[:_SUMS], witness_sums), (nonces, moved))
    )
    return ShuffleProof(tuple(commitments), chain, announcements, sums, responses)


def verify_shuffle(
    statement: ShuffleStatement, proof: ShuffleProof, *, context: ProofContext, purpose: bytes
) -> None:
    """Verify a proof of `statement` (specs/04-cards.md, 4.4); all but the proof is the verifier's
    own.

    Raises `ProofError` with `shuffle.count` for a proof of another number of cards, and
    `shuffle.equation` if an equation does not hold or a sum in it becomes the identity. The four
    equations are checked as one, under weights drawn from the whole proof. `purpose` is as for
    `prove_shuffle`.
    """
    count = len(statement.before)
    # As a set: all three lengths are the one that is due.
    if {len(proof.commitments), len(proof.chain), len(proof.responses)} != {count}:
        raise ProofError("shuffle.count", f"expected {count} cards")
    sponge = DuplexSponge(context.session_identifier(purpose))
    sponge.absorb(statement.to_bytes() + join(proof.commitments))
    weights = draw_weights(sponge, count)
    sponge.absorb(join(proof.chain))
    second = _SecondWeights.draw(sponge, count, len(statement.keys))
    sponge.absorb(join(proof.announcements))
    (challenge,) = draw_weights(sponge, 1)
    # Responses, too: weights that do not depend on them could be met by errors that cancel.
    sponge.absorb(join((), (*proof.sums, *proof.responses)))
    # One sum in place of four; a wrong equation passes with a probability of 2^-128 (attacks.md,
    # FS10).
    matrix, chain, mask = draw_weights(sponge, _SUMS)  # the halves' equation has weight 1

    responses = [each.value for each in proof.responses]
    # Integers from here on: a point's coefficients are gathered, and reduced once.
    matrix_sum, chain_sum, mask_sum = (each.value for each in proof.sums)
    # A link is the base of the next response and part of the chain's image: one multiplication.
    links = [-challenge * weight for weight in second.links]
    # The last link carries the product of all weights, which must be the same for both orders.
    links[-1] -= challenge * second.last
    for place in range(1, count):
        links[place - 1] += responses[place] * second.links[place]
    product = 1
    for weight in weights:
        product = product * weight % ORDER
    # The chain begins at H, so its first link and the product of all weights meet there.
    first_link = responses[0] * second.links[0] + challenge * second.last * product
    generators = shuffle_generators(count)
    try:
        bases = [
            combine_reduced(
                ((matrix, generator), (mask, card[0]), *zip(second.halves, card[1:], strict=True))
            )
            for generator, card in zip(generators, statement.after, strict=True)
        ]
        columns = (proof.commitments, *zip(*statement.before, strict=True))
        images = [combine_reduced(zip(weights, column, strict=True)) for column in columns]
        # In the order of `columns`: the commitments, the masks, each half.
        image_weights = (matrix, mask, *second.halves)
        terms = (
            *zip(responses, bases, strict=True),
            *[(chain * link, point) for link, point in zip(links, proof.chain, strict=True)],
            *[
                (-challenge * weight, image)
                for weight, image in zip(image_weights, images, strict=True)
            ],
            (chain * first_link, chain_base()),
            (-challenge * chain * second.total, sum_points(proof.commitments)),
            (challenge * chain * second.total, sum_points(generators)),
            (-mask_sum, _merge(statement.keys, second.halves)),
            (matrix * matrix_sum + chain * chain_sum - mask * mask_sum, GENERATOR),
        )
        reached = combine_reduced([(value % ORDER, point) for value, point in terms])
        # In the order of the announcements; the halves' weight is 1.
        announced = combine_reduced(zip((matrix, chain, mask, 1), proof.announcements, strict=True))
    # Honest sums are random points: such a sum was made on purpose (attacks.md, G1).
    except IdentityPoint:
        raise ProofError("shuffle.equation", "a sum is the identity") from None
    if reached != announced:
        raise ProofError("shuffle.equation")


class _SecondWeights(NamedTuple):
    """The weights that are drawn once the chain is fixed: one for each link, for the
    commitments' sum, for the last link, and for each half.
    """

    links: list[int]
    total: int  #: of the sum of the commitments
    last: int  #: of the last link
    halves: list[int]  #: the first is 1

    @classmethod
    def draw(cls, sponge: DuplexSponge, count: int, halves: int) -> _SecondWeights:
        """Draw the weights for `count` links and for `halves` halves from the sponge."""
        *links, total, last = draw_weights(sponge, count + 2)
        # One weight of a random sum may be fixed.
        return cls(links, total, last, [1, *draw_weights(sponge, halves - 1)])


def _chain(
    moved: Sequence[int], blinds: Sequence[int]
) -> tuple[tuple[Point, ...], list[tuple[int, int]]]:
    """Return the links of the chain, for the permuted weights `moved` and one of `blinds` each,
    and the openings `(base, product)` of the chain's base and of each link: `base·G +
    product·H`.
    """
    links: list[Point] = []
    openings = [(0, 1)]
    link = chain_base()
    for weight, blind in zip(moved, blinds, strict=True):
        link = combine_reduced(((blind, GENERATOR), (weight, link)))
        links.append(link)
        base, product = openings[-1]
        openings.append(((blind + weight * base) % ORDER, weight * product % ORDER))
    return tuple(links), openings


def _merge(points: Sequence[Point], weights: Sequence[int]) -> Point:
    """Return the sum of the points, each times its weight; raises `IdentityPoint` if it is the
    identity.
    """
    return combine_reduced(zip(weights, points, strict=True))


def _dot(left: Sequence[int], right: Sequence[int]) -> int:
    """Return the sum of the products of two lists, number by number."""
    return sum(one * other for one, other in zip(left, right, strict=True))


def _hedged_nonces(
    count: int, statement: Sequence[bytes], secret: ShuffleSecret, entropy: Entropy
) -> list[int]:
    """Return `count` one-time secrets, stretched in one call from one seed, which depends on
    `statement`, `secret` and 32 bytes of `entropy`.
    """
    source = HedgedSource(
        labels.SHUFFLE_NONCE,
        statement,
        (*secret.permutation, *[mask.value for mask in secret.masks]),
        ORDER,
        entropy,
    )
    # One call in place of a hash for each of them, three for every card (specs/decisions/020).
    seed = source.next_scalar().to_bytes(SCALAR_BYTES, "big")
    # In the place of a session identifier, which has as many bytes; nobody else computes this.
    stretched = DuplexSponge(seed).squeeze(count * _WIDE_BYTES)
    return [
        # OVERSAMPLING_BYTES more than a scalar has, so that no secret is likelier than another.
        decode_uint(stretched[start : start + _WIDE_BYTES], ORDER)
        for start in range(0, len(stretched), _WIDE_BYTES)
    ]
