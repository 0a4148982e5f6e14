"""What a bot would do in the reader's place, and why, from the reader's own view."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from cli.front.writing import Writer
from p2p304.cards import parse_card
from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.telling import Choice
from p2p304.view import View

HINT_SEED: Final = 304
_CARD: Final = re.compile(r"\b[2-9TJQKA][SHDC]\b")
"""A card as a reason writes it."""


def hint(game: AnyGame, view: View[Any], writer: Writer) -> str:
    """Return the hint in a sentence or two. Takes a while; raises ValueError out of turn."""
    from p2p304.bots.players import player_for  # what bots know is not read before the first hint

    advice = player_for(game, HINT_SEED).advice(view)
    choice = advised(advice.action, telling_of(game).choices(view, game.legal_actions(view)))
    reason = _CARD.sub(lambda found: writer.card(parse_card(found.group())), advice.reason)
    return f"A bot would {writer.line(choice.label)}. {reason}"


def advised(action: Any, choices: Sequence[Choice]) -> Choice:
    """Return the choice that `action` makes; one that states an order is made with any order."""
    return next(
        each
        for each in choices
        if each.action == action or (each.order and type(each.action) is type(action))
    )
