"""`p2p304 audit`: checks saved hands and matches, or evidence, without a key and without trust."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import groupby
from pathlib import Path

import click

from cli.auditing import FileAudit, audit_file, check_evidence_file, seat_name
from cli.errors import ExitCode, UserError
from cli.sanitize import safe_text
from p2p304.seats import Seat
from protocol.charter import Charter
from protocol.findings import AuditedHand, results
from protocol.verifications import AUDITED, BY_NAME

WIDEST = 300


@click.command("audit")
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("--explain", is_flag=True, help="Tell every hand as a story, and every check.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array with an object a file.")
@click.option("--evidence", metavar="FILE", help="Check a proof that a seat cheated instead.")
@click.option(
    "--save-evidence", metavar="FILE", help="Where to put the proof if a seat can be convicted."
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=None,
    help="Files to judge at a time.  [default: one a core]",
)
def command(
    files: tuple[str, ...],
    explain: bool,
    as_json: bool,
    evidence: str | None,
    save_evidence: str | None,
    jobs: int | None,
) -> int:
    """Check saved transcripts: every signature, proof, rule and score, again and by yourself.

    No key is needed and nobody is trusted: no seat, no broker, nor who gave you the file.

    \b
    Examples:
      p2p304 audit hand-1.p304                   is it valid?
      p2p304 audit hand-1.p304 --explain         the hand as a story, and every verification
      p2p304 audit archive/*.p304 --json         many files, for a program
      p2p304 audit --evidence proof.p304e        does this convict a seat?

    \b
    Exit codes: 0 all valid, 1 a check failed, 2 a file cannot be read.
    """
    if evidence is not None:
        if files:
            raise UserError("give either transcripts or --evidence, not both")
        click.echo(safe_text(check_evidence_file(evidence), cells=WIDEST))
        return ExitCode.DONE
    if not files:
        raise UserError("name a transcript to audit, such as hand-1.p304")
    audits = list(_audited(files, explain=explain, jobs=jobs))
    if save_evidence is not None:
        _save(audits, save_evidence)
    if as_json:
        click.echo(json.dumps([each.as_json() for each in audits]))
    else:
        for each in audits:
            for line in _lines(each, explain=explain, many=len(audits) > 1):
                click.echo(line)
    if any(each.report is None for each in audits):
        return ExitCode.UNUSABLE
    return ExitCode.DONE if all(each.valid for each in audits) else ExitCode.CHECK_FAILED


def _audited(files: tuple[str, ...], *, explain: bool, jobs: int | None) -> Iterable[FileAudit]:
    ascii_only = not (sys.stdout.encoding or "ascii").lower().startswith("utf")
    work = partial(audit_file, explain=explain, ascii_only=ascii_only)
    workers = min(jobs or os.cpu_count() or 1, len(files))
    if workers == 1:
        return map(work, files)
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(work, files, chunksize=max(1, min(16, len(files) // workers // 4))))


def _save(audits: list[FileAudit], path: str) -> None:
    for each in audits:
        broken = each.report.broken if each.report is not None else None
        if broken is not None and broken.evidence is not None:
            Path(path).write_bytes(broken.evidence)
            return
    raise UserError("there is no evidence to save: no seat can be convicted from these files")


def _result(hand: AuditedHand, charter: Charter | None) -> str:
    """What a hand came to, and who did not confirm it or ended it before."""

    def named(seats: tuple[Seat, ...]) -> str:
        return ", ".join(seat_name(charter, seat) for seat in seats)

    words = [] if hand.outcome is None else [hand.outcome.summary]
    if hand.unconfirmed:
        words.append(f"Unconfirmed by {named(hand.unconfirmed)}.")
    if hand.ended_by:
        words.append(f"Ended unfinished, by agreement of {named(hand.ended_by)}.")
    return " ".join(words)


def _lines(audit: FileAudit, *, explain: bool, many: bool) -> Iterator[str]:
    name = safe_text(audit.path, cells=WIDEST)
    report = audit.report
    if report is None:
        yield f"{name}: cannot be read: {safe_text(audit.unreadable or '', cells=WIDEST)}"
        return
    yield from audit.story
    if explain or not many:
        found = results(report)
        if explain:
            for category, rows in groupby(AUDITED, key=lambda each: each.category):
                yield f"{category}:"
                for row in rows:
                    count = report.passed[row.name]
                    times = f" x{count}" if found[row.name] == "passed" else ""
                    yield f"  {found[row.name] + times:<15} {row.name:<26} {row.meaning}"
        passed = sum(1 for result in found.values() if result == "passed")
        checks = sum(report.passed.values())
        yield f"{passed} of {len(found)} verifications passed, {checks} checks in all"
    for hand in report.hands:
        yield f"hand {hand.number + 1}: {_result(hand, report.charter)}"
    broken = report.broken
    if broken is None:
        yield f"{name}: valid"
        return
    meaning = BY_NAME[broken.check].meaning if broken.check in BY_NAME else broken.check
    yield f"{name}: invalid: {broken.check} failed ({meaning}) at {broken.place}"
    if broken.detail:
        yield f"  {safe_text(broken.detail, cells=WIDEST)}"
    if broken.seat is None:
        yield "  this convicts nobody: anyone could have changed the file"
    else:
        yield f"  this convicts {seat_name(report.charter, broken.seat)}"
