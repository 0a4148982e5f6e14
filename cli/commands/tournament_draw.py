"""`p2p304 tournament draw`: the entries are listed, and captains and organiser draw luck."""

from __future__ import annotations

import shlex
import sys

import click

from cli.commands.shell import echo
from cli.commands.tournament_options import QUIET, Carried, carrying_options
from cli.errors import UserError
from cli.sanitize import safe_name
from cli.tournament.folder import TournamentFolder, refused
from cli.tournament.telling import entry_lines, entry_text, news
from p2p304.tournament.entries import FEWEST
from protocol.tournament.acts import draw_on, list_entries, restart
from protocol.tournament.record import TournamentRecord


@click.command("draw")
@carrying_options
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
def command(
    cup: Carried,
    refuse: tuple[str, ...],
    only: tuple[str, ...],
    absent: tuple[str, ...],
    *,
    listing: bool,
    once: bool,
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
    if (refuse or only) and not listing:
        raise UserError("--refuse and --only say which entries the organiser takes: add --list.")
    folder = cup.folder()
    mine = [each for each in (folder.own_key, folder.organiser) if each is not None]
    if listing or absent:
        cup.together(folder)
    if listing:
        _list(folder, refuse, only)
    if absent:
        _restart(folder, absent)
    said: set[str] = set()
    words = folder.words

    def due(record: TournamentRecord) -> tuple[bytes, ...]:
        judged = folder.judge(record)
        raws = (draw_on(judged, key) for key in mine)
        return tuple(raw for raw in raws if raw is not None and raw not in record.raws)

    def done(record: TournamentRecord) -> bool:
        judged = folder.judge(record)
        return judged.head is not None or not judged.certain

    def tell(record: TournamentRecord) -> None:
        judged = folder.judge(record)
        for line in news(judged, said, words) if judged.head is None else ():
            echo(line)

    record = cup.together(folder, due, QUIET if once else None, done=done, told=tell)
    tell(record)
    judged = folder.acting(record)
    if judged.head is not None and judged.tournament is not None:
        echo("All have drawn. The order of the teams:")
        for number, team in enumerate(judged.tournament.order, 1):
            echo(f"{number:>3} {safe_name(team, cells=32)}")
        for line in news(judged, said):
            echo(line)
        echo(f"Each player goes on with 'p2p304 tournament play {shlex.quote(str(cup.path))}'.")
    return 0


def _list(folder: TournamentFolder, refuse: tuple[str, ...], only: tuple[str, ...]) -> None:
    """List every complete entry, or some, in the order of their ids."""
    record, organiser = folder.record, folder.as_organiser("lists the entries")
    if record.lists:
        return
    entries = record.standing_entries
    if not entries:
        raise UserError(
            "No entry that all of its players have signed has come yet: leave 'p2p304 tournament"
            f" draw {folder.path}' running while they enter, or --take their records."
        )
    out, picked = _meant(folder, refuse), _meant(folder, only)
    ids = tuple(each for each in entries if each not in out and (not only or each in picked))
    how = "leave one out with --refuse" if len(ids) > FEWEST else "wait for others to enter"
    for name in ids:
        echo(f"Listed: {entry_text(entries[name], folder.words)}")
    with refused("These entries cannot meet", f"; {how}"):
        raw = list_entries(record, organiser, ids)
    if sys.stdin.isatty():
        click.confirm("These teams take part, and no others?", abort=True)
    folder.add(raw)


def _meant(folder: TournamentFolder, named: tuple[str, ...]) -> set[bytes]:
    """Return the ids of the entries of these numbers or teams; raises UserError for others."""
    found: set[bytes] = set()
    entries = tuple(folder.record.standing_entries.items())
    for each in named:
        numbered = each.isdecimal() and 1 <= int(each) <= len(entries)
        ids = [name for name, entry in entries if entry.team == each]
        if numbered and not ids:
            ids = [entries[int(each) - 1][0]]
        if len(ids) != 1:
            why = "Several entries have the team" if ids else "No entry has the number or the team"
            for line in entry_lines(folder.record, folder.words):
                echo(line, err=True)
            raise UserError(f"{why} {safe_name(each, cells=32)}: name one by its number above.")
        found |= {*ids}
    return found


def _restart(folder: TournamentFolder, absent: tuple[str, ...]) -> None:
    record = folder.record
    teams = {entry.team for entry in record.entries.values()}
    for name in absent:
        if name not in teams:
            known = ", ".join(sorted(teams)) or "none"
            raise UserError(f"No team {name} has entered; these have: {known}.")
    with refused("The draw is not made again"):
        folder.add(restart(folder.acting(record), folder.referee or folder.own_key, absent))
