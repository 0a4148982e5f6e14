"""How the black lady tells itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from p2p304.cards import Card, Slot
from p2p304.seats import Seat, Sides
from p2p304.sentences import Line, Who, card_part, join_parts, say
from p2p304.telling import (
    Choice,
    Count,
    Ended,
    HeldCard,
    Key,
    Lying,
    Parameter,
    Scene,
    ScenePlace,
    SummaryRow,
    Tried,
    Undertaking,
)
from p2p304.view import View
from tests.client.black_lady.rules import (
    EVERYBODY,
    PACK,
    SEATS,
    Action,
    Deny,
    Give,
    Laid,
    Mix,
    Outcome,
    Play,
    State,
    cost,
    right_of,
    taken_by,
)

NAMES = tuple(say(Who(seat)) for seat in EVERYBODY)


class TellingBlackLady:
    """No parameters: there is nothing to agree on."""

    title = "the black lady"
    keys: tuple[Key, ...] = ()
    agreement_lines: tuple[Line, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    talk_agreed = False
    score_unit = "Points"

    def between_hands(self, state: State) -> bool:
        return state.phase == "over"

    def scene(self, view: View[State], scores: tuple[int, ...]) -> Scene:
        state = view.state
        totals = scores or (0,) * SEATS
        counts = [Count("Points", tuple(zip(NAMES, map(str, totals), strict=True)))]
        if any(state.points):
            counts.append(
                Count("This hand", tuple(zip(NAMES, map(str, state.points), strict=True)))
            )
        return Scene(
            contract=(say("hearts cost 1, the queen of spades 4"),),
            counts=tuple(counts),
            places=tuple(self._place(seat, view) for seat in EVERYBODY),
            hand=self.hand(view),
            lying=lying(state.trick) if state.trick else self.last_trick(view),
            tricks=state.tricks,
        )

    def _place(self, seat: Seat, view: View[State]) -> ScenePlace:
        faces = [view.faces.get(slot) for slot in view.state.hands[seat]]
        known = [face for face in faces if face is not None]
        roles = ("dealer",) if seat == view.state.dealer else ()
        return ScenePlace((*known, *[None] * faces.count(None)), roles)

    def hand(self, view: View[State]) -> tuple[HeldCard, ...]:
        if view.seat is None:
            return ()
        mine = (slot for slot in view.state.hands[view.seat] if slot in view.faces)
        held = [HeldCard(slot, view.faces[slot]) for slot in mine]
        return tuple(sorted(held, key=lambda each: PACK.index(each.card)))

    def last_trick(self, view: View[State]) -> tuple[Lying, ...]:
        return lying(view.state.last, taken_by(view.state.last) if view.state.last else None)

    def led(self, before: State, after: State) -> bool:
        return bool(after.trick) and not before.trick

    def ended_on_trick(self, state: State) -> bool:
        return state.phase == "over"

    def choices(self, view: View[State], legal: Sequence[Action]) -> tuple[Choice, ...]:
        found = [_choice(action, view) for action in legal]
        return tuple(sorted(found, key=lambda each: each.typed))

    def order_action(self, choice: Choice, order: Sequence[Slot], view: View[State]) -> Action:
        raise AssertionError("no choice states an order")

    def tell(
        self, before: State, seat: Seat, action: Action, after: State, faces: Mapping[Slot, Card]
    ) -> tuple[Line, ...]:
        match action:
            case Give(slot):
                card = card_part(faces.get(slot))
                return (say(Who(seat), " gives ", card, " to ", Who(right_of(seat)), "."),)
            case Mix():
                return ()
            case Deny():
                return (say(Who(seat), " does not have the queen of clubs."),)
            case Play(_, card):
                verb = " plays " if before.trick else " leads "
                lines = (say(Who(seat), verb, card, "."),)
                return (*lines, *self.retell(before, seat, action, after, faces))

    def retell(
        self, before: State, seat: Seat, action: Action, after: State, faces: Mapping[Slot, Card]
    ) -> tuple[Line, ...]:
        ended = after.tricks > before.tricks
        return (self.trick_line(after, faces),) if ended else ()

    def trick_line(self, state: State, faces: Mapping[Slot, Card]) -> Line:
        plays = join_parts((say(Who(each.seat), " ", each.card) for each in state.last), ", ")
        paid = sum(cost(each.card) for each in state.last)
        costs = f" takes it for {paid}." if paid else " takes it for nothing."
        return say(f"Trick {state.tricks}: ", plays, ". ", Who(taken_by(state.last)), costs)

    def prompt(self, view: View[State], choices: tuple[Choice, ...]) -> Line:
        if view.state.phase == "giving":
            return say("A card for ", Who(right_of(view.seat or Seat(0))), ", if you please.")
        return say("Your turn: ", join_parts((each.label for each in choices), ", "), ".")

    def waiting_line(self, state: State, others: tuple[Seat, ...]) -> Line:
        return say(Who(others[0]), " is to act.") if others else say("The hand is over.")

    def owed_words(self, state: State) -> str:
        return ""

    def urgent(self, view: View[State]) -> None:
        return None

    def moment(self, view: View[State] | None) -> tuple[Line, ...]:
        if view is not None and view.state.phase == "giving":
            return (say("You give one card to the right, and are given one from the left."),)
        return (say("Follow suit if you can; hearts and the queen of spades cost points."),)

    def in_short(self) -> tuple[Line, ...]:
        return (say("The black lady in short: give a card, follow suit, take no hearts."),)

    def refusal(self, view: View[State], legal: Sequence[Action], tried: Tried) -> Line:
        return say("This is not possible now" if legal else "It is not your turn")

    def summary(self, ended: Ended) -> tuple[SummaryRow, ...]:
        outcome: Outcome = ended.outcome
        pairs = zip(NAMES, outcome.scores, strict=True)
        return (
            SummaryRow(
                "Points", join_parts((say(name, f" {count}") for name, count in pairs), ", ")
            ),
        )

    def sides(self) -> tuple[Line, ...]:
        return NAMES

    def winners(self, winner: int, scores: tuple[int, ...]) -> Line:
        return NAMES[winner]

    def owners(self) -> Sides:
        return tuple((Seat(seat),) for seat in range(len(NAMES)))

    def winning_seats(self, winner: int, scores: tuple[int, ...]) -> tuple[Seat, ...]:
        return (Seat(winner),)

    def undertakings(self, outcome: Outcome) -> tuple[Undertaking, ...]:
        return ()


def _choice(action: Action, view: View[State]) -> Choice:
    match action:
        case Give(slot):
            card = view.faces[slot]
            label = say("give ", card)
            return Choice(action, label, typed=(str(card).lower(),), slot=slot)
        case Mix():
            return Choice(action, say("mix the hand"), typed=("",), default=True, duty=True)
        case Deny():
            label = say("not have the queen of clubs")
            return Choice(action, label, typed=("",), default=True, duty=True)
        case Play(slot, card):
            typed = (str(card).lower(),)
            return Choice(action, say("play ", card), typed=typed, slot=slot, plays=True)


def lying(trick: tuple[Laid, ...], best: Seat | None = None) -> tuple[Lying, ...]:
    """Return a trick as it lies there, with whose card is the best once it is over."""
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
