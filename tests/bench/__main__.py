"""What the program costs on this machine, each figure beside its floor: `make bench`.

    python -m tests.bench                         all: a quarter of an hour on two idle cores
    python -m tests.bench cards hand --quick      some parts, with fewer and smaller measurements

Whoever stops it gets the page of what was measured until then. specs/performance.md explains it.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

import click

from cli.errors import ExitCode, UserError
from tests.bench.cards import cards_part
from tests.bench.deal import deal_part
from tests.bench.figures import Figure, Part, Tell
from tests.bench.hand import hand_part
from tests.bench.latency import latency_part
from tests.bench.machine import machine
from tests.bench.rules import rules_part
from tests.bench.start import start_part

PARTS: Final[dict[str, Callable[..., Part]]] = {
    "cards": cards_part,
    "hand": hand_part,
    "start": start_part,
    "deal": deal_part,
    "latency": latency_part,
    "rules": rules_part,
}


def run_part(name: str, *, quick: bool, tell: Tell) -> Part:
    """Measure a part. One that cannot be measured here says why."""
    begun, about = time.monotonic(), machine() | {"quick": quick}
    try:
        part = PARTS[name](quick=quick, tell=lambda what: tell(f"{name}: {what}"))
    except UserError as error:
        part = Part(name, name, skipped=str(error))
    return replace(part, machine=about | {"seconds": round(time.monotonic() - begun, 1)})


def page(parts: Sequence[Part]) -> str:
    """Return the page: where it was measured, and the figures of each part."""
    lines = ["What p2p304 costs", ""]
    if parts:
        about = parts[0].machine
        place = [f"{about['cores']} cores", *(about[each] for each in ("cpu", "system", "python"))]
        lines.append(", ".join([*place, about["day"], *["quick"] * about["quick"]]))
        lines.append(
            "  " + ", ".join(f"{name} {each}" for name, each in about["libraries"].items())
        )
        told = (f"{e.name} {e.machine['seconds']:.0f} s ({e.machine['load']:g})" for e in parts)
        lines.append(f"  parts, with the load when they began: {', '.join(told)}")
    for part in parts:
        lines += ["", part.title, "-" * len(part.title)]
        lines += [f"skipped: {part.skipped}"] if part.skipped else []
        lines += _table(part.figures) if part.figures else []
        lines += [f"  {note}" for note in part.notes]
    return "\n".join(lines)


_COLUMNS: Final = ("median", "from", "to", "floor", "ratio", "goal")


def _table(figures: Sequence[Figure]) -> list[str]:
    lines = [f"{'':<52}{''.join(f'{name:>10}' for name in _COLUMNS)}"]
    floors = list(dict.fromkeys(each.floor_is for each in figures if each.floor))
    marks = {floor: chr(ord("a") + at) for at, floor in enumerate(floors)}
    for each in figures:
        floor = f"{_number(each.floor)} {marks[each.floor_is]}" if each.floor else ""
        ratio = f"{each.ratio:.2f}" if each.ratio is not None else ""
        goal = "" if each.goal is None else f"{_number(each.goal)} {'met' if each.met else 'NOT'}"
        low, high = (_number(at) if each.samples > 1 else "" for at in (each.low, each.high))
        cells = (_number(each.median), low, high, floor, ratio, goal)
        name = f"{each.name}{f', {each.unit}' if each.unit else ''}"
        lines.append(f"{name:<52}{''.join(f'{cell:>10}' for cell in cells)}")
    return [*lines, *(f"  floor {mark}: {floor}" for floor, mark in marks.items())]


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice([*PARTS]))
@click.option("--quick", is_flag=True, help="Two minutes for all.")
def main(parts: tuple[str, ...], quick: bool) -> None:
    """Measure PARTS, or all, and print one page."""
    wanted = [name for name in PARTS if name in (parts or PARTS)]
    found, begun = list[Part](), time.monotonic()

    def tell(what: str) -> None:
        click.echo(f"{time.monotonic() - begun:5.0f} s  {what}", err=True)

    # Event loops clear up after SIGINT.
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    with suppress(KeyboardInterrupt):
        for name in wanted:
            found.append(run_part(name, quick=quick, tell=tell))
    missing = wanted[len(found) :]
    if missing:
        tell(f"stopped; not measured: {', '.join(missing)}")
    click.echo(page(found))
    sys.exit(ExitCode.INTERRUPTED if missing else ExitCode.DONE)


if __name__ == "__main__":
    main(prog_name="python -m tests.bench")
