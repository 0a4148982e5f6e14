"""`p2p304 simulate`: competent bots against random ones, over many hands with open cards."""

from __future__ import annotations

import json
import os
from dataclasses import asdict

import click
from rich import box
from rich.table import Table

from cli.commands.options import game_options, json_option, seed_option
from cli.printer import Printer
from cli.progress import progress
from cli.simulation import results_of, shares, together
from p2p304.bots.contest import ContestResult
from p2p304.bots.thinking import LEVELS
from p2p304.games import agreement, create_game


@click.command("simulate")
@click.option(
    "--hands",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="How many hands to play, in whole matches as far as they go.",
)
@seed_option
@game_options
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
    help="How many of them play at once; the result does not depend on it.",
)
@json_option
def command(
    hands: int,
    seed: int,
    game: str,
    profile: str | None,
    house: tuple[str, ...],
    level: str,
    processes: int,
    as_json: bool,
) -> None:
    """Let competent bots in every other seat play whole matches against random ones.

    Every bot sees its own view alone. Every statement is checked against the real cards, and every
    disclosure against what each seat knows then: any fault ends the simulation.

    \b
    Examples:
      p2p304 simulate
      p2p304 simulate --hands 2000 --seed 7
      p2p304 simulate --profile championship --house pre_show
      p2p304 simulate --game 41
      p2p304 simulate --hands 50 --json
    """
    create_game(
        game, agreement(game, profile, house)
    )  # a mistake in it is told here, and not by another process
    parts = shares(game, profile, house, level, seed=seed, hands=hands)
    results = []
    with progress("Playing hands", hands, quiet=as_json) as advance:
        for result in results_of(parts, processes=min(processes, len(parts))):
            results.append(result)
            advance(result.hands)
    if as_json:
        click.echo(json.dumps(_object(together(results))))
    else:
        _print(together(results))


def _object(result: ContestResult) -> dict[str, object]:
    competent, random = map(asdict, result.pairs)
    return {
        "match_win_rate": result.match_win_rate if result.matches else None,
        "bids_made": result.bids_made,
        "bids_failed": result.bids_failed,
        "hands": result.hands,
        "voids": result.voids,
        "matches": result.matches,
        "competent": competent,
        "random": random,
    }


def _print(result: ContestResult) -> None:
    table = Table(box=box.SIMPLE, pad_edge=False)
    for heading in ("", "Competent", "Random"):
        table.add_column(heading, justify="left" if not heading else "right")
    competent, random = map(asdict, result.pairs)
    detailed = any(pair.bids_made or pair.bids_failed for pair in result.pairs)
    named = {"matches": "matches won", **({} if detailed else {"tokens": "score"})}
    for name, count in competent.items():
        if not detailed and name not in named:
            continue
        shown = named.get(name, name.replace("_", " "))
        table.add_row(shown, f"{count:,}", f"{random[name]:,}")
    console = Printer(highlight=False)
    console.print(table)
    console.print(f"{result.hands:,} hands, {result.voids:,} of them without a score.")
    if result.matches:
        rate = 100 * result.match_win_rate
        console.print(
            f"The competent bots won {rate:.1f} % of {result.matches:,} finished matches."
        )
    else:
        console.print("No match was finished in so few hands.")
