"""Random hands of 304, and every question about caps that a judge must answer in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import MappingProxyType

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

__all__ = ("caps_verdicts", "has_caps", "open_questions", "random_hands")
# The judge is asked through here by measurements, which import no game.


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
