"""What the program does for a player: actions without a decision, timed actions, and hints."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Callable, Sequence
from typing import Any, Final

from cli.decision import Decision, think
from cli.front.choosing import WINDOW, goes_by_itself
from cli.front.writing import Writer
from p2p304.bots.advice import Advice
from p2p304.cards import parse_card
from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.telling import AnyTelling, Choice, Urgent
from p2p304.view import View

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


# Long enough that a forced card is not told from a chosen one by its time (attacks PR2).
_SHORTEST: Final = 0.8
#: Seconds before a forced card is played by itself: drawn anew each time, so that they tell
#: nothing (whoever chooses takes as long).
_LONGEST: Final = 3.0


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
    `go_on` says whether other windows close by themselves too (see `goes_by_itself`), after WINDOW
    seconds at least. `forced` says whether the only card that may be played plays itself, after 0.8
    to 3 seconds drawn at random. The seconds never depend on the player's cards.
    """
    goes_on = goes_by_itself(choices, go_on)
    # Nothing can be claimed in it: it closes at the pace of the table.
    if goes_on is not None:
        # Else it stays open as long as a person needs to see that something can be claimed.
        return pace if goes_on.idle else max(WINDOW, pace), goes_on
    cards = [each for each in choices if each.plays]
    if forced and len(cards) == 1:
        # Drawn, and from the system's source, so that nobody can subtract it.
        spread = secrets.randbelow(1_000) / 1_000
        return _SHORTEST + spread * (_LONGEST - _SHORTEST), cards[0]
    return None
