"""A patient seat works on the next deck while nobody moves, and never holds up a hand with it."""

from __future__ import annotations

from typing import Any

from protocol.errors import MalformedMessage
from protocol.places import Lane
from protocol.wire.authenticate import open_message
from protocol.wire.charter import Charter
from protocol.wire.messages import Notice
from tests.table.bus import Table
from tests.table.tiny_game import TinyGame

PATIENCE = 1.0
MOMENT = 0.1


class PatientTable(Table):
    """A table of patient seats; a moment passes with every choice."""

    ticks = 0

    def arguments(self, seat: int) -> dict[str, Any]:
        return {**super().arguments(seat), "patience": PATIENCE}

    def choose(self, seat: int) -> bool:
        self.now += MOMENT
        return super().choose(seat)

    def tick(self, seconds: float = 6.0) -> None:
        self.ticks += 1
        super().tick(seconds)


def deck_messages(table: Table, number: int) -> int:
    """How many messages about that deck were published."""
    return sum(_about(raw, table.charter) == (Lane.DECK, number) for _, raw in table.sent)


def _about(raw: bytes, charter: Charter) -> tuple[Lane, int] | None:
    try:
        message = open_message(raw, charter)
    except MalformedMessage:
        return None
    if isinstance(message, Notice):
        return None
    return message.place.ledger.lane, message.place.ledger.number


def started(seats: int = 3) -> PatientTable:
    """A table whose first hand has begun: its deck, that all waited for, is there."""
    table = PatientTable(TinyGame(seats, target=100), 7).begun()
    table.run(lambda: any(chair.session.legal_actions() for chair in table.chairs))
    return table


def test_a_hand_without_a_pause_is_played_before_anybody_works_on_the_next_deck() -> None:
    table = started()
    settled = table.all_played(1)
    while not settled():
        assert deck_messages(table, 1) == 0
        table.run(lambda: settled() or not table.flying)
        if not settled():
            assert any(table.choose(seat) for seat in range(len(table.chairs)))


def test_the_next_hand_follows_without_any_time_passing() -> None:
    table = started()
    table.run(table.all_played(2), steps=3_000)
    assert table.ticks == 0
    assert not table.blamed()


def test_the_deck_is_made_in_a_pause_one_round_at_a_time() -> None:
    table = started()
    table.run(lambda: not table.flying)
    seats = len(table.chairs)
    rounds = []
    for _ in range(2 * seats):
        before = deck_messages(table, 1)
        table.tick(PATIENCE / 2)
        assert deck_messages(table, 1) == before
        table.tick(PATIENCE)
        table.deliver_all()
        rounds.append(deck_messages(table, 1) - before)
    assert rounds == [seats, *[1] * seats, *[0] * (seats - 1)]


def test_a_seat_that_comes_back_is_as_patient() -> None:
    table = started()
    table.run(lambda: not table.flying)
    table.restart(0)
    table.run(table.all_played(2))
    assert not table.blamed()
