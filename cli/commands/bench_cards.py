"""`p2p304 bench cards`: how fast cards are masked, shuffled, proved and judged."""

from __future__ import annotations

import click

from cli.bench.cards import cards_part
from cli.commands.bench_all import show, tell
from cli.commands.options import json_option


@click.command("cards")
@click.option("--quick", is_flag=True, help="Fewer shuffles and values, all in one process.")
@json_option
def command(quick: bool, as_json: bool) -> None:
    """Measure shuffles, shares, openings, hand-overs and statements of masked cards.

    pyperf times each in processes of its own. Each figure stands beside what the group's operations
    in it cost on this machine: the ratio says how far the whole is from the library's floor, and
    compares machines. About a minute; --quick takes seconds.

    \b
    Examples:
      p2p304 bench cards
      p2p304 bench cards --quick --json
    """
    show(cards_part(quick=quick, tell=tell), as_json=as_json)
