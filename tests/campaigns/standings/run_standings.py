"""The walk of every history, and random tournaments and records told by two programs.

    python -m tests.campaigns.standings.run_standings --seed 1 -- node verifier/node.mjs

Ends with status 1 at the first difference, or where a signed result changes (an AssertionError
names the history). 2,000 tournaments, 2,000 records and 16,384 histories take about fifteen minutes
of one core; question k of a seed is the same on every machine.
"""

from __future__ import annotations

import shlex
import sys
from collections import Counter

import click

from cli.conformance.program import ProgramUnderTest
from tests.campaigns.standings.random_standings import Question, questions
from tests.table.histories import check_steps, sayings, standings
from tests.vectors.answers import ask


def difference(program: ProgramUnderTest, asked: Question) -> str | None:
    """Return how another program answers a question otherwise than ours, None if it does not."""
    ours, theirs = ask(asked.op, asked.given), program.ask(asked.op, asked.given)
    if all(ours.get(name) == theirs.get(name) for name in ("output", "reject")):
        return None
    return f"{asked.about}: {theirs}; ours is {ours}"


@click.command()
@click.option("--tournaments", default=2_000, show_default=True)
@click.option("--records", default=2_000, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--walk/--no-walk", default=True, help="Walk every history of three teams first.")
@click.argument("command", nargs=-1, required=True)
def main(tournaments: int, records: int, seed: int, walk: bool, command: tuple[str, ...]) -> None:
    """Ask COMMAND and our own program the same."""
    if walk:
        found = standings(range(1 << len(sayings().said)))
        click.echo(f"{len(found)} histories, {check_steps(found)} steps: no signed result changes.")
    asked = Counter[str]()
    with ProgramUnderTest(shlex.split(" ".join(command))) as program:
        for each in questions(seed, tournaments, records):
            wrong = difference(program, each)
            if wrong is not None:
                click.echo(wrong)
                sys.exit(1)
            asked[each.op] += 1
    click.echo(", ".join(f"{count} {op}" for op, count in asked.items()) + ": no difference.")


if __name__ == "__main__":
    main()
