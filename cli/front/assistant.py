"""What the program does for a player: duties, what was asked to happen by itself, and hints."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Callable, Sequence
from typing import Any, Final

from cli.decision import Decision, answered
from cli.front.choosing import WINDOW, goes_by_itself
from cli.front.writing import Writer
from p2p304.bots.advice import Advice
from p2p304.cards import parse_card
from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.telling import AnyTelling, Choice, Urgent
from p2p304.view import View

HINT_SEED: Final = 304
HINT_LEVEL: Final = "club"
_CARD: Final = re.compile(r"\b[2-9TJQKA][SHDC]\b")
"""A card as a reason writes it."""


def hint(
    game: AnyGame, view: View[Any], writer: Writer, ask: Callable[[Decision], Advice] = answered
) -> str:
    """Return the hint in a few sentences: what to do, why, and what is expected of it.

    Raises ValueError for a view whose seat has nothing to decide.

    Args:
        game: one of the registry.
        view: of the seat that asks; nothing else is looked at.
        writer: writes the cards of the answer.
        ask: thinks, which may take seconds: here, or in a process of its own.
    """
    advice = ask(Decision(game, view, HINT_SEED, HINT_LEVEL, 0))
    telling = telling_of(game)
    choice = advised(advice.action, telling.choices(view, game.legal_actions(view)))
    said = f"A bot would {writer.line(choice.label)}. {in_words(advice.reason, writer)}"
    scores = view.scores or tuple(game.new_match(bytes(32)).scores)  # which a lone hand lacks
    bid = next(map(writer.line, telling.scene(view, scores).contract), "the bid")
    return f"{said}{expectation(advice, telling.scored.lower(), bid)}"


def in_words(reason: str, writer: Writer) -> str:
    """Return a reason with its cards as the screen writes them."""
    return _CARD.sub(lambda found: writer.card(parse_card(found.group())), reason)


def expectation(advice: Advice, unit: str, bid: str = "the bid") -> str:
    """Return what is expected of advice, as far as its reason has not said so; `unit` is what a
    match counts, `bid` whatever the chance is of."""
    found = []
    if advice.expected is not None and f"{advice.expected:+.2f}" not in advice.reason:
        found.append(f"{advice.expected:+.2f} {unit}")
    if advice.chance is not None and f"{advice.chance:.0%}" not in advice.reason:
        found.append(f"{bid} is made in {advice.chance:.0%}")
    return f" Expected: {', '.join(found)}." if found else ""


def advised(action: Any, choices: Sequence[Choice]) -> Choice:
    """Return the choice that `action` makes; one that states an order is made with any order.

    Raises StopIteration for an action that is none of these choices.
    """
    return next(
        each
        for each in choices
        if each.action == action or (each.order and type(each.action) is type(action))
    )


async def must_not_be_missed(telling: AnyTelling, view: View[Any], *, told: bool) -> Urgent | None:
    """Return what a player who is to act must do now, or lose by it; None where nothing is `told`.

    It is told where nobody else is a person: how long it takes would tell others of the cards. It
    is looked for in a thread, for it may take seconds.
    """
    return await asyncio.to_thread(telling.urgent, view) if told else None


_SHORTEST: Final = 0.8
_LONGEST: Final = 3.0
"""Seconds before a forced card is played by itself: drawn anew each time, so that they tell
nothing (whoever chooses takes as long)."""


def duty(choices: Sequence[Choice]) -> Choice | None:
    """Return the only choice, where it decides nothing."""
    return choices[0] if len(choices) == 1 and choices[0].duty else None


def by_itself(
    choices: Sequence[Choice], *, pace: float, go_on: bool | None, forced: bool
) -> tuple[float, Choice] | None:
    """Return after how many seconds which choice is made without a key; None for none.

    `pace` are the seconds after which a window closes with nothing to claim, as everybody can see;
    `go_on` says whether others do, too (see `goes_by_itself`), after WINDOW at the least. How long
    that takes is the same whatever the player's cards are. `forced` says whether cards that are
    the only ones to play play themselves.
    """
    goes_on = goes_by_itself(choices, go_on)
    if goes_on is not None:
        return pace if goes_on.idle else max(WINDOW, pace), goes_on
    cards = [each for each in choices if each.plays]
    if forced and len(cards) == 1:
        spread = secrets.randbelow(1_000) / 1_000
        return _SHORTEST + spread * (_LONGEST - _SHORTEST), cards[0]
    return None
