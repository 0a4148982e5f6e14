"""`p2p304 conformance vectors`, `auditor` and `seat`: tries another program.

And `conformance sit`: our own bot as the program under test in a seat.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from cli.bounds import PROGRAM_ANSWERS_WITHIN
from cli.commands.options import Amount, argument, gather_options, json_option, option
from cli.commands.seating import run_command
from cli.conformance.program import ProgramUnderTest
from cli.conformance.sittings import HOME, try_seat
from cli.conformance.tables import HANDS
from cli.conformance.trials import (
    DEFAULT,
    Results,
    Trial,
    lost_trials,
    run_share,
    try_honest,
    try_vectors,
    vectors_in,
)
from cli.errors import ExitCode, UserError
from cli.invite import Invite
from cli.local.sitting import SeatOptions, new_setup, open_seat, take_place
from cli.output_files import prepare_file, write_file
from cli.seat.bots import BotSeat
from cli.workers import Workers

# Numbers count from 0, amounts from 1.
NUMBER: Final = click.IntRange(min=0)
COUNT: Final = click.IntRange(min=1)
NEW_FILE: Final = click.Path(dir_okay=False, path_type=Path)
# A setting of click's context: the help shows the default of every option.
DEFAULTS: Final = {"show_default": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """The options of how results are reported: JSON or a table, files, and whether unsupported
    fails.
    """

    strict: bool = option(
        "--strict", is_flag=True, help="Count what CMD does not support as failed."
    )
    report: Path | None = option("--report", type=NEW_FILE, help="Write the JSON into FILE, too.")
    junit: Path | None = option("--junit", type=NEW_FILE, help="Write JUnit XML into FILE.")
    # Without `option`: declared by decorators above the command, see `gather_options`.
    as_json: bool

    def prepare(self) -> None:
        """Make the folders of the reports, and see that these can be written. Raises UserError,
        also if there is such a file already: that of another run is never overwritten.
        """
        for path in (self.report, self.junit):
            if path is not None:
                prepare_file(path)


#: The options that decide how results are told, as the one argument `how` of the command.
told = gather_options("how", ReportOptions, options=(json_option,))


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramOptions:
    """The program that is asked line by line."""

    program: str = argument(metavar="CMD")
    patience: float = option(
        "--patience",
        # Not 0: no program answers at once.
        type=Amount(min=0.1),
        default=PROGRAM_ANSWERS_WITHIN,
        help="Seconds that CMD may take for one answer.",
    )

    def under_test(self) -> ProgramUnderTest:
        """Return the program, which starts when its context is entered."""
        return ProgramUnderTest(self.program, patience=self.patience)


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorsOptions(ProgramOptions):
    """The options of `conformance vectors` about what is asked."""

    category: tuple[str, ...] = option(
        "--category", multiple=True, help="Ask this category alone; may be given several times."
    )
    every: int = option("--every", type=COUNT, default=1, help="Ask a sample: every N-th vector.")


@click.command("vectors", context_settings=DEFAULTS)
@gather_options("asked", VectorsOptions)
@told
def vectors(asked: VectorsOptions, how: ReportOptions) -> int:
    """Ask CMD each test vector, and score its answers by category."""
    if not DEFAULT.is_dir():
        raise UserError("The vectors are not here: they come with the specification.")
    # Every so many, not the first so many: a sample meets all categories.
    chosen = [*vectors_in(DEFAULT, asked.category)][:: asked.every]
    # Before the trials: a long run must not end with a report that cannot be written.
    how.prepare()
    with asked.under_test() as tried:
        return report(Results("conformance vectors", tried.name), try_vectors(tried, chosen), how)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditorOptions(ProgramOptions):
    """The options of `conformance auditor` about what is judged."""

    # A choice: rare checks are reached once in hundreds of mutations.
    mutations: int = option(
        "--mutations", type=NUMBER, default=10_000, help="How many mutations to judge."
    )
    # Any number: each run judges the same mutations.
    seed: int = option("--seed", type=NUMBER, default=304, help="Chooses the mutations.")
    first: int = option(
        "--first",
        type=NUMBER,
        default=0,
        help="Begin with the mutation of this number, to make a long run in parts or one mutation"
        " again; the part from 0 judges the honest transcripts, too.",
    )
    jobs: int = option(
        "--jobs", type=COUNT, default=1, help="Run this many copies of CMD at a time."
    )

    def trials(self) -> Iterator[Trial]:
        """Yield the trials: honest transcripts, unless this is a later part of a long run, then
        mutations, in `jobs` processes.
        """
        numbers = range(self.first, self.first + self.mutations)
        if self.first == 0:
            with self.under_test() as tried:
                yield from try_honest(tried)
        # Dealt out in turn, so that costly kinds of mutations fall on all copies.
        shares = [
            (self.program, self.patience, self.seed, list(numbers[place :: self.jobs]))
            for place in range(self.jobs)
        ]
        if self.jobs == 1:
            # In this process: no worker is needed, and Ctrl-C meets the program itself.
            yield from run_share(shares[0])
            return
        with closing(Workers(self.jobs)) as pool:
            # A list, so that all are at work before the first is waited for; `lost` reports a dead
            # worker.
            for found in [pool.submit(run_share, each, lost=lost_trials) for each in shares]:
                yield from found.result()


@click.command("auditor", context_settings=DEFAULTS)
@gather_options("asked", AuditorOptions)
@told
def auditor(asked: AuditorOptions, how: ReportOptions) -> int:
    """Have CMD judge honest transcripts and mutated ones, and compare its verdicts with ours."""
    if not HANDS.is_dir():
        raise UserError("The saved hands are not here: they come with the specification.")
    how.prepare()
    # By its command: no copy of the program has been started yet that could say its name.
    return report(Results("conformance auditor", asked.program), asked.trials(), how)


@click.command("seat", context_settings=DEFAULTS)
@click.argument("program", metavar="CMD")
@click.option("--sample", is_flag=True, help="Play a few tables of each sort instead of all.")
# 180 is a choice: other programs may prove far more slowly, and one that hangs costs this long.
@click.option("--deadline", type=Amount(min=1), default=180.0, help="Seconds that a hand may take.")
@click.option("--tables", type=COUNT, default=1, help="Run this many tables at a time.")
@told
def seat(program: str, sample: bool, deadline: float, tables: int, how: ReportOptions) -> int:
    """Let CMD play with seats of ours: honest hands, then hands in which one of ours cheats.

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
    # SIGTERM, too, ends the seats and removes their directories.
    ended = run_command(tried(), left="")
    if ended is not ExitCode.DONE:
        return ended
    return report(Results("conformance seat", program), done, how, begun=begun)


