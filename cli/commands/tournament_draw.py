"""`p2p304 tournament draw`: the entries are listed, and captains and organiser draw luck."""

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
    team_of,
)
from cli.errors import UserError
from cli.sanitize import safe_name, safe_text
from cli.store.identity import IdentityStore
from cli.store.paths import home
from cli.tournament.bracket import entry_lines, left_out
from cli.tournament.folder import TournamentFolder
from cli.wording import capital
from p2p304.tournament.entries import FEWEST
from protocol.errors import LocalError, MalformedMessage
from protocol.tournament.acts import draw_on, list_entries, restart
from protocol.tournament.record import TournamentRecord
from protocol.wire.identity import SigningKey


@click.command("draw")
@folder_argument
@click.option(
    "--list",
    "listing",
    is_flag=True,
    help="As the organiser: take every complete entry, and no others from now on.",
)
@click.option(
    "--refuse",
    metavar="ENTRY",
    multiple=True,
    help="With --list: leave this one out, by its number ('status' shows it) or team.",
)
@click.option("--only", metavar="ENTRY", multiple=True, help="With --list: take these alone.")
@click.option(
    "--absent",
    metavar="TEAM",
    multiple=True,
    help="As a referee: draw again without this team, whose captain does not draw.",
)
@click.option("--once", is_flag=True, help="Say what is due now and do not wait for the others.")
@carrying_options
def command(
    path: Path,
    listing: bool,
    refuse: tuple[str, ...],
    only: tuple[str, ...],
    absent: tuple[str, ...],
    once: bool,
    taken: tuple[Path, ...],
    offline: bool,
    credentials: Path | None,
) -> int:
    """Draw luck together with the captains of all teams; the order of the teams follows from it.

    Each captain runs this, and the organiser, until all have drawn. Each fixes a share of the luck
    before any share is opened, and the organiser opens last. So nobody can choose the luck, and a
    captain who stops knows nothing of it. Left running before the list, this passes on entries
    that come and go. A referee leaves out who never draws; that team is out of the tournament.

    \b
    Examples:
      p2p304 tournament draw cup --list          the organiser, when all are in
      p2p304 tournament draw cup --list --refuse 3 --refuse Wolves
      p2p304 tournament draw cup                 every captain
      p2p304 tournament draw cup --absent Bears  a referee: they never came
    """
    folder = gathered_folder(path, taken)
    _ = folder.record  # before a key is looked for, or a seed made, where no tournament is
    mine = [IdentityStore(home()).key(secrets.token_bytes)]
    organiser = folder.organiser
    if organiser is not None:
        mine.append(organiser)
    if listing or absent:
        brought_together(folder, offline=offline, credentials=credentials)
    if listing:
        _list(folder, organiser, refuse, only)
    if absent:
        _restart(folder, folder.referee or mine[0], absent)
    news = _News(folder)

    def due(record: TournamentRecord) -> tuple[bytes, ...]:
        judged = folder.judge(record)
        said = (draw_on(judged, key) for key in mine)
        return tuple(raw for raw in said if raw is not None and not _has(record, raw))

    def done(record: TournamentRecord) -> bool:
        judged = folder.judge(record)
        return judged.head is not None or not judged.certain

    record = brought_together(
        folder,
        offline=offline,
        credentials=credentials,
        due=due,
        done=done,
        quiet=3.0 if once else None,
        told=news.tell,
    )
    judged = folder.acting(record)
    news.tell(record)
    if judged.head is None or judged.tournament is None:
        return 0
    echo("All have drawn. The order of the teams:")
    for number, team in enumerate(judged.tournament.order, 1):
        echo(f"{number:>3} {safe_name(team, cells=32)}")
    return 0


class _News:
    """Says once of each thing that changes: who has entered, who is left out, who is awaited."""

    def __init__(self, folder: TournamentFolder) -> None:
        self._folder = folder
        self._said: set[str] = set()
        self._waits = ""

    def tell(self, record: TournamentRecord) -> None:
        """Say what is new in a record."""
        judged = self._folder.judge(record)
        if not record.lists:
            for line in entry_lines(record):
                self._once(f"Entered: {line.partition('.')[2].strip()}")
        for team in left_out(judged):
            name = safe_name(team, cells=32)
            self._once(f"{name} is out: a referee had the draw made again without its captain.")
        if judged.waits and judged.waits != self._waits:
            self._waits = judged.waits
            echo(f"{safe_text(capital(self._waits), cells=600)}.")

    def _once(self, line: str) -> None:
        if line not in self._said:
            self._said.add(line)
            echo(line)


def _list(
    folder: TournamentFolder,
    organiser: SigningKey | None,
    refuse: tuple[str, ...],
    only: tuple[str, ...],
) -> None:
    """List every complete entry, or some, in the order of their ids."""
    record = folder.record
    if organiser is None:
        raise UserError("The organiser lists the entries, on the machine that made the tournament.")
    if record.lists:
        return
    entries = record.standing_entries
    if not entries:
        raise UserError(
            "No entry that all of its players have signed has come yet: leave 'p2p304 tournament"
            f" draw {folder.path}' running while they enter, or --take their records."
        )
    refused, picked = _meant(record, refuse), _meant(record, only)
    ids = tuple(each for each in entries if each not in refused and (not only or each in picked))
    try:
        folder.add(list_entries(record, organiser, ids))
    except MalformedMessage as error:
        why = safe_text(error.detail or error.check, cells=200)
        how = "leave one out with --refuse" if len(ids) > FEWEST else "wait for others to enter"
        _show(record)
        raise UserError(f"These entries cannot meet: {why}; {how}.") from None
    except LocalError as error:
        raise UserError(f"The entries cannot be listed: {error}.") from None


def _meant(record: TournamentRecord, named: tuple[str, ...]) -> set[bytes]:
    """Return the ids of the entries of these numbers or teams; raises UserError for others."""
    found: set[bytes] = set()
    entries = tuple(record.standing_entries.items())
    for each in named:
        numbered = each.isdecimal() and 1 <= int(each) <= len(entries)
        ids = [name for name, entry in entries if entry.team == each]
        if numbered and not ids:
            ids = [entries[int(each) - 1][0]]
        if len(ids) != 1:
            why = "Several entries have the team" if ids else "No entry has the number or the team"
            _show(record)
            raise UserError(f"{why} {safe_name(each, cells=32)}: name one by its number above.")
        found |= {*ids}
    return found


def _show(record: TournamentRecord) -> None:
    for line in entry_lines(record):
        echo(line, err=True)


def _restart(folder: TournamentFolder, referee: SigningKey, absent: tuple[str, ...]) -> None:
    record = folder.record
    teams = tuple(team_of(record, each) for each in absent)
    try:
        folder.add(restart(folder.acting(record), referee, teams))
    except LocalError as error:
        raise UserError(f"The draw is not made again: {error}.") from None


def _has(record: TournamentRecord, raw: bytes) -> bool:
    return raw in record.raws
