"""`p2p304 tournament bots`: a whole tournament of bots, from the entries to the champion; and
`seats`, by which it plays one match."""

from __future__ import annotations

import json
import shlex
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import click

from cli.commands.options import gathered, json_option
from cli.commands.seating import brokers_option, run_until_ended
from cli.commands.shell import echo
from cli.commands.tournament_new import Terms, TermsCommand, terms_options
from cli.commands.tournament_options import a_file
from cli.errors import ExitCode
from cli.net.address import BrokerAddress, format_nodes
from cli.net.broker import EmbeddedBroker
from cli.net.served_page import LOOPBACK
from cli.output_files import new_private_folder
from cli.tournament.auditing import audit_tournament
from cli.tournament.bots import AT_ONCE, PLACES, Wanted, played, seats_of_a_match
from cli.tournament.folder import TournamentFolder
from cli.tournament.telling import text_of
from p2p304.tournament.entries import FEWEST, MOST

EMBEDDED_TABLES: Final = 14
"""Tables at once for which our own broker has connections."""


@dataclass(frozen=True, slots=True)
class TournamentBotsOptions:
    """How many teams play, where their tables meet, and where everything is kept."""

    teams: int
    brokers: tuple[BrokerAddress, ...]
    at_once: int | None
    spectators: int
    credentials: Path | None
    out: Path | None
    as_json: bool


@click.command("bots", cls=TermsCommand)
@click.option(
    "--teams", type=click.IntRange(FEWEST, MOST), default=8, show_default=True, help="How many."
)
@terms_options
@brokers_option("Meet there instead of at a broker of our own.")
@click.option(
    "--at-once",
    type=click.IntRange(1, AT_ONCE),
    help=f"Tables at once.  [default: {AT_ONCE}, and {EMBEDDED_TABLES} at our own broker]",
)
@click.option(
    "--spectators", type=click.IntRange(0, 8), default=0, help="So many watch each table."
)
@click.option(
    "--credentials",
    type=a_file(dir_okay=False),
    metavar="FILE",
    help="What lets all of them in at the broker.",
)
@click.option(
    "--out",
    type=a_file(file_okay=False),
    metavar="FOLDER",
    help="A new or empty folder for all files.  [default: a temporary one]",
)
@json_option
@gathered("wishes", TournamentBotsOptions)
def command(wishes: TournamentBotsOptions, terms: Terms) -> int:
    """Play a tournament of bots: entries, the captains' draw, every match, the standing.

    Each table is a process of its own, and everything between them goes over the broker. Four
    folders follow the tournament as four people would, and at the end the standing of each is
    computed from its own record alone, and every transcript is audited.

    \b
    Examples:
      p2p304 tournament bots                   eight teams, the championship
      p2p304 tournament bots --teams 3 --races 2 --third none
      p2p304 tournament bots --teams 32 --broker mqtt://127.0.0.1:1883 --json
    """
    out = Path(tempfile.mkdtemp(prefix="p2p304-cup-")) if wishes.out is None else wishes.out
    if wishes.out is not None:
        new_private_folder(out)
    began, folders = time.monotonic(), list[TournamentFolder]()
    code = run_until_ended(_play(wishes, terms, out, folders))
    if not folders:
        return code
    first = folders[0]
    audit = audit_tournament(first.judged, first.transcripts)
    found = {
        "teams": wishes.teams,
        "matches": len(audit.matches),
        "champion": audit.judged.tournament and audit.judged.tournament.standing[0].team,
        "audits_valid": audit.valid,
        "standings_equal": len({text_of(each.judged) for each in folders}) == 1,
        "hands": audit.hands,
        "seconds": round(time.monotonic() - began, 1),
    }
    if wishes.as_json:
        click.echo(json.dumps(found))
    else:
        alike = "equal" if found["standings_equal"] else "NOT equal"
        wrong = "; ".join(audit.wrong)
        named = shlex.quote(str(first.path))
        echo(f"{found['champion']} is the champion.")
        echo(
            f"Matches played: {found['matches']}, hands: {audit.hands};"
            f" audits {f'INVALID ({wrong})' if wrong else 'valid'}; the standings in"
            f" {PLACES} places are {alike}."
        )
        echo("Look at it, and check it yourself:")
        click.echo(f"  p2p304 tournament status {named}")
        click.echo(f"  p2p304 tournament audit {named}")
    held = audit.valid and found["standings_equal"]
    return ExitCode.DONE if held else ExitCode.CHECK_FAILED


async def _play(
    wishes: TournamentBotsOptions, terms: Terms, out: Path, folders: list[TournamentFolder]
) -> None:
    """Play to the end, and note the `folders` that followed it."""
    async with AsyncExitStack() as stack:
        addresses, most = wishes.brokers, AT_ONCE
        if not addresses:
            own = await stack.enter_async_context(EmbeddedBroker(LOOPBACK, 0))
            addresses, most = (own.address,), EMBEDDED_TABLES
        brokers = (format_nodes(addresses),)
        wanted = Wanted(
            teams=wishes.teams,
            charter=lambda key: terms.charter("Tournament of bots", key, (key,), brokers),
            out=out,
            at_once=min(wishes.at_once or most, most),
            spectators=wishes.spectators,
            credentials=wishes.credentials,
        )
        folders += await played(wanted, partial(echo, err=wishes.as_json))


@click.command("seats", hidden=True)
def seats_command() -> int:
    """Play the match that is named on the standard input, as `tournament bots` writes it."""
    return run_until_ended(seats_of_a_match(json.loads(sys.stdin.read())))
