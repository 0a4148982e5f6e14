"""`p2p304 bench rules`: how fast hands are played, and caps judged."""

from __future__ import annotations

import json

import click

from cli.bench.rules import GOAL_MS, PLAYOUT_GOAL, RulesFigures, measure
from cli.commands.options import json_option, seed_option
from cli.printer import Printer, figures_table
from cli.progress import progress


@click.command("rules")
@click.option("--hands", type=click.IntRange(min=2), default=3000, show_default=True)
@click.option(
    "--caps-hands",
    type=click.IntRange(min=2),
    default=300,
    show_default=True,
    help="In how many of the played hands caps are judged.",
)
@seed_option
@json_option
def command(hands: int, caps_hands: int, seed: int, as_json: bool) -> None:
    """Play random hands as fast as they go, then judge caps in some of them.

    Times are CPU seconds of one core. Random players seldom make claims that would end a hand at
    once, so that most hands reach their last trick. The judge is asked in every position in
    which a seat had learned something new and its team had won all tricks so far.

    \b
    Examples:
      p2p304 bench rules
      p2p304 bench rules --json
      p2p304 bench rules --hands 200 --caps-hands 50      a quick look
    """
    with progress("Playing and judging", hands + caps_hands, quiet=as_json) as advance:
        figures = measure(hands, caps_hands, seed, advance)
    if as_json:
        click.echo(json.dumps(figures._asdict()))
    else:
        _print(figures)


def _print(figures: RulesFigures) -> None:
    table = figures_table("What", "Figure", "Goal")
    table.add_row("random hands a second", f"{figures.random_hands_per_s:,.0f}", "1,000")
    table.add_row("actions a hand", f"{figures.actions_per_hand:.1f}", "")
    played = f"{figures.playout_hands_per_s:,.0f}"
    table.add_row("random hands a second, in playouts", played, f"{PLAYOUT_GOAL:,}")
    table.add_row("caps of a hand, median", f"{figures.caps_median_ms:.2f} ms", "")
    table.add_row("caps of a hand, 99th percentile", f"{figures.caps_p99_ms:.2f} ms", "")
    table.add_row("caps of a position, median", f"{figures.caps_position_median_ms:.3f} ms", "")
    table.add_row(
        "caps of a position, 99th percentile",
        f"{figures.caps_position_p99_ms:.2f} ms",
        f"{GOAL_MS:.0f} ms",
    )
    within = 100 * figures.caps_positions_within_50_ms
    table.add_row(f"positions within {GOAL_MS:.0f} ms", f"{within:.2f} %", "99 %")
    table.add_row("most nodes of a position", f"{figures.caps_most_nodes:,}", "")
    console = Printer(highlight=False)
    console.print(table)
    console.print(
        f"{figures.random_hands:,} random hands; caps judged in {figures.caps_hands:,} of them, "
        f"{figures.caps_positions:,} positions."
    )
