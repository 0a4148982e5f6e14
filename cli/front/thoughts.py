"""A bot's advice for each decision of a past hand, by what the seat knew then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from cli.decision import Decision, think
from cli.front.assistant import HINT_SEED, choice_of, expectation, in_words
from cli.front.writing import Writer
from p2p304.bots.advice import Advice
from p2p304.bots.review import Actions, Asked, decisions, public_faces
from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.seats import Seat
from protocol.table.events import ActionTaken, Event, HandEnded, HandStarted

# The best that there is: nobody waits for a hand that is over.
LEVEL: Final = "master"
NOTHING: Final = "There is nothing to decide here."
UNSEEN: Final = "The file does not show with which cards this was decided."


class PastHand(NamedTuple):
    """A hand of a file, and the number of replay steps before its first action."""

    step: int
    dealer: Seat
    scores: tuple[int, ...]
    actions: Actions


def hands_in(events: Iterable[Event]) -> list[PastHand]:
    """Return the hands in a list of events, each as far as it was played."""
    hands: list[PastHand] = []
    steps = 0
    actions: list[tuple[Seat, Any]] = []
    for event in events:
        match event:
            case HandStarted(_, dealer, scores):
                actions = []
                # The same list is filled by what follows.
                hands.append(PastHand(steps, dealer, scores, actions))
                # A replay shows the deal as a step of its own, and the end as another.
                steps += 1
            case ActionTaken(seat, action) if hands:
                actions.append((seat, action))
                steps += 1
            # Only with a result: a replay has no step for a hand that ended unfinished.
            case HandEnded():
                steps += 1
            case _:
                pass
    return hands


def decisions_in(game: AnyGame, hand: PastHand) -> Iterator[tuple[int, Seat, Asked | None]]:
    """Yield the decisions of a hand: the action's number from 0, its seat, and the question to a
    bot, or None if the file does not show the cards that the seat saw.
    """
    _, dealer, scores, actions = hand
    # What the file shows of the cards, hidden ones left out: a judge must not know more than the
    # seat.
    faces = public_faces(game, dealer, scores, actions)
    yield from decisions(game, dealer, scores, actions, faces)


class Thoughts:
    """The advice of a bot before each step of a replay; `ask` searches."""

    def __init__(
        self,
        game: AnyGame,
        hands: Iterable[PastHand],
        writer: Writer,
        ask: Callable[[Decision], Advice] = think,
    ) -> None:
        """Set up the advice on all decisions of these hands; nothing is searched yet."""
        self._game, self._writer, self._ask = game, writer, ask
        #: The questions by step; None where the file does not show the cards.
        self._asked: dict[int, Asked | None] = {}
        self._told: dict[int, str] = {}  #: The advice by step, once it was searched for.
        for hand in hands:
            for number, _, asked in decisions_in(game, hand):
                # None is kept, too: "not shown" is another answer than "nothing to decide".
                # No 1 for the deal: at the step that shows it the first action is still to come.
                self._asked[hand.step + number] = asked

    def at(self, step: int) -> str:
        """Return a bot's advice after `step` steps in words, `NOTHING` if nobody decides or a seat
        was right to claim nothing, `UNSEEN` if the cards are unknown.

        The first call for a step may search for seconds.
        """
        if step not in self._asked:
            return NOTHING
        asked = self._asked[step]
        if asked is None:
            return UNSEEN
        # Kept, as a player steps back and forth.
        if step not in self._told:
            self._told[step] = self._thought_words(asked)
        return self._told[step]

    def _thought_words(self, asked: Asked) -> str:
        """Search for the advice on one decision, and return it in words; `NOTHING` if the seat
        was right to claim nothing. Blocks meanwhile.
        """
        telling, writer, seat = telling_of(self._game), self._writer, asked.view.seat
        # Decisions are of seats.
        assert seat is not None
        # 0 seconds: as long as the level thinks (see `hint`).
        advice = self._ask(Decision(self._game, asked.view, HINT_SEED, LEVEL, 0))
        choice = choice_of(advice.action, telling.choices(asked.view, asked.legal))
        # Closing a window is no decision worth a sentence, if that was right.
        if choice.window and advice.action == asked.done:
            return NOTHING
        reason = in_words(advice.reason, writer)
        what = f"In {writer.seat(seat)}'s place a {LEVEL} would {writer.line(choice.label)}."
        return f"{what} {reason}{expectation(advice, telling.score_unit.lower())}"
