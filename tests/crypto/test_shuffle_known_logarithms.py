"""specs/attacks.md, A8: whoever knows the generators' logarithms proves a deck of equal cards."""

from __future__ import annotations

import pytest

from protocol.group.layout import join
from protocol.group.point import Point, base_multiply
from protocol.group.scalar import ORDER, Scalar
from protocol.proofs import shuffle
from protocol.proofs.shuffle import ShuffleProof, ShuffleStatement, verify_shuffle
from protocol.proofs.sponge import DuplexSponge
from protocol.proofs.weights import draw_weights
from tests.crypto.dealing import context, refused

CARDS = 8
HERE = context(0, "shuffle")
PURPOSE = b"test-shuffle"
GENERATOR_LOGS = [1001 + 2 * place for place in range(CARDS)]
CHAIN_LOG = 5005
KEY = 31337


def point(log: int) -> Point:
    return base_multiply(Scalar(log % ORDER))


def masked(face: int, mask: int) -> tuple[Point, Point]:
    return point(mask), point(face + mask * KEY)


def forged() -> tuple[ShuffleStatement, ShuffleProof]:
    """Eight cards k·G go in, eight copies of the first come out, and all four equations hold."""
    faces = [2 + card for card in range(CARDS)]
    masks_after = [900 + place for place in range(CARDS)]
    before = tuple(masked(face, 1) for face in faces)
    after = tuple(masked(faces[0], mask) for mask in masks_after)
    statement = ShuffleStatement((point(KEY),), before, after)
    sponge = DuplexSponge(HERE.session_identifier(PURPOSE))

    committed = [70 + place for place in range(CARDS)]
    commitments = tuple(point(log) for log in committed)
    sponge.absorb(statement.to_bytes() + join(commitments))
    weights = draw_weights(sponge, CARDS)
    # All u' but the last at will, the last so that the faces balance.
    moved = [3 + place for place in range(CARDS - 1)]
    target = sum(w * face for w, face in zip(weights, faces, strict=True))
    moved.append((target * pow(faces[0], -1, ORDER) - sum(moved)) % ORDER)

    chained = [40 + place for place in range(CARDS)]
    chain = tuple(point(log) for log in chained)
    sponge.absorb(join(chain))
    *link_weights, sum_weight, last_weight = draw_weights(sponge, CARDS + 2)
    product = 1
    for each in weights:
        product = product * each % ORDER
    previous = [CHAIN_LOG, *chained[:-1]]
    matrix_sum = sum(w * c for w, c in zip(weights, committed, strict=True)) - sum(
        u * g for u, g in zip(moved, GENERATOR_LOGS, strict=True)
    )
    chain_sum = (
        sum_weight * (sum(committed) - sum(GENERATOR_LOGS))
        + last_weight * (chained[-1] - product * CHAIN_LOG)
        + sum(
            v * (k - u * p)
            for v, k, u, p in zip(link_weights, chained, moved, previous, strict=True)
        )
    )
    mask_sum = sum(u * m for u, m in zip(moved, masks_after, strict=True)) - sum(weights)

    nonces = [11 + place for place in range(CARDS)]
    matrix_nonce, chain_nonce, mask_nonce = 21, 22, 23
    halves = [faces[0] + mask * KEY for mask in masks_after]
    announced = (
        matrix_nonce + sum(n * g for n, g in zip(nonces, GENERATOR_LOGS, strict=True)),
        chain_nonce
        + sum(n * v * p for n, v, p in zip(nonces, link_weights, previous, strict=True)),
        -mask_nonce + sum(n * m for n, m in zip(nonces, masks_after, strict=True)),
        -mask_nonce * KEY + sum(n * h for n, h in zip(nonces, halves, strict=True)),
    )
    matrix, link, mask, half = (point(log) for log in announced)
    sponge.absorb(join((matrix, link, mask, half)))
    (challenge,) = draw_weights(sponge, 1)
    proof = ShuffleProof(
        commitments,
        chain,
        (matrix, link, mask, half),
        (
            Scalar((matrix_nonce + challenge * matrix_sum) % ORDER),
            Scalar((chain_nonce + challenge * chain_sum) % ORDER),
            Scalar((mask_nonce + challenge * mask_sum) % ORDER),
        ),
        tuple(Scalar((n + challenge * u) % ORDER) for n, u in zip(nonces, moved, strict=True)),
    )
    return statement, proof


def verify(statement: ShuffleStatement, proof: ShuffleProof) -> None:
    verify_shuffle(statement, proof, context=HERE, purpose=PURPOSE)


def test_with_known_logarithms_a_deck_of_equal_cards_passes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    statement, proof = forged()
    known = tuple(point(log) for log in GENERATOR_LOGS)
    monkeypatch.setattr(shuffle, "shuffle_generators", lambda count: known[:count])
    monkeypatch.setattr(shuffle, "chain_base", lambda: point(CHAIN_LOG))
    verify(statement, proof)


def test_with_hashed_generators_it_does_not() -> None:
    refused("shuffle.equation", verify, *forged())
