"""What the ledgers tell the screen: what happened, who has answered and who is awaited."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cli.clock import on_the_wall
from cli.front.story import Story
from cli.screen.model import Table, acted, heard, new_table, told, viewed
from cli.screen.proofs import proofs_of
from p2p304.seats import Seat
from protocol.ledger.events import (
    ActionTaken,
    Contributed,
    Event,
    HandStarted,
    RoundClosed,
    Waiting,
)
from protocol.seat.public import TableView
from protocol.seat.view import SeatView


def table_of(session: SeatView, *, ascii_only: bool) -> Table:
    """Return the table of a session at its beginning, or as it stands when we come back to it."""
    hand, view, scores = session.hand(), session.view(), session.scores or ()
    table = new_table(
        session.game, session.charter, session.seat, scores=scores, ascii_only=ascii_only
    )
    if hand is None or view is None:
        return table
    number = hand.number
    table = replace(table, number=number, state=view.state)
    return told(viewed(table, number, view), "You are back at the table.")


def as_it_stands(table: Table, known: TableView, awaited: Iterable[Seat]) -> Table:
    """Return the table with who has answered in the open round, and without whom nothing goes
    on."""
    hand = known.hand(table.number) if table.number >= 0 else None
    answered = () if hand is None else hand.answered
    return replace(table, answered=answered, needed=frozenset(awaited))


def happened(
    table: Table, event: Event, story: Story, known: TableView, *, transcript: str = ""
) -> Table:
    """Return the table after an event, for a player or a spectator: what was proved, done and said.

    The `story` goes on with it; `transcript` names the file of a hand that has ended.
    """
    match event:
        case RoundClosed(ledger, number, _):
            made = proofs_of(known, ledger, number, own=table.seat)
            table = replace(table, proofs=table.proofs + made)
        case HandStarted():
            story.start(event.dealer, event.scores)
        case ActionTaken() if story.begun:
            table = acted(table, story.after(event))
        case _:
            pass
    clock = on_the_wall(event.since) if isinstance(event, Waiting) else ""
    return heard(table, event, clock=clock, transcript=transcript)


def after_contribution(table: Table, event: Event) -> Table:
    """Return the table after a contribution: who has made it is not waited for any more."""
    if not isinstance(event, Contributed) or event.seat in (table.needed or ()):
        return table
    waiting = tuple(seat for seat in table.waiting if seat != event.seat)
    return replace(table, waiting=waiting, since=table.since if waiting else "")
