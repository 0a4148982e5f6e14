"""`p2p304 bench`: what the program's parts cost on this machine."""

from __future__ import annotations

from typing import Final

import click

from cli.lazy import Home, LazyGroup

_PARTS: Final = "cli.commands.bench_parts"
BENCHES: Final = {
    "all": Home(_PARTS, "Every figure on one page, beside its floor."),
    "cards": Home(_PARTS, "Shuffles, shares and statements of masked cards.", "cards"),
    "deal": Home(_PARTS, "Deals among four processes over real brokers.", "deal"),
    "hand": Home("cli.commands.bench_hand", "A whole hand: time, messages, bytes, audits."),
    "latency": Home("cli.commands.bench_latency", "From a key press to all four screens."),
    "start": Home(_PARTS, "From the shell to the first cards.", "start"),
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
