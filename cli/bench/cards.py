"""How fast cards are masked, shuffled, proved and judged here, beside what the curve itself costs.

Each figure is a median over rounds of this thread's CPU time. In every round the group's operations
are timed too, counted in the proofs and multiplied: `prove_over_ops` and `verify_over_ops` say how
many times that floor the whole takes, so that they compare machines; what exceeds 1 is Python's
part, and what a busy machine's caches cost.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from json import dumps
from statistics import median
from typing import Final, NamedTuple, TypeVar

from cli.bench.counting import OperationCounter
from cli.bench.deal import run_deal
from cli.bench.floors import OperationCosts
from cli.bench.statements import measure_statements
from p2p304.cards import Card, Rank, Suit
from protocol.cards.keys import (
    MaskedCard,
    cards_from_bytes,
    cards_to_bytes,
    draw_hand_secret,
    start_deck,
    table_keys,
)
from protocol.group.constants import card_point, chain_base, shuffle_generators, suit_point
from protocol.proofs.context import ProofContext
from protocol.proofs.shuffle import (
    ShuffleProof,
    ShuffleStatement,
    prove_shuffle,
    shuffle_cards,
    verify_shuffle,
)

Result = TypeVar("Result")
Item = TypeVar("Item")

PACK: Final = tuple(Card(suit, rank) for suit in Suit for rank in Rank)
"""All 52 cards; a smaller pack is the first of them."""
SIZES: Final = (8, 32, 52)
_SAMPLES: Final = 40
_PASSES: Final = 3
_ROUNDS: Final = 9
_PURPOSE: Final = b"bench"
_HERE: Final = ProofContext(1, b"bench", b"shuffle", 0, 0, 0, "shuffle", bytes(32))


class ShuffleFigures(NamedTuple):
    """One shuffle of so many cards, both halves."""

    cards: int
    remask_ms: float
    prove_ms: float
    verify_ms: float
    """decoding of the cards and the proof included"""
    proof_bytes: int
    step_bytes: int
    prove_ops_ms: float
    verify_ops_ms: float
    prove_over_ops: float
    """(remask + prove) / cost of the operations counted in both"""
    verify_over_ops: float
    prove_multiplications: int
    verify_multiplications: int


def measure_shuffle(cards: int, *, rounds: int = _ROUNDS) -> ShuffleFigures:
    """Return medians over `rounds` shuffles of the first `cards` cards of the pack."""
    rows = shuffle_rounds(cards, rounds=rounds)
    return ShuffleFigures(*[median(column) for column in zip(*rows, strict=True)])


def shuffle_rounds(cards: int, *, rounds: int) -> list[ShuffleFigures]:
    """Return the figures of each of so many shuffles of the first `cards` cards of the pack."""
    _warm(cards)
    return [_one_round(cards) for _ in range(rounds)]


def measure(sizes: Sequence[int] = SIZES, *, rounds: int = _ROUNDS) -> dict[str, object]:
    """Measure everything that `p2p304 bench cards --json` prints."""
    costs = OperationCosts.measured()
    result: dict[str, object] = {
        "operations_us": {name: round(getattr(costs, name), 3) for name in costs.__slots__}
    }
    for cards in sizes:
        figures = measure_shuffle(cards, rounds=rounds)
        result[f"n{cards}"] = {name: _rounded(getattr(figures, name)) for name in figures._fields}
    result["statements"] = {
        name: {key: _rounded(value) for key, value in row.items()}
        for name, row in measure_statements(rounds=rounds).items()
    }
    deal = run_deal(
        PACK[:32],
        seats=4,
        batches=(4, 4),
        cut=7,
        entropy=secrets.token_bytes,
        clock=time.thread_time,
    )
    result["deal"] = {
        "cards": 32,
        "seats": 4,
        "bytes": deal.size,
        "make_ms": _rounded(deal.make_ms),
        "judge_ms": _rounded(deal.judge_ms),
        "seat_ms": _rounded(deal.seat_ms),
        "steps": [
            {
                "name": step.name,
                "messages": step.messages,
                "bytes": step.size,
                "make_ms": _rounded(step.make_ms),
                "judge_ms": _rounded(step.judge_ms),
            }
            for step in deal.steps
        ],
    }
    return result


def run(json: bool) -> None:
    """Measure and print, as one JSON object or as a table."""
    result = measure()
    if json:
        print(dumps(result, indent=2))
        return
    for line in _table(result):
        print(line)


def _table(result: dict[str, object]) -> list[str]:
    lines = ["Shuffles of masked cards, both halves, one thread, medians in milliseconds", ""]
    columns = ("remask", "prove", "verify", "bytes", "prove/ops", "verify/ops")
    lines.append("cards " + "".join(f"{column:>12}" for column in columns))
    keys = (
        "remask_ms",
        "prove_ms",
        "verify_ms",
        "proof_bytes",
        "prove_over_ops",
        "verify_over_ops",
    )
    for name, row in result.items():
        if name.startswith("n") and isinstance(row, dict):
            lines.append(f"{row['cards']:>5} " + "".join(f"{row[key]:>12}" for key in keys))
    statements, deal, costs = result["statements"], result["deal"], result["operations_us"]
    assert isinstance(statements, dict)
    assert isinstance(deal, dict)
    assert isinstance(costs, dict)
    lines += ["", f"{'step':<34}{'make ms':>10}{'judge ms':>10}{'bytes':>8}"]
    lines += [
        f"{name:<34}{row['make_ms']:>10}{row['judge_ms']:>10}{row['bytes']:>8}"
        for name, row in statements.items()
    ]
    lines += [
        "",
        f"A deal of {deal['cards']} cards to {deal['seats']} seats: {deal['seat_ms']} ms of CPU "
        f"time a seat, {deal['bytes']} bytes in all.",
        "One operation in microseconds: "
        + ", ".join(f"{name.replace('_', ' ')} {cost}" for name, cost in costs.items()),
    ]
    return lines


def _warm(cards: int) -> None:
    """Compute the constants, once: they belong to no proof."""
    shuffle_generators(cards)
    chain_base()
    for card in PACK[:cards]:
        card_point(card)
        suit_point(card.suit)


def _one_round(cards: int) -> ShuffleFigures:
    entropy = secrets.token_bytes
    costs = OperationCosts.measured()
    keys = table_keys([draw_hand_secret(entropy).keys() for _ in range(4)])
    start = start_deck(PACK[:cards], keys)
    before = cards_from_bytes(cards_to_bytes(start), count=cards)
    with OperationCounter() as remask_count:
        shuffle_cards(before, keys, entropy)
    remask_ms, (after, secret) = _timed(lambda: shuffle_cards(before, keys, entropy))
    statement = ShuffleStatement(tuple(keys), before, after)

    def prove(statement: ShuffleStatement) -> ShuffleProof:
        return prove_shuffle(
            statement,
            secret,
            context=_HERE,
            purpose=_PURPOSE,
            entropy=entropy,
        )

    prove_ms, proof = _timed(lambda: prove(statement))
    card_data = cards_to_bytes([MaskedCard(*card) for card in after])
    proof_data = proof.to_bytes()

    def judge() -> None:
        decoded = cards_from_bytes(card_data, count=cards)
        verify_shuffle(
            ShuffleStatement(tuple(keys), before, decoded),
            ShuffleProof.from_bytes(proof_data, cards=cards),
            context=_HERE,
            purpose=_PURPOSE,
        )

    verify_ms, _ = _timed(judge)
    with OperationCounter() as prove_count:
        prove(statement)
    with OperationCounter() as verify_count:
        judge()
    prove_ops = costs.of(remask_count) + costs.of(prove_count)
    verify_ops = costs.of(verify_count)
    return ShuffleFigures(
        cards,
        remask_ms,
        prove_ms,
        verify_ms,
        len(proof_data),
        len(card_data) + len(proof_data),
        prove_ops,
        verify_ops,
        (remask_ms + prove_ms) / prove_ops,
        verify_ms / verify_ops,
        remask_count.multiplications + prove_count.multiplications,
        verify_count.multiplications,
    )


def _timed(action: Callable[[], Result]) -> tuple[float, Result]:
    start = time.thread_time()
    result = action()
    return 1000 * (time.thread_time() - start), result


def _rounded(value: float) -> float | int:
    return value if isinstance(value, int) else round(value, 3)
