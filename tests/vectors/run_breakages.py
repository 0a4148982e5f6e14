"""Plants every breakage and has each command of conformance look for it; prints what noticed it.

    python -m tests.vectors.run_breakages
    python -m tests.vectors.run_breakages --part seat --name 'shares are not verified'

Exit status 1 if a command that must notice a breakage does not. All of it follows from the seed but
the cards of the seats' tables, of which three are tried. A seat counts as noticed if ours, without
the breakage, passes that sitting right afterwards: on a machine that is too busy neither does, and
both are given more time.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shlex
import sys
from functools import cache
from itertools import islice
from typing import Final

import click

from cli.conformance.mutations import WEIGHTS, base_of, expected_verdicts, mutation
from cli.conformance.program import ProgramUnderTest
from cli.conformance.sittings import scenarios, sit
from cli.conformance.trials import DEFAULT, Mark, Trial, try_mutations, try_vectors, vectors_in
from tests.forked import FORKS
from tests.vectors.breakages import BREAKAGES, VALID, Breakage, planted
from tests.vectors.own_program import OUR_SEAT

PARTS: Final = ("vectors", "auditor", "seat")
SEED: Final = 304
#: The hands with which mutations begin that are judged here; `make conformance` tries all. A match
#: of 400 takes as long as all others, and is judged as the deal of 41 is.
QUICK: Final = (*({*WEIGHTS} - {"deals-of-400"}), "doso_viso", "at card304-alpha")

MOST: Final = 1_000  #: Mutations that are looked at for one that reaches a check.

TRIES: Final = 3
DEADLINE: Final = 20.0
#: Seconds that a broken program may take for an answer: that it is slow shows nothing.
PATIENCE: Final = 3_600.0


def noticed_by_vectors(name: str) -> str:
    """Return the first vector of the breakage's category that a program with it fails.

    That is "" if there is none, or if no vector is passed before all are asked: a program that
    does nothing at all is no proof.
    """
    chosen = list(vectors_in(DEFAULT, (BREAKAGES[name].category or "",)))
    failed: list[Trial] = []
    passed = False
    with ProgramUnderTest(planted(name), patience=PATIENCE) as tried:
        for each in try_vectors(tried, chosen):
            failed += [each] if each.mark is Mark.FAILED else []
            passed = passed or each.mark is Mark.PASSED
            if failed and passed:
                return _told(failed[0])
    return ""


@cache
def verdict(number: int) -> str | None:
    """Return the check that a mutation fails, or VALID; None for one that takes long to make."""
    if base_of(SEED, number) not in QUICK:
        return None
    changed = mutation(SEED, number)
    return expected_verdicts(changed.base).verdict(changed.data)[0] or VALID


def reaching(breakage: Breakage) -> list[int]:
    """Return the first mutation on which the breakage's check is our verdict."""
    if breakage.mutation is not None:
        return [breakage.mutation]
    return list(islice((each for each in range(MOST) if verdict(each) == breakage.check), 1))


def noticed_by_auditor(name: str) -> str:
    """Return the first mutation that a program with this breakage judges otherwise; "" if none."""
    with ProgramUnderTest(planted(name), patience=PATIENCE) as tried:
        for each in try_mutations(tried, SEED, reaching(BREAKAGES[name])):
            if each.mark is Mark.FAILED:
                return _told(each)
    return ""


async def noticed_by_seat(name: str) -> str:
    """Return what conformance says of a seat with this breakage at its sitting; "" if it passes."""
    sitting = BREAKAGES[name].sitting
    scenario = next(each for each in scenarios(sample=False) if each.name == sitting)
    deadline = DEADLINE
    for _ in range(TRIES):
        broken = await sit(shlex.join(planted(name, "sit")), scenario, deadline=deadline)
        if broken.mark is Mark.FAILED:
            sound = await sit(shlex.join(OUR_SEAT), scenario, deadline=deadline)
            if sound.mark is Mark.PASSED:
                return _told(broken)
            deadline *= 4
    return ""


def _told(trial: Trial) -> str:
    return f"{trial.name}: {trial.detail.split(';')[0]}".replace("|", "/")


def looked_for(name: str, part: str) -> str | None:
    """What one command says of a breakage: empty if it misses it, None if it cannot see it."""
    breakage = BREAKAGES[name]
    if part == "vectors" and breakage.category is not None:
        return noticed_by_vectors(name)
    if part == "auditor" and breakage.check is not None:
        return noticed_by_auditor(name)
    if part == "seat" and breakage.sitting is not None:
        return asyncio.run(noticed_by_seat(name))
    return None


def main() -> int:
    """Print the table; the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--name", action="append", choices=sorted(BREAKAGES))
    given = parser.parse_args()
    os.environ.setdefault(FORKS, "1")
    parts = [part for part in PARTS if not given.part or part in given.part]
    click.echo(f"| breakage | {' | '.join(parts)} |\n| --- {'| --- ' * len(parts)}|")
    tried, missed = 0, 0
    for name in given.name or BREAKAGES:
        found = [looked_for(name, part) for part in parts]
        tried += sum(each is not None for each in found)
        missed += found.count("")
        cells = ("-" if each is None else each or "MISSED" for each in found)
        click.echo(f"| {name} | {' | '.join(cells)} |")
    click.echo(
        f"seed {SEED}: {len(given.name or BREAKAGES)} breakages looked for {tried} times,"
        f" {missed} missed"
    )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
