"""Hands of any game are measured, with as many seats as the game has."""

from __future__ import annotations

from p2p304.games import GAMES, create_game, registered
from tests.bench.hand import agreements, measure
from tests.client.highest_card import ENTRY, NAME


def test_every_game_and_profile_has_a_row() -> None:
    rows = agreements()
    assert {name for name, _ in rows} == set(GAMES)
    assert all(create_game(*row).seats >= 2 for row in rows)
    assert len(rows) == sum(len(entry.profiles) or 1 for entry in GAMES.values())


def test_a_hand_of_three_seats_is_measured_beside_what_is_counted_in_it() -> None:
    with registered(NAME, ENTRY):
        row = measure(NAME, "", hands=1)
        told = row.as_json()
    assert (told["game"], told["seats"], told["hands"]) == (NAME, 3, 1)
    assert told["cpu_s_per_seat"] > 0
    assert told["cpu_over_ops"] > 0.5, "less than its operations is a mistake"
    assert told["audit_over_ops"] > 0.5
    assert sum(number for number, _ in row.kinds.values()) == sum(e.messages for e in row.deals)
    assert told["bytes"] == sum(size for _, size in row.kinds.values())
    assert told["sealed_bytes"] > told["bytes"]
