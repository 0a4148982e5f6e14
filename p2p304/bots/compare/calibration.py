"""How a kind of player of 304 bids, what it believes, and what it does oddly, over many hands.

It sits on every seat. A bid is well judged if what is bid is made as often as its bracket asks for;
a belief, if what is held likely is true that often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from p2p304.bots.compare.duels import MakePlayer, chance_of, new_match
from p2p304.bots.play304.oddities import ODDITIES, Kind, kind_of, oddities
from p2p304.bots.play304.sampling import Layouts
from p2p304.bots.search.interface import Prior
from p2p304.cards import Card, Slot, Suit
from p2p304.game import AnyGame
from p2p304.randomness import SeededRandomness
from p2p304.rules304.bids import Contract, bid_text
from p2p304.rules304.scoring import HandOutcome
from p2p304.rules304.state import Phase, State
from p2p304.simulator import OpenTable
from p2p304.view import View

WORLDS: Final = 40
"""Layouts that are drawn for one belief."""


@dataclass(slots=True)
class Calibration:
    """What was counted; hands are added up with `add`."""

    hands: int = 0
    bids: Counter[str] = field(default_factory=Counter)
    """How often each bid stood in the end, and was played."""
    made: Counter[str] = field(default_factory=Counter)
    beliefs: Counter[int] = field(default_factory=Counter)
    """For each trick, how often a seat to which trump was hidden was asked what it believes."""
    believed: Counter[int] = field(default_factory=Counter)
    """The sum of how likely they held the true suit, in layouts out of WORLDS."""
    guessed: Counter[int] = field(default_factory=Counter)
    """How often they held the true suit likeliest."""
    decisions: Counter[Kind] = field(default_factory=Counter)
    oddities: Counter[str] = field(default_factory=Counter)

    def add(self, other: Calibration) -> None:
        """Count what another one has counted as well."""
        self.hands += other.hands
        for mine, theirs in zip(self._counters, other._counters, strict=True):
            mine.update(theirs)

    @property
    def _counters(self) -> tuple[Counter[Any], ...]:
        asked = (self.beliefs, self.believed, self.guessed)
        return (self.bids, self.made, *asked, self.decisions, self.oddities)

    def as_object(self) -> dict[str, Any]:
        """Return everything as plain JSON: rates beside the counts that they are of."""
        return {
            "hands": self.hands,
            "bids": {
                bid: {"bids": count, "made": self.made[bid] / count}
                for bid, count in sorted(self.bids.items())
            },
            "trump": {
                str(trick): {
                    "asked": count,
                    "true_suit": self.believed[trick] / count / WORLDS,
                    "top_guess": self.guessed[trick] / count,
                }
                for trick, count in sorted(self.beliefs.items())
            },
            "oddities": {
                name: {
                    "of": of.value,
                    "decisions": self.decisions[of],
                    "count": self.oddities[name],
                    "rate": self.oddities[name] / self.decisions[of] if self.decisions[of] else 0.0,
                }
                for name, (of, _) in ODDITIES.items()
            },
        }


def calibrated(
    game: AnyGame, kind: MakePlayer, seed: int, number: int, prior: Prior | None
) -> Calibration:
    """Play one hand with `kind` on every seat, and return what was counted in it.

    Belief is that of the worlds that a `prior` draws, or of layouts weighed by rules of thumb.
    """
    counted, chance = Calibration(hands=1), chance_of(seed, number)
    deck = list(game.pack)
    chance.shuffle(deck)
    players = [kind(game, chance.word()) for _ in range(game.seats)]
    luck = SeededRandomness(chance.word())
    match = new_match(game, seed, number)
    table = OpenTable(game, deck, chance, dealer=match.dealer, scores=match.scores, checks=False)
    while awaited := table.state.awaiting:
        seat, state = awaited[0], table.state
        view = table.view(seat)
        legal = game.legal_actions(view)
        of = kind_of(view, legal)
        if _asked_for_trump(view):
            true = table.face(state.trump_slot).suit
            shares = _belief(view, prior, luck)
            counted.beliefs[state.trick_number] += 1
            counted.believed[state.trick_number] += round(WORLDS * shares.get(true, 0.0))
            counted.guessed[state.trick_number] += max(shares, key=shares.__getitem__) is true
        action = players[seat].choose(view)
        if of is not None:
            counted.decisions[of] += 1
            counted.oddities.update(oddities(view, legal, action))
        table.act(seat, action)
    outcome = game.settle(table.state)
    if isinstance(outcome, HandOutcome) and outcome.facts.bid is not None and not outcome.void:
        bid = outcome.facts.bid
        name = bid_text(bid) if isinstance(bid, Contract) else str(bid)
        counted.bids[name] += 1
        counted.made[name] += outcome.facts.made
    return counted


def _asked_for_trump(view: View[State]) -> bool:
    state = view.state
    hidden = state.trump is None and state.trump_slot is not None
    return hidden and state.phase is Phase.TRICK and view.seat != state.maker


def _belief(view: View[State], prior: Prior | None, chance: SeededRandomness) -> dict[Suit, float]:
    """Return how likely each suit is trump; of suits that are as likely the first drawn leads."""
    assert view.state.trump_slot is not None
    found: dict[Suit, float] = {}
    for faces, weight in _worlds(view, prior, chance):
        suit = faces[view.state.trump_slot].suit
        found[suit] = found.get(suit, 0.0) + weight
    total = sum(found.values())
    return {suit: weight / total for suit, weight in found.items()}


def _worlds(
    view: View[State], prior: Prior | None, chance: SeededRandomness
) -> Iterator[tuple[Mapping[Slot, Card], float]]:
    worlds = None if prior is None else prior.worlds(view)
    layouts = None if worlds is not None else Layouts(view)
    for _ in range(WORLDS):
        if worlds is not None:
            world = worlds.draw(chance)
            yield world.faces, world.weight
        else:
            assert layouts is not None
            yield {**view.faces, **layouts.layout(chance)}, 1.0
