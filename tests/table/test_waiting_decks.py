"""Decks that wait have the same bytes as decks that do not, also when seats die meanwhile."""

from __future__ import annotations

from typing import Any

from protocol.places import Lane, Place
from protocol.wire.authenticate import open_message
from protocol.wire.messages import SignedMessage
from tests.table.bus import Table, Weather
from tests.table.tiny_game import TinyGame

HANDS = 2
SEATS = 3
LIFE = 50
"""Steps between two deaths."""


class PatientTable(Table):
    """A table whose seats wait so many seconds; a moment passes with every choice and message."""

    def __init__(self, patience: float, seed: int, weather: Weather | None = None) -> None:
        self.patience = patience
        super().__init__(TinyGame(SEATS, target=100), seed, weather)

    def arguments(self, seat: int) -> dict[str, Any]:
        return {**super().arguments(seat), "patience": self.patience}

    def choose(self, seat: int) -> bool:
        self.now += 0.1
        return super().choose(seat)


def decks(table: Table) -> dict[Place, set[bytes]]:
    """The ids of all that was ever published about decks."""
    found: dict[Place, set[bytes]] = {}
    for _, raw in table.sent:
        message = open_message(raw, table.charter)
        if isinstance(message, SignedMessage) and message.place.ledger.lane is Lane.DECK:
            found.setdefault(message.place, set()).add(message.id)
    return found


def played(patience: float, *, deaths: bool = False, weather: Weather | None = None) -> Table:
    table = PatientTable(patience, 11, weather).begun()
    done, step = table.all_played(HANDS), 0
    while not done():
        step += 1
        table.run(lambda until=table.step + LIFE: done() or table.step >= until)  # type: ignore[misc]
        if deaths:
            table.restart(step % SEATS)
    return table


def test_a_deck_that_waited_has_the_bytes_of_one_that_did_not() -> None:
    at_once, late = decks(played(0.0)), decks(played(1e9))
    places = {place for place in at_once if place.ledger.number < HANDS}
    assert len(places) == HANDS * 2 * SEATS
    for place in places:
        assert at_once[place] == late[place]
        assert len(at_once[place]) == 1


def test_seats_that_die_while_a_deck_waits_sign_each_place_once() -> None:
    rough = Weather(loss=0.05, repeat=0.1, reorder=4)
    table = played(1.0, deaths=True, weather=rough)
    assert not table.blamed()
    calm = decks(played(0.0))
    for place, ids in decks(table).items():
        assert len(ids) == 1
        if place.ledger.number < HANDS:
            assert ids == calm[place]
