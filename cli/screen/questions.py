"""The questions whether to leave, to end the hand or to go on without others, and their answers.

Each question carries what it is about: where that has changed meanwhile, its answer asks again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from cli.front.player_commands import AnswerGoingOn, GoOn, Substitute, why_no_end
from cli.front.presence import Seen, Where
from cli.front.substitutes import NOBODY_MISSING, asks, question, question_back
from cli.screen.desk import Answer, Desk, Mode, PlainDeed
from cli.screen.model import Table, absent
from p2p304.seats import Seat
from protocol.topics.commands import EndUnfinished, PlayOn
from protocol.wire.contents import Continuation

CHANGED: Final = "That has changed meanwhile."
"""Goes before a question that is asked again."""


def subject(mode: Mode, table: Table) -> Any:
    """Return what a notice of this mode is about, as the table stands now; None for nothing that
    changes."""
    match mode:
        case Mode.END:
            return table.agreed, table.could_end
        case Mode.SUBSTITUTE:
            return _to_go_on(table), _here_again(table)
        case Mode.CONFIRM | Mode.ORDER | Mode.CHALLENGE:
            return table.number
        case Mode.TABLE:
            return table.number, table.choices or table.awaited, _to_go_on(table)
        case _:
            return None


def _to_go_on(table: Table) -> Continuation | GoOn | None:
    """Return what can be said of going on elsewhere: an answer, or what we would propose, by a bot
    where both a bot and a friend may come."""
    if table.asked_to_go_on is not None:
        return replace(table.asked_to_go_on, nonce=b"", charter=b"")  # whoever says it
    if gone := absent(table, table.present()):
        return GoOn(gone, Substitute.BOT)
    return GoOn(table.bots, Substitute.BACK) if table.bots else None


def _here_again(table: Table) -> frozenset[Seat]:
    """Return who is said to be here of those without whom the match could go on."""
    gone, nowhere = absent(table, table.present()), Seen(Where.SILENT, 0.0)
    return frozenset(seat for seat in gone if table.presence.get(seat, nowhere).where is Where.HERE)


def still_asked(desk: Desk, table: Table) -> bool:
    """Tell whether what the notice is about is as it was."""
    return desk.about is None or desk.about == subject(desk.mode, table)


def said_now(desk: Desk, table: Table, words: str) -> Desk:
    """Return the desk with a notice that goes with the turn, or with the wait, of which it is."""
    return replace(desk, notice=words, about=subject(desk.mode, table))


def _asking(desk: Desk, table: Table, mode: Mode, words: str) -> Desk:
    return said_now(replace(desk, mode=mode), table, words)


def asked_again(desk: Desk, table: Table) -> Desk:
    """Return the desk with the question as it stands now, or with why there is none any more."""
    ask = ask_to_end if desk.mode is Mode.END else ask_to_go_on
    asked = ask(replace(desk, mode=Mode.TABLE, about=None), table)
    return replace(asked, notice=f"{CHANGED} {asked.notice}")


def ask_to_leave(desk: Desk) -> Desk:
    """Ask whether to leave the table."""
    words = "Leave? 'p2p304 resume' brings you back. (y/n)"
    clear = replace(desk, under=Mode.TABLE, typed="", pending=None, picked=(), page=0)
    return replace(clear, mode=Mode.LEAVE, notice=words, about=None)


def ask_to_end(desk: Desk, table: Table) -> Desk:
    """Ask whether the hand ends unfinished, or whether we play on although we agreed to it."""
    named = table.writer.seats_named
    if table.agreed:
        others = named(tuple(seat for seat in table.agreed if seat != table.seat))
        asks = f"You agreed to end the hand, if {others} do. Play on all the same? (y/n)"
        return _asking(desk, table, Mode.END, asks)
    gone = absent(table, table.could_end)
    if not table.could_end or not gone:
        asked = table.waiting or table.proposed
        why = why_no_end(table.game, table.state, table.present()) if asked else ""
        return said_now(desk, table, why or "Nobody is missing: the hand can go on.")
    asks = f"End the hand for good, without {named(gone)} and a result, if all agree? (y/n)"
    return _asking(desk, table, Mode.END, asks)


def ask_to_go_on(desk: Desk, table: Table) -> Desk:
    """Ask whether the match goes on without those who are waited for."""
    match _to_go_on(table):
        case Continuation() as content:
            words = f"{asks(table.writer, content, table.bots)} Agree? (y/n)"
        case GoOn(gone, Substitute.BACK):
            words = question_back(table.writer, gone)
        case GoOn(gone):
            words = question(table.writer, gone)
        case None:
            return said_now(desk, table, NOBODY_MISSING)
    return _asking(desk, table, Mode.SUBSTITUTE, words)


def answered(desk: Desk, table: Table, key: str) -> Answer | None:
    """Return what a key answers to the question that is asked; None for a key that is no answer."""
    after = replace(desk, mode=Mode.TABLE, notice="", about=None)
    if key == "escape":
        return after, None
    if not still_asked(desk, table):
        return asked_again(desk, table), None
    match desk.mode, desk.about, key:
        case Mode.LEAVE, _, "y" | "enter":
            return after, PlainDeed.LEAVE
        case Mode.END, (agreed, present), "y":
            return after, PlayOn() if agreed else EndUnfinished(present)
        case Mode.SUBSTITUTE, (Continuation() as content, _), "y" | "n":
            return after, AnswerGoingOn(content, agrees=key == "y")
        case Mode.SUBSTITUTE, (GoOn(_, Substitute.BACK) as back, _), "f":
            return after, back
        case Mode.SUBSTITUTE, (GoOn(gone, Substitute.BOT), _), "b" | "f":
            return after, GoOn(gone, Substitute.BOT if key == "b" else Substitute.FRIEND)
        case _:
            return (after, None) if key in ("n", "enter") else None
