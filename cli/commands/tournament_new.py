"""`p2p304 tournament new`: a charter, and the folder of its tournament."""

from __future__ import annotations

import secrets
import shlex
from pathlib import Path

import click

from cli.commands.shell import echo
from cli.commands.tournament_options import folder_argument
from cli.commands.tournament_terms import Terms, terms_options
from cli.store.identity import THE_KEY, IdentityStore, key_in
from cli.store.paths import home
from cli.tournament.folder import INVITATION, TournamentFolder
from protocol.tournament.acts import found
from protocol.wire.identity import KEY_BYTES, SigningKey


@click.command("new")
@folder_argument
@click.option("--name", required=True, help="What it is called.")
@click.option("--dates", default="", help="When it is played, for people.")
@terms_options
@click.option(
    "--referee",
    "referees",
    metavar="KEY",
    multiple=True,
    help=f"The key of a referee: {THE_KEY}.  [default: yours]",
)
@click.option("--broker", "brokers", metavar="URL", multiple=True, help="Where its tables meet.")
def command(
    path: Path,
    name: str,
    dates: str,
    terms: Terms,
    referees: tuple[str, ...],
    brokers: tuple[str, ...],
) -> int:
    """Make a tournament in a new FOLDER, as its organiser.

    The organiser lists who takes part and can do nothing else: what teams and referees sign counts
    whoever carries it. Give the file `invitation` in the folder to those who may enter.

    \b
    Examples:
      p2p304 tournament new cup --name Cup --broker mqtts://broker.example
      p2p304 tournament new club --name Club --round-robin 3 --unit hands
    """
    keys, alone = tuple(map(key_in, referees)), not referees
    if alone:
        keys = (IdentityStore(home()).key(secrets.token_bytes).public,)
    seed = secrets.token_bytes(KEY_BYTES)
    organiser = SigningKey(seed)
    record = found(terms.charter(name, organiser.public, keys, brokers, dates), organiser)
    folder = TournamentFolder.make(path, record, secrets.token_bytes(KEY_BYTES))
    folder.keep_organiser(seed)
    named = shlex.quote(str(path))
    echo(f"The tournament is in {path}. Give the file")
    click.echo(f"  {path / INVITATION}")  # whole, to be copied
    echo("to those who may enter; whoever has it can watch. Leave this running meanwhile:")
    click.echo(f"  p2p304 tournament draw {named}")
    echo("and when all have entered:")
    click.echo(f"  p2p304 tournament draw {named} --list")
    if alone:
        echo("You are its only referee: if you play, nobody can rule on your matches.")
    return 0
