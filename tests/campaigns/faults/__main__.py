"""Breaks tables on purpose, and tells who survived; `make faults` runs it.

    python -m tests.campaigns.faults                            everything, in about twenty minutes
    python -m tests.campaigns.faults kills --points 500         one part, so many points of it
    python -m tests.campaigns.faults brokers --seed 7           other points, seats and cards

Each part is bounded by its points and by --minutes: after either, no table is begun and nothing
more is done to those that play, which end their hands. The exit status is 1 if anything was not as
it must be, or, without such bounds, too little was tried. What was lost is kept, and said where.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import Value
from pathlib import Path
from typing import Final

from tests.campaigns.faults import libraries, real_table, trials
from tests.campaigns.faults.results import UNBOUNDED, Allowance, Piece, Result, give, sum_of
from tests.campaigns.frame import asked, say

MINUTES: Final = 7.0
MEMORY: Final = Path("/dev/shm")

# --- parts ----------------------------------------------------------------------------------------

# What is done in each, how often, and by what it is judged.

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


# --- running --------------------------------------------------------------------------------------


def run_part(part: Part, seed: int, *, jobs: int, minutes: float) -> Result:
    """The results of all trials of a part that its points and its minutes allow."""
    enough = part.enough or UNBOUNDED
    allowance = Allowance(Value("q", enough), time.monotonic() + 60 * minutes)
    coming = part.trials(seed, part.enough)
    results: list[Result] = []
    running: set[Future[Result]] = set()
    with ProcessPoolExecutor(jobs, initializer=give, initargs=(allowance,)) as pool:
        while True:
            tried = sum(each.tried for each in results)
            while len(running) < jobs and _another(allowance, tried + len(running), enough):
                trial = next(coming, None)
                if trial is None:
                    break
                running.add(pool.submit(attempt, trial))
            if not running:
                break
            done, running = wait(running, return_when=FIRST_COMPLETED)
            results += [each.result() for each in done]
    return sum_of(results)


def _another(allowance: Allowance, begun: int, enough: int) -> bool:
    """Whether another trial is begun: each under way is one point at least."""
    return begun < enough and allowance.points.value > 0 and allowance.seconds_left > 0


def attempt(trial: Trial) -> Result:
    """One trial in a directory of its own, which is kept if something was wrong."""
    # A task that is cancelled before it began leaves a coroutine behind, as a dead process does.
    warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
    place = Path(tempfile.mkdtemp(prefix="p2p304-faults-", dir=MEMORY if MEMORY.is_dir() else None))
    try:
        result = trial(place)
    except Exception:  # noqa: BLE001 - whatever it was, it is told, and the campaign goes on
        result = Result(1, 0, [traceback.format_exc()], Counter())
    if not result.faults:
        shutil.rmtree(place)
        return result
    arguments = getattr(trial, "keywords", {})
    return result._replace(faults=[f"{arguments} kept in {place}", *result.faults])


def lines_of(name: str, part: Part, result: Result, seconds: float) -> Iterator[str]:
    """The lines of a part in the table, and what was wrong."""
    yield (
        f"{name:<11} {part.title:<36} {result.tried:>6} {result.survived:>9} {seconds:>6.0f} s"
        f"  {part.judged}"
    )
    for kind, number in sorted(result.kinds.items()):
        yield f"{'':<14}{number:>6}  {kind}"
    for fault in result.faults[:20]:
        yield f"      WRONG: {fault}"
    if result.tried < part.least:
        yield f"      WRONG: {result.tried} points were tried, and {part.least} are due"


def main() -> int:
    """Run the parts that are named, or all; 1 if something did not survive."""
    options = asked(
        __doc__,
        PARTS,
        points=(int, "so many of each part, and no more"),
        seed=(304, "which cards, seats and points"),
        jobs=(2, "tables at a time"),
        minutes=(float, "for each part; 7 if none are named"),
    )
    wrong = 0
    say(f"{'part':<11} {'what':<36} {'points':>6} {'survived':>9}    time  judged by")
    for name in options.parts:
        part = PARTS[name]
        if options.points is not None:
            part = replace(part, enough=options.points, least=min(part.least, options.points))
        if options.minutes is not None:
            part = replace(part, least=1)
        began = time.monotonic()
        result = run_part(
            part,
            options.seed,
            jobs=options.jobs,
            minutes=MINUTES if options.minutes is None else options.minutes,
        )
        say(*lines_of(name, part, result, time.monotonic() - began))
        wrong += bool(result.faults or result.tried < part.least or result.survived < result.tried)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
