"""`p2p304 tournament audit`: a whole tournament, from its files alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click

from cli.commands.options import json_option
from cli.commands.shell import echo
from cli.commands.tournament_options import folder_argument, gathered_folder
from cli.errors import ExitCode, UserError
from cli.sanitize import safe_name, safe_text
from cli.tournament.auditing import TournamentAudit, audit_tournament
from cli.tournament.bracket import match_text
from cli.tournament.folder import TournamentFolder
from cli.tournament.match_seat import NO_MATCH, match_folder
from p2p304.sentences import counted
from p2p304.tournament.matches import Match
from p2p304.tournament.notation import format_tournament
from protocol.tournament.judge import JudgedRecord


@click.command("audit")
@folder_argument
@click.option("--match", "match", type=click.IntRange(min=1), help="Audit this match alone.")
@click.option(
    "--take",
    "taken",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Another's record too: what contradicts this one convicts.",
)
@click.option("--jobs", type=click.IntRange(min=1), help="Files to judge at a time.")
@json_option
def command(
    path: Path, match: int | None, taken: tuple[Path, ...], jobs: int | None, as_json: bool
) -> int:
    """Check a tournament: its record, every proof of its transcripts, and that both agree.

    Nobody is trusted, and nobody is asked. The transcripts of a match are in the folder match-001,
    match-002 and so on of each of its players: copy theirs into yours before. Exit code 0:
    everything holds; 1: something does not, or somebody is convicted, and the first such thing is
    named; 2: a file could not be read.

    \b
    Examples:
      p2p304 tournament audit cup
      p2p304 tournament audit cup --match 3
      p2p304 tournament audit cup --take other/tournament.p304t
    """
    folder = gathered_folder(path, taken)
    judged = folder.judge(folder.record)
    matches = _matches(judged)
    if match is not None and matches and match not in matches:
        raise UserError(NO_MATCH)
    found = audit_tournament(judged, folder.transcripts, match=match, jobs=jobs)
    if as_json:
        click.echo(json.dumps(_as_json(found)))
    else:
        for line in _lines(found, folder, match):
            echo(line)
    return ExitCode.DONE if found.valid else ExitCode.CHECK_FAILED


def _lines(found: TournamentAudit, folder: TournamentFolder, match: int | None) -> list[str]:
    tournament, judged = found.judged.tournament, found.judged
    lines = [safe_text(f"convicted: {each}", cells=300) for each in found.convicted]
    if judged.waits:
        lines.append(safe_text(f"so far {judged.waits}", cells=600))
    for number, each in enumerate(judged.forks, 2):
        others = "" if each.tournament is None else format_tournament(each.tournament)
        lines += [f"draw {number} of the same organiser:", *others.splitlines()]
    borne = ", ".join(map(str, found.matches)) or "none"
    lines.append(
        f"{counted(found.hands, 'hand')} in {counted(found.files, 'file')} judged;"
        f" results borne out: {borne}"
    )
    if found.wrong is not None:
        lines.append(safe_text(f"invalid: {found.wrong}", cells=300))
        return [*lines, *_lacking(found, folder)]
    champion = tournament.champion if tournament is not None and judged.head else None
    if not found.matches and (match is not None or not judged.counted):
        return [*lines, _no_result(found, match)]
    won = f", and the champion is {safe_name(champion, cells=32)}" if champion else ""
    lines.append(f"valid: the standing follows from what was signed and played{won}")
    return lines


def _no_result(found: TournamentAudit, match: int | None) -> str:
    """Say that nothing contradicts a record from which no result follows, or none of a match."""
    if match is not None:
        return _no_result_of(found, match)
    files = f"; files judged that count for nothing so far: {found.files}" if found.files else ""
    return f"valid so far: no result that counts has been signed yet{files}"


def _no_result_of(found: TournamentAudit, number: int) -> str:
    """Say the same of one match, and why it has none."""
    match = _matches(found.judged).get(number)
    if match is None:
        return f"valid so far: nothing is drawn yet, and so there is no match {number}"
    if match.outcome is not None:
        return f"valid: decided without a result of play: {match_text(match)}"
    if not match.ready:
        return f"valid so far: it is not known yet who plays match {match_text(match)}"
    return f"valid so far: no result of match {number} that counts has been signed yet"


def _matches(judged: JudgedRecord) -> dict[int, Match]:
    """Return the matches by number, of all rounds; none before the draw."""
    tournament = judged.tournament
    return {} if tournament is None else {each.number: each for each in tournament.matches}


def _lacking(found: TournamentAudit, folder: TournamentFolder) -> Iterator[str]:
    """Yield which transcripts are missing, and where they are."""
    for match in found.lacking:
        place = match_folder(folder, match)
        yield (
            f"  missing: transcripts of {match_text(match)}; copy the folder {place.name} of"
            f" anybody who played there into {folder.path}"
        )


def _as_json(found: TournamentAudit) -> dict[str, object]:
    tournament = found.judged.tournament
    return {
        "valid": found.valid,
        "wrong": found.wrong,
        "matches": list(found.matches),
        "lacking": [each.number for each in found.lacking],
        "files": found.files,
        "hands": found.hands,
        "convicted": list(found.convicted),
        "text": found.standing,
        "champion": tournament.champion if tournament is not None and found.judged.head else None,
    }
