"""The groups `p2p304 tournament` and `p2p304 conformance`, and their commands."""

from __future__ import annotations

from typing import Final

import click

from cli.lazy import Home, LazyGroup

_RECORD: Final = "cli.commands.tournament_record"
_TABLE: Final = "cli.commands.tournament_play"
# `LazyGroup` imports a command's module only when it is called: the help needs none of them.
TOURNAMENTS: Final = {
    "new": Home(_RECORD, "Make a tournament, and invite to it.", "new_command"),
    "enter": Home(_RECORD, "Enter a team, or sign the entry of yours.", "enter_command"),
    "draw": Home(_RECORD, "List the entries, and draw luck together.", "draw_command"),
    "play": Home(_TABLE, "Play your next match.", "play_command"),
    "reserve": Home(_RECORD, "Let the reserve of your team sit in.", "reserve_command"),
    "status": Home(_RECORD, "Show bracket, matches and standing.", "status_command"),
    "withdraw": Home(_RECORD, "Withdraw your team, as its captain.", "withdraw_command"),
    "rule": Home(_TABLE, "Rule at a match's table, as its referee.", "rule_command"),
    "audit": Home(_RECORD, "Check a whole tournament from its files.", "audit_command"),
    "bots": Home("cli.commands.tournament_bots", "Play a whole tournament of bots."),
}


@click.group("tournament", cls=LazyGroup, homes=TOURNAMENTS)
def tournament() -> None:
    """Tournaments: the draw is luck that nobody chose, each result a proof.

    A tournament is a folder: its record, which all who take part sign and anybody may copy, and
    the transcripts of its matches. Two copies are united in any order with --take FILE. Players and
    referees are named by KEY: the 64 digits that 'p2p304 identity' prints.

    \b
    Examples:
      p2p304 tournament new cup --name Cup --broker mqtts://broker.example
      p2p304 tournament enter cup --invitation FILE --team Lions --with KEY=Ben
      p2p304 tournament draw cup
      p2p304 tournament play cup
      p2p304 tournament status cup
      p2p304 tournament audit cup
    """


_TRIED: Final = "cli.commands.conformance_trials"
#: `sit` has no summary, so that the help does not list it: it plays our own seat under test.
TRIALS: Final = {
    "vectors": Home(_TRIED, "Ask CMD each test vector, and score its answers.", "vectors"),
    "auditor": Home(_TRIED, "Have CMD judge honest and mutated transcripts.", "auditor"),
    "seat": Home(_TRIED, "Let CMD play hands with seats of ours.", "seat"),
    "sit": Home(_TRIED, "", "sit"),
}


@click.group("conformance", cls=LazyGroup, homes=TRIALS)
def conformance() -> None:
    """Try another program against the specification, with vectors, audits and a table.

    CMD is the command line of that program. It reads and writes lines of JSON, as
    specs/conformance.md says.

    \b
    Examples:
      p2p304 conformance vectors 'node checker.mjs'
      p2p304 conformance vectors 'node checker.mjs' --category shuffle --json
      p2p304 conformance auditor './auditor' --mutations 10000 --junit report.xml
      p2p304 conformance seat './seat'

    \b
    Exit codes: 0 all passed, 1 something failed or nothing is supported,
    2 the program cannot be run.
    """
