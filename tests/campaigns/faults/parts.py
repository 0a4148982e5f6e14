"""The parts of the campaign: what is done in each, how often, and by what it is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from tests.campaigns.faults import libraries, real_table, trials
from tests.campaigns.faults.results import Piece, Result

#: Some points of a part, tried in an empty directory, as long as `allowed` says so.
Trial = Callable[[Path], Result]

PIECES: Final = 8  #: So many hands together have all deaths of a seat.
#: Fewer points than these lie in smaller pieces, so that they are of several hands.
MANY: Final = 500


@dataclass(frozen=True, slots=True)
class Part:
    """`trials` are for a seed and a number of points, in their order; after `enough` points no
    other is tried, 0 is all.

    `least` is how many points there must be in the end.
    """

    title: str
    judged: str
    trials: Callable[[int, int], Iterator[Trial]]
    enough: int = 0
    least: int = 1


def _pieces(at_once: int, points: int) -> int:
    """In how many pieces all points are cut where so many are to be tried."""
    return at_once * (max(1, MANY // points) if points else 1)


def _kills(seed: int, points: int) -> Iterator[Trial]:
    """The host and a guest die everywhere, in pieces; then all four in one hand, some of it over a
    bad broker."""
    pieces = _pieces(PIECES, points)
    for number in range(pieces):
        for seat in (0, 1 + seed % 3):
            piece = Piece(number, pieces)
            yield partial(trials.dying_hand, seed=seed + seat, seat=seat, piece=piece)
        if number % 2:
            piece = Piece(number, 5 * pieces, salt=str(seed))
            yield partial(trials.all_seats, seed=seed + number, piece=piece, lossy=number % 4 == 1)


def _disks(seed: int, points: int) -> Iterator[Trial]:
    pieces = _pieces(PIECES // 2, points)
    for number in range(pieces):
        for seat in (0, 1 + seed % 3):
            piece = Piece(number, pieces)
            yield partial(trials.failing_hand, seed=seed + seat, seat=seat, piece=piece)


def _journals(seed: int, _points: int) -> Iterator[Trial]:
    for seat in range(4):
        yield partial(trials.cut_at, seed=seed + seat, seat=seat, writes=12 + 13 * seat, most=150)
        yield partial(trials.rolled_back, seed=seed + seat, seat=seat, writes=60 - 9 * seat)


def _networks(seed: int, _points: int) -> Iterator[Trial]:
    for more in range(4):
        for kind in trials.WEATHERS:
            yield partial(trials.in_weather, seed=seed + more, kind=kind)
        for held in (False, True):
            yield partial(trials.censoring, seed=seed + more, held=held)


def _connections(seed: int, _points: int) -> Iterator[Trial]:
    """Over mosquitto and over the embedded broker."""
    for more in range(2):
        for kind in real_table.WAYS:
            yield partial(real_table.on_rough_ways, seed=seed + more, kind=kind)


def _clocks(seed: int, _points: int) -> Iterator[Trial]:
    for kind in trials.CLOCKS:
        for more in range(2):
            yield partial(trials.clock, seed=seed + more, kind=kind)


def _copies(seed: int, _points: int) -> Iterator[Trial]:
    for more in range(20):
        yield partial(trials.copied, seed=seed + more)
        if more < 8:
            yield partial(trials.forked, seed=seed + more)


def _libraries(seed: int, _points: int) -> Iterator[Trial]:
    for number in range(libraries.KINDS):
        yield partial(libraries.judged, seed=seed, number=number)


_TABLE: Final = "the hand ends; transcripts equal and valid; nobody blamed; nothing signed twice"
_SEAT: Final = f"{_TABLE}; nothing published before it was on the disk; no files left"

PARTS: Final = {
    "kills": Part(
        "a seat dies at every write, publish", f"{_SEAT}; nothing lost", _kills, least=1_000
    ),
    "disks": Part(
        "full, read-only, broken disks",
        f"{_SEAT}; one sentence each, with what happened and what to do",
        _disks,
        least=500,
    ),
    "journals": Part(
        "journals cut, older copies restored",
        f"{_SEAT}; all records before the cut are there; the seat catches up",
        _journals,
        least=500,
    ),
    "networks": Part(
        "loss, repetition, parting, forks",
        f"{_TABLE}; who is censored is waited for, by name and time, and nobody else",
        _networks,
        least=40,
    ),
    "connections": Part("processes: connections end early", _TABLE, _connections, least=1),
    "clocks": Part("wrong wall clocks", f"{_TABLE}; waiting is told", _clocks, least=15),
    "copies": Part(
        "two copies of a seat",
        f"{_TABLE} but by who split it; a sentence: locked, or what to do with a copy",
        _copies,
        least=20,
    ),
    "libraries": Part(
        "each call of a library raises",
        "no seat is accused, nothing is accepted: it is an error of our own",
        _libraries,
        least=1_000,
    ),
}
