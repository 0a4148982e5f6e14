"""`p2p304 bench all`, `cards`, `deal` and `start`: figures beside their floors."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import click

from cli.bench.cards import cards_part
from cli.bench.figures import Part, parts_in
from cli.bench.machine import library
from cli.bench.plots import SVG_HEAD
from cli.bench.processes import measure_deal
from cli.bench.start import RUNS, measure
from cli.bench.tables import BROKERS
from cli.bench.whole import PARTS, lines_of, merged, page, plots, run_parts
from cli.bench.whole import as_json as everything
from cli.commands.options import json_option
from cli.errors import ExitCode, UserError
from cli.output_files import prepare_file, prepare_folder, write_file


@contextmanager
def interrupted_by_sigterm() -> Iterator[None]:
    """Let SIGTERM end a measurement as Ctrl-C does, for which event loops clear up."""
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def tell(what: str) -> None:
    """Say on the error stream what is being measured."""
    click.echo(what, err=True)


def show(part: Part, *, as_json: bool) -> None:
    """Print one part, as the page shows it or for a program."""
    click.echo(json.dumps(part.as_json()) if as_json else "\n".join(lines_of(part)))


_part = click.Choice(list(PARTS))


@click.command("all")
@click.option("--quick", is_flag=True, help="About two minutes: fewer and smaller measurements.")
@click.option("--only", type=_part, multiple=True, help="Measure this; may be given several times.")
@click.option(
    "--skip", type=_part, multiple=True, help="Leave this out; may be given several times."
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Add what is measured to the figures in this file, and show all of them.",
)
@click.option(
    "--show", is_flag=True, help="Measure nothing: show the figures in the file of --keep."
)
@click.option(
    "--plots",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the curves into this folder, as SVG; pygal draws them, of the extra 'bench'.",
)
@json_option
def command(
    quick: bool,
    only: tuple[str, ...],
    skip: tuple[str, ...],
    keep: Path | None,
    show: bool,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Measure everything on this machine, and print one page.

    Each figure stands beside its floor: the group operations in it at what one costs here, or the
    broker's bare round trip, all measured in the same run. The ratio compares machines; figures of
    other programs, from other machines, stand apart. specs/performance.md explains the page.

    Everything takes about a quarter of an hour on two idle cores; --quick takes about two minutes.
    Whoever stops it gets the page of what was measured until then.

    \b
    Examples:
      p2p304 bench all --quick
      p2p304 bench all --only hand --only audit
      p2p304 bench all --keep figures.json --plots plots
      p2p304 bench all --keep figures.json --show --json
    """
    names = [name for name in PARTS if (not only or name in only) and name not in skip]
    if show:
        names = []
        if keep is None:
            raise UserError("--show needs a file: name it with --keep.")
    earlier = _kept(keep)
    if keep is not None and names:
        prepare_file(keep, replace=True)
    if folder is not None:
        library("pygal")  # before a quarter of an hour is spent
        prepare_folder(folder)
        _check_pictures(folder)
    begun = time.monotonic()

    def tell_time(what: str) -> None:
        tell(f"{time.monotonic() - begun:5.0f} s  {what}")

    parts = merged(earlier, ())
    missing = list(names)
    with interrupted_by_sigterm(), suppress(KeyboardInterrupt):
        for name in names:
            parts = merged(parts, run_parts((name,), quick=quick, tell=tell_time))
            missing.remove(name)
            if keep is not None:
                told = json.dumps(everything(parts), indent=1) + "\n"
                write_file(keep, told.encode(), replace=True)
    if missing:
        tell_time(f"stopped; not measured: {', '.join(missing)}")
        if not parts:
            return ExitCode.INTERRUPTED
    if not parts:
        raise UserError("Nothing was measured: leave out some --skip, or name parts with --only.")
    if folder is not None:
        for name, picture in plots(parts).items():
            write_file(folder / name, picture.encode(), replace=True)
    if as_json:
        click.echo(json.dumps(everything(parts)))
    else:
        for line in page(parts):
            click.echo(line)
    return ExitCode.INTERRUPTED if missing else ExitCode.DONE


def _check_pictures(folder: Path) -> None:
    """Raise UserError where a picture of somebody else's might be written over."""
    for path in sorted(folder.glob("*.svg")):
        with path.open("rb") as file:
            if file.read(len(SVG_HEAD)) != SVG_HEAD.encode():
                raise UserError(f"{path} is no picture of 'bench all': name another folder.")


def _kept(keep: Path | None) -> tuple[Part, ...]:
    if keep is None or not keep.exists():
        return ()
    try:
        return parts_in(keep.read_text(encoding="utf-8"))
    except ValueError:
        raise UserError(f"{keep} holds no figures of 'bench all': name another file.") from None


@click.command("cards")
@click.option("--quick", is_flag=True, help="Fewer shuffles and values, all in one process.")
@json_option
@interrupted_by_sigterm()
def cards(quick: bool, as_json: bool) -> None:
    """Measure shuffles, shares, openings, hand-overs and statements of masked cards.

    pyperf times each in processes of its own. Each figure stands beside what the group's operations
    in it cost on this machine: the ratio says how far the whole is from the library's floor, and
    compares machines. About a minute; --quick takes seconds.

    \b
    Examples:
      p2p304 bench cards
      p2p304 bench cards --quick --json
    """
    show(cards_part(quick=quick, tell=tell), as_json=as_json)


TABLES: Final = 2


@click.command("deal")
@click.option(
    "--broker",
    "brokers",
    type=click.Choice(list(BROKERS)),
    multiple=True,
    help="Which brokers; may be given several times.  [default: all]",
)
@click.option("--hands", type=click.IntRange(2, 50), default=4, show_default=True)
@json_option
@interrupted_by_sigterm()
def deal(brokers: tuple[str, ...], hands: int, as_json: bool) -> None:
    """Measure deals among four processes over real brokers on this machine.

    The first deal is timed from the moment all four have confirmed the charter, keys and four
    shuffles included; a next deal from the end of the hand before it, in which one bot thought for
    some seconds once; a hurried one where nobody ever thinks. Beside them stands the broker's bare
    round trip in the same run.

    \b
    Examples:
      p2p304 bench deal
      p2p304 bench deal --broker embedded --json
    """
    names = brokers or tuple(BROKERS)
    part = asyncio.run(measure_deal(names, tables=TABLES, hands=hands, tell=tell))
    show(part, as_json=as_json)


@click.command("start")
@click.option("--runs", type=click.IntRange(1, 100), default=RUNS, show_default=True)
@json_option
@interrupted_by_sigterm()
def start(runs: int, as_json: bool) -> None:
    """Measure how long 'p2p304 play' takes from the shell to the first four cards.

    It is called in a terminal of its own, once after the other, with three bots, and ended when the
    cards are there: importing the program, the broker, the seats, four shuffles and the first deal
    are all in it. The first start of all pays for files that are not in memory yet.

    \b
    Examples:
      p2p304 bench start
      p2p304 bench start --runs 3 --json
    """
    show(measure(runs=runs, tell=tell), as_json=as_json)
