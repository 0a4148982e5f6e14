"""`p2p304 audit`: checks saved hands and matches, or evidence, without keys or trust."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import closing
from itertools import groupby
from pathlib import Path

import click

from cli.auditing import (
    FileAudit,
    audit_all,
    audit_file,
    check_evidence_file,
    holds_evidence,
    told_changes,
)
from cli.commands.options import HandFile
from cli.errors import CheckFailed, ExitCode, UserError
from cli.front.narrator import ruling_sentence
from cli.front.writing import Writer
from cli.input_files import STANDARD_INPUT, transcripts_of
from cli.output_files import write_file
from cli.progress import progress
from cli.sanitize import safe_text
from cli.seat.charter_text import game_of, seat_name, term_lines
from cli.wording import hand_label, place_label, shows_signs
from p2p304.seats import Seat
from p2p304.sentences import count_words
from protocol.transcript.auditor import AuditedHand, Report, by_result, results
from protocol.transcript.checks import AUDITED, BY_NAME
from protocol.wire.charter import Charter

# Terminal cells for a text out of a file, four lines of them at most: what a stranger wrote must
# not flood the screen.
WIDEST = 300
OPEN = "ledger.settled"  #: The check that the file of a hand in play fails, and no other one.
Audits = Generator[FileAudit, None, None]


@click.command("audit")
@click.argument("files", nargs=-1, metavar="FILE...", type=HandFile())
@click.option(
    "--explain",
    is_flag=True,
    help="Print each hand as a story, and each verification with how many things passed it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array with an object a file.")
@click.option(
    "--evidence",
    metavar="FILE",
    help="Check FILE, a saved proof that a seat cheated; also done without this option.",
)
@click.option(
    "--save-evidence",
    metavar="FILE",
    help="Write the proof into FILE if a seat can be convicted; numbered if there are many files.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=None,
    help="Files to judge at a time; with --explain always one.  [default: one a core]",
)
def command(
    files: tuple[str, ...],
    explain: bool,
    as_json: bool,
    evidence: str | None,
    save_evidence: str | None,
    jobs: int | None,
) -> int:
    """Check saved transcripts yourself: every signature, proof, rule and score.

    You need no key, and trust nobody: no seat, no broker, nor the person who gave you the file.

    FILE is a transcript, plain or compressed by gzip (up to 256 MiB unpacked); a folder, for every
    *.p304 and *.p304.gz below it; or - for the standard input.

    \b
    Examples:
      p2p304 audit 88d17ccd/1                    is hand 1 of this table valid?
      p2p304 audit hand.p304 --explain           its story, every verification
      p2p304 audit archive --json                a folder's, for a program
      ssh host cat hand.p304.gz | p2p304 audit -
      p2p304 audit bad.p304 --save-evidence proof.p304e
      p2p304 audit proof.p304e                  does this evidence convict a seat?

    \b
    What --explain says of a verification:
      passed, failed
      not needed   the file has nothing to which it applies, such as a penalty
      not known    the file lacks what it compares, such as the hands before
      not reached  an earlier verification failed

    \b
    Exit codes of any number of files:
      0 all are valid
      1 a check failed in one of them
      2 no check failed, but a file could not be read or judged
    """
    if evidence is None and len(files) == 1 and holds_evidence(files[0]):
        evidence, files = files[0], ()
    if evidence is not None:
        if files:
            raise UserError("Give either transcripts or --evidence, not both.")
        return _judge_evidence(evidence, as_json=as_json)
    if not files:
        raise UserError("Name a transcript, or a hand of this machine, such as 88d17ccd/1.")
    explain = explain and not as_json  # JSON holds no story, and every check in any case
    if files.count(STANDARD_INPUT) > 1:
        raise UserError("The standard input is one file: give - once.")
    files = tuple(transcripts_of(files))
    places = _places(save_evidence, len(files))
    judged: list[FileAudit] = []
    # One charter for all files of a table, as every report is kept until the end.
    charters: dict[bytes, Charter] = {}
    # On a terminal the verdicts themselves show how far it has come.
    quiet = sys.stdout.isatty() or len(files) == 1
    # Closed even if the output breaks (a pipe to `head`): the worker processes end then.
    with (
        progress("Judging files", len(files), quiet=quiet) as advance,
        closing(_audit(files, explain=explain, jobs=jobs)) as audits,
    ):
        for number, each in enumerate(audits):
            place = _save(each, places[number]) if places else None
            charter = None if each.report is None else each.report.charter
            # The terms of a table are told once, however many files are of it.
            first = charter is not None and charter.digest not in charters
            if as_json:
                told = each.as_json() | ({"saved": place} if places else {})
                # One array, written piece by piece: each object stands there as soon as its file is
                # judged.
                click.echo(("[" if number == 0 else ",\n ") + json.dumps(told), nl=False)
            else:
                for line in term_lines(charter) if charter and first and not explain else ():
                    click.echo(line)
                for line in _lines(each, explain=explain, many=len(files) > 1, saved=place):
                    click.echo(line)
            if each.report is not None and charter is not None:
                each.report.charter = charters.setdefault(charter.digest, charter)
            judged.append(each)
            advance(1)
    reports = [each.report for each in judged if each.report is not None and each.report.charter]
    # What no file tells alone: whether matches went on at another table as agreed (specs 6.5).
    found = tuple(told_changes(reports, save=save_evidence))
    codes = Counter(map(_code, judged))
    if as_json:
        for change in found:
            click.echo(",\n " + json.dumps(change.as_json()), nl=False)
        click.echo("]")
    else:
        if len(files) > 1:
            click.echo(_total(judged, codes))
        for change in found:
            click.echo(change.sentence)
    # A player who asked for a file that is not there should not take silence for a saved one.
    if places and not any((*map(_evidence, judged), *(change.convicts for change in found))):
        # Beside JSON a sentence would break the array.
        click.echo("no evidence was saved: no seat is convicted", err=as_json)
    # A failed check is the answer, even if another file could not be read.
    if codes[ExitCode.CHECK_FAILED] or any(change.check for change in found):
        return ExitCode.CHECK_FAILED
    return ExitCode.UNUSABLE if codes[ExitCode.UNUSABLE] else ExitCode.DONE


def _total(judged: list[FileAudit], codes: Counter[ExitCode]) -> str:
    """Return the sentence that counts the judged files by their verdicts, and the hands in them."""
    unfinished = sum(_is_unfinished(each.report) for each in judged)
    without = f" {unfinished} without a result," if unfinished else ""
    # By contents, which copies share, and two seats' files of one hand, though their signatures
    # differ (6.1).
    hands = {
        each.report.contents: len(each.report.hands)
        for each in judged
        if each.report is not None and each.valid
    }
    return (
        f"{count_words(len(judged), 'file')}: {codes[ExitCode.DONE]} valid,"
        f" {codes[ExitCode.CHECK_FAILED] - unfinished} invalid,{without}"
        f" {codes[ExitCode.UNUSABLE]} not judged;"
        f" the valid ones hold {count_words(sum(hands.values()), 'distinct hand')}"
    )


def _judge_evidence(path: str, *, as_json: bool) -> int:
    """Print what a file of evidence proves, as a sentence or as JSON; return the exit code.

    As JSON a refusal is printed, too; else the errors of `check_evidence_file` are raised.
    """
    if not as_json:
        click.echo(safe_text(check_evidence_file(path).sentence, cells=WIDEST))
        return ExitCode.DONE
    code = ExitCode.DONE
    # For a program a refusal is an answer too: it is printed, not raised for `main` to tell.
    try:
        told = check_evidence_file(path).as_json()
    # A refusal has a check's name; what cannot be read may have none.
    except CheckFailed as error:
        why, code = {"reason": str(error), "check": error.check}, ExitCode.CHECK_FAILED
        told = {"file": path, "convicts": False, **why}
    except (UserError, OSError) as error:
        # `strerror` is None if the error was made without an errno.
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        check = error.check if isinstance(error, UserError) else None
        why, code = {"unreadable": reason, "check": check}, ExitCode.UNUSABLE
        told = {"file": path, "convicts": False, **why}
    click.echo(json.dumps([told]))
    return code


def _code(audit: FileAudit) -> ExitCode:
    """Return the exit code for one audited file: done, a check failed, or the file was unusable."""
    if audit.report is None:
        return ExitCode.UNUSABLE
    return ExitCode.DONE if audit.valid else ExitCode.CHECK_FAILED


def _is_unfinished(report: Report | None) -> bool:
    """Return whether everything in the file is right, but the hand has not ended."""
    broken = None if report is None else report.broken
    # The same check also fails where no match begins; only its detail tells the two apart.
    return broken is not None and broken.check == OPEN and broken.detail.startswith("unfinished")


def _audit(files: tuple[str, ...], *, explain: bool, jobs: int | None) -> Audits:
    """Yield the audits in the order of the files, each as soon as it is done.

    With `explain` the hands are told on the way; else up to `jobs` processes judge the files, by
    default as many as there are processors.
    """
    if not explain:
        yield from audit_all(files, jobs)
        return
    # Signs of suits go to standard output, which may be a file that cannot encode them.
    ascii_only = not shows_signs(sys.stdout)
    # A story is told while its file is read: then the longest match needs little memory.
    for each in files:
        yield audit_file(each, tell=click.echo, ascii_only=ascii_only)


def _places(path: str | None, files: int) -> tuple[str, ...]:
    """Return the path for the evidence of each file, numbered if there are several files; empty for
    no `path`.

    Raises UserError if a path exists: evidence overwrites nothing.
    """
    if path is None:
        return ()
    whole = Path(path)
    numbers = [f"-{number}" for number in range(1, files + 1)] if files > 1 else [""]
    places = [whole.with_name(f"{whole.stem}{each}{whole.suffix}") for each in numbers]
    for place in places:
        # Asked before the files are judged, which may take hours; `lexists`: a dangling link
        # counts, too.
        if os.path.lexists(place):
            raise UserError(f"{place} is there already: name another file for the evidence.")
    return tuple(map(str, places))


def _evidence(audit: FileAudit) -> bytes | None:
    """Return the bytes of the proof that convicts a seat; None if no seat is convicted."""
    broken = audit.report.broken if audit.report is not None else None
    return broken.evidence if broken is not None else None


def _save(audit: FileAudit, place: str) -> str | None:
    """Write the evidence of an audit to the path `place`, and return that; None if there is no
    evidence, or it cannot be written.

    An error of the disk must not hide the verdict: it is only printed.
    """
    evidence = _evidence(audit)
    if evidence is None:
        return None
    try:
        write_file(Path(place), evidence)
    # Told and passed over: the verdict must not be lost because a disk is full.
    except UserError as error:
        told = f"p2p304: the evidence was not saved: {error}"
        click.echo(safe_text(told, cells=WIDEST), err=True)
        return None
    return place


def _result(hand: AuditedHand, charter: Charter | None) -> str:
    """Return in words a hand's result, who did not sign it, who ended it by agreement, and a
    ruling on it; "" if there is none of these.
    """

    def name_seats(seats: tuple[Seat, ...]) -> str:
        """Return the names of seats, with a comma between two."""
        return ", ".join(seat_name(charter, seat) for seat in seats)

    words = [] if hand.outcome is None else [hand.outcome.summary]
    if hand.unconfirmed:
        words.append(f"Unconfirmed by {name_seats(hand.unconfirmed)}.")
    if hand.ended_by:
        words.append(f"Ended unfinished, by agreement of {name_seats(hand.ended_by)}.")
    if hand.ruling is not None and charter is not None:
        game = game_of(charter)
        # The sentence names sides and no suits, so that any writer will do.
        words.append(ruling_sentence(game, hand.ruling.content, Writer(game.seats)))
    return " ".join(words)


def _counts(report: Report) -> str:
    """Return how many verifications passed, failed, were not needed, not known and not reached.

    Zeros of the last two are left out.
    """
    return ", ".join(
        f"{len(names)} {result}"
        for result, names in by_result(report).items()
        # These three are named even at zero, so that two reports can be compared line by line.
        if names or result in ("passed", "not needed", "failed")
    )


def _lines(audit: FileAudit, *, explain: bool, many: bool, saved: str | None) -> Iterator[str]:
    """Yield the report of one file for people; `saved` is where its evidence was written.

    With `explain` each check has a line. The counts of checks are left out if there are `many`
    files and no `explain`.
    """
    named = "standard input" if audit.path == STANDARD_INPUT else audit.path
    name = safe_text(named, cells=WIDEST)
    report = audit.report
    if report is None:
        # Without a report there is always a sentence; `or` is for the type.
        yield f"{name}: not judged: {safe_text(audit.unreadable or '', cells=WIDEST)}"
        return
    if explain or not many:
        found = results(report)
        if explain:
            # Empty where the file broke before its contents could be hashed.
            if report.contents:
                yield f"contents: {report.contents.hex()}"
                yield "  every seat's file of these hands has these, whatever signatures it holds"
            # The table of checks has each category in one piece.
            for category, rows in groupby(AUDITED, key=lambda each: each.category):
                yield f"{category}:"
                for row in rows:
                    count = report.passed[row.name]
                    times = f" x{count}" if found[row.name] == "passed" else ""
                    # 26 cells hold the longest name of a verification, 15 "passed x1234567".
                    yield f"  {found[row.name] + times:<15} {row.name:<26} {row.meaning}"
            yield "xN: of N records, messages, proofs or hands; not needed: the file has none"
        yield f"verifications: {_counts(report)}"
    for hand in report.hands:
        yield f"hand {hand_label(hand.number)}: {_result(hand, report.charter)}"
    broken = report.broken
    if broken is None:
        yield f"{name}: valid"
        return
    if _is_unfinished(report):
        waits = safe_text(broken.detail, cells=WIDEST)
        yield f"{name}: no result: {waits}; what it holds so far is right"
        yield "  this accuses nobody: 'p2p304 resume' goes on, or the file was cut short"
        return
    # A check's name is a word of this program; the detail below may quote the file.
    yield f"{name}: invalid: {broken.check} failed at {place_label(broken.place)}"
    if broken.check in BY_NAME:
        yield f"  what should hold: {BY_NAME[broken.check].meaning}"
    if broken.detail:
        yield f"  what was found: {safe_text(broken.detail, cells=WIDEST)}"
    if broken.seat is None:
        yield "  this convicts nobody: anyone could have changed the file"
        return
    yield f"  this convicts {seat_name(report.charter, broken.seat)}"
    if saved is not None:
        yield f"  the evidence is saved in {safe_text(saved, cells=WIDEST)}"
    elif broken.evidence is not None:
        yield "  there is evidence for anybody to check: --save-evidence FILE saves it"
