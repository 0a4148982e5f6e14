"""How fast the rules are: random hands, playouts, the judge of caps; in one core's CPU time."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median, quantiles
from time import process_time
from typing import Any, Final, NamedTuple

from cli.progress import Advance
from p2p304.bots.play304.playout import at_random, play_out, random_deals
from p2p304.bots.play304.questions import caps_verdicts, has_caps, open_questions, random_hands
from p2p304.randomness import SeededRandomness

GOAL_MS: Final = 50.0
"""A position counts as quickly judged below this."""
PLAYOUT_GOAL: Final = 4_000
"""Random hands a second in playouts."""


class RulesFigures(NamedTuple):
    """What was measured; the names are the keys of the JSON object."""

    random_hands: int
    random_hands_per_s: float
    actions_per_hand: float
    playout_hands_per_s: float
    """Random hands as bots imagine them, from the deal to the points: the rules of play alone."""
    caps_hands: int
    caps_median_ms: float
    """A whole hand: every position in which a seat might have had to call."""
    caps_p99_ms: float
    caps_positions: int
    caps_position_median_ms: float
    caps_position_p99_ms: float
    caps_positions_within_50_ms: float
    """The share of positions that took no longer, 0 to 1."""
    caps_most_nodes: int


def measure(hands: int, caps_hands: int, seed: int, advance: Advance) -> RulesFigures:
    """Play `hands` random hands, then judge caps in `caps_hands` played ones.

    `advance` is called after each of them.
    """
    dealt = random_hands(seed)
    judged: list[Any] = []  # no more are kept than are judged: kept ones slow down the rest
    actions = 0
    seconds = 0.0
    for _ in range(hands):
        begin = process_time()
        state = next(dealt)
        seconds += process_time() - begin
        actions += len(state.log)
        if len(judged) < caps_hands and has_caps(state):
            judged.append(state)
        advance()
    chance = SeededRandomness(seed)
    deals, choice = random_deals(chance), at_random(chance)
    begin = process_time()
    for _ in range(hands):
        play_out(next(deals), choice=choice)
    playing_out = process_time() - begin
    while len(judged) < caps_hands:
        state = next(dealt)
        judged += [state] * has_caps(state)
    hand_ms: list[float] = []
    position_ms: list[float] = []
    nodes: list[int] = []
    for state in judged[:caps_hands]:
        begin = process_time()
        caps_verdicts(state)
        hand_ms.append((process_time() - begin) * 1000)
        for answer in open_questions(state):
            begin = process_time()
            nodes.append(answer())
            position_ms.append((process_time() - begin) * 1000)
        advance()
    return RulesFigures(
        random_hands=hands,
        random_hands_per_s=hands / seconds,
        actions_per_hand=actions / hands,
        playout_hands_per_s=hands / playing_out,
        caps_hands=caps_hands,
        caps_median_ms=median(hand_ms),
        caps_p99_ms=_p99(hand_ms),
        caps_positions=len(position_ms),
        caps_position_median_ms=median(position_ms),
        caps_position_p99_ms=_p99(position_ms),
        caps_positions_within_50_ms=sum(ms <= GOAL_MS for ms in position_ms) / len(position_ms),
        caps_most_nodes=max(nodes),
    )


def _p99(values: Sequence[float]) -> float:
    return quantiles(values, n=100, method="inclusive")[98]
