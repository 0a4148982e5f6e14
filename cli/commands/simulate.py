"""`p2p304 simulate`: competent bots against random ones, over many hands with open cards."""

from __future__ import annotations

import json
import os

import click
from rich import box
from rich.console import Console
from rich.table import Table

from cli.commands.options import house_rules, json_option, profile_option, seed_option
from cli.progress import progress
from cli.simulation import MatchOrder, Summary, series, summary
from p2p304.bots.thinking import LEVELS
from p2p304.rules304.agreement import profile_named


@click.command("simulate")
@click.option(
    "--hands",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="Matches are begun until so many hands are over; the last one is played to its end.",
)
@seed_option
@profile_option
@house_rules
@click.option(
    "--level",
    type=click.Choice(list(LEVELS)),
    default="steady",
    show_default=True,
    help="How long a competent bot thinks about a decision.",
)
@click.option(
    "--processes",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    show_default="the number of cores",
    help="How many matches are played at once; the result does not depend on it.",
)
@json_option
def command(
    hands: int,
    seed: int,
    profile: str,
    house: tuple[str, ...],
    level: str,
    processes: int,
    as_json: bool,
) -> None:
    """Let two competent bots play whole matches against two random ones.

    Every bot sees its own view alone. Every statement is checked against the real cards, and every
    disclosure against what each seat knows then: any fault ends the simulation.

    \b
    Examples:
      p2p304 simulate
      p2p304 simulate --hands 2000 --seed 7
      p2p304 simulate --profile championship --house pre_show
      p2p304 simulate --hands 50 --json
    """
    profile_named(profile, house)  # a mistake in it is told here, and not by another process
    first = MatchOrder(profile, house, seed, 0, level)
    reports = []
    with progress("Playing hands", hands, quiet=as_json) as advance:
        for report in series(first, least_hands=hands, processes=processes):
            reports.append(report)
            advance(report.hands)
    if as_json:
        click.echo(json.dumps(summary(reports)._asdict()))
    else:
        _print(summary(reports))


def _print(result: Summary) -> None:
    table = Table(box=box.SIMPLE, pad_edge=False)
    for heading in ("", "Competent", "Random"):
        table.add_column(heading, justify="left" if not heading else "right")
    lost = result.matches - result.matches_won - result.matches_unfinished
    table.add_row("matches won", str(result.matches_won), str(lost))
    table.add_row("bids made", str(result.bids_made), str(result.random_bids_made))
    table.add_row("bids failed", str(result.bids_failed), str(result.random_bids_failed))
    for verdict, count in result.caps.items():
        table.add_row(f"caps: {verdict.replace('_', ' ')}", str(count), "")
    table.add_row("rules broken", str(result.violations), "")
    console = Console(highlight=False)
    console.print(table)
    ends = ", ".join(f"{count} {end.replace('_', ' ')}" for end, count in result.results.items())
    console.print(f"{result.hands} hands in {result.matches} matches: {ends}.")
    if result.match_win_rate is not None:
        rate = 100 * result.match_win_rate
        console.print(f"The competent team won {rate:.1f} % of the finished matches.")
    if result.matches_unfinished:
        console.print(f"{result.matches_unfinished} matches were given up without a winner.")
