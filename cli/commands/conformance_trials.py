"""`p2p304 conformance vectors`, `auditor`, `seat` and `summary`: tries another program."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from cli.commands.options import Amount, gathered, json_option
from cli.commands.seating import run_until_ended
from cli.conformance.program import PATIENCE, ProgramUnderTest
from cli.conformance.results import Results, Trial, read_report, table
from cli.conformance.sittings import try_seat
from cli.conformance.tables import HANDS
from cli.conformance.trials import mutated, not_tried, try_honest, try_vectors
from cli.conformance.vectors import DEFAULT, vectors_in
from cli.errors import ExitCode, UserError
from cli.output_files import prepare_file, write_file
from cli.workers import Workers

FULL: Final = 10_000
"""Mutations of a full run of the auditor."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The options of how results are reported: JSON or a table, files, and whether unsupported
    fails.
    """

    as_json: bool
    junit: Path | None
    report: Path | None
    strict: bool


reported = gathered(
    "how",
    Progress,
    options=(
        click.option("--strict", is_flag=True, help="What is unsupported has failed."),
        click.option(
            "--report",
            type=click.Path(dir_okay=False, path_type=Path),
            help="Where to write the JSON as well, for `conformance summary`.",
        ),
        click.option(
            "--junit",
            type=click.Path(dir_okay=False, path_type=Path),
            help="Where to write JUnit XML.",
        ),
        json_option,
    ),
)
"""The options that decide how results are told, as the one argument `how` of the command."""

patience_option = click.option(
    "--patience",
    type=Amount(min=0.1),
    default=PATIENCE,
    show_default=True,
    help="Seconds that the program may take for one answer.",
)


@click.command("vectors")
@click.argument("program", metavar="CMD")
@click.option(
    "--directory",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    default=None,
    help="Where the vectors are.  [default: those that come with this program]",
)
@click.option("--category", multiple=True, help="These alone; may be given several times.")
@click.option(
    "--every", type=click.IntRange(min=1), default=1, help="A sample: every so many vectors."
)
@patience_option
@reported
def vectors(
    program: str,
    directory: Path | None,
    category: tuple[str, ...],
    every: int,
    how: Progress,
    patience: float,
) -> int:
    """Ask CMD every vector and score its answers by category."""
    place = directory or DEFAULT
    if not place.is_dir():
        raise UserError("The vectors are not here: name their directory with --directory.")
    chosen = [each for at, each in enumerate(vectors_in(place, category)) if at % every == 0]
    prepared(how)
    with ProgramUnderTest(program, patience=patience) as tried:
        results = Results("conformance vectors", tried.name)
        return report(results, try_vectors(tried, chosen), how)


@click.command("auditor")
@click.argument("program", metavar="CMD")
@click.option("--mutations", type=click.IntRange(min=0), default=FULL, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=304, show_default=True)
@click.option("--only", type=click.IntRange(min=0), default=None, help="One mutation alone.")
@click.option(
    "--first",
    type=click.IntRange(min=0),
    default=0,
    help="The number of the first mutation: a long run can be made in parts, of which the first"
    " judges the honest transcripts.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Copies of CMD at a time.",
)
@click.option(
    "--transcript",
    "files",
    multiple=True,
    type=click.Path(dir_okay=False, exists=True, path_type=Path),
    help="A transcript of yours to be judged as well.",
)
@patience_option
@reported
def auditor(
    program: str,
    files: tuple[Path, ...],
    mutations: int,
    seed: int,
    only: int | None,
    first: int,
    jobs: int,
    how: Progress,
    patience: float,
) -> int:
    """Have CMD judge honest transcripts and mutated ones, and compare its verdicts with ours."""
    if not HANDS.is_dir():
        raise UserError("The saved hands are not here: they come with the specification.")
    numbers = list(range(first, first + mutations)) if only is None else [only]

    def trials() -> Iterable[Trial]:
        if only is None and (first == 0 or files):
            with ProgramUnderTest(program, patience=patience) as tried:
                yield from try_honest(tried, files)
        if jobs == 1:
            yield from mutated((program, patience, seed, numbers))
            return
        shares = [(program, patience, seed, numbers[place::jobs]) for place in range(jobs)]
        with closing(Workers(jobs)) as pool:
            found = [pool.submit(mutated, each, lost=not_tried) for each in shares]
            for share in found:
                yield from share.result()

    results = Results("conformance auditor", program)
    return report(results, trials(), prepared(how))


@click.command("seat")
@click.argument("program", metavar="CMD")
@click.option("--sample", is_flag=True, help="A few sittings of every sort.")
@click.option(
    "--deadline",
    type=Amount(min=1),
    default=180.0,
    show_default=True,
    help="Seconds that a hand may take.",
)
@click.option(
    "--tables", type=click.IntRange(min=1), default=1, show_default=True, help="Tables at a time."
)
@reported
def seat(
    program: str,
    sample: bool,
    deadline: float,
    tables: int,
    how: Progress,
) -> int:
    """Sit CMD down with three seats of ours: honest hands, then one cheat at a time by one of us.

    CMD reads an invite from its input and plays as many hands as --hands says, which is appended.
    """
    done: list[Trial] = []

    async def tried() -> None:
        async for each in try_seat(program, sample=sample, deadline=deadline, tables=tables):
            done.append(each)

    prepared(how)
    begun = time.monotonic()
    ended = run_until_ended(tried())  # SIGTERM, too, ends the seats and removes their directories
    if ended is not ExitCode.DONE:
        return ended
    results = Results("conformance seat", program)
    return report(results, done, how, begun=begun)


@click.command("summary")
@click.argument("reports", nargs=-1, required=True, type=click.Path(path_type=Path))
def summary(reports: tuple[Path, ...]) -> int:
    """Tell several reports (--report) in one table, with totals.

    \b
    Examples:
      p2p304 conformance summary vectors.json auditor.json seat.json
      p2p304 conformance summary build/conformance/*.json
    """
    found = [read_report(path) for path in reports]
    for line in table(found):
        click.echo(line)
    return ExitCode.DONE if all(each.passed for each in found) else ExitCode.CHECK_FAILED


def prepared(how: Progress) -> Progress:
    """Return the options after checking that the report files are new and can be written."""
    for path in (how.junit, how.report):
        if path is not None:
            prepare_file(path)
    return how


def report(
    results: Results, trials: Iterable[Trial], how: Progress, *, begun: float | None = None
) -> int:
    """Run all trials, print and write their results, and return the exit code."""
    begun = time.monotonic() if begun is None else begun
    broken: UserError | None = None
    try:
        for each in trials:
            results.trials.append(each)
    except UserError as error:
        if not results.trials:
            raise
        broken = error  # what was tried before is told all the same
    results.seconds = time.monotonic() - begun
    passed = broken is None and results.passed(strict=how.strict)
    told = {**results.as_json(), "passed": passed}
    if how.as_json:
        click.echo(json.dumps(told))
    else:
        for line in results.table():
            click.echo(line)
    remark = results.remark(strict=how.strict)
    if remark:
        click.echo(remark, err=how.as_json)
    if how.junit is not None:
        write_file(how.junit, results.junit())
    if how.report is not None:
        write_file(how.report, json.dumps(told).encode())
    if broken is not None:
        raise broken
    return ExitCode.DONE if passed else ExitCode.CHECK_FAILED
