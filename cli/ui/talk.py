"""When people at a table may write to each other: where it was agreed, and never during a hand."""

from __future__ import annotations

from typing import Any, Final

from cli.ui.rulenames import rule_named
from p2p304.game import AnyGame
from p2p304.rules304.hand import Game304
from p2p304.rules304.state import Phase, State

HOUSE_RULE: Final = "table_chat"
"""The part of the agreement, signed by all, that allows it."""

LONGEST: Final = 200
"""Characters of one message that a person writes."""

NOT_AGREED: Final = "Talk was not agreed at this table: 'p2p304 host --chat' makes one where it is."
MUTE: Final = "You said --mute: you neither write to the others nor read them."
NOT_NOW: Final = f"No talk during a hand ({rule_named('16')})."
_BETWEEN: Final = frozenset({Phase.CUT, Phase.OVER})


def talk_agreed(game: AnyGame) -> bool:
    """Whether the charter's game allows talk between hands."""
    return isinstance(game, Game304) and HOUSE_RULE in game.profile.toggles


def between_hands(state: State | None) -> bool:
    """Whether no hand is being played: partners may not communicate during one (RULES 16)."""
    return state is None or state.phase in _BETWEEN


def why_no_talk(game: AnyGame, state: Any | None, *, mute: bool) -> str | None:
    """The sentence that refuses talk at this moment; None where it is allowed."""
    if not talk_agreed(game):
        return NOT_AGREED
    if mute:
        return MUTE
    return None if between_hands(state) else NOT_NOW
