"""`p2p304 conformance seat`: a program at a table of ours; and our own bot as such a program."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import click

from cli.commands.conformance_trials import (
    Progress,
    prepared,
    report,
    reported,
)
from cli.commands.seating import run_until_ended
from cli.conformance.results import Results, Trial
from cli.conformance.sittings import HOME, try_seat
from cli.errors import ExitCode
from cli.invite import Invite
from cli.local.sitting import SeatOptions, new_setup, seated, take_place
from cli.seat.bots import BotSeat


@click.command("seat")
@click.argument("program", metavar="CMD")
@click.option("--sample", is_flag=True, help="A few sittings of every sort.")
@click.option(
    "--deadline",
    type=click.FloatRange(min=1),
    default=180.0,
    show_default=True,
    help="Seconds that a hand may take.",
)
@click.option(
    "--tables", type=click.IntRange(min=1), default=1, show_default=True, help="Tables at a time."
)
@reported
def seat(
    program: str,
    sample: bool,
    deadline: float,
    tables: int,
    how: Progress,
) -> int:
    """Sit CMD down with three seats of ours: honest hands, then one cheat at a time by one of us.

    CMD reads an invite from its input and plays as many hands as --hands says, which is appended.
    """
    done: list[Trial] = []

    async def tried() -> None:
        async for each in try_seat(program, sample=sample, deadline=deadline, tables=tables):
            done.append(each)

    prepared(how)
    begun = time.monotonic()
    ended = run_until_ended(tried())  # SIGTERM, too, ends the seats and removes their directories
    if ended is not ExitCode.DONE:
        return ended
    results = Results("conformance seat", program)
    return report(results, done, how, begun=begun)


@click.command("sit")
@click.option("--hands", type=click.IntRange(min=1), required=True)
def sit(hands: int) -> int:
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
