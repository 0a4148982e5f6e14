"""A table plays many hands in one process, which prints its memory at the end of each."""

from __future__ import annotations

import json
import sys

import click

from tests.bench.hand import TimedTable
from tests.bench.machine import resident_mb


def memory_of(hands: int) -> list[float]:
    """Return megabytes after each of so many hands; none where the system does not tell."""
    table = TimedTable()
    found = []
    for number in range(hands):
        table.play(number + 1)
        table.sent.clear()
        memory = resident_mb()
        if memory is None:
            return []
        found.append(memory)
    return found


if __name__ == "__main__":
    click.echo(json.dumps(memory_of(int(sys.argv[1]))))
