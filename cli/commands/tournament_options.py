"""What the commands of a tournament share: its folder, and the way to others who have it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from cli.commands.options import gathered
from cli.commands.seating import meant_for_hosts
from cli.commands.shell import echo
from cli.lines.console import Console
from cli.local.sitting import SeatOptions
from cli.net.credentials import NO_CREDENTIALS, credentials_from_file
from cli.net.transport import TransportError
from cli.sanitize import safe_text
from cli.tournament.exchange import ELSEWHERE, Due, exchange, nodes_of
from cli.tournament.folder import TournamentFolder, read_record
from protocol.tournament.record import TournamentRecord

QUIET: Final = 3.0
"""Seconds without anything new after which we have what the others have."""

a_file = partial(click.Path, path_type=Path)
folder_argument = click.argument("path", metavar="FOLDER", type=a_file(file_okay=False))
"""The argument FOLDER, as `path`."""
invitation_option = click.option(
    "--invitation",
    metavar="FILE",
    type=a_file(dir_okay=False, exists=True),
    help="What the organiser gave you, the first time; FOLDER is made.",
)
take_option = click.option(
    "--take",
    "taken",
    metavar="FILE",
    multiple=True,
    type=a_file(),
    help="Unite the record with this one: a tournament.p304t, or a folder that holds one.",
)


@dataclass(frozen=True, slots=True)
class Carried:
    """A folder that a command was given, and how its record meets those of others."""

    path: Path
    taken: tuple[Path, ...]
    offline: bool = True
    credentials: Path | None = None
    invitation: Path | None = None

    def folder(self) -> TournamentFolder:
        """Return the folder, made by the invitation and united with what is taken; raises
        UserError."""
        folder = TournamentFolder(self.path)
        if self.invitation is not None:
            folder = TournamentFolder.accept(self.path, self.invitation)
        folder.unite(folder.record, *map(read_record, self.taken))
        return folder

    def together(
        self,
        folder: TournamentFolder,
        due: Due = lambda _: (),
        quiet: float | None = QUIET,
        **more: Any,
    ) -> TournamentRecord:
        """Return the record after all that is `due` was said, and others were heard; `more` is
        what `exchange` takes.

        Offline, and where the charter names no broker, we speak to the file alone. A broker that
        cannot be reached is told, and keeps nothing back: the record can travel as a file.
        """
        if not self.offline and folder.record.charter.brokers:
            given = credentials_from_file(self.credentials) if self.credentials else NO_CREDENTIALS
            work = exchange(
                folder,
                due=due,
                quiet=quiet,
                credentials=given,
                elsewhere=lambda: echo(ELSEWHERE, err=True),
                **more,
            )
            try:
                return asyncio.run(work)
            except TransportError as error:
                told = safe_text(str(error), cells=300)
                echo(f"{told} The record stays a file meanwhile.", err=True)
        record = folder.record
        while raws := due(record):
            record = folder.add(*raws)
        return record


carrying_options = gathered(
    "cup",
    Carried,
    options=(
        click.option(
            "--credentials",
            metavar="FILE",
            type=a_file(dir_okay=False),
            help="What lets us in at the broker.",
        ),
        click.option("--offline", is_flag=True, help="Ask no broker: records come as files."),
        take_option,
        folder_argument,
    ),
)
"""FOLDER and the options --take, --offline and --credentials, as the one argument `cup`."""


async def meant_for_tournament(
    options: SeatOptions, folder: TournamentFolder, console: Console
) -> SeatOptions:
    """Return the options with credentials that may go to the brokers of a tournament, if it has
    any, which its organiser has chosen. Raises as `meant_for_hosts` does."""
    charter = folder.record.charter
    nodes = nodes_of(charter) if charter.brokers else ()
    return await meant_for_hosts(options, nodes, console)
