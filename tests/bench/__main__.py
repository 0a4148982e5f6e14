"""What the program costs on this machine, each figure beside its floor: `make bench`.

    python -m tests.bench                            all: a quarter of an hour on two idle cores
    python -m tests.bench cards hand --quick         some parts, with fewer and smaller measurements
    python -m tests.bench rules --json               for a program
    python -m tests.bench --keep FILE --plots DIR    add to the figures in a file, and draw
    python -m tests.bench --keep FILE --show         measure nothing, show them

Whoever stops it gets the page of what was measured until then. specs/performance.md explains it.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click

from cli.errors import ExitCode
from tests.bench.figures import Part, parts_in, written
from tests.bench.whole import PARTS, merged, page, plots, run_part


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the parts that are named, or all, and print one page."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true", help="two minutes for all")
    parser.add_argument("--keep", type=Path, metavar="FILE")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--plots", type=Path, metavar="DIR")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    if unknown := {*given.parts} - {*PARTS}:
        parser.error(f"no part is called {min(unknown)}: there are {', '.join(PARTS)}")
    if given.show and given.keep is None:
        parser.error("--show needs a file: name it with --keep")
    parts: tuple[Part, ...] = ()
    if given.keep is not None and given.keep.exists():
        try:
            parts = parts_in(given.keep.read_text("utf-8"))
        except ValueError:
            parser.error(f"{given.keep} holds no figures: name another file")
    missing = [] if given.show else [name for name in PARTS if name in (given.parts or PARTS)]
    begun = time.monotonic()

    def tell(what: str) -> None:
        click.echo(f"{time.monotonic() - begun:5.0f} s  {what}", err=True)

    # Event loops clear up after SIGINT.
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    with suppress(KeyboardInterrupt):
        for name in tuple(missing):
            found = run_part(name, quick=given.quick, tell=tell)
            parts = parts_in(written(merged(*parts, found)))  # as they come out of a file
            missing.remove(name)
            if given.keep is not None:
                given.keep.write_text(written(parts) + "\n", "utf-8")
    if missing:
        tell(f"stopped; not measured: {', '.join(missing)}")
    if given.plots is not None:
        given.plots.mkdir(parents=True, exist_ok=True)
        for name, picture in plots(parts).items():
            (given.plots / name).write_text(picture, "utf-8")
    click.echo(written(parts) if given.json else page(parts))
    return ExitCode.INTERRUPTED if missing else ExitCode.DONE


if __name__ == "__main__":
    sys.exit(main())
