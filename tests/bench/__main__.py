"""What the program costs on this machine, each figure beside its floor: `make bench`.

    python -m tests.bench                         all: a quarter of an hour on two idle cores
    python -m tests.bench cards hand --quick      some parts, with fewer and smaller measurements
    python -m tests.bench rules --json            for a program

Whoever stops it gets the page of what was measured until then. specs/performance.md explains it.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

import click

from cli.errors import ExitCode
from tests.bench.figures import Part, written
from tests.bench.whole import PARTS, page, run_part


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the parts that are named, or all, and print one page."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true", help="two minutes for all")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    if unknown := {*given.parts} - {*PARTS}:
        parser.error(f"no part is called {min(unknown)}: there are {', '.join(PARTS)}")
    missing = [name for name in PARTS if name in (given.parts or PARTS)]
    parts, begun = list[Part](), time.monotonic()

    def tell(what: str) -> None:
        click.echo(f"{time.monotonic() - begun:5.0f} s  {what}", err=True)

    # Event loops clear up after SIGINT.
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    with suppress(KeyboardInterrupt):
        for name in tuple(missing):
            parts.append(run_part(name, quick=given.quick, tell=tell))
            missing.remove(name)
    if missing:
        tell(f"stopped; not measured: {', '.join(missing)}")
    click.echo(written(parts) if given.json else page(parts))
    return ExitCode.INTERRUPTED if missing else ExitCode.DONE


if __name__ == "__main__":
    sys.exit(main())
