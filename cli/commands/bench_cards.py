"""`p2p304 bench cards`: how fast cards are masked, shuffled, proved and judged."""

from __future__ import annotations

import click

from cli.bench.cards import run
from cli.commands.options import json_option


@click.command("cards")
@json_option
def command(as_json: bool) -> None:
    """Measure shuffles, shares, openings, hand-overs and statements of masked cards.

    Each figure stands beside what the group's operations in it cost on this machine: the ratio
    says how far the whole is from the library's floor, and compares machines.

    \b
    Examples:
      p2p304 bench cards
      p2p304 bench cards --json
    """
    run(as_json)
