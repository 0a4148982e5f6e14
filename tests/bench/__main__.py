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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, Protocol

import click

from cli.errors import ExitCode, UserError
from tests.bench.cards import cards_part
from tests.bench.deal import deal_part
from tests.bench.figures import Figure, Part, Tell, written
from tests.bench.hand import hand_part
from tests.bench.latency import latency_part
from tests.bench.machine import machine
from tests.bench.rules import rules_part
from tests.bench.start import start_part


class Measure(Protocol):
    """One part of the benchmark."""

    def __call__(self, *, quick: bool, tell: Tell) -> Part:
        """Measure it. Raises UserError where that cannot be done here."""
        ...


PARTS: Final[dict[str, Measure]] = {
    "cards": cards_part,
    "hand": hand_part,
    "start": start_part,
    "deal": deal_part,
    "latency": latency_part,
    "rules": rules_part,
}


def run_part(
    name: str, *, quick: bool, tell: Tell, measures: Mapping[str, Measure] = PARTS
) -> Part:
    """Measure a part. One that cannot be measured here says why."""
    begun = time.monotonic()
    about = machine() | {"quick": quick}
    try:
        part = measures[name](quick=quick, tell=lambda what: tell(f"{name}: {what}"))
    except UserError as error:
        part = Part(name, name, skipped=str(error))
    return replace(part, machine=about | {"seconds": round(time.monotonic() - begun, 1)})


def page(parts: Sequence[Part]) -> str:
    """Return the page: where each part was measured, and their figures."""
    places: dict[str, list[str]] = {}
    for part in parts:
        if about := part.machine:
            libraries = ", ".join(f"{name} {each}" for name, each in about["libraries"].items())
            place = (
                f"{about['cores']} cores, {about['cpu']}, {about['system']}, {about['python']},"
                f" {about['day']}{', quick' if about['quick'] else ''}\n  {libraries}"
            )
            told = f"{part.name} {about['seconds']:.0f} s ({about['load']:g})"
            places.setdefault(place, []).append(told)
    lines = ["What p2p304 costs", ""]
    for place, names in places.items():
        lines += [place, f"  parts, with the load when they began: {', '.join(names)}"]
    for part in parts:
        lines += ["", part.title, "-" * len(part.title)]
        lines += [f"skipped: {part.skipped}"] if part.skipped else []
        lines += _table(part.figures) if part.figures else []
        lines += [f"  {note}" for note in part.notes]
    return "\n".join(lines)


_COLUMNS: Final = ("median", "from", "to", "floor", "ratio", "goal")


def _table(figures: Sequence[Figure]) -> list[str]:
    lines = [f"{'':<52}{''.join(f'{name:>10}' for name in _COLUMNS)}"]
    floors: list[str] = []
    for each in figures:
        floor, ratio, goal, low, high = "", "", "", "", ""
        if each.floor is not None and each.ratio is not None:
            if each.floor_is not in floors:
                floors.append(each.floor_is)
            floor = f"{_number(each.floor)} {chr(ord('a') + floors.index(each.floor_is))}"
            ratio = f"{each.ratio:.2f}"
        if each.goal is not None:
            goal = f"{_number(each.goal)} {'met' if each.met else 'NOT'}"
        if each.samples > 1:
            low, high = _number(each.low), _number(each.high)
        name = f"{each.name}{f', {each.unit}' if each.unit else ''}"
        cells = (_number(each.median), low, high, floor, ratio, goal)
        lines.append(f"{name:<52}{''.join(f'{cell:>10}' for cell in cells)}")
    return [*lines, *(f"  floor {chr(ord('a') + at)}: {each}" for at, each in enumerate(floors))]


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"


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
