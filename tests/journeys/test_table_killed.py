"""kill -9 of seats and brokers in the middle of a hand: it ends as if nothing had happened.

A sample; `make faults` kills at twenty seeded points of a seat's and a broker's each.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.net.address import BrokerAddress
from cli.seat.sitting import FOUNDER, kept_setup, new_setup, new_table, take_place
from cli.store.journal import FILE_NAME, Journal
from cli.store.paths import StoreError, make_table_directory
from tests.journeys.mortal_tables import hand_with
from tests.journeys.running_brokers import needs_mosquitto
from tests.journeys.table_brokers import BrokerKilled, SeatKilled

WITHIN = 120.0


@needs_mosquitto
async def test_a_seat_and_mosquitto_die_in_one_hand(tmp_path: Path) -> None:
    deaths = (SeatKilled(2, 30), BrokerKilled(60))
    report = await hand_with(tmp_path, lambda _: "mosquitto", deaths, seed=21, within=WITHIN)
    assert report.faults == []
    assert report.happened == len(deaths)


@pytest.mark.parametrize("left", [None, 0, 9])
def test_who_died_before_anything_was_kept_uses_the_invite_again(
    tmp_path: Path, left: int | None
) -> None:
    """The journal of the first process has its heading, or less."""
    table = new_table(BrokerAddress.parse("mqtt://127.0.0.1:1883"), "304", "pagat")
    invite = table.invites[FOUNDER + 1]
    directory = make_table_directory(tmp_path / "home", invite.table)
    Journal.create(directory, invite.table).close()
    if left is not None:
        with (directory / FILE_NAME).open("r+b") as file:
            file.truncate(left)
    with pytest.raises(StoreError, match="join again with the invite"):
        kept_setup(tmp_path / "home", invite.table)
    wanted = new_setup(invite, "Banu")
    journal, setup = take_place(tmp_path / "home", wanted)
    journal.close()
    assert setup == wanted
    journal, setup = kept_setup(tmp_path / "home", invite.table)
    journal.close()
    assert setup == wanted
