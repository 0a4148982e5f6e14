"""`p2p304 bench hand`: what a hand costs."""

from __future__ import annotations

import json

import click

from cli.bench.hand import measure
from cli.commands.options import json_option, profile_option


@click.command("hand")
@click.option("--hands", type=click.IntRange(min=1), default=8, show_default=True)
@profile_option
@json_option
def command(hands: int, profile: str, as_json: bool) -> None:
    """Measure whole hands among four sessions in this process, everything proved.

    The processor's time of a seat holds its own proofs and the verification of the others'; what
    bots think is not in it. Sealed sizes are what a broker carries for one receiver.

    \b
    Examples:
      p2p304 bench hand
      p2p304 bench hand --hands 30 --json
    """
    found = measure(hands=hands, profile=profile)
    if as_json:
        click.echo(json.dumps(found))
        return
    click.echo(f"{hands} hands of 304 under {profile}, means a hand")
    click.echo(f"  processor time a seat  {found['cpu_s_per_seat']:.3f} s")
    click.echo(f"  messages               {found['messages']:.0f}")
    click.echo(f"  bytes                  {found['bytes']:,}")
    click.echo(f"  sealed and padded      {found['sealed_bytes']:,}")
    click.echo(f"  transcript (median)    {found['transcript_bytes']:,}")
    for name, row in found["kinds"].items():
        click.echo(f"    {name:<18} {row['messages']:>6.1f} messages {row['bytes']:>8,} bytes")
    click.echo(
        f"  audit (median, worst)  {found['audit_ms']:.0f} ms, {found['audit_worst_ms']:.0f} ms"
    )
    click.echo(
        f"  archive                {found['archive_hands_per_s']:.1f} hands a second"
        f" on {found['archive_cores']} cores"
    )
