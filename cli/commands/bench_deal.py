"""`p2p304 bench deal`: from four seated to four cards in every hand."""

from __future__ import annotations

import asyncio
from typing import Final

import click

from cli.bench.processes import measure_deal
from cli.bench.tables import BROKERS
from cli.commands.bench_all import show, tell
from cli.commands.options import json_option

TABLES: Final = 2


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
    names = brokers or tuple(BROKERS)
    part = asyncio.run(measure_deal(names, tables=TABLES, hands=hands, tell=tell))
    show(part, as_json=as_json)
