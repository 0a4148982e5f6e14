"""`p2p304 tournament seats`: the bots of one match in one process, as its input says."""

from __future__ import annotations

import json
import sys

import click

from cli.commands.seating import run_until_ended
from cli.tournament.bots import seats_of_a_match


@click.command("seats", hidden=True)
def command() -> int:
    """Play the match that is named on the standard input, as `tournament bots` writes it."""
    return run_until_ended(seats_of_a_match(json.loads(sys.stdin.read())))
