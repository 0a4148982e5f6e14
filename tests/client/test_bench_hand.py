"""Hands of any game are measured, with as many seats as the game has."""

from __future__ import annotations

from p2p304.games import register
from tests.bench.hand import measure
from tests.client.highest_card import ENTRY, NAME


def test_a_hand_of_three_seats_is_measured_beside_what_is_counted_in_it() -> None:
    with register(NAME, ENTRY):
        row = measure(NAME, "", hands=1)
        told = row.as_json()
    assert (told["seats"], told["hands"]) == (3, 1)
    assert told["cpu_s_per_seat"] > 0
    costs = (*(each.cost for each in row.deals if each.played), *row.audits)
    assert all(each.cpu > 0.5 * each.floor for each in costs), "less than its operations is wrong"
    assert sum(len(sizes) for sizes in row.kinds.values()) == sum(e.messages for e in row.deals)
    octets = sum(each.octets for each in row.deals)
    assert octets == sum(sum(sizes) for sizes in row.kinds.values())
    assert row.sealed > octets
