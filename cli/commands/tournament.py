"""`p2p304 tournament`: tournaments that nobody has to trust."""

from __future__ import annotations

from typing import Final

import click

from cli.lazy import Home, LazyGroup

COMMANDS: Final = {
    "new": Home("cli.commands.tournament_new", "Make a tournament, and invite to it."),
    "enter": Home("cli.commands.tournament_enter", "Enter a team, or sign the entry of yours."),
    "draw": Home("cli.commands.tournament_draw", "List the entries, and draw luck together."),
    "play": Home("cli.commands.tournament_play", "Play your next match."),
    "status": Home("cli.commands.tournament_status", "Show bracket, matches and standing."),
    "rule": Home("cli.commands.tournament_rule", "Rule at a match's table, as its referee."),
    "audit": Home("cli.commands.tournament_audit", "Check a whole tournament from its files."),
    "bots": Home("cli.commands.tournament_bots", "Play a whole tournament of bots."),
    "seats": Home("cli.commands.tournament_seats", ""),
}


@click.group("tournament", cls=LazyGroup, homes=COMMANDS)
def command() -> None:
    """Tournaments: the draw is luck that nobody chose, each result a proof.

    A tournament is a folder: its record, which all who take part sign and anybody may copy, and
    the transcripts of its matches. Two copies are united in any order with --take FILE.

    \b
    Examples:
      p2p304 tournament new cup --name Cup --broker mqtts://broker.example
      p2p304 tournament enter cup --invitation FILE --team Lions --with KEY=Ben
      p2p304 tournament draw cup
      p2p304 tournament play cup
      p2p304 tournament status cup
      p2p304 tournament audit cup
    """
