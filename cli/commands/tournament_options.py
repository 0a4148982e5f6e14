"""What the commands of a tournament share: the folder, further records, the way to the others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from cli.commands.options import CommandT
from cli.commands.seating import meant_for_hosts
from cli.commands.shell import echo
from cli.errors import UserError
from cli.lines.console import Console
from cli.local.sitting import SeatOptions
from cli.net.credentials import NO_CREDENTIALS, credentials_from_file
from cli.net.transport import TransportError
from cli.sanitize import safe_text
from cli.tournament.exchange import ELSEWHERE, Done, Due, exchange, nodes_of
from cli.tournament.folder import TournamentFolder, read_records
from protocol.tournament.record import TournamentRecord

QUIET: Final = 3.0
"""Seconds without anything new after which we have what the others have."""

folder_argument = click.argument(
    "path", metavar="FOLDER", type=click.Path(file_okay=False, path_type=Path)
)
"""The argument FOLDER, as `path`."""

_take = click.option(
    "--take",
    "taken",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Unite the record with this one: a tournament.p304t, or a folder that holds one.",
)
_offline = click.option("--offline", is_flag=True, help="Ask no broker: records come as files.")
_credentials = click.option(
    "--credentials",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="What lets us in at the broker.",
)


def carrying_options(command: CommandT) -> CommandT:
    """Give a command --take, --offline and --credentials, as `taken`, `offline`, `credentials`."""
    return _take(_offline(_credentials(command)))


def gathered_folder(path: Path, taken: tuple[Path, ...]) -> TournamentFolder:
    """Return the folder, united with these records; raises UserError."""
    folder = TournamentFolder(path)
    if taken:
        folder.unite(folder.record, *read_records(taken))
    return folder


async def meant_for_tournament(
    options: SeatOptions, folder: TournamentFolder, console: Console
) -> SeatOptions:
    """Return the options with credentials that may go to the brokers of a tournament, if it has
    any, which its organiser has chosen. Raises as `meant_for_hosts` does."""
    charter = folder.record.charter
    nodes = nodes_of(charter) if charter.brokers else ()
    return await meant_for_hosts(options, nodes, console)


def brought_together(
    folder: TournamentFolder,
    *,
    offline: bool,
    credentials: Path | None,
    due: Due = lambda _: (),
    done: Done = lambda _: False,
    quiet: float | None = QUIET,
    told: Callable[[TournamentRecord], None] = lambda _: None,
    alone: Callable[[], None] = lambda: None,
) -> TournamentRecord:
    """Return the record after all that is due was said, and others were heard.

    Offline, and where the charter names no broker, we speak to the file alone. A broker that cannot
    be reached is told, and keeps nothing back: the record can travel as a file.
    """
    if not offline and folder.record.charter.brokers:
        given = credentials_from_file(credentials) if credentials is not None else NO_CREDENTIALS
        work = exchange(
            folder,
            due=due,
            done=done,
            quiet=quiet,
            credentials=given,
            told=told,
            alone=alone,
            elsewhere=lambda: echo(ELSEWHERE, err=True),
        )
        try:
            return asyncio.run(work)
        except TransportError as error:
            told_error = safe_text(str(error), cells=300)
            echo(f"{told_error} The record stays a file meanwhile.", err=True)
    record = folder.record
    while raws := due(record):
        record = folder.add(*raws)
    return record


def team_of(record: TournamentRecord, name: str) -> str:
    """Return the name of a team that entered; raises UserError for another one."""
    teams = {entry.team for entry in record.entries.values()}
    if name not in teams:
        known = ", ".join(sorted(teams)) or "none"
        raise UserError(f"No team {name} has entered; these have: {known}.")
    return name
