"""How fast cards are shuffled, proved and judged here, beside what the curve itself costs.

This module is also the script that pyperf runs, in processes of their own: it times the processor
of this thread, one message a value. The floor of each is counted, and priced in the same run.
"""

from __future__ import annotations

import secrets
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, Final

import pyperf

from cli.errors import UserError
from p2p304.cards import Card, Rank, Suit
from protocol.cards.keys import (
    MaskedCard,
    cards_from_bytes,
    cards_to_bytes,
    draw_hand_secret,
    start_deck,
    table_keys,
)
from protocol.group.constants import card_point, chain_base, shuffle_generators
from protocol.group.point import POINT_BYTES
from protocol.proofs.context import ProofContext
from protocol.proofs.shuffle import (
    ShuffleProof,
    ShuffleStatement,
    prove_shuffle,
    shuffle_cards,
    verify_shuffle,
)
from tests.bench.counting import OperationCounter
from tests.bench.figures import Figure, Part, Tell
from tests.bench.floors import OperationCosts
from tests.bench.machine import TOP, own_process
from tests.bench.statements import Message, statement_messages

PACK: Final = tuple(Card(suit, rank) for suit in Suit for rank in Rank)
"""All 52 cards; a smaller pack is the first of them."""
SIZES: Final = (8, 32, 52)
QUICK_SIZES: Final = (32,)
OPERATIONS: Final = "counted group operations at their cost here"
_QUICK: Final = ("--worker", "--loops", "1", "--warmups", "1", "--values", "5")
"""All in one process, which pyperf would start several of."""
_WHOLE: Final = ("--processes", "3", "--loops", "1", "--warmups", "2", "--values", "7")
_SEATS: Final = 4
_CARD_BYTES: Final = 3 * POINT_BYTES
_PURPOSE: Final = b"bench"
_HERE: Final = ProofContext(1, b"bench", b"shuffle", 0, 0, 0, "shuffle", bytes(32))


def shuffle_message(count: int) -> Message:
    """Prepare a shuffle of the first `count` cards of the pack, with its proof."""
    shuffle_generators(count)  # constants are computed once at start and belong to no proof
    chain_base()
    for card in PACK[:count]:
        card_point(card)
    entropy = secrets.token_bytes
    keys = table_keys([draw_hand_secret(entropy).keys() for _ in range(_SEATS)])
    bases = tuple(keys)
    start = cards_to_bytes(start_deck(PACK[:count], keys))
    before = cards_from_bytes(start, count=count)

    def make() -> bytes:
        after, secret = shuffle_cards(before, keys, entropy)
        proof = prove_shuffle(
            ShuffleStatement(bases, before, after),
            secret,
            context=_HERE,
            purpose=_PURPOSE,
            entropy=entropy,
        )
        return cards_to_bytes([MaskedCard(*card) for card in after]) + proof.to_bytes()

    def judge(data: bytes) -> None:
        end = count * _CARD_BYTES
        verify_shuffle(
            ShuffleStatement(bases, before, cards_from_bytes(data[:end], count=count)),
            ShuffleProof.from_bytes(data[end:], cards=count),
            context=_HERE,
            purpose=_PURPOSE,
        )

    return Message(make, judge)


def messages(*, quick: bool) -> dict[str, Message]:
    """Prepare every kind of message that is measured, by its name."""
    sizes = QUICK_SIZES if quick else SIZES
    shuffles = {f"shuffle of {count} cards": shuffle_message(count) for count in sizes}
    return {**shuffles, **statement_messages()}


def cards_part(*, quick: bool, tell: Tell) -> Part:
    """Measure every kind of message about cards. Raises UserError if that fails."""
    tell("shuffles and statements")
    words = ("--quick", *_QUICK) if quick else _WHOLE
    ran = subprocess.run(
        own_process("cards", "--quiet", *words),
        cwd=TOP,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        said = ran.stderr[-300:].strip() or "it said nothing"
        raise UserError(f"The measurement ended early, with code {ran.returncode}: {said}")
    suite = pyperf.BenchmarkSuite.loads(ran.stdout.splitlines()[-1])
    values = {each.get_name(): each.get_values() for each in suite.get_benchmarks()}
    costs = OperationCosts.measured()
    figures = []
    for name, message in messages(quick=quick).items():
        with OperationCounter() as made:
            data = message.make()
        with OperationCounter() as judged:
            message.judge(data)
        figures += [
            Figure.of(
                f"{name}, {what}",
                "ms",
                [1_000 * value for value in values[f"{name}, {what}"]],
                floor=costs.of(count),
                floor_is=OPERATIONS,
            )
            for what, count in (("made", made), ("judged", judged))
        ]
        figures.append(Figure.single(f"{name}, sent", "bytes", len(data)))
    prices = ", ".join(
        f"{name.replace('_', ' ')} {getattr(costs, name):.2f}" for name in costs.__slots__
    )
    notes = (f"one operation in microseconds: {prices}",)
    return Part("cards", "Shuffles and statements, one thread", tuple(figures), notes=notes)


def _timed(action: Callable[[], object]) -> Callable[[int], float]:
    """Return what measures the seconds of the processor that so many calls take.

    They are made again until the clock has moved, which some move in steps of 16 ms: pyperf gives
    up where it is told that something takes no time.
    """

    def run(loops: int) -> float:
        spent, passes = 0.0, 0
        while not spent:
            passes += 1
            for _ in range(loops):
                begun = time.thread_time()
                action()
                spent += time.thread_time() - begun
        return spent / passes

    return run


def _judging(message: Message) -> Callable[[int], float]:
    """Return what measures the same for judging, of a message that is made anew each time."""

    def run(loops: int) -> float:
        data = message.make()
        return _timed(lambda: message.judge(data))(loops)

    return run


def main() -> None:
    """Measure what pyperf's command line says, and `--quick` fewer sizes; the last line tells all
    of it as JSON, but in a process of pyperf's own, which measures one of them for it."""

    def inherit(words: list[str], given: Any) -> None:
        words += ["--quick"] if given.quick else []

    runner = pyperf.Runner(program_args=("-m", "tests.bench.cards"), add_cmdline_args=inherit)
    runner.argparser.add_argument("--quick", action="store_true")
    given = runner.parse_args()
    measured = []
    for name, message in messages(quick=given.quick).items():
        measured.append(runner.bench_time_func(f"{name}, made", _timed(message.make)))
        measured.append(runner.bench_time_func(f"{name}, judged", _judging(message)))
    if given.worker_task is None:
        pyperf.BenchmarkSuite(measured).dump(sys.stdout)


if __name__ == "__main__":
    main()
