"""What the program does for a player: actions without a decision, timed actions, hints, and a
bot's advice for each decision of a past hand, by what the seat knew then.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from cli.bounds import CLAIM_WINDOW, FORCED_CARD_FROM, FORCED_CARD_UNTIL
from cli.decision import Decision, think
from cli.front.writing import Writer, goes_by_itself
from p2p304.bots.advice import Advice
from p2p304.bots.review import Actions, Asked, decisions
from p2p304.cards import parse_card
from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.seats import Seat
from p2p304.telling import AnyTelling, Choice, Urgent
from p2p304.view import View
from protocol.table.events import ActionTaken, Event, HandEnded, HandStarted

# Fixed: the same hand gets the same hint, however often it is asked for.
HINT_SEED: Final = 304
# Strong enough to teach, quick enough to wait for.
HINT_LEVEL: Final = "club"
_CARD: Final = re.compile(r"\b[2-9TJQKA][SHDC]\b")  #: A card as a reason writes it.


def hint(
    game: AnyGame, view: View[Any], writer: Writer, ask: Callable[[Decision], Advice] = think
) -> str:
    """Return a hint in a few sentences: the action, the reason, and the expected result.

    Raises ValueError for a view whose seat has nothing to decide.

    Args:
        game: one of the registry.
        view: of the seat that asks; nothing else is used.
        writer: writes the cards of the answer.
        ask: searches, which may take seconds: in this process or in a worker.
    """
    # 0 seconds: as long as the level thinks, so that the hint does not depend on the machine.
    advice = ask(Decision(game, view, HINT_SEED, HINT_LEVEL, 0))
    telling = telling_of(game)
    choice = choice_of(advice.action, telling.choices(view, game.legal_actions(view)))
    said = f"A bot would {writer.line(choice.label)}. {in_words(advice.reason, writer)}"
    # Of 32 zero bytes: only the scores at the beginning are taken, which are not chance.
    scores = view.scores or tuple(game.new_match(bytes(32)).scores)  # which a lone hand lacks
    # The contract's first line says what is to be made; before a contract there is none.
    bid = next(map(writer.line, telling.scene(view, scores).contract), "the bid")
    return f"{said}{expectation(advice, telling.score_unit.lower(), bid)}"


def in_words(reason: str, writer: Writer) -> str:
    """Return a bot's reason with its cards written as on the screen: "TH" becomes "10♥"."""
    return _CARD.sub(lambda found: writer.card(parse_card(found.group())), reason)


def expectation(advice: Advice, unit: str, bid: str = "the bid") -> str:
    """Return " Expected: ..." with what the advice expects to win and its chance; "" if it has
    neither, or its reason has said both.

    `unit` is what a match counts, such as "tokens"; `bid` names what the chance is of.
    """
    found = []
    # A reason that names the number already is not told twice.
    if advice.expected is not None and f"{advice.expected:+.2f}" not in advice.reason:
        found.append(f"{advice.expected:+.2f} {unit}")
    if advice.chance is not None and f"{advice.chance:.0%}" not in advice.reason:
        found.append(f"{bid} is made in {advice.chance:.0%}")
    return f" Expected: {', '.join(found)}." if found else ""


def choice_of(action: Any, choices: Sequence[Choice]) -> Choice:
    """Return the choice that `action` makes; a choice for which the player states an order is
    made by any action of its kind. Raises StopIteration if it makes none.
    """
    return next(
        each
        for each in choices
        # An order is the player's to name; the kind of action is what is advised.
        if each.action == action or (each.order and type(each.action) is type(action))
    )


async def urgent_claim(telling: AnyTelling, view: View[Any], *, told: bool) -> Urgent | None:
    """Return the claim that the player must make now or lose by it, or None; without `told` always
    None, as it is not searched.

    `told` is for tables where every other seat is a bot: the time of the search would reveal
    something of the cards to people. It may take seconds, and runs in a thread.
    """
    # In a thread: with many cards unseen it takes a second.
    return await asyncio.to_thread(telling.urgent, view) if told else None


def duty(choices: Sequence[Choice]) -> Choice | None:
    """Return the only choice, if it decides nothing; None if it decides something, or there is
    not exactly one.
    """
    return choices[0] if len(choices) == 1 and choices[0].duty else None


def by_itself(
    choices: Sequence[Choice], *, pace: float, go_on: bool | None, forced: bool
) -> tuple[float, Choice] | None:
    """Return the seconds after which a choice is made without a key, and the choice; None for none.

    `pace` is how long a window stays open in which, as everybody can see, nothing can be claimed.
    `go_on` says whether other windows close by themselves too (see `goes_by_itself`), after
    CLAIM_WINDOW seconds at least. `forced` says whether the only card that may be played plays
    itself, after 0.8 to 3 seconds drawn at random. The seconds never depend on the player's cards.
    """
    goes_on = goes_by_itself(choices, go_on)
    # Nothing can be claimed in it: it closes at the pace of the table.
    if goes_on is not None:
        # Else it stays open as long as a person needs to see that something can be claimed.
        return pace if goes_on.idle else max(CLAIM_WINDOW, pace), goes_on
    cards = [each for each in choices if each.plays]
    if forced and len(cards) == 1:
        # Drawn, and from the system's source, so that nobody can subtract it.
        spread = secrets.randbelow(1_000) / 1_000
        return FORCED_CARD_FROM + spread * (FORCED_CARD_UNTIL - FORCED_CARD_FROM), cards[0]
    return None


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
    return hands


def decisions_in(game: AnyGame, hand: PastHand) -> Iterator[tuple[int, Seat, Asked | None]]:
    """Return the decisions of a hand: the action's number from 0, its seat, and the question to a
    bot, or None if the file does not show the cards that the seat saw.
    """
    return decisions(game, hand.dealer, hand.scores, hand.actions)


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
