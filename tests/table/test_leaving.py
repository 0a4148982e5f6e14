"""Before a seat leaves: it knows who may still lack the end of the last hand, and sends it."""

from __future__ import annotations

from p2p304.seats import Seat
from protocol.table.events import Send
from protocol.table.sync import QUESTION_BYTES
from protocol.topics.commands import Ask
from tests.table.bus import Table
from tests.table.tiny_game import TinyGame

QUESTION = b"?" * QUESTION_BYTES
OTHERS = (Seat(0), Seat(1), Seat(2))
FIRST = 3
"""The seat that has the whole hand first, with this seed."""


def first_to_end() -> Table:
    """A table at the moment when one seat has the whole hand and no other."""
    table = Table(TinyGame(4, target=100), 5).begun()
    table.run(lambda: any(chair.session.table_state.counted for chair in table.chairs))
    assert [chair.session.table_state.counted for chair in table.chairs] == [0, 0, 0, 1]
    return table


def ask(table: Table) -> None:
    """The first seat asks, a second later, and everything that is sent arrives."""
    table.now += 1.0
    table.handle(FIRST, table.sessions[FIRST].act(Ask(QUESTION), now=table.now))
    table.deliver_all()


def test_nobody_lacks_the_end_of_a_hand_that_has_not_ended() -> None:
    table = Table(TinyGame(4, target=100), 5).begun()
    assert all(chair.session.lacking_end() == () for chair in table.chairs)


def test_who_has_not_told_of_the_end_counts_as_lacking_it_until_asked() -> None:
    table = first_to_end()
    table.deliver_all()
    assert table.all_played(1)()
    assert table.sessions[FIRST].lacking_end() == OTHERS
    ask(table)
    assert table.sessions[FIRST].lacking_end() == ()


def test_who_missed_the_end_is_sent_it_by_the_one_that_asks() -> None:
    table = first_to_end()
    table.flying.clear()
    ask(table)
    assert table.sessions[FIRST].lacking_end() == OTHERS
    for _ in range(3):
        ask(table)
    assert table.all_played(1)()
    assert table.sessions[FIRST].lacking_end() == ()


def test_old_heads_do_not_undo_what_a_seat_has_told() -> None:
    table = first_to_end()
    behind = table.sessions[0].act(Ask(QUESTION), now=table.now)
    (old,) = [event.envelope for event in behind if isinstance(event, Send)]
    for _ in range(3):
        ask(table)
    session = table.sessions[FIRST]
    session.receive(old, now=table.now)
    assert session.lacking_end() == ()
