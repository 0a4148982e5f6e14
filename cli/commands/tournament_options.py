"""What the commands of a tournament share: its folder, and the way to others who have it."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from cli.commands.options import gather_options
from cli.commands.seating import credentials_option
from cli.commands.shell import echo
from cli.net.credentials import NO_CREDENTIALS, Credentials, credentials_from_file
from cli.net.transport import TransportError
from cli.sanitize import ERROR_CELLS, safe_text
from cli.tournament.folder import Due, TournamentFolder, exchange, read_record
from protocol.tournament.judge import JudgedRecord

# A choice: time for answers, which is lost where nobody is there.
QUIET: Final = 3.0  #: Seconds without anything new after which we have what the others have.


def confirmed(question: str) -> None:
    """Ask a yes-or-no question at a terminal, if there is one; "no" aborts the command."""
    # A script has nobody to ask, and said by the command what it wants.
    if sys.stdin.isatty():
        click.confirm(question, abort=True)


a_file = partial(click.Path, path_type=Path)
#: The argument FOLDER, as `path`.
folder_argument = click.argument("path", metavar="FOLDER", type=a_file(file_okay=False))
invitation_option = click.option(
    "--invitation",
    metavar="FILE",
    type=a_file(dir_okay=False),
    help="What the organiser gave you, the first time; FOLDER is made.",
)


@dataclass(frozen=True, slots=True)
class Cup:
    """The folder that a command works on, and the way to the others who have the record."""

    folder: TournamentFolder
    offline: bool
    credentials: Credentials

    @classmethod
    def open(
        cls,
        path: Path,
        taken: tuple[Path, ...] = (),
        *,
        offline: bool = False,
        credentials_file: Path | None = None,
        invitation: Path | None = None,
    ) -> Cup:
        """Open a folder, or make it by an `invitation`; unite its record with those in `taken`."""
        folder = TournamentFolder(path)
        if invitation is not None:
            folder = TournamentFolder.accept(path, invitation)
        # Kept at once, so that what was taken is not lost if the broker fails.
        folder.unite(folder.record, *map(read_record, taken))
        file = credentials_file
        given = NO_CREDENTIALS if file is None else credentials_from_file(file)
        # A charter may name no broker: then records are carried as files.
        return cls(folder, offline or not folder.nodes, given)

    def together(
        self, due: Due = lambda _: (), quiet: float | None = QUIET, **more: Any
    ) -> JudgedRecord:
        """Send the pieces that are `due`, hear the others unless offline, and return the judged
        record; `quiet` and `more` are arguments of `exchange`.
        """
        if not self.offline:
            # A warning: standard output may be one JSON object.
            more |= {"credentials": self.credentials, "elsewhere": partial(echo, err=True)}
            try:
                asyncio.run(exchange(self.folder, due=due, quiet=quiet, **more))
            # What was signed stands in the folder, and can be carried as a file.
            except TransportError as error:
                told = safe_text(str(error), cells=ERROR_CELLS)
                echo(f"{told} The record stays a file meanwhile.", err=True)
        # What is due, if no broker was asked or reached; again, as one piece may make another due.
        while raws := due(self.folder.judged_record):
            self.folder.add(*raws)
        return self.folder.judged_record

    def say(self, *raws: bytes) -> JudgedRecord:
        """Keep these pieces of ours, send them unless offline, and return the judged record."""
        self.folder.add(*raws)  # on the disk first: it must be said again after a crash
        return self.together()


_TAKE: Final = click.option(
    "--take", "taken", metavar="FILE", multiple=True, type=a_file(), help="Unite with this record."
)
_OFFLINE: Final = click.option(
    "--offline", is_flag=True, help="Ask no broker: records come as files."
)
_opened = partial(
    gather_options, "cup", Cup.open, "path", "taken", "offline", "credentials_file", "invitation"
)
# An audit asks nobody: what it says follows from files alone.
#: FOLDER and the option --take, as the one argument `cup`.
cup_of_files = _opened(options=(_TAKE, folder_argument))
# No --offline: results that others signed meanwhile go before a ruling (12.2).
#: FOLDER and the option --credentials, as the one argument `cup`.
cup_of_referee = _opened(options=(credentials_option, folder_argument))
#: FOLDER and the options --take, --offline and --credentials, as the one argument `cup`.
cup_options = _opened(options=(credentials_option, _OFFLINE, _TAKE, folder_argument))
