"""`p2p304 tournament status`: who plays, who waits for whom, and where everybody stands."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click

from cli.commands.options import json_option
from cli.commands.shell import echo
from cli.commands.tournament_options import (
    brought_together,
    carrying_options,
    folder_argument,
    gathered_folder,
)
from cli.errors import ExitCode, UserError
from cli.output_files import prepare_file, write_file
from cli.sanitize import safe_name, safe_text
from cli.tournament.auditing import convicted
from cli.tournament.bracket import (
    bracket_lines,
    csv_rows,
    disputed_lines,
    entry_lines,
    left_out,
    match_lines,
    match_text,
    pairing_lines,
    standing_lines,
    wrapped,
)
from cli.tournament.exchange import over
from cli.tournament.folder import TournamentFolder
from cli.tournament.page import tournament_page
from cli.tournament.rulings import rulings_told
from cli.wording import capital
from p2p304.tournament.notation import format_tournament
from p2p304.tournament.systems import Elimination
from protocol.errors import LocalError
from protocol.tournament.acts import end
from protocol.tournament.judge import JudgedRecord
from protocol.tournament.record import TournamentRecord

_FALLBACK = (80, 24)


@click.command("status")
@folder_argument
@click.option("--text", "as_text", is_flag=True, help="Print the tournament's text alone.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the standing as a table for others.")
@click.option("--pairings", is_flag=True, help="Print who meets whom now, to be pinned up.")
@click.option("--end", "ending", is_flag=True, help="As the organiser: sign that all is decided.")
@click.option("--page", "page", metavar="FILE", help="Write it as a page for any browser.")
@click.option(
    "--follow",
    is_flag=True,
    help="Stay until the last match is decided: tell what changes, and pass it on.",
)
@click.option(
    "--invitation",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Look on, or be a referee, from a new FOLDER: what invites to the tournament.",
)
@json_option
@carrying_options
def command(
    path: Path,
    as_text: bool,
    as_csv: bool,
    pairings: bool,
    ending: bool,
    page: str | None,
    follow: bool,
    invitation: Path | None,
    as_json: bool,
    taken: tuple[Path, ...],
    offline: bool,
    credentials: Path | None,
) -> int:
    """Show the bracket, the matches and the standing, as they follow from the record.

    What others have signed is heard from whoever is there at the same time. Somebody who follows,
    such as the organiser, hears everything and passes it on to who comes later. Exit code 1: the
    record convicts somebody; where an organiser signed two lists or draws, all standings are shown.

    \b
    Examples:
      p2p304 tournament status cup
      p2p304 tournament status cup --invitation FILE    to look on
      p2p304 tournament status cup --follow
      p2p304 tournament status cup --take friend.p304t --offline
      p2p304 tournament status cup --text        one text, the same for everybody
      p2p304 tournament status cup --page cup.html
      p2p304 tournament status cup --end         the organiser, at last
    """
    if page is not None and (as_text or as_json):
        raise UserError("--page writes a page alone: give --text or --json another time.")
    if page is not None:
        prepare_file(Path(page))
    if invitation is not None:
        TournamentFolder.accept(path, invitation)
    folder = gathered_folder(path, taken)
    shown: dict[int, str] = {}

    def told(record: TournamentRecord) -> None:
        for line in _news(folder.judge(record), shown):
            echo(line)

    if follow:
        brought_together(
            folder, offline=offline, credentials=credentials, done=over, quiet=None, told=told
        )
    if ending:
        _end(folder)
    record = brought_together(
        folder, offline=offline or follow, credentials=credentials, alone=_nobody_there
    )
    judged = folder.judge(record)
    code = ExitCode.CHECK_FAILED if judged.convictions else ExitCode.DONE
    named = shlex.quote(str(path))

    def audited(number: int) -> str:
        return f"p2p304 tournament audit {named} --match {number}"

    if page is not None:
        write_file(Path(page), tournament_page(judged, command=audited))
        echo(f"{safe_text(page)}: the tournament as it stands.")
        return code
    if as_json:
        click.echo(json.dumps(_as_json(judged)))
        return code
    tournament = judged.tournament
    if as_text:
        click.echo("" if tournament is None else format_tournament(tournament), nl=False)
        return code
    if as_csv or pairings:
        rows = csv_rows(tournament) if as_csv else pairing_lines(judged)
        for row in rows if tournament is not None else ():
            click.echo(row)
        return code
    width = shutil.get_terminal_size(_FALLBACK).columns
    charter = judged.record.charter
    dates = f", {safe_text(charter.dates)}" if charter.dates else ""
    for line in wrapped(f"{safe_name(charter.name, cells=64)}{dates}", width, indent=0):
        echo(line)
    for each in convicted(judged):
        echo(safe_text(f"Convicted: {each}", cells=300))
    if judged.forks:
        echo("The organiser led its record to several draws; what follows from each:")
    for number, draw in enumerate((judged, *judged.forks), 1):
        if judged.forks:
            ours = ", in which you took part" if judged.certain and number == 1 else ""
            echo(f"--- Draw {number}{ours} ---")
        for line in _standing(folder, draw, width, audited):
            echo(line)
    return code


def _standing(
    folder: TournamentFolder, judged: JudgedRecord, width: int, audited: Callable[[int], str]
) -> Iterator[str]:
    """Yield what follows from one draw, or for what it waits."""
    tournament = judged.tournament
    for team in left_out(judged):
        yield f"Out, for its captain did not draw: {safe_name(team, cells=32)}"
    if tournament is None or judged.head is None:
        yield safe_text(f"{capital(judged.waits)}.", cells=600)
        if not judged.record.lists:
            yield from entry_lines(judged.record)
        return
    if isinstance(tournament.system, Elimination):
        yield from bracket_lines(tournament, width=width)
    yield from disputed_lines(judged)
    ruled = partial(rulings_told, folder, judged)
    yield from match_lines(tournament, width=width, command=audited, ruled=ruled)
    yield "Standing"
    yield from standing_lines(tournament)
    if tournament.champion is not None:
        yield f"The champion: {safe_name(tournament.champion, cells=32)}."
    if judged.ended:
        yield "The organiser has ended it: what is shown later changes nothing."


def _end(folder: TournamentFolder) -> None:
    """Sign the end of the tournament, as its organiser."""
    organiser = folder.organiser
    if organiser is None:
        raise UserError("The organiser ends it, on the machine that made the tournament.")
    try:
        folder.add(end(folder.acting(folder.record), organiser))
    except LocalError as error:
        raise UserError(f"The tournament does not end: {error}.") from None


def _nobody_there() -> None:
    echo(
        "Nobody is there to say what was signed since: --follow waits for them, --take FILE reads"
        " the file of somebody who knows.",
        err=True,
    )


def _news(judged: JudgedRecord, shown: dict[int, str]) -> Iterator[str]:
    """Yield what is new about the matches since it was `shown`, which is noted there."""
    tournament = None if judged.head is None else judged.tournament
    stands = {each.number: match_text(each) for each in tournament.matches} if tournament else {}
    stands = stands or {0: f"{capital(judged.waits)}."}
    for number, text in stands.items():
        if shown.get(number) != text:
            shown[number] = text
            yield safe_text(text, cells=600)


def _as_json(judged: JudgedRecord) -> dict[str, object]:
    tournament = judged.tournament
    drawn = tournament is not None and judged.head is not None
    return {
        "tournament": judged.record.charter.digest.hex(),
        "name": judged.record.charter.name,
        "waits": judged.waits or None,
        "text": None if tournament is None else format_tournament(tournament),
        "champion": tournament.champion if tournament is not None and drawn else None,
        "ready": [
            {"match": each.number, "teams": list(each.teams), "race": each.race}
            for each in (tournament.pending if tournament is not None and drawn else ())
            if each.ready
        ],
        "ignored": sorted(set(judged.ignored.values())),
        "disputed": sorted(judged.disputed),
        "ended": judged.ended,
        "forks": [_as_json(each) for each in judged.forks],
        "convicted": list(convicted(judged)),
    }
