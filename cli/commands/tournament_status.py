"""`p2p304 tournament status`: who plays, who waits for whom, and where everybody stands."""

from __future__ import annotations

import json
import shlex
import shutil
from functools import partial
from pathlib import Path

import click

from cli.commands.options import json_option
from cli.commands.shell import echo
from cli.commands.tournament_options import Carried, carrying_options, invitation_option
from cli.errors import ExitCode, UserError
from cli.output_files import prepare_file, write_file
from cli.sanitize import safe_text
from cli.tournament.exchange import over
from cli.tournament.folder import refused
from cli.tournament.referee import rulings
from cli.tournament.telling import (
    convicted,
    csv_rows,
    news,
    pairing_lines,
    text_of,
    tournament_page,
    tournament_parts,
)
from protocol.tournament.acts import end
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.record import TournamentRecord

_FALLBACK = (80, 24)


@click.command("status")
@carrying_options
@click.option("--text", "shape", flag_value="text", help="Print the tournament's text alone.")
@click.option("--csv", "shape", flag_value="csv", help="Print the standing as a table for others.")
@click.option("--pairings", "shape", flag_value="pairings", help="Print who meets whom now.")
@click.option("--end", "ending", is_flag=True, help="As the organiser: sign that all is decided.")
@click.option("--page", metavar="FILE", help="Write it as a page for any browser.")
@click.option(
    "--follow",
    is_flag=True,
    help="Stay until the last match is decided: tell what changes, and pass it on.",
)
@json_option
@invitation_option
def command(
    cup: Carried, shape: str | None, page: str | None, *, ending: bool, follow: bool, as_json: bool
) -> int:
    """Show the bracket, the matches and the standing, as they follow from the record.

    What others have signed is heard from whoever is there at the same time. Somebody who follows,
    such as the organiser, hears everything and passes it on to who comes later. With an
    --invitation this makes the folder of a referee, or of who looks on. Exit code 1: the record
    convicts somebody, who is named first.

    \b
    Examples:
      p2p304 tournament status cup
      p2p304 tournament status cup --follow
      p2p304 tournament status cup --take friend.p304t --offline
      p2p304 tournament status cup --text        one text, the same for everybody
      p2p304 tournament status cup --page cup.html
      p2p304 tournament status cup --end         the organiser, at last
    """
    if sum(map(bool, (shape, page, as_json))) > 1:
        raise UserError("One at a time: --text, --csv, --pairings, --page and --json.")
    if page is not None:
        prepare_file(Path(page))
    folder = cup.folder()
    said: set[str] = set()

    def tell(record: TournamentRecord) -> None:
        for line in news(folder.judge(record), said, folder.words):
            echo(line)

    if follow:
        cup.together(folder, quiet=None, done=over, told=tell)
    if ending:
        organiser = folder.as_organiser("ends the tournament")
        with refused("The tournament does not end"):
            folder.add(end(folder.acting(folder.record), organiser))
    if ending or not follow:
        cup.together(folder, alone=_nobody_there)
    judged, named = folder.judged, shlex.quote(str(cup.path))
    audit, ruled = f"p2p304 tournament audit {named} --match {{}}".format, partial(rulings, folder)
    if page is not None:
        write_file(Path(page), tournament_page(judged, command=audit, ruled=ruled))
        echo(f"{safe_text(page)}: the tournament as it stands.")
    elif as_json:
        click.echo(json.dumps(_as_json(judged)))
    elif shape == "text":
        click.echo(text_of(judged) or "", nl=False)
    elif shape is not None:
        for row in csv_rows(judged) if shape == "csv" else pairing_lines(judged):
            click.echo(row)
    else:
        width = shutil.get_terminal_size(_FALLBACK).columns
        parts = tournament_parts(
            judged, width=width, command=audit, ruled=ruled, words=folder.words
        )
        for heading, lines in parts:
            for line in (heading, *lines) if heading else lines:
                echo(line)
    return ExitCode.CHECK_FAILED if judged.convictions else ExitCode.DONE


def _nobody_there() -> None:
    echo(
        "Nobody is there to say what was signed since: --follow waits for them, --take FILE reads"
        " the file of somebody who knows.",
        err=True,
    )


def _as_json(judged: JudgedRecord) -> dict[str, object]:
    tournament = judged.tournament
    pending = () if tournament is None or judged.head is None else tournament.pending
    return {
        "tournament": judged.record.charter.digest.hex(),
        "name": judged.record.charter.name,
        "waits": judged.waits or None,
        "text": text_of(judged),
        "champion": None if tournament is None else tournament.champion,
        "ready": [
            {"match": each.number, "teams": list(each.teams), "race": each.race}
            for each in pending
            if each.ready
        ],
        "ignored": sorted(set(judged.ignored.values())),
        "disputed": sorted(judged.disputed),
        "ended": judged.ended,
        "forks": [_as_json(each) for each in judged.forks],
        "convicted": list(convicted(judged)),
    }
