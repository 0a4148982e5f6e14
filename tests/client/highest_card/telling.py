"""How the game of the highest card tells itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from p2p304.cards import Card, Slot
from p2p304.seats import Seat, Sides
from p2p304.sentences import Line, Who, joined, say
from p2p304.telling import (
    Choice,
    Count,
    Ended,
    Held,
    Key,
    Lying,
    Parameter,
    Place,
    Row,
    Scene,
    Tried,
    Undertaking,
)
from p2p304.view import View
from tests.client.highest_card.rules import EVERYBODY, PACK, Laid, Outcome, Play, State, strength

NAMES = tuple(say(Who(seat)) for seat in EVERYBODY)


class TellingHighest:
    """No parameters: there is nothing to agree on."""

    title = "the highest card"
    keys: tuple[Key, ...] = ()
    agreed: tuple[Line, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    talk_agreed = False
    scored = "Score"

    def between_hands(self, state: State) -> bool:
        return not any(state.hands)

    def scene(self, view: View[State], scores: tuple[int, ...]) -> Scene:
        state = view.state
        counts = [Count("Score", tuple(zip(NAMES, map(str, scores), strict=True)))]
        if any(state.taken):
            counts.append(Count("Tricks", tuple(zip(NAMES, map(str, state.taken), strict=True))))
        return Scene(
            contract=(say("the highest card wins"),),
            counts=tuple(counts),
            places=tuple(self._place(seat, view) for seat in EVERYBODY),
            hand=self.hand(view),
            lying=_lying(state.trick) if state.trick else self.last_trick(view),
            tricks=sum(state.taken),
        )

    def _place(self, seat: Seat, view: View[State]) -> Place:
        faces = [view.faces.get(slot) for slot in view.state.hands[seat]]
        known = [face for face in faces if face is not None]
        roles = ("dealer",) if seat == view.state.dealer else ()
        return Place((*known, *[None] * faces.count(None)), roles)

    def hand(self, view: View[State]) -> tuple[Held, ...]:
        if view.seat is None:
            return ()
        mine = (slot for slot in view.state.hands[view.seat] if slot in view.faces)
        held = [Held(slot, view.faces[slot]) for slot in mine]
        return tuple(sorted(held, key=lambda each: PACK.index(each.card)))

    def last_trick(self, view: View[State]) -> tuple[Lying, ...]:
        return _lying(view.state.last, over=True)

    def led(self, before: State, after: State) -> bool:
        return bool(after.trick) and not before.trick

    def ended_on_trick(self, state: State) -> bool:
        return not any(state.hands)

    def choices(self, view: View[State], legal: Sequence[Play]) -> tuple[Choice, ...]:
        return tuple(
            Choice(
                each,
                say("play ", each.card),
                typed=(str(each.card).lower(),),
                slot=each.slot,
                plays=True,
            )
            for each in sorted(legal, key=lambda each: PACK.index(each.card))
        )

    def ordered(self, choice: Choice, order: Sequence[Slot], view: View[State]) -> Play:
        raise AssertionError("no choice states an order")

    def told(
        self, before: State, seat: Seat, action: Play, after: State, faces: Mapping[Slot, Card]
    ) -> tuple[Line, ...]:
        verb = " plays " if before.trick else " leads "
        lines = (say(Who(seat), verb, action.card, "."),)
        return (*lines, *self.retold(before, seat, action, after, faces))

    def retold(
        self, before: State, seat: Seat, action: Play, after: State, faces: Mapping[Slot, Card]
    ) -> tuple[Line, ...]:
        return () if after.trick else (self.trick_line(after, faces),)

    def trick_line(self, state: State, faces: Mapping[Slot, Card]) -> Line:
        plays = joined((say(Who(each.seat), " ", each.card) for each in state.last), ", ")
        number = sum(state.taken)
        return say(f"Trick {number}: ", plays, ". ", Who(state.turn), " wins.")

    def prompt(self, view: View[State], choices: tuple[Choice, ...]) -> Line:
        return say("Your turn: ", joined(each.action.card for each in choices), ".")

    def waiting(self, state: State, others: tuple[Seat, ...]) -> Line:
        return say(Who(others[0]), " is to play.") if others else say("The hand is over.")

    def owed(self, state: State) -> str:
        return ""

    def urgent(self, view: View[State]) -> None:
        return None

    def moment(self, view: View[State] | None) -> tuple[Line, ...]:
        return (say("Any card may be played; the highest of the three takes the trick."),)

    def in_short(self) -> tuple[Line, ...]:
        return (say("The highest card in short: aces are high, and spades lowest of a rank."),)

    def refusal(self, view: View[State], legal: Sequence[Play], tried: Tried) -> Line:
        return say("This is not possible now" if legal else "It is not your turn")

    def summary(self, ended: Ended) -> tuple[Row, ...]:
        outcome: Outcome = ended.outcome
        pairs = zip(NAMES, outcome.scores, strict=True)
        return (Row("Tricks", joined((say(name, f" {count}") for name, count in pairs), ", ")),)

    def sides(self) -> tuple[Line, ...]:
        return NAMES

    def winners(self, winner: int, scores: tuple[int, ...]) -> Line:
        return NAMES[winner]

    def owners(self) -> Sides:
        return tuple((Seat(seat),) for seat in range(len(NAMES)))

    def winning(self, winner: int, scores: tuple[int, ...]) -> tuple[Seat, ...]:
        return (Seat(winner),)

    def deeds(self, outcome: Outcome) -> tuple[Undertaking, ...]:
        return ()


def _lying(trick: tuple[Laid, ...], *, over: bool = False) -> tuple[Lying, ...]:
    best = max(trick, key=strength).seat if over and trick else None
    return tuple(
        Lying(
            each.seat,
            each.slot,
            each.card,
            down=False,
            note="wins" if each.seat == best else "led" if number == 0 else "",
            wins=each.seat == best,
        )
        for number, each in enumerate(trick)
    )
