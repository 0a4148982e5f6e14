"""How fast the rules are: random hands, playouts, the judge of caps; in one core's CPU time."""

from __future__ import annotations

from collections.abc import Callable
from statistics import quantiles
from time import process_time
from typing import Any, Final

from p2p304.bots.play304.playout import at_random, play_out, random_deals
from p2p304.bots.play304.questions import caps_verdicts, has_caps, open_questions, random_hands
from p2p304.randomness import SeededRandomness
from tests.bench.figures import Figure, Part, Tell

HANDS_GOAL: Final = 1_000
PLAYOUTS_GOAL: Final = 4_000
QUICK_MS: Final = 50.0
"""A position counts as quickly judged below this."""
SHARE_GOAL: Final = 99
SEED: Final = 1


def rules_part(*, quick: bool, tell: Tell) -> Part:
    """Play random hands as fast as they go, then judge caps in some of them.

    Random players seldom make claims that would end a hand at once, so that most hands reach their
    last trick. The judge is asked in every position in which a seat had learned something new and
    its team had won all tricks so far.
    """
    hands, wanted = (200, 50) if quick else (3_000, 300)
    tell(f"{hands} random hands, and caps in {wanted}")
    dealt = random_hands(SEED)
    judged: list[Any] = []  # no more are kept than are judged: kept ones slow down the rest
    actions, seconds = 0, 0.0
    for _ in range(hands):
        begun = process_time()
        state = next(dealt)
        seconds += process_time() - begun
        actions += len(state.log)
        if len(judged) < wanted and has_caps(state):
            judged.append(state)
    chance = SeededRandomness(SEED)
    deals, choice = random_deals(chance), at_random(chance)
    begun = process_time()
    for _ in range(hands):
        play_out(next(deals), choice=choice)
    playing_out = process_time() - begun
    while len(judged) < wanted:
        state = next(dealt)
        judged += [state] * has_caps(state)
    of_hands: list[float] = []
    of_positions: list[float] = []
    nodes: list[int] = []
    for state in judged[:wanted]:
        of_hands.append(_ms(lambda: caps_verdicts(state)))  # noqa: B023 - called at once
        for answer in open_questions(state):
            of_positions.append(_ms(lambda: nodes.append(answer())))  # noqa: B023
    within = 100 * sum(ms <= QUICK_MS for ms in of_positions) / len(of_positions)
    figures = (
        Figure.single("random hands", "hands/s", hands / seconds, goal=HANDS_GOAL,
                      higher_is_better=True),
        Figure.single("actions of a random hand, mean", "", actions / hands),
        Figure.single("random hands in playouts", "hands/s", hands / playing_out,
                      goal=PLAYOUTS_GOAL, higher_is_better=True),
        Figure.of("caps of a hand", "ms", of_hands),
        Figure.single("the same, 99th percentile", "ms", _p99(of_hands)),
        Figure.of("caps of a position", "ms", of_positions),
        Figure.single("the same, 99th percentile of positions", "ms", _p99(of_positions),
                      goal=QUICK_MS),
        Figure.single(f"positions within {QUICK_MS:g} ms", "%", within, goal=SHARE_GOAL,
                      higher_is_better=True),
        Figure.single("most nodes of a position", "", max(nodes)),
    )  # fmt: skip
    notes = (f"{hands:,} random hands; caps in {wanted} of them, {len(nodes):,} positions",)
    return Part("rules", "The rules of 304, one core", figures, notes=notes)


def _ms(action: Callable[[], object]) -> float:
    begun = process_time()
    action()
    return 1_000 * (process_time() - begun)


def _p99(values: list[float]) -> float:
    return quantiles(values, n=100, method="inclusive")[98]
