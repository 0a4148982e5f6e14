"""The highest card wins the trick: four cards each, everybody plays one in turn, no suit binds.

A game of three seats; what cards, seats, actions and matches are is as in the black lady.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from p2p304.cards import Card, Slot
from p2p304.disclosures import Dealt, Opened
from p2p304.entry import GameEntry
from p2p304.errors import ProfileError, RulesError
from p2p304.game import Step
from p2p304.seats import Seat
from p2p304.sentences import Line, Who, join_parts, say
from p2p304.statements import IsCard
from p2p304.telling import Choice, Count, Ended, Lying, Scene, SummaryRow
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
from tests.client.black_lady.telling import NAMES, TellingBlackLady, lying

TARGET = 6  #: Tricks that win a match.


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


# --- telling --------------------------------------------------------------------------------------

# How the game of the highest card tells itself: as the black lady does, but for these.


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


# --- entry ----------------------------------------------------------------------------------------

NAME = "highest"


def _create(parameters: str) -> Highest:
    if parameters:
        raise ProfileError("there is nothing to agree on")
    return Highest()


ENTRY = GameEntry(
    title="the highest card, three seats",
    create=_create,
    full=lambda _: "",
    telling=lambda _: TellingHighest(),
)
