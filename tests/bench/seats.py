"""Seats of tables in one process, which tells when what happened at each, by the machine's clock.

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
from cli.tasks import together
from p2p304.disclosures import Dealt
from protocol.group.constants import constants_digest
from protocol.places import Lane
from protocol.seat.view import SeatView
from protocol.table.events import Disclosed, Event, HandEnded, HandStarted, RoundClosed
from tests.bench.machine import resident_mb

GENERATORS: Final = 32
LINGER: Final = 2.0


class TimedBot(BotSeat):
    """A bot that decides at once, but thinks for `think` seconds once in every hand.

    Of each hand it notes when it began, when the seat saw its first cards, and its end, with the
    megabytes of this process.
    """

    def __init__(self, seed: int, think: float) -> None:
        super().__init__(seed, self._note)
        self.seen: dict[str, list[float | None]] = {
            name: [] for name in ("seated", "started", "dealt", "ended", "memory")
        }
        self._think, self._thought = think, 0

    async def decide(self, session: SeatView) -> Any:
        """See Player.decide."""
        if self._think and self._thought < len(self.seen["started"]):
            self._thought = len(self.seen["started"])
            await asyncio.sleep(self._think)
        return await super().decide(session)

    def _note(self, event: Event, session: SeatView) -> None:
        seen, now = self.seen, time.monotonic()
        match event:
            case RoundClosed(ledger, 0, _) if ledger.lane is Lane.TABLE:
                seen["seated"].append(now)
            case HandStarted():
                seen["started"].append(now)
            case Disclosed(Dealt(seat, _)) if seat == session.seat:
                if len(seen["dealt"]) < len(seen["started"]):
                    seen["dealt"].append(now)
            case HandEnded():
                seen["ended"].append(now)
                seen["memory"].append(resident_mb())


async def _sit(text: str, orders: str, home: Path, hands: int, bot: TimedBot) -> None:
    invite = Invite.parse(text)
    home.mkdir(mode=0o700)
    founding = Orders.parse(orders).founding
    setup = new_setup(invite, name_of(invite.seat or 0), founding=founding)
    journal = await asyncio.to_thread(keep_setup, home, setup)
    options = SeatOptions(hands=hands, matches=None, linger=LINGER)
    async with seated(journal, setup, bot, root=home, options=options) as driver:
        await driver.run()


async def _play(orders: dict[str, Any]) -> dict[str, Any]:
    constants_digest(GENERATORS)
    before, cpu = resident_mb(), time.process_time()
    bots = [TimedBot(seed + 1, orders["think"]) for seed in range(len(orders["seats"]))]
    with tempfile.TemporaryDirectory(prefix="p2p304-bench-") as place:
        sitting = zip(orders["seats"], bots, strict=True)
        await together(
            *(
                _sit(*texts, Path(place) / f"{number}", orders["hands"], bot)
                for number, (texts, bot) in enumerate(sitting)
            )
        )
        after = resident_mb()
    return {
        "seats": [bot.seen for bot in bots],
        "cpu": time.process_time() - cpu,
        "memory": None if before is None or after is None else after - before,
    }


if __name__ == "__main__":
    click.echo(json.dumps(asyncio.run(_play(json.load(sys.stdin)))))
