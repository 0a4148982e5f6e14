"""`p2p304 bench hand`: what a hand costs."""

from __future__ import annotations

import json
from typing import Any

import click

from cli.bench.hand import agreements, measure
from cli.commands.bench_parts import interrupted_by_sigterm
from cli.commands.options import DEFAULT_PROFILE, USUAL, json_option
from p2p304.games import GAMES

_COLUMNS = {
    "seats": "seats",
    "hands": "hands",
    "CPU s/seat": "cpu_s_per_seat",
    "of its ops": "cpu_over_ops",
    "messages": "messages",
    "bytes": "bytes",
    "audit ms": "audit_ms",
    "of these ops": "audit_over_ops",
}


@click.command("hand")
@click.option("--hands", type=click.IntRange(min=1), default=8, show_default=True)
@click.option("--game", type=click.Choice(list(GAMES)), default=USUAL, show_default=True)
@click.option("--profile", metavar="NAME", help="Its rules.  [default: the usual ones]")
@click.option("--every", is_flag=True, help="A row for every game and profile there is.")
@json_option
@interrupted_by_sigterm()
def command(hands: int, game: str, profile: str | None, every: bool, as_json: bool) -> None:
    """Measure whole hands among sessions in this process, everything proved.

    The processor's time of a seat holds its own proofs and the verification of the others'; what
    bots think is not in it. Beside it and the time of an audit stands how many times the group
    operations and signatures take that are counted in them, at what one costs here: the ratio
    compares machines. Figures are medians of the hands that were played.

    \b
    Examples:
      p2p304 bench hand
      p2p304 bench hand --game 400 --hands 3
      p2p304 bench hand --every --hands 2 --json
    """
    usual = DEFAULT_PROFILE if game == USUAL else ""
    chosen = agreements() if every else [(game, usual if profile is None else profile)]
    rows = []
    for name, rules in chosen:
        rows.append(measure(name, rules, hands=hands).as_json())
        if not as_json:
            _print(rows[-1], heading=len(rows) == 1)
    if as_json:
        click.echo(json.dumps({"rows": rows}))
    elif not every:
        click.echo("\nMeans of all deals, those without play among them")
        click.echo(f"  {'sealed and padded':<18}{'':>16} {rows[0]['sealed_bytes']:>8,} bytes")
        for name, row in rows[0]["kinds"].items():
            click.echo(f"  {name:<18} {row['messages']:>6.1f} messages {row['bytes']:>8,} bytes")


def _print(row: dict[str, Any], *, heading: bool) -> None:
    if heading:
        click.echo(f"{'':<22}" + "".join(f"{each:>13}" for each in _COLUMNS))
    name = f"{row['game']} {row['profile']}".strip()
    click.echo(f"{name:<22}" + "".join(f"{row[key]:>13,}" for key in _COLUMNS.values()))
