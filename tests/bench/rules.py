"""How fast the rules are: random hands, playouts, the judge of caps; in one core's CPU time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import quantiles
from time import process_time
from types import MappingProxyType
from typing import Any, Final

from p2p304.bots.play304.playout import play_out
from p2p304.bots.play304.random304 import RandomPlayer304
from p2p304.cards import Slot
from p2p304.disclosures import Remixed
from p2p304.randomness import SeededRandomness
from p2p304.rules304.bids import Contract
from p2p304.rules304.caps.information import information_of
from p2p304.rules304.caps.judge import caps_verdicts, moments
from p2p304.rules304.caps.orders import find_order
from p2p304.rules304.hand import Game304
from p2p304.rules304.profiles import PAGAT
from p2p304.rules304.settle import settle
from p2p304.rules304.state import End, State
from p2p304.seats import Seat
from p2p304.view import View
from tests.bench.figures import Figure, Part, Tell
from tests.rules.random_playouts import at_random, random_deals

HANDS_GOAL: Final = 1_000
PLAYOUTS_GOAL: Final = 4_000
QUICK_MS: Final = 50.0
"""A position counts as quickly judged below this."""
SHARE_GOAL: Final = 99
SEED: Final = 1


def random_hands(seed: int) -> Iterator[State]:
    """Yield hands that are played and settled as each is asked for, caps not judged; no end."""
    game, chance = Game304(PAGAT), SeededRandomness(seed)
    players = [RandomPlayer304(chance.randbelow(1 << 63)) for _ in range(game.seats)]
    while True:
        state = _played(game, players, chance)
        settle(state, judge_caps=False)
        yield state


def has_caps(state: State) -> bool:
    """Return whether caps are judged in a hand that is over."""
    return state.end is End.PLAYED and not isinstance(state.contract, Contract)


def open_questions(state: State) -> Iterator[Callable[[], int]]:
    """Yield the search at every position where a seat had learned something and its team had won
    all so far; each returns how many nodes it looked at.

    In all others the answer is no without any search, which would make figures look better.
    """
    for _, then in moments(state):
        for seat in state.everybody:
            if information_of(then, seat, state.faces).unbeaten:
                yield partial(_searched, then, seat, state)


def _searched(then: State, seat: Seat, state: State) -> int:
    return find_order(information_of(then, seat, state.faces)).nodes


def _played(game: Game304, players: Sequence[RandomPlayer304], chance: SeededRandomness) -> State:
    """Return a hand played to its end, with nothing checked but what the rules themselves check.

    The faces of all slots stand in every view; legal_actions looks at the seat's own alone.
    """
    deck = list(game.pack)
    chance.shuffle(deck)
    faces = {Slot(place): card for place, card in enumerate(deck)}
    seen = MappingProxyType(faces)
    state = game.start(Seat(chance.randbelow(game.seats))).state
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
