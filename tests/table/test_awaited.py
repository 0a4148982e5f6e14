"""Whoever is awaited is told of as it is: who has answered, and that nobody is waited for now."""

from __future__ import annotations

from p2p304.seats import Seat
from protocol.places import Lane, LedgerName
from protocol.table.events import Contributed, Event, RoundClosed, Waiting
from protocol.topics.commands import Confirm
from protocol.topics.step import SessionStatus
from tests.table.bus import Table
from tests.table.tiny_game import TinyGame

OPENING = LedgerName(Lane.TABLE, 0)


def told(table: Table, seat: int, kind: type[Event]) -> list[Event]:
    return table.heard(seat, kind)


def delivered(table: Table) -> None:
    table.run(lambda: not table.flying)


def test_a_contribution_that_closes_no_round_is_told_to_everybody() -> None:
    table = Table(TinyGame(3, target=100), 1)
    table.act(1, Confirm())
    delivered(table)
    for seat in range(3):
        assert told(table, seat, Contributed) == [Contributed(OPENING, Seat(1))]
        assert told(table, seat, RoundClosed) == []


def test_the_last_contribution_of_a_round_is_told_by_its_end_alone() -> None:
    table = Table(TinyGame(3, target=100), 1)
    for seat in range(3):
        table.act(seat, Confirm())
    delivered(table)
    for seat in range(3):
        events = table.chairs[seat].events
        closed = next(n for n, each in enumerate(events) if isinstance(each, RoundClosed))
        before = [each for each in events[:closed] if isinstance(each, Contributed)]
        assert len({each.seat for each in before}) == 2
        assert all(each.ledger == OPENING for each in before)


def test_that_nobody_is_waited_for_any_more_is_told_at_once() -> None:
    table = Table(TinyGame(3, target=100), 1)
    table.tick(10.0)
    table.tick(10.0)
    delivered(table)
    assert [each.seats for each in told(table, 0, Waiting)] == [(1, 2)]  # type: ignore[union-attr]
    table.act(1, Confirm())
    delivered(table)
    assert table.sessions[0].others_awaited() == {2}
    table.act(2, Confirm())
    delivered(table)
    assert table.sessions[0].others_awaited() == frozenset()
    last = told(table, 0, Waiting)[-1]
    assert isinstance(last, Waiting)
    assert last.seats == ()
    many = len(told(table, 0, Waiting))
    table.tick(100.0)
    delivered(table)
    assert len(told(table, 0, Waiting)) == many  # we alone are missing


def test_nobody_is_waited_for_at_our_own_turn_although_a_deck_lacks_others() -> None:
    table = Table(TinyGame(3, target=100), 1).begun()
    table.run(lambda: any(each.session.legal_actions() for each in table.chairs))
    (seat,) = [each for each in range(3) if table.sessions[each].legal_actions()]
    table.weather.cut = lambda step, sender, reader: True
    table.flying.clear()
    before = len(told(table, seat, Waiting))
    for _ in range(10):
        table.tick(60.0)
    session = table.sessions[seat]
    assert session.legal_actions()
    assert len(session.table_state.unsettled) > 1
    new = told(table, seat, Waiting)[before:]
    assert all(each.seats == () for each in new)  # type: ignore[union-attr]


def test_who_is_back_at_its_own_turn_waits_for_nobody_once_all_have_answered() -> None:
    table = Table(TinyGame(3, target=100), 1).begun()
    table.run(lambda: any(each.session.legal_actions() for each in table.chairs))
    (seat,) = [each for each in range(3) if table.sessions[each].legal_actions()]
    table.flying.clear()
    table.restart(seat)
    table.weather.cut = lambda step, sender, reader: True
    table.tick(6.0)
    table.tick(6.0)
    table.flying.clear()
    session = table.sessions[seat]
    assert session.status is SessionStatus.RETURNING
    others = tuple(Seat(each) for each in range(3) if each != seat)
    waits = told(table, seat, Waiting)
    assert waits[-1].seats == others  # type: ignore[union-attr]
    table.heal()
    table.tick(6.0)
    delivered(table)
    assert session.status is SessionStatus.PLAYING
    waits = told(table, seat, Waiting)
    assert waits[-1].seats == ()  # type: ignore[union-attr]
