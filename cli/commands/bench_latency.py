"""`p2p304 bench latency`: from a key press to all four screens."""

from __future__ import annotations

import asyncio
import json

import click

from cli.bench.latency import THINK, measure
from cli.commands.options import json_option


@click.command("latency")
@click.option("--hands", type=click.IntRange(1, 50), default=2, show_default=True)
@click.option(
    "--think",
    type=click.FloatRange(0.05, 30),
    default=THINK,
    show_default=True,
    metavar="SECONDS",
    help="How long after being asked a seat presses its key.",
)
@json_option
def command(hands: int, think: float, as_json: bool) -> None:
    """Measure the time from a key press to all four screens, without any time to think.

    Four clients in four processes of this machine, over a broker on loopback: the key, the proof,
    the disk, the wire, three verifications and four frames. The longest frame is the longest time
    that a client could neither draw nor take a key; its own share is what it computed meanwhile.
    Seats that press at once never leave a pause in which the next deck is shuffled; with
    '--think 1.5' they do, as people do.

    \b
    Examples:
      p2p304 bench latency
      p2p304 bench latency --hands 5 --json
      p2p304 bench latency --think 1.5    at the pace of people
    """
    found = asyncio.run(measure(hands=hands, think=think))
    if as_json:
        figures = {name: getattr(found, name) for name in found._fields if name != "waits_ms"}
        click.echo(json.dumps({name: round(value, 2) for name, value in figures.items()}))
        return
    click.echo(f"From key to four screens: {found.p50_ms:.1f} ms (median of {found.presses})")
    click.echo(f"                          {found.p99_ms:.1f} ms (99th percentile)")
    click.echo(
        f"Longest frame:            {found.longest_frame_ms:.1f} ms,"
        f" {found.longest_busy_ms:.1f} ms of it at most by the client's own computing"
    )
