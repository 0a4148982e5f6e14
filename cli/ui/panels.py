"""What covers the table for a while: the charter, keys, rules, a call of caps, a summary."""

from __future__ import annotations

from typing import NamedTuple

from cli.ui.choices import KEYS
from cli.ui.desk import Desk, Mode
from cli.ui.learning import lesson
from cli.ui.model import Summary, Table, Unfinished, at_its_end, my_cards, round_table
from cli.ui.summaries import summary_lines
from cli.ui.words import SUIT_NAMES, place, places


class Panel(NamedTuple):
    """A heading and lines, to be broken where the screen needs it."""

    title: str
    lines: tuple[str, ...]


def overlay(table: Table, desk: Desk) -> Panel | None:
    """What lies over the table now, if anything does."""
    match desk.under if desk.mode is Mode.UNHEARD else desk.mode:
        case Mode.CHARTER:
            return Panel("The charter of this table", desk.charter)
        case Mode.HELP:
            return Panel("Keys", desk.help or help_lines())
        case Mode.RULES:
            return Panel("The rules of this moment", lesson(table.state, table.seat, table.faces))
        case Mode.CAPS:
            return Panel("A call of caps", caps_lines(table, desk))
        case Mode.SUMMARY if table.unfinished is not None:
            title = f"Hand {table.unfinished.number + 1} was ended unfinished"
            return Panel(title, unfinished_lines(table, table.unfinished))
        case Mode.SUMMARY if table.summary is not None:
            said, space, *more = summary_lines(table.summary)
            lines = (said, space, *ending_lines(table, table.summary), *more)
            return Panel(f"Hand {table.summary.number + 1} is over", lines)
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


def ending_lines(table: Table, summary: Summary) -> tuple[str, ...]:
    """In one line: which suit was trump, by which card, and the trick that was the last."""
    ended = at_its_end(table)
    state, voice = summary.state, ended.voice
    told = []
    if state.trump_slot is not None:
        card = ended.faces.get(state.trump_slot)
        if card is None:
            told.append("stayed hidden")
        else:
            hidden = "" if state.trump is not None else ", hidden to the end"
            told.append(f"{SUIT_NAMES[card.suit]}{hidden}; the indicator was {voice.card(card)}")
    if state.tricks:
        trick = state.tricks[-1]
        cards = voice.cards(tuple(each.slot for each in trick.plays))
        told.append(f"trick {len(state.tricks)}: {cards} to {place(trick.winner)}")
    return (f"Trump     {'; '.join(told)}",) if told else ()


def unfinished_lines(table: Table, ended: Unfinished) -> tuple[str, ...]:
    """Who ended the hand, without whom, what it counts, and what can be done next."""
    gone = tuple(seat for seat in round_table(table) if seat not in ended.present)
    without = f", without {places(gone)}" if gone else ""
    lines = [
        f"{places(ended.present)} agreed to end the hand where it stood{without}.",
        "It has no result: the scores stay as they were before it.",
        "",
        "Nothing more is played at this table. Enter leaves it, as soon as the others have heard"
        " of the end: that takes some seconds. 'p2p304 host' makes a new table.",
    ]
    if ended.transcript:
        lines += [
            "",
            "What was signed in this hand is kept, and anyone can check it:",
            f"p2p304 audit {ended.transcript}",
        ]
    return tuple(lines)
