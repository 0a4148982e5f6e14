"""How fast the rules are: random hands, and the judge of caps. Times are one core's CPU time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median, quantiles
from time import process_time
from types import MappingProxyType
from typing import Final, NamedTuple

from cli.progress import Advance
from p2p304.bots.random304 import RandomPlayer304
from p2p304.disclosures import Remixed
from p2p304.randomness import SeededRandomness
from p2p304.rules304.bids import Contract
from p2p304.rules304.caps import caps_verdicts, moments
from p2p304.rules304.hand import Game304
from p2p304.rules304.knowing import information_of
from p2p304.rules304.profiles import PAGAT
from p2p304.rules304.settle import settle
from p2p304.rules304.state import SEATS, End, State
from p2p304.rules304.sure import find_order
from p2p304.seats import Seat
from p2p304.simulator import Player
from p2p304.slots import Slot
from p2p304.view import View

GOAL_MS: Final = 50.0
"""A position counts as quickly judged below this."""


class RulesFigures(NamedTuple):
    """What was measured; the names are the keys of the JSON object."""

    random_hands: int
    random_hands_per_s: float
    actions_per_hand: float
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
    """Plays `hands` random hands, then judges caps in `caps_hands` played ones.

    `advance` is called after each of them.
    """
    game, chance = Game304(PAGAT), SeededRandomness(seed)
    players = [RandomPlayer304(chance.randbelow(1 << 63)) for _ in range(SEATS)]
    judged: list[State] = []  # no more are kept than are judged: kept ones slow down the rest
    actions = 0
    seconds = 0.0
    for _ in range(hands):
        begin = process_time()
        state = _played(game, players, chance)
        settle(state, judge_caps=False)
        seconds += process_time() - begin
        actions += len(state.log)
        if len(judged) < caps_hands and _has_caps(state):
            judged.append(state)
        advance()
    while len(judged) < caps_hands:
        state = _played(game, players, chance)
        judged += [state] * _has_caps(state)
    hand_ms: list[float] = []
    position_ms: list[float] = []
    nodes: list[int] = []
    for state in judged[:caps_hands]:
        begin = process_time()
        caps_verdicts(state)
        hand_ms.append((process_time() - begin) * 1000)
        for then, seat in _open_questions(state):
            begin = process_time()
            prospect = find_order(information_of(then, seat, state.faces))
            position_ms.append((process_time() - begin) * 1000)
            nodes.append(prospect.nodes)
        advance()
    return RulesFigures(
        random_hands=hands,
        random_hands_per_s=hands / seconds,
        actions_per_hand=actions / hands,
        caps_hands=caps_hands,
        caps_median_ms=median(hand_ms),
        caps_p99_ms=_p99(hand_ms),
        caps_positions=len(position_ms),
        caps_position_median_ms=median(position_ms),
        caps_position_p99_ms=_p99(position_ms),
        caps_positions_within_50_ms=sum(ms <= GOAL_MS for ms in position_ms) / len(position_ms),
        caps_most_nodes=max(nodes),
    )


def _played(game: Game304, players: Sequence[Player], chance: SeededRandomness) -> State:
    """A hand played to its end, with nothing checked but what the rules themselves check.

    The faces of all slots stand in every view; legal_actions looks at the seat's own alone.
    """
    deck = list(game.pack)
    chance.shuffle(deck)
    faces = {Slot(place): card for place, card in enumerate(deck)}
    seen = MappingProxyType(faces)
    state = game.start(Seat(chance.randbelow(SEATS))).state
    while state.awaiting:
        seat = state.awaiting[0]
        action = players[seat].choose(View(seat, state, seen))
        state, _, disclosures = game.apply(state, seat, action)
        for each in disclosures:
            if isinstance(each, Remixed):
                cards = [faces[slot] for slot in each.before]
                chance.shuffle(cards)
                faces.update(zip(each.after, cards, strict=True))
    return state


def _has_caps(state: State) -> bool:
    return state.end is End.PLAYED and not isinstance(state.contract, Contract)


def _open_questions(state: State) -> Iterator[tuple[State, Seat]]:
    """Every position of a hand where a seat had learned something and its team had won all so far.

    In all others the answer is no without any search, which would make the figures look better.
    """
    for _, then in moments(state):
        for seat in map(Seat, range(SEATS)):
            if information_of(then, seat, state.faces).unbeaten:
                yield then, seat


def _p99(values: Sequence[float]) -> float:
    return quantiles(values, n=100, method="inclusive")[98]
