"""The highest card wins the trick: four cards each, everybody plays one in turn, no suit binds.

What cards, seats, actions and matches are is as in the black lady.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from p2p304.cards import Slot
from p2p304.disclosures import Dealt, Opened
from p2p304.errors import RulesError
from p2p304.game import Step
from p2p304.seats import Seat
from p2p304.statements import IsCard
from p2p304.view import View
from tests.client.black_lady.rules import (
    CARDS,
    EVERYBODY,
    PACK,
    SEATS,
    BlackLady,
    Laid,
    Match,
    Outcome,
    Play,
    right_of,
)

TARGET = 6
"""Tricks that win a match."""


class State(NamedTuple):
    """Everything public of a hand."""

    dealer: Seat
    turn: Seat
    hands: tuple[tuple[Slot, ...], ...]
    trick: tuple[Laid, ...] = ()
    last: tuple[Laid, ...] = ()
    taken: tuple[int, ...] = (0,) * SEATS


def strength(laid: Laid) -> tuple[int, int]:
    """Return how high a card is: by its rank, then by its suit."""
    return laid.card.rank, laid.card.suit


class Highest(BlackLady):
    """The rules."""

    name = "highest"

    def points_of(self, card: object) -> int:
        return 0

    def start(self, dealer: Seat, scores: tuple[int, ...] = ()) -> Step[Any]:
        slots = tuple(map(Slot, range(len(PACK))))
        hands = tuple(slots[CARDS * seat : CARDS * (seat + 1)] for seat in EVERYBODY)
        dealt = tuple(Dealt(seat, hands[seat]) for seat in EVERYBODY)
        return Step(State(dealer, right_of(dealer), hands), (), dealt)

    def contributors(self, state: Any) -> tuple[Seat, ...]:
        return () if self.is_over(state) else (state.turn,)

    def apply(self, state: Any, seat: Seat, action: Any) -> Step[Any]:
        slot, card = action
        if seat != state.turn or slot not in state.hands[seat]:
            raise RulesError("1", "not the seat's turn, or not its card")
        hands = tuple(tuple(each for each in hand if each != slot) for hand in state.hands)
        trick = (*state.trick, Laid(seat, slot, card))
        after = state._replace(hands=hands, trick=trick, turn=right_of(seat))
        if len(trick) == SEATS:
            won = max(trick, key=strength).seat
            taken = tuple(count + (each == won) for each, count in enumerate(state.taken))
            after = after._replace(trick=(), last=trick, taken=taken, turn=won)
        return Step(after, (IsCard(slot, card),), (Opened(slot, card),))

    def legal_actions(self, view: View[Any]) -> Sequence[Play]:
        if view.seat is None or view.seat not in self.contributors(view.state):
            return ()
        return tuple(Play(slot, view.faces[slot]) for slot in view.state.hands[view.seat])

    def action_frame(self, round_: int) -> int:
        return 4_096

    def is_over(self, state: Any) -> bool:
        return not any(state.hands)

    def settle(self, state: Any) -> Outcome:
        if not self.is_over(state):
            raise RulesError("2", "cards are left")
        return Outcome(state.taken, f"Tricks: {', '.join(map(str, state.taken))}.")

    def after_hand(self, match: Match, outcome: Outcome) -> Match:
        """While the best are several, the match goes on."""
        pairs = zip(match.scores, outcome.scores, strict=True)
        scores = tuple(old + new for old, new in pairs)
        best = max(scores)
        alone = best >= TARGET and scores.count(best) == 1
        return Match(right_of(match.dealer), scores, scores.index(best) if alone else None)
