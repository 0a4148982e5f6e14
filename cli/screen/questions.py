"""The questions whether to leave, to end the hand or to go on without others, and their answers."""

from __future__ import annotations

from dataclasses import replace

from cli.front.player_commands import Substitute, why_no_end
from cli.front.substitutes import NOBODY_MISSING, question, question_back
from cli.screen.desk import Answer, Desk, Mode, Wish
from cli.screen.model import Table, absent
from protocol.seat.commands import EndUnfinished, PlayOn


def ask_to_leave(desk: Desk) -> Desk:
    """Ask whether to leave the table."""
    return replace(desk, mode=Mode.LEAVE, notice="Leave? 'p2p304 resume' brings you back. (y/n)")


def ask_to_end(desk: Desk, table: Table) -> Desk:
    """Ask whether the hand ends unfinished, or whether we play on although we agreed to it."""
    named = table.writer.seats_named
    if table.agreed:
        others = named(tuple(seat for seat in table.agreed if seat != table.seat))
        asks = f"You agreed to end the hand, if {others} do. Play on all the same? (y/n)"
        return replace(desk, mode=Mode.END, notice=asks, ending=())
    gone = absent(table, table.could_end)
    if not table.could_end or not gone:
        asked = table.waiting or table.proposed
        why = why_no_end(table.game, table.state, table.present()) if asked else ""
        return replace(desk, notice=why or "Nobody is missing: the hand can go on.")
    asks = f"End the hand for good, without {named(gone)} and a result, if all agree? (y/n)"
    return replace(desk, mode=Mode.END, notice=asks, ending=table.could_end)


def answered(desk: Desk, table: Table, key: str) -> Answer | None:
    """Return what a key answers to "leave?" or "end?"; None for a key that is no answer."""
    after = replace(desk, mode=Mode.TABLE, notice="")
    if key in ("n", "escape"):
        return after, None
    if desk.mode is Mode.LEAVE and key in ("y", "enter"):
        return after, Wish.LEAVE
    if desk.mode is Mode.END and key == "enter":
        return after, None
    return _ended(after, table) if key == "y" else None


def _ended(desk: Desk, table: Table) -> Answer:
    """Answer yes to the question; a peer may have proposed something else since it was asked."""
    if not desk.ending:
        return desk, PlayOn() if table.agreed else None
    if table.could_end != desk.ending:
        return replace(desk, notice="Who could end the hand has changed: e asks again."), None
    return desk, EndUnfinished(desk.ending)


def ask_to_go_on(desk: Desk, table: Table) -> Desk:
    """Ask whether the match goes on without those who are waited for."""
    if table.asked_to_go_on:
        asks = f"{table.asked_to_go_on} Agree? (y/n)"
    elif table.waiting:
        asks = question(table.writer, table.waiting)
    elif table.bots:
        asks = question_back(table.writer, table.bots)
    else:
        return replace(desk, notice=NOBODY_MISSING)
    return replace(desk, mode=Mode.SUBSTITUTE, notice=asks)


def substitute_answered(desk: Desk, table: Table, key: str) -> Answer | None:
    """Return what a key answers to whether the match goes on; None for a key that is no answer."""
    after = replace(desk, mode=Mode.TABLE, notice="")
    if table.asked_to_go_on and key in ("y", "n"):
        return after, Substitute.AGREE if key == "y" else Substitute.REFUSE
    if not table.asked_to_go_on and not table.waiting and key == "f":
        return after, Substitute.BACK
    if not table.asked_to_go_on and table.waiting and key in ("b", "f"):
        return after, Substitute.BOT if key == "b" else Substitute.FRIEND
    return (after, None) if key in ("n", "escape", "enter") else None
