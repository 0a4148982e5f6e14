"""Forgeries that each violate one part of the shuffle argument, by a prover who does all it can.

The prover below commits to any matrix M instead of a permutation and makes outputs for which
everything but the part under test holds: `u' = M·u` and `E = M^T·E'` over the remasked outputs.
A prover with a permutation passes, so that the refusals say something.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from protocol.group.constants import chain_base, shuffle_generators
from protocol.group.layout import join
from protocol.group.point import GENERATOR, Point, add, base_multiply, combine_reduced
from protocol.group.scalar import ORDER, Scalar
from protocol.proofs import shuffle
from protocol.proofs.shuffle import (
    Ciphertext,
    ShuffleProof,
    ShuffleStatement,
    remask,
    verify_shuffle,
)
from protocol.proofs.sponge import DuplexSponge
from protocol.proofs.weights import draw_weights
from tests.crypto.dealing import context, refused

HERE = context(0, "shuffle")
PURPOSE = b"test-shuffle"
HALF = pow(2, -1, ORDER)
KEYS = (base_multiply(Scalar(501)), base_multiply(Scalar(502)))
MASKS = (61, 62, 63)
BEFORE: tuple[Ciphertext, ...] = tuple(
    tuple(base_multiply(Scalar(100 * card + part + 1)) for part in range(3)) for card in range(3)
)
Matrix = Sequence[Sequence[int]]
"""M[i][j]: how much of u_j is in u'_i."""


def remasked(mixtures: Sequence[Sequence[tuple[int, int]]]) -> tuple[Ciphertext, ...]:
    """Outputs that are mixtures `(coefficient, card)` of the inputs under fresh masks."""
    cards = [
        tuple(
            combine_reduced([(value % ORDER, BEFORE[card][part]) for value, card in mixture])
            for part in range(3)
        )
        for mixture in mixtures
    ]
    return tuple(remask(card, KEYS, Scalar(m)) for card, m in zip(cards, MASKS, strict=True))


def dot(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(left, right, strict=True)) % ORDER


def forge(
    after: tuple[Ciphertext, ...], matrix: Matrix, *, lying_chain: bool = False
) -> tuple[ShuffleStatement, ShuffleProof]:
    """The best proof for a matrix; with `lying_chain` its last link has the right product."""
    count = len(after)
    statement = ShuffleStatement(KEYS, BEFORE, after)
    generators = shuffle_generators(count)
    sponge = DuplexSponge(HERE.session_identifier(PURPOSE))
    blinds = [71 + j for j in range(count)]
    commitments = tuple(
        combine_reduced(
            [
                (blinds[j], GENERATOR),
                *[(matrix[i][j] % ORDER, generators[i]) for i in range(count)],
            ]
        )
        for j in range(count)
    )
    sponge.absorb(statement.to_bytes() + join(commitments))
    weights = draw_weights(sponge, count)
    moved = [dot(row, weights) for row in matrix]
    steps = list(moved)
    if lying_chain:
        right = 1
        for weight in weights:
            right = right * weight % ORDER
        for step in moved[:-1]:
            right = right * pow(step, -1, ORDER) % ORDER
        steps[-1] = right
    link_blinds = [81 + i for i in range(count)]
    openings, chain = [(0, 1)], []
    for step, blind in zip(steps, link_blinds, strict=True):
        base, product = openings[-1]
        openings.append(((blind + step * base) % ORDER, step * product % ORDER))
        chain.append(
            combine_reduced([(openings[-1][0], GENERATOR), (openings[-1][1], chain_base())])
        )
    sponge.absorb(join(chain))
    *links, total, last, second_half = draw_weights(sponge, count + 3)
    halves = [1, second_half]
    nonces, (matrix_nonce, chain_nonce, mask_nonce) = [11, 12, 13], (21, 22, 23)

    def merged(points: Sequence[Point]) -> Point:
        return combine_reduced(list(zip(halves, points, strict=True)))

    def announced(first: int, base: Point, rest: Sequence[Point]) -> Point:
        return combine_reduced([(first % ORDER, base), *zip(nonces, rest, strict=True)])

    link_bases = [
        combine_reduced([(links[i], point)]) for i, point in enumerate((chain_base(), *chain[:-1]))
    ]
    announcements = (
        announced(matrix_nonce, GENERATOR, generators),
        announced(chain_nonce, GENERATOR, link_bases),
        announced(-mask_nonce, GENERATOR, [card[0] for card in after]),
        announced(-mask_nonce, merged(KEYS), [merged(card[1:]) for card in after]),
    )
    sponge.absorb(join(announcements))
    (challenge,) = draw_weights(sponge, 1)
    witness = (
        dot(weights, blinds),
        total * sum(blinds) + last * openings[-1][0] + dot(links, link_blinds),
        dot(moved, MASKS),
    )
    sums = [
        Scalar((nonce + challenge * value) % ORDER)
        for nonce, value in zip((matrix_nonce, chain_nonce, mask_nonce), witness, strict=True)
    ]
    responses = tuple(
        Scalar((nonce + challenge * value) % ORDER)
        for nonce, value in zip(nonces, moved, strict=True)
    )
    proof = ShuffleProof(
        commitments, tuple(chain), announcements, (sums[0], sums[1], sums[2]), responses
    )
    return statement, proof


