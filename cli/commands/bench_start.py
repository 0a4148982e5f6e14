"""`p2p304 bench start`: from the shell to the first cards."""

from __future__ import annotations

import click

from cli.bench.start import RUNS, measure
from cli.commands.bench_all import show, tell
from cli.commands.options import json_option


@click.command("start")
@click.option("--runs", type=click.IntRange(1, 100), default=RUNS, show_default=True)
@json_option
def command(runs: int, as_json: bool) -> None:
    """Measure how long 'p2p304 play' takes from the shell to the first four cards.

    It is called in a terminal of its own, once after the other, with three bots, and ended when the
    cards are there: importing the program, the broker, the seats, four shuffles and the first deal
    are all in it. The first start of all pays for files that are not in memory yet.

    \b
    Examples:
      p2p304 bench start
      p2p304 bench start --runs 3 --json
    """
    show(measure(runs=runs, tell=tell), as_json=as_json)
