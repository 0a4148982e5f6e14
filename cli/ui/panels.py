"""What covers the table for a while: the charter, keys, rules, a call of caps, a summary."""

from __future__ import annotations

from typing import NamedTuple

from cli.ui.choices import KEYS
from cli.ui.desk import Desk, Mode
from cli.ui.learning import lesson
from cli.ui.model import Table, my_cards
from cli.ui.summaries import summary_lines


class Panel(NamedTuple):
    """A heading and lines, to be broken where the screen needs it."""

    title: str
    lines: tuple[str, ...]


def overlay(table: Table, desk: Desk) -> Panel | None:
    """What lies over the table now, if anything does."""
    match desk.mode:
        case Mode.CHARTER:
            return Panel("The charter of this table", desk.charter)
        case Mode.HELP:
            return Panel("Keys", desk.help or help_lines())
        case Mode.RULES:
            return Panel("The rules of this moment", lesson(table.state, table.seat, table.faces))
        case Mode.CAPS:
            return Panel("A call of caps", caps_lines(table, desk))
        case Mode.SUMMARY if table.summary is not None:
            return Panel(f"Hand {table.summary.number + 1} is over", summary_lines(table.summary))
        case _:
            return None


def help_lines() -> tuple[str, ...]:
    """The table of keys as text, and what needs no key."""
    rows = [f"{_shown(each.key):<7} {each.words}: {each.when}" for each in KEYS]
    return (
        "Cards: left and right, then Enter; or type them, such as 9c or 10h; or click.",
        "Bids: type the number and Enter, short or long (60 is 160 where that is agreed).",
        "Enter   go on, with nothing to claim; Escape takes back what is typed.",
        *rows,
    )


def _shown(key: str) -> str:
    return {"c-c": "Ctrl-C", "f1": "F1"}.get(key, key)


def caps_lines(table: Table, desk: Desk) -> tuple[str, ...]:
    """How an order is chosen, what it claims, and what a wrong call costs."""
    profile = table.game.profile
    order = table.voice.cards(desk.picked)
    left = [each for each in my_cards(table) if each.slot not in desk.picked]
    return (
        "You claim that your team wins every trick with your cards played in one fixed order,"
        " whatever the others hold and play, your partner included.",
        "Choose the order: arrows and Enter, typed cards, or clicks. Backspace takes one back,"
        " Escape leaves.",
        f"Order so far: {order or 'none yet'}" + (f"; {len(left)} to go" if left else ""),
        "When you call, all these cards are shown to everybody.",
        f"A trick lost after it costs {profile.caps_called_trick_lost} tokens or more; a call"
        f" before it was certain, {profile.caps_late_or_early_penalty} or more.",
    )
