"""`p2p304 tournament withdraw`: a captain takes its team out of the tournament."""

from __future__ import annotations

import secrets
from pathlib import Path

import click

from cli.commands.shell import echo
from cli.commands.tournament_options import (
    brought_together,
    carrying_options,
    folder_argument,
    gathered_folder,
)
from cli.errors import UserError
from cli.store.identity import IdentityStore
from cli.store.paths import home
from protocol.errors import LocalError
from protocol.tournament.acts import withdraw


@click.command("withdraw")
@folder_argument
@carrying_options
def command(path: Path, taken: tuple[Path, ...], offline: bool, credentials: Path | None) -> int:
    """Withdraw your team, as its captain: it loses every match that it has not played.

    What it has played stands. Nobody can take this back.

    \b
    Examples:
      p2p304 tournament withdraw cup
    """
    folder = gathered_folder(path, taken)
    record = brought_together(folder, offline=offline, credentials=credentials)
    key = IdentityStore(home()).key(secrets.token_bytes)
    try:
        folder.add(withdraw(folder.acting(record), key))
    except LocalError as error:
        raise UserError(f"Nothing is withdrawn: {error}.") from None
    brought_together(folder, offline=offline, credentials=credentials)
    echo("Your team has withdrawn.")
    return 0
