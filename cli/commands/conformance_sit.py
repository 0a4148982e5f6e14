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
from cli.local.sitting import SeatOptions, new_setup, open_seat, take_place
from cli.seat.bots import BotSeat


@click.command("sit")
@click.option("--hands", type=click.IntRange(min=1), required=True)
def command(hands: int) -> int:
    """Be the seat under test: a bot of this program, its state where the harness wants it."""
    # The harness gives each seat a folder of its own, and removes it afterwards.
    root = Path(os.environ[HOME])
    # From the standard input: a command line is seen by every user of the machine (attacks CL11).
    invite = Invite.parse(sys.stdin.readline())
    journal, setup = take_place(root, new_setup(invite, "Program"))

    async def play() -> None:
        """Play the hands in the seat."""
        # Seconds for others who lack its last messages; the harness waits for this process to end.
        options = SeatOptions(hands=hands, linger=1.0)
        # A fixed seed: the same sitting has the same decisions.
        async with open_seat(journal, setup, BotSeat(1), root=root, options=options) as driver:
            await driver.run()

    asyncio.run(play())
    return ExitCode.DONE
