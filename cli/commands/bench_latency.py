"""`p2p304 bench latency`: from a key press to all four screens."""

from __future__ import annotations

import asyncio
import json

import click

from cli.bench.latency import PRESSES, SECONDS, THINK, Slow, measure
from cli.commands.bench_parts import interrupted_by_sigterm
from cli.commands.options import json_option


@click.command("latency")
@click.option(
    "--presses",
    type=click.IntRange(1, 100_000),
    default=PRESSES,
    show_default=True,
    help="How many key presses are judged; a few give a quick look.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(1, 86_400),
    default=SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="After so long what there is by then is judged.",
)
@click.option(
    "--think",
    type=click.FloatRange(0.05, 30),
    default=THINK,
    show_default=True,
    metavar="SECONDS",
    help="How long after being asked a seat presses its key.",
)
@json_option
@interrupted_by_sigterm()
def command(presses: int, seconds: float, think: float, as_json: bool) -> None:
    """Measure the time from a key press to all four screens, without any time to think.

    Four clients in four processes of this machine, over a broker on loopback: the key, the proof,
    the disk, the wire, three verifications and four frames. A thousand presses take about three
    minutes on two idle cores. Beside them a process that does nothing says how long the machine
    held it up while a press was on its way: what that one waited, nobody here is to blame for. Of
    the slowest presses the stages are told: the proof of the move, the disk, the broker, the
    verification by the slowest seat, and its frame.

    The longest frame is the longest time that a client could neither draw nor take a key; its own
    share is what it computed meanwhile. Seats that press at once never leave a pause in which the
    next deck is shuffled; with '--think 1.5' they do, as people do.

    \b
    Examples:
      p2p304 bench latency
      p2p304 bench latency --presses 100 --json
      p2p304 bench latency --think 1.5    at the pace of people
    """
    found = asyncio.run(measure(presses=presses, seconds=seconds, think=think))
    if as_json:
        click.echo(json.dumps(found.as_json()))
        return
    click.echo(f"From key to four screens: {found.p50_ms:.1f} ms (median of {found.presses})")
    click.echo(f"                          {found.p99_ms:.1f} ms (99th percentile)")
    click.echo(f"                          {found.p999_ms:.1f} ms (99.9th percentile)")
    click.echo(
        f"A process that does nothing was held up meanwhile for {found.machine_p99_ms:.1f} ms"
        " (99th percentile)."
    )
    click.echo(
        f"Longest frame:            {found.longest_frame_ms:.1f} ms,"
        f" {found.longest_busy_ms:.1f} ms of it at most by the client's own computing"
    )
    click.echo("")
    click.echo("The slowest presses, ms:  " + "".join(f"{name:>14}" for name in Slow._fields))
    for each in found.slowest:
        click.echo(" " * 26 + "".join(f"{value:>14.1f}" for value in each))
