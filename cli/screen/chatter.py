"""What was said at the table, between hands: the last messages, as many as there is room for."""

from __future__ import annotations

from typing import Final

from cli.sanitize import cells_of
from cli.screen.canvas import wrapped
from cli.screen.desk import Desk, Mode
from cli.screen.layout import LEAST_ROWS, Layout
from cli.screen.model import Table

MESSAGES: Final = 3
"""The latest messages that are shown."""
_BELOW: Final = 4
"""Rows above the foot, where our own cards lie in a hand: they are free between two."""
_READING: Final = frozenset({Mode.CHARTER, Mode.RULES, Mode.HELP, Mode.ORDER})
"""What is read then needs the whole screen."""


def chat_lines(table: Table, desk: Desk, layout: Layout) -> tuple[str, ...]:
    """Return the rows right above the foot: the newest message in full, older ones as they fit."""
    if not table.chat or not table.may_talk or desk.mode in _READING:
        return ()
    spare = layout.rows - LEAST_ROWS
    room = _BELOW + (1 + spare // 2 if desk.mode is Mode.SUMMARY else 0)
    said = [_said(table, *each, layout.width) for each in table.chat[-MESSAGES:]]
    for number in range(len(said) - 1):  # the oldest first
        if sum(map(len, said)) > room:
            said[number] = _cut(said[number], 1, layout.width)
    others = sum(map(len, said[:-1]))
    said[-1] = _cut(said[-1], room - others, layout.width)
    return tuple(line for each in said for line in each)


def _said(table: Table, seat: int, text: str, width: int) -> tuple[str, ...]:
    who = "You say" if seat == table.seat else f"{table.writer.seat(seat).capitalize()} says"
    return wrapped(f"{who}: {text}", width)


def _cut(lines: tuple[str, ...], most: int, width: int) -> tuple[str, ...]:
    """Return so many lines, the last with an ellipsis if there were more."""
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    while cells_of(last) > width - 4:
        last = last[:-1]
    return (*lines[: most - 1], f"{last.rstrip()} ...")
