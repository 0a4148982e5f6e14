"""A hand that is over, judged decision by decision, by what the seat that decided knew then.

The cards of a seat come from what the end of the hand has shown to everybody. A decision for which
that is not enough (of cards that were mixed with others before anybody saw them) is left out.
Nothing that the seat did not know enters: what turned out badly may have been right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from p2p304.bots.advice import Advice, Considered
from p2p304.cards import Faces, Slot
from p2p304.disclosures import Dealt, Disclosure, HandedOver, Opened, Remixed
from p2p304.game import AnyGame, Step
from p2p304.seats import Seat
from p2p304.statements import IsCard, Statement
from p2p304.view import Knowledge, View

Actions = Sequence[tuple[Seat, Any]]


class Asked(NamedTuple):
    """A decision as it was put to a seat, and what the seat did."""

    number: int  #: How many actions came before it.
    view: View[Any]
    # Any: each game has actions of its own types.
    legal: tuple[Any, ...]
    done: Any


class Verdict(NamedTuple):
    """A player's judgement of a decision: the advice for it, and what it thinks of the actual
    choice.
    """

    asked: Asked
    advice: Advice
    #: What it thinks of what was done; None where it did not think about that.
    chosen: Considered | None

    @property
    def cost(self) -> float | None:
        """How much less the actual choice is expected to bring than the advised one, in the
        game's units, 0 or more: 0 where it is the advised one; None where the two were not
        compared.
        """
        # Before the numbers: what was advised costs nothing, even if it was not compared.
        if self.asked.done == self.advice.action:
            return 0.0
        if self.chosen is None or not self.chosen.visits or self.advice.expected is None:
            return None
        # The advised choice is the best by worth, not always by score; a gain is no cost.
        return max(0.0, self.advice.expected - self.chosen.expected)


def decisions(
    game: AnyGame, dealer: Seat, scores: tuple[int, ...], actions: Actions
) -> Iterator[tuple[int, Seat, Asked | None]]:
    """Yield a hand's decisions, those actions that were chosen among several: the action's number
    from 0, its seat, and the decision as that seat saw it then.

    The decision is None where the actions do not tell every card that the seat saw; such an action
    is yielded even if it was the only legal one. Raises RulesError for actions that the rules
    forbid.

    Args:
        scores: the match's before the hand; empty outside a match.
        actions: each seat and its action, from the beginning of the hand.
    """
    steps: list[Step[Any]] = [game.start(dealer, scores)]
    for seat, action in actions:
        steps.append(game.apply(steps[-1].state, seat, action))
    opened = (each for step in steps for each in step.disclosures if isinstance(each, Opened))
    # What the hand's end shows to everybody: a judge must not know more than the seat.
    faces = {each.slot: each.card for each in opened}
    knows = [_Seat(Seat(seat), faces) for seat in range(game.seats)]
    proved: tuple[Statement, ...] = ()
    # Each action with the step before it.
    for number, ((seat, action), step) in enumerate(zip(actions, steps, strict=False)):
        for each in knows:
            each.learn(step.disclosures)
        # A stated face is among the faces; views keep what is proved of hidden cards.
        proved += tuple(each for each in step.statements if not isinstance(each, IsCard))
        # `unseen` by us: a verdict on a view without these cards would blame the seat for that.
        if knows[seat].unseen:
            yield number, seat, None
            continue
        view = View(seat, step.state, knows[seat].knowledge.faces, proved, scores)
        legal = tuple(game.legal_actions(view))
        if len(legal) > 1:
            yield number, seat, Asked(number, view, legal, action)


class _Seat:
    """The cards that a seat had been shown, as far as the end of the hand tells them."""

    def __init__(self, seat: Seat, faces: Faces) -> None:
        """Begin with nothing seen; `faces` are the cards that everybody knows at the end."""
        self.knowledge = Knowledge(seat)
        self.unseen: set[Slot] = set()  #: Cards that the seat saw then and we do not see.
        self._seat, self._faces = seat, faces

    def learn(self, disclosures: Sequence[Disclosure]) -> None:
        """Note the cards that `disclosures`, the next ones of the hand, show to the seat: in
        `knowledge` where the end of the hand tells them, else in `unseen`.
        """
        self.knowledge = self.knowledge.after(disclosures, self._faces.get)
        for each in disclosures:
            match each:
                case Dealt(seat, slots) if seat == self._seat:
                    self.unseen.update(slots)
                # The old slots are gone; which new one holds which card the hand's end may show.
                case Remixed(seat, before, after) if seat == self._seat:
                    self.unseen.difference_update(before)
                    self.unseen.update(after)
                case HandedOver(slot=slot, reader=reader) if reader == self._seat:
                    self.unseen.add(slot)
                case _:
                    pass
        self.unseen.difference_update(self._faces)


def verdict(asked: Asked, advice: Advice) -> Verdict:
    """Return the judgement of the decision `asked` by `advice`, which was given for its view."""
    chosen = next((each for each in advice.choices if each.action == asked.done), None)
    return Verdict(asked, advice, chosen)


def costliest(verdicts: Iterable[Verdict], most: int) -> list[Verdict]:
    """Return at most `most` verdicts, the costliest first, of equal ones the earlier decision;
    those whose cost is 0 or None are left out.
    """
    costly = [each for each in verdicts if each.cost]
    # A cost of None is out already, which type checkers do not see.
    return sorted(costly, key=lambda each: (-(each.cost or 0.0), each.asked.number))[:most]
