"""What a player decides that goes to the others: what the screen shows of it, and how it goes."""

from __future__ import annotations

from dataclasses import replace

from cli.front.doors import Doors, Substitute, agreed_words
from cli.front.substitutes import missing
from cli.screen.desk import Again, EndHand, Say
from cli.screen.model import Table, heard
from protocol.ledger.events import ChatReceived
from protocol.seat.view import SeatView

Outward = Say | Again | EndHand | Substitute


def shown_at_once(deed: Outward, table: Table) -> tuple[Table, str]:
    """Return the table with a deed of ours, before it has come to the others, and what is said of
    it."""
    match deed:
        case Say(text):
            own = table.seat
            return table if own is None else heard(table, ChatReceived(own, text)), ""
        case EndHand(present):
            words = agreed_words(table.writer, present, table.seat)
            return replace(table, agreed=present), words
        case Substitute():
            return replace(table, asked_to_go_on=""), ""
        case Again():
            return table, ""


async def brought(deed: Outward, doors: Doors) -> None:
    """Bring a deed to the others."""
    match deed:
        case Say(text):
            await doors.say(text)
        case EndHand(present):
            await doors.end(present)
        case Substitute():
            await doors.substitute(deed)
        case Again(seating):
            await doors.rematch(seating)


def lacking(deed: Outward, table: Table, session: SeatView) -> str:
    """Return who has yet to agree to what was brought to them, where that is to be told."""
    return missing(table.writer, session.yet_to_go_on()) if isinstance(deed, Substitute) else ""
