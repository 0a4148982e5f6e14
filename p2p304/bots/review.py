"""A hand that is over, judged decision by decision, by what the seat that decided knew then.

The cards of a seat come from what the end of the hand has shown to everybody. A decision for which
that is not enough (of cards that were mixed with others before anybody saw them) is left out.
Nothing that the seat did not know enters: what turned out badly may have been right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from p2p304.bots.advice import Advice, Considered
from p2p304.cards import Card, Slot
from p2p304.disclosures import Dealt, Disclosure, HandedOver, Opened, Remixed
from p2p304.game import AnyGame, Step
from p2p304.seats import Seat
from p2p304.statements import IsCard, Statement
from p2p304.view import Knowledge, View

Actions = Sequence[tuple[Seat, Any]]


class Asked(NamedTuple):
    """A decision as it was put to a seat, and what the seat did."""

    number: int
    """How many actions came before it."""
    view: View[Any]
    legal: tuple[Any, ...]
    done: Any


class Verdict(NamedTuple):
    """What a player thinks of a decision."""

    asked: Asked
    advice: Advice
    chosen: Considered | None
    """What it thinks of what was done; None where it did not think about that."""

    @property
    def cost(self) -> float | None:
        """What the decision is expected to have cost, in the game's units; None if nothing was
        compared."""
        if self.asked.done == self.advice.action:
            return 0.0
        if self.chosen is None or not self.chosen.visits or self.advice.expected is None:
            return None
        return max(0.0, self.advice.expected - self.chosen.expected)


def decisions(
    game: AnyGame,
    dealer: Seat,
    scores: tuple[int, ...],
    actions: Actions,
    faces: Mapping[Slot, Card],
) -> Iterator[tuple[int, Seat, Asked | None]]:
    """Yield the number and the seat of every action that was chosen among several, and the decision
    as it was put to that seat.

    None stands for a decision for which `faces`, those that everybody knows at the end, are not
    enough. Raises RulesError for actions that the rules forbid.
    """
    knows = [_Seat(Seat(seat), faces) for seat in range(game.seats)]
    proved: tuple[Statement, ...] = ()

    def carried_out(step: Step[Any]) -> Any:
        nonlocal proved
        for each in knows:
            each.learn(step.disclosures)
        proved += tuple(each for each in step.statements if not isinstance(each, IsCard))
        return step.state

    state = carried_out(game.start(dealer, scores))
    for number, (seat, action) in enumerate(actions):
        if knows[seat].unseen:
            yield number, seat, None
        else:
            view = View(seat, state, knows[seat].knowledge.faces, proved, scores)
            legal = tuple(game.legal_actions(view))
            if len(legal) > 1:
                yield number, seat, Asked(number, view, legal, action)
        state = carried_out(game.apply(state, seat, action))


class _Seat:
    """What a seat had been shown, as far as the end of the hand shows it to us."""

    def __init__(self, seat: Seat, faces: Mapping[Slot, Card]) -> None:
        self.knowledge = Knowledge(seat)
        self.unseen: set[Slot] = set()
        """Cards that the seat saw then and we do not see."""
        self._seat, self._faces = seat, faces

    def learn(self, disclosures: Sequence[Disclosure]) -> None:
        self.knowledge = self.knowledge.after(disclosures, self._faces.get)
        for each in disclosures:
            match each:
                case Dealt(seat, slots) if seat == self._seat:
                    self.unseen.update(slots)
                case Remixed(seat, before, after) if seat == self._seat:
                    self.unseen.difference_update(before)
                    self.unseen.update(after)
                case HandedOver(slot=slot, reader=reader) if reader == self._seat:
                    self.unseen.add(slot)
                case _:
                    pass
        self.unseen.difference_update(self._faces)


def shown(
    game: AnyGame, dealer: Seat, scores: tuple[int, ...], actions: Actions
) -> dict[Slot, Card]:
    """Return the faces that the actions of a hand make public."""
    state = game.start(dealer, scores).state
    faces: dict[Slot, Card] = {}
    for seat, action in actions:
        step = game.apply(state, seat, action)
        state = step.state
        faces |= {each.slot: each.card for each in step.disclosures if isinstance(each, Opened)}
    return faces


def verdict(asked: Asked, advice: Advice) -> Verdict:
    """Return what `advice`, given for the same view, says of what was done."""
    chosen = next((each for each in advice.choices if each.action == asked.done), None)
    return Verdict(asked, advice, chosen)


def costliest(verdicts: Iterable[Verdict], most: int) -> list[Verdict]:
    """Return at most `most` decisions that cost something, the costliest first, of equal ones the
    earlier; what has no cost is left out."""
    costly = [each for each in verdicts if each.cost]
    return sorted(costly, key=lambda each: (-(each.cost or 0.0), each.asked.number))[:most]
