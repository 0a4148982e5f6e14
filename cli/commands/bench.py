"""`p2p304 bench`: what the program's parts cost on this machine."""

from __future__ import annotations

from typing import Final

import click

from cli.lazy import Home, LazyGroup

BENCHES: Final = {
    "all": Home("cli.commands.bench_all", "Every figure on one page, beside its floor."),
    "cards": Home("cli.commands.bench_cards", "Shuffles, shares and statements of masked cards."),
    "deal": Home("cli.commands.bench_deal", "Deals among four processes over real brokers."),
    "hand": Home("cli.commands.bench_hand", "A whole hand: time, messages, bytes, audits."),
    "latency": Home("cli.commands.bench_latency", "From a key press to all four screens."),
    "start": Home("cli.commands.bench_start", "From the shell to the first cards."),
    "rules": Home("cli.commands.bench_rules", "Random hands a second; the judge of caps."),
}


@click.group("bench", cls=LazyGroup, homes=BENCHES)
def command() -> None:
    """Measure the parts of the program on this machine.

    Every measurement prints a table, or one JSON object with --json.

    \b
    Examples:
      p2p304 bench cards
      p2p304 bench rules
      p2p304 bench rules --json | python3 -m json.tool
    """