@click.command("sit")
@click.option("--hands", type=COUNT, required=True)
def sit(hands: int) -> int:
    """Be the seat under test: a bot of this program, its state where the harness wants it."""
    # The harness gives each seat a folder of its own, and removes it afterwards.
    if HOME not in os.environ:
        raise UserError("'conformance sit' is what 'conformance seat' starts; it is no seat alone.")
    root = Path(os.environ[HOME])
    # From the standard input: a command line is seen by every user of the machine (attacks CL11).
    invite = Invite.parse(sys.stdin.readline())
    journal, setup = take_place(root, new_setup(invite, "Program"))

    async def play() -> None:
        """Play the hands in the seat."""
        # 1 and not the usual 5: the harness waits for this process to end.
        options = SeatOptions(hands=hands, linger=1.0)
        # A fixed seed: the same sitting has the same decisions.
        async with open_seat(journal, setup, BotSeat(1), root=root, options=options) as driver:
            await driver.run()

    asyncio.run(play())
    return ExitCode.DONE


def report(
    results: Results, trials: Iterable[Trial], how: ReportOptions, *, begun: float | None = None
) -> int:
    """Run all trials, print and write their results as `how` says, and return the exit code.

    `begun` is when the trials began, in monotonic seconds; now, if it is not given. An error that
    ends the trials is raised after what came before it was reported.
    """
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
    if how.report is not None:
        write_file(how.report, whole.encode())
    if how.junit is not None:
        write_file(how.junit, results.junit())
    if broken is not None:
        raise broken
    return ExitCode.DONE if passed else ExitCode.CHECK_FAILED
