"""`p2p304 bench deal`: from four seated to four cards in every hand."""

from __future__ import annotations

import asyncio
import json

import click

from cli.bench.tables import BROKERS, measure
from cli.commands.options import json_option


@click.command("deal")
@click.option(
    "--broker",
    "brokers",
    type=click.Choice(list(BROKERS)),
    multiple=True,
    help="Which brokers; may be given several times.  [default: all]",
)
@click.option("--hands", type=click.IntRange(2, 50), default=4, show_default=True)
@json_option
def command(brokers: tuple[str, ...], hands: int, as_json: bool) -> None:
    """Measure deals among four processes over real brokers on this machine.

    The first deal is timed from the moment all four have confirmed the charter, keys and four
    shuffles included; a next deal from the end of the hand before it, in which one bot thought for
    some seconds once; a hurried one where nobody ever thinks. Beside them stands the broker's bare
    round trip in the same run.

    \b
    Examples:
      p2p304 bench deal
      p2p304 bench deal --broker embedded --json
    """
    found = asyncio.run(measure(brokers or tuple(BROKERS), hands=hands))
    if as_json:
        click.echo(json.dumps(found))
        return
    click.echo("Deals of 304 among four processes, seconds (median, worst)")
    for name, row in found.items():
        if "missing" in row:
            click.echo(f"{name:<10} {row['missing']}")
            continue
        click.echo(
            f"{name:<10} first {row['first_s']:.3f} ({row['first_worst_s']:.3f})"
            f"   next {row['next_s']:.3f} ({row['next_worst_s']:.3f})"
            f"   hurried {row['next_hurried_s']:.3f} ({row['next_hurried_worst_s']:.3f})"
            f"   bare round trip {row['round_trip_ms']:.2f} ms"
        )
