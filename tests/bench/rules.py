"""How fast the rules are: random hands, playouts, the judge of caps; in one core's CPU time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from time import process_time
from typing import Final

from p2p304.bots.play304.imagined_table import play_out
from p2p304.bots.players import RandomPlayer304
from p2p304.cards import Slot
from p2p304.disclosures import Remixed
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import Contract
from p2p304.rules304.caps.information import InformationSet, information_of
from p2p304.rules304.caps.judge import caps_verdicts, moments
from p2p304.rules304.caps.search import find_order
from p2p304.rules304.hand import Game304, settle
from p2p304.rules304.profile import PAGAT
from p2p304.rules304.state import End, State
from p2p304.seats import Seat
from p2p304.view import View
from tests.bench.figures import Figure, Part, Tell, milliseconds, percentile
from tests.rules.playouts_304 import at_random, random_deals

HANDS_GOAL: Final = 1_000
PLAYOUTS_GOAL: Final = 4_000
QUICK_MS: Final = 50.0  #: A position counts as quickly judged below this.


def random_hands(seed: int) -> Iterator[State]:
    """Yield hands that are played and settled as each is asked for, caps not judged; no end.

    Nothing is checked but what the rules themselves check. The faces of all slots stand in every
    view; legal_actions looks at the seat's own alone.
    """
    game, chance = Game304(PAGAT), SeededRandomness(seed)
    players = [RandomPlayer304(chance.randbelow(1 << 63)) for _ in range(game.seats)]
    while True:
        deck = list(game.pack)
        chance.shuffle(deck)
        faces = {Slot(place): card for place, card in enumerate(deck)}
        state = game.start(Seat(chance.randbelow(game.seats))).state
        while state.awaiting:
            seat = state.awaiting[0]
            action = players[seat].choose(View(seat, state, faces))
            state, _, disclosures = game.apply(state, seat, action)
            for each in disclosures:
                if isinstance(each, Remixed):
                    cards = [faces[slot] for slot in each.before]
                    chance.shuffle(cards)
                    faces.update(zip(each.after, cards, strict=True))
        settle(state, judge_caps=False)
        yield state


def open_questions(state: State) -> Iterator[InformationSet]:
    """Yield what was known at every position where a seat had learned something and its team had
    won all so far: in all others the answer is no without any search, which would make figures
    look better."""
    for _, then in moments(state):
        known = (information_of(then, seat, state.faces) for seat in state.everybody)
        yield from (each for each in known if each.unbeaten)


def rules_part(*, quick: bool, tell: Tell) -> Part:
    """Play random hands as fast as they go, then judge caps in some of them.

    Random players seldom make claims that would end a hand at once, so that most hands reach their
    last trick.
    """
    hands, wanted = (200, 50) if quick else (3_000, 300)
    tell(f"{hands} random hands, and caps in {wanted}")
    dealt, chance = random_hands(1), SeededRandomness(1)
    judged, actions, seconds = list[State](), 0, 0.0
    for number in itertools.count(1):
        begun = process_time()
        state = next(dealt)
        if number <= hands:
            seconds += process_time() - begun
            actions += len(state.log)
        if state.end is End.PLAYED and not isinstance(state.contract, Contract):
            judged += [state] * (len(judged) < wanted)  # kept ones slow down the rest
        if number >= hands and len(judged) == wanted:
            break
    deals, choice = random_deals(chance), at_random(chance)
    begun = process_time()
    for _ in range(hands):
        play_out(next(deals), choice=choice)
    playing_out = process_time() - begun
    of_hands, of_positions, nodes = list[float](), list[float](), list[int]()
    for state in judged:
        of_hands.append(milliseconds(partial(caps_verdicts, state)))
        for known in open_questions(state):
            of_positions.append(milliseconds(lambda: nodes.append(find_order(known).nodes)))  # noqa: B023
    within = 100 * sum(ms <= QUICK_MS for ms in of_positions) / len(of_positions)
    figures = (
        Figure.of("random hands", "hands/s", [hands / seconds], goal=HANDS_GOAL,
                      higher_is_better=True),
        Figure.of("actions of a random hand, mean", "", [actions / hands]),
        Figure.of("random hands in playouts", "hands/s", [hands / playing_out],
                      goal=PLAYOUTS_GOAL, higher_is_better=True),
        Figure.of("caps of a hand", "ms", of_hands),
        Figure.of("the same, 99th percentile", "ms", [percentile(of_hands, 0.99)]),
        Figure.of("caps of a position", "ms", of_positions),
        Figure.of("the same, 99th percentile of positions", "ms",
                  [percentile(of_positions, 0.99)], goal=QUICK_MS),
        Figure.of(f"positions within {QUICK_MS:g} ms", "%", [within], goal=99,
                      higher_is_better=True),
        Figure.of("most nodes of a position", "", [max(nodes)]),
    )  # fmt: skip
    notes = (f"{hands:,} random hands; caps in {wanted} of them, {len(nodes):,} positions",)
    return Part("rules", "The rules of 304, one core", figures, notes=notes)
