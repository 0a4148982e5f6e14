"""The whole benchmark: its parts, one after the other, and the page that they make."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

from cli.errors import UserError
from tests.bench.audits import audit_part
from tests.bench.cards import cards_part
from tests.bench.figures import Figure, Part, Tell
from tests.bench.growth import growth_part
from tests.bench.hand import hand_part
from tests.bench.machine import load, machine
from tests.bench.plots import svg
from tests.bench.processes import deal_part, latency_part, memory_part, sessions_part
from tests.bench.rules import rules_part
from tests.bench.start import start_part

FORMAT: Final = 1


class Peer(NamedTuple):
    """A figure that others published, of their machine and not of ours: it enters no ratio."""

    program: str
    what: str
    figure: str
    machine: str
    source: str
    day: str
    """when the source was looked up"""


PEERS: Final = (
    Peer(
        "geometryxyz/mental-poker (Rust; Barnett-Smart with Bayer-Groth's argument)",
        "a proof of the shuffle of 52 cards, made",
        '"just over 50 ms"',
        '"a standard laptop"',
        "N. Mohnblatt, Mental Poker in the Age of SNARKs, part 1,"
        " https://nmohnblatt.github.io/mental-poker-1",
        "2026-11-21",
    ),
    Peer(
        "geometryxyz/mental-poker",
        "the same proof, judged",
        '"less than 1 ms"',
        '"a standard laptop"',
        "the same article",
        "2026-11-21",
    ),
    Peer(
        "0xFable (TypeScript and Circom; a SNARK for a hand of 7 of 64 cards)",
        "the proof of an initial hand",
        '"around 22-25 seconds"',
        "not said",
        "https://github.com/0xFableOrg/0xFable/pull/8, comment of March 2023",
        "2026-11-21",
    ),
)
"""No figures were found in the documents of LibTMCG and SecureSkat, and neither is packaged for the
system that was measured on, so that they are missing here."""


class Measure(Protocol):
    """One part of the benchmark."""

    def __call__(self, *, quick: bool, tell: Tell) -> Part:
        """Measure it. Raises UserError where that cannot be done here."""
        ...


PARTS: Final[dict[str, Measure]] = {
    "cards": cards_part,
    "hand": hand_part,
    "audit": audit_part,
    "start": start_part,
    "deal": deal_part,
    "latency": latency_part,
    "growth": growth_part,
    "sessions": sessions_part,
    "memory": memory_part,
    "rules": rules_part,
}


def run_parts(
    names: Iterable[str],
    *,
    quick: bool,
    tell: Tell,
    measures: dict[str, Measure] = PARTS,
) -> list[Part]:
    """Measure these parts. One that cannot be measured here says why, and the others go on."""
    found = []
    for name in names:
        begun = time.monotonic()
        about = machine() | {"quick": quick, "load": load()}
        try:
            part = measures[name](quick=quick, tell=partial(_tell, tell, name))
        except UserError as error:
            part = Part(name, name, skipped=str(error))
        about["seconds"] = round(time.monotonic() - begun, 1)
        found.append(replace(part, machine=about))
    return found


def _tell(tell: Tell, name: str, what: str) -> None:
    tell(f"{name}: {what}")


def merged(earlier: Iterable[Part], new: Iterable[Part]) -> list[Part]:
    """Return all parts in the page's order; a new one takes the place of an earlier one."""
    known = {part.name: part for part in (*earlier, *new)}
    order = list(PARTS)
    return sorted(
        known.values(), key=lambda part: order.index(part.name) if part.name in PARTS else 99
    )


def as_json(parts: Sequence[Part]) -> dict[str, Any]:
    """Return everything, for a program and for `merged`."""
    return {
        "format": FORMAT,
        "parts": [part.as_json() for part in parts],
        "peers": [peer._asdict() for peer in PEERS],
    }


def page(parts: Sequence[Part]) -> list[str]:
    """Return the page, line by line, at most 120 columns wide."""
    lines = ["What p2p304 costs", ""]
    for place in _machines(parts):
        lines += place
    for part in parts:
        lines += ["", *lines_of(part)]
    lines += ["", "What others have published, on their machines", "-" * 45]
    for peer in PEERS:
        lines.append(f"{peer.program}: {peer.what}: {peer.figure}, on {peer.machine}")
        lines.append(f"  {peer.source} (seen {peer.day})")
    return lines


def lines_of(part: Part) -> list[str]:
    """Write one part of the page."""
    lines = [part.title, "-" * len(part.title)]
    if part.skipped:
        lines.append(f"skipped: {part.skipped}")
    if part.figures:
        lines += _table(part.figures)
    return [*lines, *(f"  {note}" for note in part.notes)]


def _machines(parts: Sequence[Part]) -> list[list[str]]:
    """Return a line for each machine or day, the parts that it measured, and its libraries."""
    seen: dict[str, list[str]] = {}
    for part in parts:
        about = dict(part.machine)
        if not about:
            continue
        libraries = ", ".join(f"{name} {version}" for name, version in about["libraries"].items())
        place = (
            f"{about['cores']} cores, {about['cpu']}, {about['system']}, {about['python']},"
            f" {about['day']}{', quick' if about['quick'] else ''}\n  {libraries}"
        )
        seen.setdefault(place, []).append(
            f"{part.name} {about['seconds']:.0f} s ({about['load']:g})"
        )
    return [
        [*place.split("\n"), f"  parts, with the load when they began: {', '.join(names)}"]
        for place, names in seen.items()
    ]


_COLUMNS: Final = ("median", "from", "to", "floor", "ratio", "goal")


def _table(figures: Sequence[Figure]) -> list[str]:
    lines = [f"{'':<52}{''.join(f'{name:>10}' for name in _COLUMNS)}"]
    floors: list[str] = []
    for each in figures:
        floor, ratio, goal = "", "", ""
        if each.floor is not None and each.ratio is not None:
            if each.floor_is not in floors:
                floors.append(each.floor_is)
            floor = f"{_number(each.floor)} {chr(ord('a') + floors.index(each.floor_is))}"
            ratio = f"{each.ratio:.2f}"
        if each.goal is not None:
            goal = f"{_number(each.goal)} {'met' if each.met else 'NOT'}"
        name = f"{each.name}{f', {each.unit}' if each.unit else ''}"
        spread = ("", "") if each.samples == 1 else (_number(each.low), _number(each.high))
        cells = (_number(each.median), *spread, floor, ratio, goal)
        lines.append(f"{name:<52}{''.join(f'{cell:>10}' for cell in cells)}")
    lines += [f"  floor {chr(ord('a') + at)}: {each}" for at, each in enumerate(floors)]
    return lines


def _number(value: float) -> str:
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def caption(part: Part) -> str:
    """Return where and when a part was measured, as its pictures say it."""
    if not part.machine:
        return ""
    return f"{part.machine['cores']} cores, {part.machine['cpu']}, {part.machine['day']}"


def plots(parts: Sequence[Part]) -> dict[str, str]:
    """Return the pictures of all curves that have points, by the names of their files."""
    return {
        f"{curve.name}.svg": svg(curve, caption=caption(part))
        for part in parts
        for curve in part.curves
        if any(curve.lines.values())
    }
