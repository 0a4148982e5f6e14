"""What the bench measures: key presses with four clients, starts of the program, hands."""

from __future__ import annotations

import asyncio
import sys

import psutil
import pytest

from cli.errors import UserError
from p2p304.games import register
from tests.bench.hand import measure as measure_hand
from tests.bench.latency import measure
from tests.bench.start import STAGES, start_once
from tests.client.highest_card import ENTRY, NAME

# --- bench latency --------------------------------------------------------------------------------

# Key presses are measured with four real clients and with a process that does nothing.


def test_a_few_presses_are_measured_to_all_four_screens() -> None:
    found = asyncio.run(measure(presses=2, think=0.05))
    assert len(found.waits) == len(found.machine) >= 2
    assert 0 < found.waits[0] <= found.waits[-1]
    assert found.machine[-1] >= 0


# --- bench start ----------------------------------------------------------------------------------

# The start of the program is measured on what a terminal shows, and ends with nothing left.

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")


def test_play_is_watched_from_the_shell_to_the_first_four_cards() -> None:
    before = {each.pid for each in psutil.Process().children(recursive=True)}
    found = start_once()
    seconds = [found[title] for title, *_ in STAGES]
    assert 0 < seconds[0] <= seconds[1] <= seconds[2] <= seconds[3]
    assert {each.pid for each in psutil.Process().children(recursive=True)} == before


def test_a_program_that_ends_before_there_are_cards_is_told() -> None:
    with pytest.raises(UserError, match="not yet: the bots are told where to sit"):
        start_once((sys.executable, "-c", "print('304')"))


# --- bench hand -----------------------------------------------------------------------------------


def test_a_hand_of_three_seats_is_measured_beside_what_is_counted_in_it() -> None:
    with register(NAME, ENTRY):
        row = measure_hand(NAME, "", hands=1)
        told = row.as_json()
    assert (told["seats"], told["hands"]) == (3, 1)
    assert told["cpu_s_per_seat"] > 0
    costs = (*(each.cost for each in row.deals if each.played), *row.audits)
    assert all(each.cpu > 0.5 * each.floor for each in costs), "less than its operations is wrong"
    assert sum(len(sizes) for sizes in row.kinds.values()) == sum(e.messages for e in row.deals)
    octets = sum(each.octets for each in row.deals)
    assert octets == sum(sum(sizes) for sizes in row.kinds.values())
    assert row.sealed > octets
