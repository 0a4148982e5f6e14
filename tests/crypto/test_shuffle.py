"""The shuffle argument: honest shuffles, and every way to cheat refused by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from protocol.errors import LocalError
from protocol.group.constants import chain_base, constants_digest, shuffle_generators
from protocol.group.point import GENERATOR, Point, add, base_multiply, multiply, subtract
from protocol.group.scalar import ORDER, Scalar, SecretScalar, secret_scalar
from protocol.proofs.shuffle import (
    Ciphertext,
    ShuffleProof,
    ShuffleSecret,
    ShuffleStatement,
    prove_shuffle,
    remask,
    shuffle_cards,
    uniform_permutation,
    verify_shuffle,
)
from protocol.proofs.sponge import DuplexSponge
from protocol.proofs.weights import LAMBDA, draw_weights, weight
from tests.bench.counting import OperationCounter
from tests.crypto.dealing import context, refused
from tests.crypto.seeded_entropy import seeded, stuck

HERE = context(0, "shuffle")
PURPOSE = b"test-shuffle"


def random_cards(seed: str, cards: int, halves: int) -> tuple[Ciphertext, ...]:
    entropy = seeded(seed)
    return tuple(
        tuple(base_multiply(secret_scalar(entropy)) for _ in range(1 + halves))
        for _ in range(cards)
    )


def random_keys(seed: str, halves: int) -> tuple[Point, ...]:
    entropy = seeded("keys" + seed)
    return tuple(base_multiply(secret_scalar(entropy)) for _ in range(halves))


def honest(
    seed: str, cards: int = 4, halves: int = 2
) -> tuple[ShuffleStatement, ShuffleSecret, ShuffleProof]:
    entropy = seeded(seed)
    keys = random_keys(seed, halves)
    before = random_cards(seed, cards, halves)
    after, secret = shuffle_cards(before, keys, entropy)
    statement = ShuffleStatement(keys, before, after)
    return statement, secret, prove(statement, secret)


def prove(statement: ShuffleStatement, secret: ShuffleSecret) -> ShuffleProof:
    entropy = seeded("prove")
    return prove_shuffle(statement, secret, context=HERE, purpose=PURPOSE, entropy=entropy)


def verify(statement: ShuffleStatement, proof: ShuffleProof) -> None:
    verify_shuffle(statement, proof, context=HERE, purpose=PURPOSE)


def test_a_shuffle_that_changes_nothing_is_legal() -> None:
    keys, before = random_keys("still", 2), random_cards("still", 4, 2)
    secret = ShuffleSecret((0, 1, 2, 3), (SecretScalar(0),) * 4)
    statement = ShuffleStatement(keys, before, before)
    verify(statement, prove(statement, secret))


def test_the_identity_permutation_with_fresh_masks_is_legal() -> None:
    entropy = seeded("fresh")
    keys, before = random_keys("fresh", 2), random_cards("fresh", 4, 2)
    masks = tuple(secret_scalar(entropy) for _ in range(4))
    after = tuple(remask(card, keys, m) for card, m in zip(before, masks, strict=True))
    statement = ShuffleStatement(keys, before, after)
    verify(statement, prove(statement, ShuffleSecret((0, 1, 2, 3), masks)))


EXTRA = base_multiply(Scalar(77))


def fourth(made: ShuffleStatement, *card: Point) -> dict[str, Any]:
    return {"after": (*made.after[:3], card, *made.after[4:])}


def suits_turned(after: Sequence[Ciphertext]) -> tuple[Ciphertext, ...]:
    suits = [card[2] for card in after]
    return tuple((*card[:2], suit) for card, suit in zip(after, suits[1:] + suits[:1], strict=True))


CHEATS: dict[str, Callable[[ShuffleStatement, Ciphertext], dict[str, Any]]] = {
    "a card doubled by remasking another":  # M056
        lambda made, _: fourth(made, *remask(made.after[5], made.keys, Scalar(9))),
    "a card that is no card":  # M057
        lambda made, _: fourth(made, *(base_multiply(Scalar(1000 + i)) for i in range(3))),
    "one card shifted to another":  # M058
        lambda made, card: fourth(made, card[0], add(card[1], EXTRA), card[2]),
    "one suit shifted to another":
        lambda made, card: fourth(made, card[0], card[1], add(card[2], EXTRA)),
    "halves balanced against each other":
        lambda made, card: fourth(made, card[0], add(card[1], EXTRA), subtract(card[2], EXTRA)),
    "a foreign mask":
        lambda made, card: fourth(made, add(card[0], EXTRA), *card[1:]),
    "two cards exchanged against the permutation":
        lambda made, _: {"after": (*made.after[1::-1], *made.after[2:])},
    "the deck before the previous shuffler":  # M059
        lambda made, _: {"before": random_cards("older", 8, 2)},
    "suits permuted apart from cards":  # M061
        lambda made, _: {"after": suits_turned(made.after)},
    "under other keys":  # M073
        lambda made, _: {"keys": random_keys("another", 2)},
    "keys exchanged":
        lambda made, _: {"keys": made.keys[::-1]},
}  # fmt: skip
"""What differs from the shuffle that was made, given that and its fourth card."""


@pytest.mark.parametrize("name", CHEATS)
def test_a_false_shuffle_is_refused_with_its_best_proof_and_with_the_honest_one(name: str) -> None:
    made, secret, honest_proof = honest(name, cards=8)
    statement = replace(made, **CHEATS[name](made, made.after[3]))
    for proof in (prove(statement, secret), honest_proof):
        refused("shuffle.equation", verify, statement, proof)


def test_halves_that_are_shuffled_each_alone_do_not_make_a_deck() -> None:
    """M061: each half by itself is a proper shuffle, with one mask, but of another order."""
    keys, before = random_keys("alone", 2), random_cards("alone", 4, 2)
    entropy = seeded("alone")
    masks = tuple(secret_scalar(entropy) for _ in range(4))
    orders = ((0, 1, 2, 3), (1, 0, 2, 3))
    halves = []
    for half, order in enumerate(orders):
        one = [(card[0], card[1 + half]) for card in before]
        after = tuple(
            remask(one[origin], keys[half : half + 1], mask)
            for origin, mask in zip(order, masks, strict=True)
        )
        statement = ShuffleStatement(keys[half : half + 1], tuple(one), after)
        verify(statement, prove(statement, ShuffleSecret(order, masks)))
        halves.append(after)
    mixed = tuple((a[0], a[1], b[1]) for a, b in zip(*halves, strict=True))
    statement = ShuffleStatement(keys, before, mixed)
    for order in orders:
        refused(
            "shuffle.equation", verify, statement, prove(statement, ShuffleSecret(order, masks))
        )


def test_a_hand_that_drops_a_card_and_doubles_another_is_refused() -> None:
    """M074, by a prover who claims a permutation that is none, or one that is not its own."""
    keys, before = random_keys("doubled", 2), random_cards("doubled", 4, 2)
    entropy = seeded("doubled")
    masks = tuple(secret_scalar(entropy) for _ in range(4))
    chosen = (0, 1, 2, 2)
    after = tuple(remask(before[c], keys, m) for c, m in zip(chosen, masks, strict=True))
    statement = ShuffleStatement(keys, before, after)
    with pytest.raises(LocalError):
        prove(statement, ShuffleSecret(chosen, masks))
    refused(
        "shuffle.equation", verify, statement, prove(statement, ShuffleSecret((0, 1, 2, 3), masks))
    )


def test_a_proof_for_another_number_of_cards_is_refused() -> None:
    """M060: 31 or 33 cards where 32 are awaited."""
    statement, _, proof = honest("count", cards=4)
    for cards in (3, 5):
        data = proof.to_bytes()
        refused("shuffle-proof.length", ShuffleProof.from_bytes, data, cards=cards)
        refused("shuffle.count", verify, statement, honest("other", cards=cards)[2])
    for name in ("responses", "chain", "commitments"):
        fewer = replace(proof, **{name: getattr(proof, name)[1:]})
        refused("shuffle.count", verify, statement, fewer)


def test_statements_that_make_no_sense_are_our_own_mistake() -> None:
    statement, secret, _ = honest("sense", cards=3)
    for keys, before, after in (
        ((), statement.before, statement.after),
        (statement.keys, (), ()),
        (statement.keys, statement.before, statement.after[1:]),
        (statement.keys[:1], statement.before, statement.after),
    ):
        with pytest.raises(LocalError):
            ShuffleStatement(keys, before, after)
    with pytest.raises(LocalError):
        prove(statement, replace(secret, permutation=(0, 1)))
    with pytest.raises(LocalError):
        prove(statement, replace(secret, masks=secret.masks[1:]))


def test_cancelling_points_are_refused_and_not_a_crash() -> None:
    statement, _, proof = honest("cancel", cards=2)
    point = proof.commitments[0]
    opposite = multiply(point, Scalar(ORDER - 1))
    refused("shuffle.equation", verify, statement, replace(proof, commitments=(point, opposite)))


def test_a_broken_random_source_does_not_repeat_nonces() -> None:
    """The same bytes for two statements give unrelated announcements."""
    keys, before = random_keys("stuck", 2), random_cards("stuck", 3, 2)
    proofs = []
    for mask in (5, 6):
        secret = ShuffleSecret((1, 2, 0), (SecretScalar(mask),) * 3)
        after = tuple(remask(before[origin], keys, Scalar(mask)) for origin in (1, 2, 0))
        statement = ShuffleStatement(keys, before, after)
        proofs.append(
            prove_shuffle(statement, secret, context=HERE, purpose=PURPOSE, entropy=stuck)
        )
    first, second = ({*p.commitments, *p.chain, *p.announcements} for p in proofs)
    assert len(first) == len(second) == 10
    assert not first & second


def test_secrets_do_not_show() -> None:
    _, secret, _ = honest("repr", cards=3)
    assert repr(secret) == str(secret) == "ShuffleSecret()"


def test_a_stuck_source_still_gives_a_permutation() -> None:
    for byte in (b"\x00", b"\x7f", b"\xff"):
        drawn = uniform_permutation(32, lambda n, byte=byte: byte * n)  # type: ignore[misc]
        assert sorted(drawn) == list(range(32))


def test_weights_are_short_distinct_and_never_zero() -> None:
    assert (LAMBDA * LAMBDA + LAMBDA + 1) % ORDER == 0
    assert weight(bytes(16)) == 1
    edges = [bytes(16), b"\xff" * 8 + bytes(8), bytes(8) + b"\xff" * 8, b"\xff" * 16]
    assert len({weight(edge) for edge in edges}) == 4
    drawn = draw_weights(DuplexSponge(bytes(32)), 1000)
    assert len(set(drawn)) == 1000
    assert 0 not in drawn


def test_generators_are_distinct_and_stay_what_they_are() -> None:
    points = {chain_base(), GENERATOR, *shuffle_generators(52)}
    assert len(points) == 54
    assert shuffle_generators(52)[:8] == shuffle_generators(8)
    assert constants_digest(52).hex() == CONSTANTS_DIGEST


CONSTANTS_DIGEST = "4ab5c220f1971ff513637a32cced92472c60460339b429b7d266ffd7bf4aa5a1"


def test_the_argument_costs_what_the_specification_says() -> None:
    statement, secret, _ = honest("cost", cards=32)
    with OperationCounter() as proving:
        proof = prove(statement, secret)
    with OperationCounter() as verifying:
        verify(statement, proof)
    assert proving.multiplications == 5 * 32 + 3
    assert proving.base_multiplications == 2 * 32 + 3
    assert verifying.multiplications == 9 * 32 + 12
    assert verifying.base_multiplications == 1
