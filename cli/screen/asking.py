"""Waiting for the answer to a choice, which is made by itself where that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from cli.front.assistant import by_itself
from cli.screen.desk import Desk, Mode
from cli.screen.preferences import Habits
from cli.tasks import Question
from p2p304.telling import Choice

A_FRAME: Final = 0.05
"""Seconds after which a frame is waited for no longer."""


async def answered(
    question: Question[Any],
    choices: tuple[Choice, ...],
    habits: Habits,
    look: Callable[[], tuple[Desk, bool]],
) -> Any:
    """Return the answer that a key gives, or that comes by itself.

    Nothing is done by itself while the player is at something, or something must not be missed:
    `look` gives the desk, and whether that is so.
    """
    while True:
        desk, _ = look()
        unasked = by_itself(choices, pace=desk.pace, go_on=habits.go_on, forced=habits.forced)
        moment = None if unasked is None else max(unasked[0], A_FRAME)
        try:
            return await question.answered(within=moment)
        except TimeoutError:
            desk, missed = look()
            free = desk.mode is Mode.TABLE and not desk.typed and desk.cursor is None
            if unasked is not None and free and not missed and question.is_open:
                return unasked[1].action
