"""`p2p304 tournament new`: a charter, and the folder of its tournament."""

from __future__ import annotations

import secrets
import shlex
import sys
from pathlib import Path

import click

from cli.commands.shell import echo
from cli.commands.tournament_options import folder_argument
from cli.commands.tournament_terms import Terms, TermsCommand, file_option, terms_options
from cli.errors import UserError
from cli.store.identity import PeersFile, key_in
from cli.store.paths import home
from cli.tournament.bracket import power_lines
from cli.tournament.folder import INVITATION, TournamentFolder
from protocol.tournament.acts import found
from protocol.wire.identity import KEY_BYTES, SigningKey


@click.command("new", cls=TermsCommand)
@folder_argument
@file_option
@click.option("--name", help="What it is called.  [default: you are asked]")
@click.option("--dates", default="", help="When it is played, for people.")
@terms_options
@click.option(
    "--referee",
    "referees",
    metavar="KEY",
    multiple=True,
    help="The key of a referee ('p2p304 identity' shows it).  [default: you rule, as organiser]",
)
@click.option("--broker", "brokers", metavar="URL", multiple=True, help="Where its tables meet.")
def command(
    path: Path,
    name: str | None,
    dates: str,
    terms: Terms,
    referees: tuple[str, ...],
    brokers: tuple[str, ...],
) -> int:
    """Make a tournament in a new FOLDER, as its organiser.

    The organiser lists who takes part, and rules where no referee is named; what both teams of a
    match sign counts whoever carries it. Give the file `invitation` in the folder to those who may
    enter. What you do not say is asked, or taken from a --file.

    \b
    Examples:
      p2p304 tournament new cup --name Cup --broker mqtts://broker.example
      p2p304 tournament new club --name Club --round-robin 3 --unit hands
      p2p304 tournament new cup --name Cup --races 10 7 --third none
      p2p304 tournament new cup --file cup.toml
    """
    if name is None:
        if not sys.stdin.isatty():
            raise UserError("Give the tournament a name: --name, or one in a --file.")
        name = str(click.prompt("What the tournament is called"))
        dates = dates or str(click.prompt("When it is played", default="", show_default=False))
        asked = "Its broker, such as mqtts://broker.example (Enter: records go as files)"
        broker = "" if brokers else str(click.prompt(asked, default="", show_default=False))
        brokers = (broker,) if broker else brokers
    keys = tuple(map(key_in, referees))
    seed = secrets.token_bytes(KEY_BYTES)
    organiser = SigningKey(seed)
    record = found(terms.charter(name, organiser.public, keys, brokers, dates), organiser)
    folder = TournamentFolder.make(path, record, secrets.token_bytes(KEY_BYTES))
    folder.keep_organiser(seed)
    named = shlex.quote(str(path))
    for line in power_lines(record.charter, PeersFile(home())):
        echo(line)
    echo(f"The tournament is in {path}. Give the file")
    click.echo(f"  {path / INVITATION}")  # whole, to be copied
    echo("to those who may enter; whoever has it can watch. Leave this running meanwhile:")
    click.echo(f"  p2p304 tournament draw {named}")
    echo("and when all have entered:")
    click.echo(f"  p2p304 tournament draw {named} --list")
    return 0
