"""`p2p304 tournament audit`: a whole tournament, from its files alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click

from cli.commands.options import json_option
from cli.commands.shell import echo
from cli.commands.tournament_options import Carried, folder_argument, take_option
from cli.errors import ExitCode, UserError
from cli.sanitize import safe_name, safe_text
from cli.tournament.auditing import TournamentAudit, audit_tournament
from cli.tournament.folder import TournamentFolder, match_folder
from cli.tournament.match_seat import NO_MATCH
from cli.tournament.telling import convicted, match_text, text_of
from p2p304.sentences import counted


@click.command("audit")
@folder_argument
@click.option("--match", "match", type=click.IntRange(min=1), help="Audit this match alone.")
@take_option
@click.option("--jobs", type=click.IntRange(min=1), help="Files to judge at a time.")
@json_option
def command(
    path: Path, match: int | None, taken: tuple[Path, ...], jobs: int | None, as_json: bool
) -> int:
    """Check a tournament: its record, every proof of its transcripts, and that both agree.

    Nobody is trusted, and nobody is asked. The transcripts of a match are in the folder match-001,
    match-002 and so on of each of its players: copy theirs into yours before. What contradicts
    another's record (--take) convicts. Exit code 0: everything holds; 1: something does not, or
    somebody is convicted, which is named; 2: a file could not be read.

    \b
    Examples:
      p2p304 tournament audit cup
      p2p304 tournament audit cup --match 3
      p2p304 tournament audit cup --take other/tournament.p304t
    """
    folder = Carried(path, taken).folder()
    judged = folder.judged
    matches = () if judged.tournament is None else judged.tournament.matches
    if match is not None and matches and match > len(matches):
        raise UserError(NO_MATCH)
    found = audit_tournament(judged, folder.transcripts, match=match, jobs=jobs)
    if as_json:
        click.echo(json.dumps(_as_json(found)))
    else:
        for line in _lines(found, folder, match):
            echo(safe_text(line, cells=600))
    return ExitCode.DONE if found.valid else ExitCode.CHECK_FAILED


def _lines(found: TournamentAudit, folder: TournamentFolder, match: int | None) -> Iterator[str]:
    judged = found.judged
    yield from (f"convicted: {each}" for each in convicted(judged))
    if judged.waits:
        yield f"so far {judged.waits}"
    for number, each in enumerate(judged.forks, 2):
        yield f"draw {number} of the same organiser:"
        yield from (text_of(each) or "").splitlines()
    borne = ", ".join(map(str, found.matches)) or "none"
    files = f"{counted(found.hands, 'hand')} in {counted(found.files, 'file')} judged"
    yield f"{files}; results borne out: {borne}"
    yield from (f"invalid: {each}" for each in found.wrong)
    for lacking in found.lacking:
        place = match_folder(folder, lacking)
        yield (
            f"  missing: transcripts of {match_text(lacking)}; copy the folder {place.name} of"
            f" anybody who played there into {folder.path}"
        )
    if found.valid:
        yield _valid(found, match)


def _valid(found: TournamentAudit, number: int | None) -> str:
    """Say what holds, or why no result follows yet, of all matches or of one."""
    judged = found.judged
    matches = () if judged.tournament is None else judged.tournament.matches
    if found.matches or (number is None and judged.counted):
        champion = judged.tournament.champion if judged.tournament is not None else None
        won = f", and the champion is {safe_name(champion, cells=32)}" if champion else ""
        return f"valid: the standing follows from what was signed and played{won}"
    if number is None:
        files = f"; files judged that count for nothing so far: {found.files}"
        so_far = "valid so far: no result that counts has been signed yet"
        return f"{so_far}{files if found.files else ''}"
    if not matches:
        return f"valid so far: nothing is drawn yet, and so there is no match {number}"
    match = matches[number - 1]
    if match.outcome is not None:
        return f"valid: decided without a result of play: {match_text(match)}"
    return f"valid so far: no result that counts has been signed yet: {match_text(match)}"


def _as_json(found: TournamentAudit) -> dict[str, object]:
    tournament = found.judged.tournament
    return {
        "valid": found.valid,
        "wrong": next(iter(found.wrong), None),
        "matches": list(found.matches),
        "lacking": [each.number for each in found.lacking],
        "files": found.files,
        "hands": found.hands,
        "convicted": list(convicted(found.judged)),
        "text": text_of(found.judged),
        "champion": None if tournament is None else tournament.champion,
    }
