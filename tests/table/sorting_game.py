"""The small game with rounds of SortedHands, which no real game has.

In 304, 41 and 400 a seat sorts its own hand with its own action. Here all hands are sorted as soon
as two cards are dealt; and when the third is, those of all but the seat that said "go" are, which
sorts its hand itself.
"""

from __future__ import annotations

from dataclasses import replace

from p2p304.cards import Slot
from p2p304.disclosures import Remixed
from p2p304.game import Step
from p2p304.seats import Seat
from tests.table.tiny_game import HAND, Go, TinyAction, TinyGame, TinyState


class SortingGame(TinyGame):
    """The small game whose seats have to sort their hands when others act."""

    def start(self, dealer: Seat, scores: tuple[int, ...] = ()) -> Step[TinyState]:
        state, statements, dealt = super().start(dealer, scores)
        first = len(self.pack) + HAND * self.seats
        hands = tuple(
            (Slot(first + 2 * seat), Slot(first + 2 * seat + 1)) for seat in self.everybody
        )
        sorts = tuple(Remixed(seat, state.hands[seat], hands[seat]) for seat in self.everybody)
        return Step(replace(state, hands=hands), statements, (*dealt, *sorts))

    def apply(self, state: TinyState, seat: Seat, action: TinyAction) -> Step[TinyState]:
        after, statements, dealt = super().apply(state, seat, action)
        if not isinstance(action, Go):
            return Step(after, statements, dealt)
        others = tuple(each for each in self.everybody if each != seat)
        sorts = tuple(Remixed(each, after.hands[each], self._sorted(each)) for each in others)
        hands = tuple(
            self._sorted(each) if each in others else after.hands[each] for each in self.everybody
        )
        return Step(replace(after, hands=hands, awaiting=(seat,)), statements, (*dealt, *sorts))

    def _sorted(self, seat: Seat) -> tuple[Slot, ...]:
        first = len(self.pack) + HAND * seat
        return tuple(Slot(first + place) for place in range(HAND))
