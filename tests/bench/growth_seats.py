"""Many seats of many tables in one process, for the measurement of growth.

Standard input holds the orders, a JSON object; standard output gets what was seen, one too.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import click

from cli.invite import Invite
from cli.seat.bot_processes import name_of
from cli.seat.bots import BotSeat
from cli.seat.options import SeatOptions
from cli.seat.setup import Orders
from cli.seat.sitting import keep_setup, new_setup, seated
from cli.seat.timing import resident_mb
from cli.tasks import together
from protocol.group.constants import constants_digest
from protocol.ledger.events import Event, HandEnded, HandStarted
from protocol.seat.seat_view import SeatView

GENERATORS: Final = 32
LINGER: Final = 1.0


class Watch:
    """When the first hand of a seat began and its last one ended, by the clock of the machine."""

    def __init__(self) -> None:
        self.began: float | None = None
        self.ended: float | None = None

    def __call__(self, event: Event, _: SeatView) -> None:
        """Note the time."""
        if isinstance(event, HandStarted) and self.began is None:
            self.began = time.monotonic()
        elif isinstance(event, HandEnded):
            self.ended = time.monotonic()


async def _sit(text: str, orders: str, home: Path, hands: int, seed: int) -> Watch:
    invite = Invite.parse(text)
    watch = Watch()
    home.mkdir(mode=0o700)
    name = name_of(invite.seat or 0)
    setup = new_setup(invite, name, founding=Orders.parse(orders).founding)
    journal = await asyncio.to_thread(keep_setup, home, setup)
    options = SeatOptions(hands=hands, matches=None, linger=LINGER)
    async with seated(journal, setup, BotSeat(seed, watch), root=home, options=options) as driver:
        await driver.run()
    return watch


async def _play(orders: dict[str, Any]) -> dict[str, Any]:
    constants_digest(GENERATORS)
    before, cpu = resident_mb(), time.process_time()
    with tempfile.TemporaryDirectory(prefix="p2p304-growth-") as place:
        watches = await together(
            *(
                _sit(invite, founding, Path(place) / f"{number}", orders["hands"], number)
                for number, (invite, founding) in enumerate(orders["seats"])
            )
        )
        after = resident_mb()
    return {
        "began": min(each.began for each in watches if each.began is not None),
        "ended": max(each.ended for each in watches if each.ended is not None),
        "cpu": time.process_time() - cpu,
        "memory": None if before is None or after is None else after - before,
    }


if __name__ == "__main__":
    click.echo(json.dumps(asyncio.run(_play(json.load(sys.stdin)))))
