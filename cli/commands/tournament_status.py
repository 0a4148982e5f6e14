"""What follows from a tournament's record: `p2p304 tournament status` shows it, `audit` checks it
against the transcripts."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import click

from cli.commands.options import json_option
from cli.commands.shell import echo
from cli.commands.tournament_options import Cup, cup_of_files, cup_options, invitation_option
from cli.errors import ExitCode, UserError
from cli.output_files import prepare_file, write_file
from cli.sanitize import LIST_CELLS, safe_text
from cli.tournament import telling
from cli.tournament.auditing import TournamentAudit, audit_tournament
from cli.tournament.folder import certain, explain_refusal, over
from cli.tournament.match_seat import match_of_number
from p2p304.sentences import count_words
from p2p304.tournament.tournament import How, Match
from protocol.tournament.acts import end
from protocol.tournament.judge import JudgedRecord

_NOBODY: Final = (
    "Nobody is there to say what was signed since: --follow waits for them, --take FILE reads the"
    " file of somebody who knows."
)


@click.command("status")
@cup_options
@click.option("--text", is_flag=True, help="Print the tournament's text alone.")
@click.option("--csv", is_flag=True, help="Print the standing as a table for others.")
@click.option("--pairings", is_flag=True, help="Print who meets whom now.")
@click.option("--end", "ending", is_flag=True, help="As the organiser: sign that all is decided.")
@click.option("--page", metavar="FILE", help="Write it as a page for any browser.")
@click.option("--follow", is_flag=True, help="Stay to the end: tell what changes, and pass it on.")
@json_option
@invitation_option
def command(
    cup: Cup,
    page: str | None,
    *,
    text: bool,
    csv: bool,
    pairings: bool,
    ending: bool,
    follow: bool,
    as_json: bool,
) -> int:
    """Show the bracket, the matches and the standing, as they follow from the record.

    What others have signed is heard from whoever is there at the same time, such as somebody who
    follows. With an --invitation this makes a folder. Exit code 1: somebody is convicted.

    \b
    Examples:
      p2p304 tournament status cup --follow
      p2p304 tournament status cup --take friend.p304t --offline
    """
    if sum(map(bool, (text, csv, pairings, page, as_json))) > 1:
        raise UserError("One at a time: --text, --csv, --pairings, --page and --json.")
    # Before we listen, with --follow for days: a file that cannot be written is told at once.
    if page is not None:
        prepare_file(Path(page))
    folder, said = cup.folder, set[str]()

    def tell(judged: JudgedRecord) -> None:
        for line in telling.news(judged, said, folder.words):
            echo(line)

    def below(judged: JudgedRecord, match: Match) -> Iterator[str]:
        yield from telling.rulings(folder.place_of(match), judged, match)
        if match.outcome is not None and match.outcome.how is How.PLAYED:
            yield f"{folder.command('audit')} --match {match.number}"

    if follow:
        cup.together(quiet=None, done=over, told=tell)
    else:
        cup.together(alone=partial(echo, _NOBODY, err=True))
    if ending:
        organiser = folder.as_organiser("ends the tournament")
        with explain_refusal("The tournament does not end"):
            # After we heard the others: an end must go past no result (12.7).
            raw = end(certain(folder.judged_record), organiser)
        cup.say(raw)
    judged = folder.judged_record
    if page is not None:
        write_file(Path(page), telling.tournament_page(judged, below))
        echo(f"{safe_text(page)}: the tournament as it stands.")
    elif as_json:
        click.echo(json.dumps(_as_json(judged)))
    elif text:
        # Nothing before the list; the text brings its own line ends.
        click.echo(telling.text_of(judged) or "", nl=False)
    elif csv or pairings:
        for row in telling.csv_rows(judged) if csv else telling.pairing_lines(judged):
            click.echo(row)
    else:
        width = shutil.get_terminal_size().columns  # 80 where the output is no terminal
        for part in telling.tournament_parts(judged, width=width, below=below, words=folder.words):
            # Some parts have no heading: no empty line in its place.
            for line in (*filter(None, part[:1]), *part[1]):
                echo(line)
    return ExitCode.CHECK_FAILED if judged.convictions else ExitCode.DONE


def _as_json(judged: JudgedRecord) -> dict[str, object]:
    """Return the fields that `status --json` prints, those of each fork among them."""
    return {
        "tournament": judged.record.charter.digest.hex(),
        "name": judged.record.charter.name,
        "waits": judged.waits or None,
        "ready": [
            {"match": each.number, "teams": list(each.teams), "race": each.race}
            for each in judged.matches
            if each.ready
        ],
        # Reasons, each once: many pieces may be ignored for one.
        "ignored": sorted(set(judged.ignored.values())),
        "disputed": sorted(judged.disputed_results),
        "ended": judged.ended,
        "forks": [_as_json(each) for each in judged.forks],
        **_standing(judged),
    }


def _standing(judged: JudgedRecord) -> dict[str, object]:
    """Return the fields that `status --json` and `audit --json` share."""
    return {
        "convicted": list(telling.conviction_lines(judged)),
        "text": telling.text_of(judged),
        "champion": None if judged.tournament is None else judged.tournament.champion,
    }


@click.command("audit")
@cup_of_files
@click.option("--match", "match", type=click.IntRange(min=1), help="Audit this match alone.")
@click.option("--jobs", type=click.IntRange(min=1), help="Files to judge at a time.")
@json_option
def audit_command(cup: Cup, match: int | None, jobs: int | None, *, as_json: bool) -> int:
    """Check a tournament: its record, every proof of its transcripts, and that both agree.

    Nobody is trusted or asked. Copy the folders match-001 and so on of a player of each match into
    yours before. Exit code 1: something does not hold, or somebody is convicted; 2: no such file.

    \b
    Examples:
      p2p304 tournament audit cup --match 3
      p2p304 tournament audit cup --take other/tournament.p304t
    """
    judged = cup.folder.judged_record
    # Before a draw no number is wrong: there are no matches yet.
    if match is not None and judged.matches:
        match_of_number(judged, match)  # for its error alone
    found = audit_tournament(judged, cup.folder.transcripts, match=match, jobs=jobs)
    if as_json:
        told = {
            "valid": found.valid,
            "wrong": next(iter(found.wrong), None),
            "matches": list(found.matches),
            "lacking": [each.number for each in found.lacking],
            "files": found.files,
            "hands": found.hands,
        }
        click.echo(json.dumps({**told, **_standing(judged)}))
    else:
        for line in _audit_lines(found, cup, match):
            echo(safe_text(line, cells=LIST_CELLS))
    return ExitCode.DONE if found.valid else ExitCode.CHECK_FAILED


def _audit_lines(found: TournamentAudit, cup: Cup, match: int | None) -> Iterator[str]:
    """Yield the lines that `audit` prints: convictions, what is borne out, wrong or missing."""
    judged = found.judged
    yield from (f"convicted: {each}" for each in telling.conviction_lines(judged))
    if judged.waits:
        yield f"so far {judged.waits}"
    # From 2: the first draw is what is told below.
    for number, each in enumerate(judged.forks, 2):
        yield f"draw {number} of the same organiser:"
        yield from (telling.text_of(each) or "").splitlines()
    borne = ", ".join(map(str, found.matches)) or "none"
    files = f"{count_words(found.hands, 'hand')} in {count_words(found.files, 'file')} judged"
    yield f"{files}; results borne out: {borne}"
    yield from (f"invalid: {each}" for each in found.wrong)
    for lacking in found.lacking:
        yield (
            f"  missing: transcripts of {telling.match_text(lacking)}; copy the folder"
            f" {cup.folder.place_of(lacking).name} of anybody who played there into"
            f" {cup.folder.path}"
        )
    if found.valid:
        yield _valid_words(found, match)


def _valid_words(found: TournamentAudit, number: int | None) -> str:
    """Return the last line of a valid audit: what holds, or why no result follows yet."""
    judged, tournament = found.judged, found.judged.tournament
    so_far = "valid so far: no result that counts has been signed yet"
    # Something counts; a tournament of walk-overs alone is valid, too.
    if found.matches or (number is None and judged.counted):
        champion = None if tournament is None else tournament.champion
        won = (
            f", and the champion is {telling.team_name(champion, telling.TEAM_CELLS)}"
            if champion
            else ""
        )
        return f"valid: the standing follows from what was signed and played{won}"
    if number is None:
        files = f"; files judged that count for nothing so far: {found.files}"
        return f"{so_far}{files if found.files else ''}"
    if not judged.matches:
        return f"valid so far: nothing is drawn yet, and so there is no match {number}"
    match = match_of_number(judged, number)
    if match.outcome is not None:
        return f"valid: decided without a result of play: {telling.match_text(match)}"
    return f"{so_far}: {telling.match_text(match)}"
