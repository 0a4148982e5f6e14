"""Hands of any game are measured, with as many seats as the game has."""

from __future__ import annotations

from p2p304.games import registered
from tests.bench.hand import measure
from tests.client.highest_card import ENTRY, NAME


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
