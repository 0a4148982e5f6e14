"""`p2p304 conformance`: other people's programs tried against the specification."""

from __future__ import annotations

from typing import Final

import click

from cli.lazy import Home, LazyGroup

_TRIED: Final = "cli.commands.conformance_trials"
_SEATED: Final = "cli.commands.conformance_seat"
TRIALS: Final = {
    "vectors": Home(_TRIED, "Ask CMD every vector and score its answers.", "vectors"),
    "auditor": Home(_TRIED, "Have CMD judge honest and mutated transcripts.", "auditor"),
    "seat": Home(_SEATED, "Sit CMD down with three seats of ours.", "seat"),
    "summary": Home(_TRIED, "Tell several reports in one table, with totals.", "summary"),
    "sit": Home(_SEATED, "", "sit"),
    "serve": Home("cli.commands.conformance_serve", ""),
}
"""Those without a summary are ours under test, and are not listed."""


@click.group("conformance", cls=LazyGroup, homes=TRIALS)
def command() -> None:
    """Try another program against the specification, with vectors, audits and a table.

    CMD starts the program; how it is spoken with is told in specs/conformance.md.

    \b
    Examples:
      p2p304 conformance vectors 'node checker.mjs'
      p2p304 conformance vectors 'node checker.mjs' --category shuffle --json
      p2p304 conformance auditor './auditor' --mutations 10000 --junit report.xml
      p2p304 conformance seat './seat' --report seat.json
      p2p304 conformance summary vectors.json auditor.json seat.json

    \b
    Exit codes: 0 all passed, 1 something failed or nothing is supported,
    2 the program cannot be run.
    """
