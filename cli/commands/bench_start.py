"""`p2p304 bench start`: from the shell to the first cards."""

from __future__ import annotations

import json

import click

from cli.bench.start import RUNS, STAGES, measure
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
    found = measure(runs=runs)
    if as_json:
        click.echo(json.dumps(found))
        return
    click.echo(f"'p2p304 play', medians of {runs} starts, seconds from the shell")
    for stage in STAGES:
        click.echo(f"  {found[stage.name]:6.3f}  {stage.title}")
    click.echo(f"  {found['cards_worst_s']:6.3f}  the same in the slowest start")
