"""Plants every breakage and has each command of conformance look for it; prints what noticed it.

    python -m tests.vectors.run_breakages
    python -m tests.vectors.run_breakages --part seat --name 'shares are not verified'

Exit status 1 if a command that must notice a breakage does not. A part takes minutes; all of it
follows from the seed but the cards of the seats' tables, of which three are tried.
"""

from __future__ import annotations

import argparse
import asyncio
import shlex
import sys
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import islice
from typing import Final

import click

from cli.conformance.foreseen import foreseen
from cli.conformance.mutations import mutation
from cli.conformance.program import Program
from cli.conformance.results import Mark
from cli.conformance.sittings import scenarios, sit
from cli.conformance.trials import try_mutations, try_vectors
from cli.conformance.vectors import DEFAULT, vectors_in
from tests.vectors.breakages import BREAKAGES, VALID, planted

PARTS: Final = ("vectors", "auditor", "seat")
SEED: Final = 304
MOST: Final = 3_000
"""Mutations that are looked at for one that reaches a check."""

EACH: Final = 3
TABLES: Final = 3
DEADLINE: Final = 20.0


def noticed_by_vectors(name: str) -> str:
    """The categories in which a program with this breakage fails, with how many; empty if none."""
    with Program(planted(name, "serve")) as tried:
        failed = Counter(
            each.suite
            for each in try_vectors(tried, vectors_in(DEFAULT))
            if each.mark is Mark.FAILED
        )
    return ", ".join(f"{category} {count}" for category, count in sorted(failed.items()))


@cache
def verdict(number: int) -> str:
    """Our verdict on a mutation: the check that fails, or VALID."""
    changed = mutation(SEED, number)
    return foreseen(changed.base).verdict(changed.data)[0] or VALID


def reaching(check: str) -> list[int]:
    """The first mutations on which this is our verdict."""
    found: Iterable[int] = (number for number in range(MOST) if verdict(number) == check)
    return list(islice(found, EACH))


def noticed_by_auditor(name: str, check: str) -> str:
    """Which mutations a program with this breakage judges in another way; empty if none."""
    numbers = reaching(check)
    with Program(planted(name, "serve")) as tried:
        trials = list(try_mutations(tried, SEED, numbers))
    failed = [
        number for number, each in zip(numbers, trials, strict=True) if each.mark is Mark.FAILED
    ]
    told = ", ".join(map(str, failed))
    return f"{check}: {len(failed)} of {len(numbers)} (mutations {told})" if failed else ""


async def noticed_by_seat(name: str, sitting: str) -> str:
    """What conformance says of a seat with this breakage in that sitting; empty if it passes."""
    scenario = next(each for each in scenarios(sample=False) if each.name == sitting)
    for _ in range(TABLES):
        trial = await sit(shlex.join(planted(name, "sit")), scenario, deadline=DEADLINE)
        if trial.mark is Mark.FAILED:
            return f"{sitting}: {trial.detail.split(';')[0]}"
    return ""


def looked_for(name: str, part: str) -> str | None:
    """What one command says of a breakage: empty if it misses it, None if it cannot see it."""
    breakage = BREAKAGES[name]
    if part == "vectors" and breakage.category is not None:
        return noticed_by_vectors(name)
    if part == "auditor" and breakage.check is not None:
        return noticed_by_auditor(name, breakage.check)
    if part == "seat" and breakage.sitting is not None:
        return asyncio.run(noticed_by_seat(name, breakage.sitting))
    return None


def main() -> int:
    """Print the table; the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--name", action="append", choices=sorted(BREAKAGES))
    given = parser.parse_args()
    parts = [part for part in PARTS if not given.part or part in given.part]
    click.echo(f"| breakage | {' | '.join(parts)} |\n| --- {'| --- ' * len(parts)}|")
    missed = 0
    for name in given.name or BREAKAGES:
        found = [looked_for(name, part) for part in parts]
        missed += found.count("")
        cells = ("-" if each is None else each or "MISSED" for each in found)
        click.echo(f"| {name} | {' | '.join(cells)} |")
    click.echo(f"{missed} missed" if missed else "every breakage is noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
