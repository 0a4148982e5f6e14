"""A seat of a table in a process of its own, which tells when what happened, by the machine's
clock.

Standard input holds the invite and the founder's orders or none; standard output gets a JSON
object.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import click

from cli.invite import Invite
from cli.local.bot_processes import name_of
from cli.local.sitting import SeatOptions, keep_setup, new_setup, seated
from cli.seat.bots import BotSeat
from cli.seat.setup import Orders
from p2p304.disclosures import Dealt
from protocol.group.constants import constants_digest
from protocol.places import Lane
from protocol.seat.view import SeatView
from protocol.table.events import Disclosed, Event, HandEnded, HandStarted, RoundClosed

GENERATORS: Final = 32
LINGER: Final = 2.0


class TimedBot(BotSeat):
    """A bot that decides at once, but thinks for `think` seconds once in every hand.

    It notes when all had confirmed, and of each hand when it began, when the seat saw its first
    cards, and its end.
    """

    def __init__(self, think: float) -> None:
        super().__init__(1, self._note)
        self.seen = defaultdict[str, list[float]](list)
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


async def _play(text: str, orders: str, hands: int, think: float) -> dict[str, list[float]]:
    constants_digest(GENERATORS)
    bot, invite = TimedBot(think), Invite.parse(text)
    setup = new_setup(invite, name_of(invite.seat or 0), founding=Orders.parse(orders).founding)
    options = SeatOptions(hands=hands, matches=None, linger=LINGER)
    with tempfile.TemporaryDirectory(prefix="p2p304-bench-") as place:
        journal = await asyncio.to_thread(keep_setup, Path(place), setup)
        async with seated(journal, setup, bot, root=Path(place), options=options) as driver:
            await driver.run()
    return bot.seen


if __name__ == "__main__":
    lines = (sys.stdin.readline() for _ in range(2))
    click.echo(json.dumps(asyncio.run(_play(*lines, int(sys.argv[1]), float(sys.argv[2])))))