PERMUTATION: Matrix = ((0, 1, 0), (0, 0, 1), (1, 0, 0))
SCALED: Matrix = ((2, 0, 0), (0, HALF, 0), (0, 0, 1))
MIXED: Matrix = ((1, 0, 0), (-1, 2, 0), (0, 0, 1))


def verify(statement: ShuffleStatement, proof: ShuffleProof) -> None:
    verify_shuffle(statement, proof, context=HERE, purpose=PURPOSE)


def test_the_forger_is_an_honest_prover_when_it_has_a_permutation() -> None:
    verify(*forge(remasked([[(1, 1)], [(1, 2)], [(1, 0)]]), PERMUTATION))


def test_cards_that_are_scaled_are_refused() -> None:
    """u' = (2u_0, u_1/2, u_2) has the right product: only the sum of the matrix is wrong."""
    refused("shuffle.equation", verify, *forge(remasked([[(HALF, 0)], [(2, 1)], [(1, 2)]]), SCALED))


def test_cards_that_are_mixed_are_refused() -> None:
    """u' = (u_0, 2u_1 - u_0, u_2) adds up to the sum: only the product is wrong."""
    outputs = remasked([[(1, 0), (HALF, 1)], [(HALF, 1)], [(1, 2)]])
    refused("shuffle.equation", verify, *forge(outputs, MIXED))


def test_a_chain_whose_last_link_lies_is_refused() -> None:
    """The last link is what the product asks for: only that link's own step is wrong."""
    outputs = remasked([[(1, 0), (HALF, 1)], [(HALF, 1)], [(1, 2)]])
    reordered: Matrix = (MIXED[2], MIXED[0], MIXED[1])
    refused(
        "shuffle.equation",
        verify,
        *forge((outputs[2], outputs[0], outputs[1]), reordered, lying_chain=True),
    )
    refused("shuffle.equation", verify, *forge(outputs, MIXED, lying_chain=True))


class ForgetsResponses(DuplexSponge):
    """A weak verifier's sponge: the final weights do not depend on the responses."""

    __slots__ = ("_absorbed",)

    def __init__(self, session_id: bytes) -> None:
        super().__init__(session_id)
        self._absorbed = 0

    def absorb(self, data: bytes) -> None:
        self._absorbed += 1
        if self._absorbed <= 3:
            super().absorb(data)


def tuned() -> tuple[ShuffleStatement, ShuffleProof]:
    """A foreign mask, whose error in one equation is made up for in another: weights known."""
    honest = remasked([[(1, 1)], [(1, 2)], [(1, 0)]])
    shift = 4711
    first = (add(honest[0][0], base_multiply(Scalar(shift))), *honest[0][1:])
    statement, proof = forge((first, *honest[1:]), PERMUTATION)
    sponge = DuplexSponge(HERE.session_identifier(PURPOSE))
    sponge.absorb(statement.to_bytes() + join(proof.commitments))
    weights = draw_weights(sponge, 3)
    sponge.absorb(join(proof.chain))
    draw_weights(sponge, 6)
    sponge.absorb(join(proof.announcements))
    challenge, matrix, _, mask = draw_weights(sponge, 4)
    error = mask * challenge * weights[1] * shift  # what the mask's equation is off by, times G
    repaired = (proof.sums[0].value - error * pow(matrix, -1, ORDER)) % ORDER
    sums = (Scalar(repaired), proof.sums[1], proof.sums[2])
    return statement, ShuffleProof(
        proof.commitments, proof.chain, proof.announcements, sums, proof.responses
    )


def test_final_weights_that_forget_the_responses_can_be_tuned_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    statement, proof = tuned()
    monkeypatch.setattr(shuffle, "DuplexSponge", ForgetsResponses)
    verify(statement, proof)


def test_ours_cannot() -> None:
    refused("shuffle.equation", verify, *tuned())
