"""The question that a bot or a hint answers, and the search that answers it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from p2p304.bots.advice import Advice
from p2p304.game import AnyGame
from p2p304.view import View

# A worker needs time to read the question and to send the answer (attacks PR9).
#: Of the seconds that an answer takes, what is spent on looking ahead; the rest is for the way.
_SHARE: Final = 0.8


class Decision(NamedTuple):
    """A question to a bot or for a hint: which action should the seat of this view take?"""

    game: AnyGame
    view: View[Any]
    seed: int
    level: str  #: One of the levels of `players`.
    #: How long it may take; 0 for as long as the level thinks, so that a seed repeats it.
    seconds: float


def think(question: Decision, clock: Callable[[], float] = time.monotonic) -> Advice:
    """Search in this process for the best action, and return the advice; `clock` returns the
    seconds by which the question's time is measured.

    Raises ValueError if the seat of the view has nothing to decide.
    """
    from p2p304.bots.players import player_for  # late: front ends ask, and need no bots

    game, view, seed, level, seconds = question
    end = clock() + seconds * _SHARE
    # None: the search ends by its own count, so that a seed repeats it on every machine.
    more = (lambda: clock() < end) if seconds else None
    return player_for(game, seed, level, more=more).advice(view)
