"""What a player decides: the answer to a choice, and what goes to the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from cli.front.assistant import by_itself
from cli.front.pace import WINDOW, goes_by_itself
from cli.front.player_commands import (
    PLAY_ON,
    AnswerGoingOn,
    GoOn,
    PlayerCommand,
    agreed_words,
)
from cli.front.substitutes import missing
from cli.screen.desk import Desk, Mode
from cli.screen.model import Table, heard
from cli.screen.preferences import Habits
from cli.tasks import Question
from p2p304.telling import Choice
from protocol.seat.view import SeatView
from protocol.table.events import ChatReceived
from protocol.topics.commands import CallReferee, EndUnfinished, PlayOn, Say, WantRematch

A_FRAME: Final = 0.05
"""Seconds after which a frame is waited for no longer."""


def shown_at_once(deed: PlayerCommand, table: Table) -> tuple[Table, str]:
    """Return the table with a deed of ours, before it has come to the others, and what is said of
    it."""
    match deed:
        case Say(text):
            own = table.seat
            return table if own is None else heard(table, ChatReceived(own, text)), ""
        case EndUnfinished(present):
            words = agreed_words(table.writer, present, table.seat)
            return replace(table, agreed=present), words
        case PlayOn():
            return replace(table, agreed=()), PLAY_ON
        case AnswerGoingOn():
            return replace(table, asked_to_go_on=None), ""
        case GoOn() | WantRematch() | CallReferee():
            return table, ""


def lacking(deed: PlayerCommand, table: Table, session: SeatView) -> str:
    """Return who has yet to agree to what was brought to them, where that is to be told."""
    said = isinstance(deed, GoOn | AnswerGoingOn)
    return missing(table.writer, session.yet_to_go_on()) if said else ""


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
    window = any(each.window for each in choices)
    while True:
        desk, _ = look()
        unasked = by_itself(choices, pace=desk.pace, go_on=desk.go_on, forced=habits.forced)
        moment = WINDOW if window else None  # a key may switch whether it closes by itself
        if unasked is not None:
            moment = max(unasked[0], A_FRAME)
        try:
            return await question.answered(within=moment)
        except TimeoutError:
            desk, missed = look()
            free = desk.mode is Mode.TABLE and not desk.typed and desk.cursor is None
            goes = not window or (goes_by_itself(choices, desk.go_on) and not desk.held)
            if unasked is not None and goes and free and not missed and question.is_open:
                return unasked[1].action
