"""How the game of the highest card tells itself: as the black lady does, but for these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from p2p304.cards import Card, Slot
from p2p304.seats import Seat
from p2p304.sentences import Line, Who, join_parts, say
from p2p304.telling import Choice, Count, Ended, Lying, Scene, SummaryRow
from p2p304.view import View
from tests.client.black_lady.rules import EVERYBODY, PACK
from tests.client.black_lady.telling import NAMES, TellingBlackLady, lying
from tests.client.highest_card.rules import strength


class TellingHighest(TellingBlackLady):
    """No parameters: there is nothing to agree on."""

    title = "the highest card"
    score_unit = "Score"

    def between_hands(self, state: Any) -> bool:
        return not any(state.hands)

    def ended_on_trick(self, state: Any) -> bool:
        return not any(state.hands)

    def scene(self, view: View[Any], scores: tuple[int, ...]) -> Scene:
        state = view.state
        counts = [Count("Score", tuple(zip(NAMES, map(str, scores), strict=True)))]
        if any(state.taken):
            counts.append(Count("Tricks", tuple(zip(NAMES, map(str, state.taken), strict=True))))
        return Scene(
            contract=(say("the highest card wins"),),
            counts=tuple(counts),
            places=tuple(self._place(seat, view) for seat in EVERYBODY),
            hand=self.hand(view),
            lying=lying(state.trick) if state.trick else self.last_trick(view),
            tricks=sum(state.taken),
        )

    def last_trick(self, view: View[Any]) -> tuple[Lying, ...]:
        trick = view.state.last
        return lying(trick, max(trick, key=strength).seat if trick else None)

    def choices(self, view: View[Any], legal: Sequence[Any]) -> tuple[Choice, ...]:
        found = super().choices(view, legal)
        return tuple(sorted(found, key=lambda each: PACK.index(each.action.card)))

    def retell(
        self, before: Any, seat: Seat, action: Any, after: Any, faces: Mapping[Slot, Card]
    ) -> tuple[Line, ...]:
        return () if after.trick else (self.trick_line(after, faces),)

    def trick_line(self, state: Any, faces: Mapping[Slot, Card]) -> Line:
        plays = join_parts((say(Who(each.seat), " ", each.card) for each in state.last), ", ")
        return say(f"Trick {sum(state.taken)}: ", plays, ". ", Who(state.turn), " wins.")

    def prompt(self, view: View[Any], choices: tuple[Choice, ...]) -> Line:
        return say("Your turn: ", join_parts(each.action.card for each in choices), ".")

    def moment(self, view: View[Any] | None) -> tuple[Line, ...]:
        return (say("Any card may be played; the highest of the three takes the trick."),)

    def in_short(self) -> tuple[Line, ...]:
        return (say("The highest card in short: aces are high, and spades lowest of a rank."),)

    def summary(self, ended: Ended) -> tuple[SummaryRow, ...]:
        pairs = zip(NAMES, ended.outcome.scores, strict=True)
        return (
            SummaryRow(
                "Tricks", join_parts((say(name, f" {count}") for name, count in pairs), ", ")
            ),
        )
