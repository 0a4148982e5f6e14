"""`p2p304 conformance sit`: our own bot as the program under test in a seat."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import click

from cli.conformance.sittings import HOME
from cli.errors import ExitCode
from cli.invite import Invite
from cli.local.sitting import SeatOptions, new_setup, seated, take_place
from cli.seat.bots import BotSeat


@click.command("sit")
@click.option("--hands", type=click.IntRange(min=1), required=True)
def command(hands: int) -> int:
    """Be the seat under test: a bot of this program, its state where the harness wants it."""
    root = Path(os.environ[HOME])
    invite = Invite.parse(sys.stdin.readline())
    journal, setup = take_place(root, new_setup(invite, "Program"))

    async def play() -> None:
        options = SeatOptions(hands=hands, linger=1.0)
        async with seated(journal, setup, BotSeat(1), root=root, options=options) as driver:
            await driver.run()

    asyncio.run(play())
    return ExitCode.DONE
