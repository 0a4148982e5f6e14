"""`p2p304 conformance vectors`, `auditor` and `seat`: tries another program."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from cli.commands.options import Amount, gather_options, json_option
from cli.commands.seating import run_until_ended
from cli.conformance.program import PATIENCE, ProgramUnderTest
from cli.conformance.sittings import try_seat
from cli.conformance.tables import HANDS
from cli.conformance.trials import Results, Trial, lost_trials, run_share, try_honest, try_vectors
from cli.conformance.vectors import DEFAULT, vectors_in
from cli.errors import ExitCode, UserError
from cli.output_files import prepare_file, write_file
from cli.workers import Workers

# Numbers count from 0, amounts from 1.
NUMBER: Final = click.IntRange(min=0)
COUNT: Final = click.IntRange(min=1)
NEW_FILE: Final = click.Path(dir_okay=False, path_type=Path)
# A setting of click's context: the help shows the default of every option.
DEFAULTS: Final = {"show_default": True}


@dataclass(frozen=True, slots=True)
class Telling:
    """The options of how results are reported: JSON or a table, files, and whether unsupported
    fails.
    """

    as_json: bool
    junit: Path | None
    report: Path | None
    strict: bool

    def prepare(self) -> None:
        """See that the files can be written; raises UserError."""
        for path in (self.junit, self.report):
            if path is not None:
                prepare_file(path)


told = gather_options(
    "how",
    Telling,
    options=(
        click.option("--strict", is_flag=True, help="Count what CMD does not support as failed."),
        click.option("--report", type=NEW_FILE, help="Write the JSON into FILE, too."),
        click.option("--junit", type=NEW_FILE, help="Write JUnit XML into FILE."),
        json_option,
    ),
)
"""The options that decide how results are told, as the one argument `how` of the command."""

patience_option = click.option(
    "--patience",
    type=Amount(min=0.1),
    default=PATIENCE,
    help="Seconds that CMD may take for one answer.",
)


@click.command("vectors", context_settings=DEFAULTS)
@click.argument("program", metavar="CMD")
@click.option(
    "--directory",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    help="Where the vectors are.  [default: those that come with this program]",
)
@click.option(
    "--category", multiple=True, help="Ask this category alone; may be given several times."
)
@click.option("--every", type=COUNT, default=1, help="Ask a sample: every N-th vector.")
@patience_option
@told
def vectors(
    program: str,
    directory: Path | None,
    category: tuple[str, ...],
    every: int,
    how: Telling,
    patience: float,
) -> int:
    """Ask CMD each test vector, and score its answers by category."""
    place = directory or DEFAULT
    if not place.is_dir():
        raise UserError("The vectors are not here: name their directory with --directory.")
    # Every so many, not the first so many: a sample meets all categories.
    chosen = [*vectors_in(place, category)][::every]
    # Before the trials: a long run must not end with a report that cannot be written.
    how.prepare()
    with ProgramUnderTest(program, patience=patience) as tried:
        return report(Results("conformance vectors", tried.name), try_vectors(tried, chosen), how)


@click.command("auditor", context_settings=DEFAULTS)
@click.argument("program", metavar="CMD")
@click.option("--mutations", type=NUMBER, default=10_000, help="How many mutations to judge.")
@click.option("--seed", type=NUMBER, default=304, help="Chooses the mutations.")
@click.option("--only", type=NUMBER, help="Judge the mutation of this number alone.")
@click.option(
    "--first",
    type=NUMBER,
    default=0,
    help="Begin with the mutation of this number, to make a long run in parts; the part from 0"
    " judges the honest transcripts, too.",
)
@click.option("--jobs", type=COUNT, default=1, help="Run this many copies of CMD at a time.")
@click.option(
    "--transcript",
    "files",
    multiple=True,
    type=click.Path(dir_okay=False, exists=True, path_type=Path),
    help="Judge this transcript of yours, too.",
)
@patience_option
@told
def auditor(
    program: str,
    files: tuple[Path, ...],
    mutations: int,
    seed: int,
    only: int | None,
    first: int,
    jobs: int,
    how: Telling,
    patience: float,
) -> int:
    """Have CMD judge honest transcripts and mutated ones, and compare its verdicts with ours."""
    if not HANDS.is_dir():
        raise UserError("The saved hands are not here: they come with the specification.")
    numbers = list(range(first, first + mutations)) if only is None else [only]

    def trials() -> Iterator[Trial]:
        """Yield the trials: honest transcripts, then mutations, in `jobs` processes."""
        # A part of a long run that begins later leaves the honest ones to the first part.
        if only is None and (first == 0 or files):
            with ProgramUnderTest(program, patience=patience) as tried:
                yield from try_honest(tried, files)
        # Dealt out in turn, so that costly kinds of mutations fall on all copies.
        shares = [(program, patience, seed, numbers[place::jobs]) for place in range(jobs)]
        if jobs == 1:
            # In this process: no worker is needed, and Ctrl-C meets the program itself.
            yield from run_share(shares[0])
            return
        with closing(Workers(jobs)) as pool:
            # A list, so that all are at work before the first is waited for; `lost` reports a dead
            # worker.
            for found in [pool.submit(run_share, each, lost=lost_trials) for each in shares]:
                yield from found.result()

    how.prepare()
    return report(Results("conformance auditor", program), trials(), how)


@click.command("seat", context_settings=DEFAULTS)
@click.argument("program", metavar="CMD")
@click.option("--sample", is_flag=True, help="Play a few tables of each sort instead of all.")
@click.option("--deadline", type=Amount(min=1), default=180.0, help="Seconds that a hand may take.")
@click.option("--tables", type=COUNT, default=1, help="Run this many tables at a time.")
@told
def seat(program: str, sample: bool, deadline: float, tables: int, how: Telling) -> int:
    """Let CMD play with three seats of ours: honest hands, then hands in which one of ours cheats.

    CMD is run with '--hands N' appended: it reads an invite from its input, and plays N hands.
    """
    # Collected first: SIGTERM must be able to end the sittings before anything is printed.
    done: list[Trial] = []

    async def tried() -> None:
        """Collect the trials of all sittings in `done`."""
        async for each in try_seat(program, sample=sample, deadline=deadline, tables=tables):
            done.append(each)

    how.prepare()
    # Before the sittings, which are over when `report` begins.
    begun = time.monotonic()
    ended = run_until_ended(tried())  # SIGTERM, too, ends the seats and removes their directories
    if ended is not ExitCode.DONE:
        return ended
    return report(Results("conformance seat", program), done, how, begun=begun)


def report(
    results: Results, trials: Iterable[Trial], how: Telling, *, begun: float | None = None
) -> int:
    """Run all trials, print and write their results, and return the exit code."""
    begun = time.monotonic() if begun is None else begun
    broken: UserError | None = None
    try:
        for each in trials:
            results.trials.append(each)
    except UserError as error:
        # Without a single trial there is nothing to report but the error.
        if not results.trials:
            raise
        broken = error  # what was tried before is told all the same
    results.seconds = time.monotonic() - begun
    passed = broken is None and results.passed(strict=how.strict)
    whole = json.dumps({**results.as_json(), "passed": passed})
    click.echo(whole if how.as_json else "\n".join(results.table()))
    remark = results.remark(strict=how.strict)
    if remark:
        # Beside JSON a remark would break the one object that is promised.
        click.echo(remark, err=how.as_json)
    if how.junit is not None:
        write_file(how.junit, results.junit())
    if how.report is not None:
        write_file(how.report, whole.encode())
    if broken is not None:
        raise broken
    return ExitCode.DONE if passed else ExitCode.CHECK_FAILED
