"""The screen says who has answered, and whom the table waits for, as it is at that moment."""

from __future__ import annotations

import asyncio
from functools import cache

from cli.front.story import Story, so_far
from cli.front.writing import Writer
from cli.screen.clientseat import ClientSeat
from cli.screen.model import NEWS
from cli.screen.preferences import Habits
from p2p304.games import create_game
from p2p304.rules304.actions import Ready
from p2p304.seats import Seat
from protocol.places import Lane, LedgerName
from protocol.table.events import Contributed, Event, Waiting
from tests.table.bus import Table

SOUTH, EAST, NORTH, WEST = map(Seat, range(4))


class Person:
    """South's screen at a table of real sessions; redraws are counted."""

    def __init__(self, table: Table) -> None:
        self.session = table.chairs[SOUTH].session
        self.events = table.chairs[SOUTH].events
        self.seat = ClientSeat(Habits(agree=True))
        self.heard = 0
        self.redraws = 0
        self.seat.changed = self._redraw

    def _redraw(self) -> None:
        self.redraws += 1

    async def hear(self) -> None:
        """All that has happened since."""
        new, self.heard = self.events[self.heard :], len(self.events)
        for each in new:
            await self.seat.tell(each, self.session)

    async def tell(self, event: Event) -> None:
        await self.seat.tell(event, self.session)


def at_the_window() -> Table:
    """Four sessions where all may look at what lies there, and nobody has."""
    return _at_the_window().twin()


@cache
def _at_the_window() -> Table:
    table = Table(create_game("304", "pagat"), 1)
    table.confirm()

    def window() -> bool:
        return all(Ready() in each.session.legal_actions() for each in table.chairs)

    table.run(window)
    return table


async def test_who_comes_back_is_told_again_what_was_told_of_the_hand() -> None:
    person = Person(at_the_window())
    writer, view = Writer(person.session.game.seats), person.session.view()
    assert view is not None
    story = Story(person.session.game, writer)
    stayed = [line for each in person.events for line in story.tell(each, view.faces)]
    again = so_far(person.session, writer)
    assert len(again) > 2
    assert stayed[-len(again) :] == again
    await person.seat.begin(person.session)
    assert person.seat.table is not None
    assert person.seat.table.news == (*again, "You are back at the table.")[-NEWS:]


async def test_who_has_answered_is_marked_no_more_without_a_key() -> None:
    table = at_the_window()
    person = Person(table)
    await person.seat.begin(person.session)
    await person.hear()
    person.seat.frame(80, 24)
    assert person.seat.table is not None
    assert person.seat.table.awaited == (SOUTH, EAST, NORTH, WEST)
    for seat in (EAST, NORTH):
        table.act(seat, Ready())
        table.run(lambda: not table.flying)
        person.redraws = 0
        await person.hear()
        assert person.redraws
    assert person.seat.table.awaited == (SOUTH, WEST)
    person.redraws = 0
    await person.tell(Contributed(LedgerName(Lane.HAND, 0), NORTH))
    assert not person.redraws  # nothing is drawn that looks the same
    await asyncio.wait_for(person.seat.shown(), timeout=1.0)


async def test_who_has_spoken_is_not_waited_for_and_no_hand_is_ended_without_it() -> None:
    table = at_the_window()
    person = Person(table)
    await person.seat.begin(person.session)
    await person.hear()
    await person.tell(Waiting((EAST, NORTH, WEST), 0.0))
    assert person.seat.table is not None
    table.act(WEST, Ready())
    table.run(lambda: not table.flying)
    await person.hear()
    assert person.seat.table.waiting == (EAST, NORTH)
    assert person.seat.table.could_end == (SOUTH, WEST)
    for seat in (NORTH, EAST):
        table.act(seat, Ready())
    table.run(lambda: not table.flying)
    await person.hear()
    assert person.seat.table.waiting == ()
    assert person.seat.table.could_end == ()
    assert "Waiting for" not in "\n".join(person.seat.frame(80, 24).text())
