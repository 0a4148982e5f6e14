"""`p2p304 simulate`: bots against each other, over many hands with open cards."""

from __future__ import annotations

import json
import os
from dataclasses import asdict

import click

from cli.commands import simulate_calibration, simulate_match
from cli.commands.options import game_options, gathered, json_option, seed_option
from cli.errors import ExitCode, UserError
from cli.printer import Printer, figures_table
from cli.progress import progress
from cli.simulation import results_of, shares, together
from p2p304.bots.compare.contest import ContestResult
from p2p304.bots.compare.duels import KINDS
from p2p304.bots.play304.thinking import DEPTHS
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
    type=click.Choice(list(DEPTHS)),
    default="steady",
    show_default=True,
    help="How long a competent bot thinks about a decision.",
)
@click.option(
    "--match",
    nargs=2,
    type=click.Choice(KINDS),
    metavar="A B",
    help=f"How much better A plays than B, each one of {', '.join(KINDS)}.",
)
@click.option(
    "--calibration",
    type=click.Choice(KINDS),
    help="What bots of 304 of this kind bid and make, believe, and do oddly.",
)
@click.option("--duplicate", is_flag=True, help="With --match: play every deal both ways.")
@click.option(
    "--stop",
    type=click.Choice(["hands", "matches"]),
    help="With --match: stop as soon as the interval of either shows who is better.",
)
@click.option(
    "--width",
    type=click.FloatRange(min=0, min_open=True),
    metavar="X",
    help="With --stop: stop as well where the bounds lie no farther than X from the middle.",
)
@click.option(
    "--jobs",
    "--processes",
    "jobs",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    show_default="the number of cores",
    help="How many processes play at once; the result does not depend on it.",
)
@json_option
@gathered("wishes", simulate_match.Wishes)
def command(wishes: simulate_match.Wishes, level: str) -> int:
    """Let competent bots in every other seat play whole matches against random ones.

    Every bot sees its own view alone. Every statement is checked against the real cards, and every
    disclosure against what each seat knows then: any fault ends the simulation.

    With --match two kinds of bot play each other, and you are told what A gains a hand, how many
    matches it wins, and between which bounds both lie with 95 %. The kinds change seats after each
    match. With --duplicate each deal is played a second time with the kinds in each other's seats
    and the same luck; the match goes on with the first. Ctrl-C ends it with what is there so far.

    With --calibration one kind of bot sits on every seat of 304, and you are told how often each
    bid was made that was played, how likely those from whom trump was hidden held the true suit,
    and how often bots did what no good player would. What their cards give away by perfect play
    'make hindsight' measures in the repository.

    \b
    Examples:
      p2p304 simulate
      p2p304 simulate --hands 2000 --seed 7
      p2p304 simulate --profile championship --house pre_show
      p2p304 simulate --hands 50 --json
      p2p304 simulate --match club steady --duplicate --hands 400
      p2p304 simulate --match master club --duplicate --hands 4000 --stop hands
      p2p304 simulate --calibration club --hands 200
      p2p304 simulate --match club counting --game 41 --stop matches
    """
    if wishes.calibration is not None:
        if wishes.match is not None:
            raise UserError("Give either --match or --calibration: they play different hands.")
        _only_with_a_match(wishes)
        return simulate_calibration.measure(wishes)
    if wishes.match is not None:
        return simulate_match.play(wishes)
    _only_with_a_match(wishes)
    agreed = agreement(wishes.game, wishes.profile, wishes.house)
    create_game(wishes.game, agreed)  # a mistake in it is told here, and not by another process
    parts = shares(
        wishes.game, wishes.profile, wishes.house, level, seed=wishes.seed, hands=wishes.hands
    )
    results = []
    with progress("Playing hands", wishes.hands, quiet=wishes.as_json) as advance:
        for result in results_of(parts, processes=min(wishes.jobs, len(parts))):
            results.append(result)
            advance(result.hands)
    if wishes.as_json:
        click.echo(json.dumps(_object(together(results))))
    else:
        _print(together(results))
    return ExitCode.DONE


def _only_with_a_match(wishes: simulate_match.Wishes) -> None:
    for name, given in (
        ("--duplicate", wishes.duplicate),
        ("--stop", wishes.stop),
        ("--width", wishes.width),
    ):
        if given:
            raise UserError(f"{name} needs --match and two kinds of bot, such as 'club steady'.")


def _object(result: ContestResult) -> dict[str, object]:
    competent, random = (asdict(pair) for pair in result.pairs)
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
    table = figures_table("", "Competent", "Random")
    competent, random = (asdict(pair) for pair in result.pairs)
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
