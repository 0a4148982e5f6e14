"""A patient seat works on the next deck while nobody moves, and never holds up a hand with it."""

from __future__ import annotations

from typing import Any

from protocol.places import Lane, Place
from protocol.wire.authenticate import open_message
from protocol.wire.messages import SignedMessage
from tests.table.bus import Table, Weather
from tests.table.tiny_game import TinyGame

PATIENCE = 1.0
MOMENT = 0.1


class PatientTable(Table):
    """A table of patient seats; a moment passes with every choice."""

    patience = PATIENCE

    def arguments(self, seat: int) -> dict[str, Any]:
        return {**super().arguments(seat), "patience": self.patience}

    def choose(self, seat: int) -> bool:
        self.now += MOMENT
        return super().choose(seat)


def decks(table: Table) -> dict[Place, set[bytes]]:
    """The ids of all that was ever published about decks."""
    found: dict[Place, set[bytes]] = {}
    for _, raw in table.sent:
        message = open_message(raw, table.charter)
        if isinstance(message, SignedMessage) and message.place.ledger.lane is Lane.DECK:
            found.setdefault(message.place, set()).add(message.id)
    return found


def deck_messages(table: Table, number: int) -> int:
    """How many messages about that deck were published."""
    return sum(place.ledger.number == number for place in decks(table))


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


# --- waiting decks --------------------------------------------------------------------------------


HANDS = 2
SEATS = 3
LIFE = 50
"""Steps between two deaths."""


def played(patience: float, *, deaths: bool = False, weather: Weather | None = None) -> Table:
    table = PatientTable(TinyGame(SEATS, target=100), 11, weather)
    table.patience = patience
    table.confirm()
    done, step = table.all_played(HANDS), 0
    while not done():
        step += 1
        table.run(lambda until=table.step + LIFE: done() or table.step >= until)  # type: ignore[misc]
        if deaths:
            table.restart(step % SEATS)
    return table


def test_seats_that_die_while_a_deck_waits_sign_each_place_once() -> None:
    rough = Weather(loss=0.05, repeat=0.1, reorder=4)
    table = played(1.0, deaths=True, weather=rough)
    assert not table.blamed()
    calm = decks(played(0.0))
    for place, ids in decks(table).items():
        assert len(ids) == 1
        if place.ledger.number < HANDS:
            assert ids == calm[place]
