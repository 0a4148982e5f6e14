"""Kills one seat, or the broker, at twenty seeded points each of a hand, and tells who survived.

`make faults` runs all forty hands; `python -m tests.journeys.run_faults --seats 3 --brokers 2` so
many, and `--seed N` others. The table names each death, what came of it, and how long the hand took
from then on. The exit status is 1 if anything was not as it must be (see `mortal_tables`).
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.journeys.dying_seat import MOMENTS
from tests.journeys.mortal_tables import Report, hand_with, say, spread, told
from tests.journeys.running_brokers import MOSQUITTO
from tests.journeys.table_brokers import (
    BROKERS,
    BrokerKilled,
    Death,
    SeatDied,
    SeatKilled,
)

LAST = 120
"""Messages, and records of a journal, that every hand has."""

WITHIN = 240.0
"""Seconds for a hand; a loaded machine is slow."""


def deaths_of(seed: int, seats: int, brokers: int) -> list[Death]:
    """The deaths of a campaign: every second seat dies in the middle of the disk's work."""
    chance = random.Random(seed)
    found: list[Death] = []
    for number, point in enumerate(spread(chance, seats, LAST)):
        seat = chance.randrange(4)
        if number % 2:
            found.append(SeatKilled(seat, point))
        else:
            found.append(SeatDied(seat, MOMENTS[number // 2 % len(MOMENTS)], point))
    return found + [BrokerKilled(point) for point in spread(chance, brokers, LAST)]


def main() -> int:
    """Run the campaign; 1 if a hand did not survive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seats", type=int, default=20, help="how many hands a seat dies in")
    parser.add_argument("--brokers", type=int, default=20, help="how many the broker dies in")
    parser.add_argument("--seed", type=int, default=304, help="which points, seats and cards")
    parser.add_argument("--minutes", type=float, default=40.0, help="begin no hand after so many")
    arguments = parser.parse_args()
    kinds = [each for each in BROKERS if each != "mosquitto" or MOSQUITTO is not None]
    if len(kinds) < len(BROKERS):
        say("mosquitto is not installed: the embedded broker alone")
    began = time.monotonic()
    reports: list[Report] = []
    lost = skipped = 0
    for number, death in enumerate(
        deaths_of(arguments.seed, arguments.seats, arguments.brokers), start=1
    ):
        if time.monotonic() - began > arguments.minutes * 60:
            skipped += 1
            continue
        broker = kinds[number // 2 % len(kinds)]
        place = Path(tempfile.mkdtemp(prefix="p2p304-faults-"))
        seed = arguments.seed + number
        hand = hand_with(place, lambda _, broker=broker: broker, (death,), seed=seed, within=WITHIN)
        report = asyncio.run(hand)
        reports.append(report)
        came = "survived" if not report.faults else "LOST"
        say(
            f"{number:>3}  {broker:<9}  {death!s:<32}  {came:<8}"
            f"  hand {report.seconds:5.1f} s  {report.published} messages"
        )
        for fault in report.faults:
            say(f"       {fault}")
        if report.faults:
            lost += 1
            say(f"       kept: {place}")
        else:
            shutil.rmtree(place)
    for title, kind in (("seats", SeatDied | SeatKilled), ("brokers", BrokerKilled)):
        mine = [each for each in reports if isinstance(each.deaths[0], kind)]
        if mine:
            say(f"{title}: {told(mine)}")
    if skipped:
        say(f"{skipped} hands were not begun: the time was up")
    return 1 if lost or skipped else 0


if __name__ == "__main__":
    sys.exit(main())
