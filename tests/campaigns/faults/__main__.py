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
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import replace
from multiprocessing import Value
from pathlib import Path
from typing import Final

from tests.campaigns.faults.parts import PARTS, Part, Trial
from tests.campaigns.faults.results import UNBOUNDED, Allowance, Result, give, sum_of
from tests.campaigns.frame import asked, say

MINUTES: Final = 7.0
MEMORY: Final = Path("/dev/shm")


def run_part(part: Part, seed: int, *, jobs: int, minutes: float) -> Result:
    """The results of all trials of a part that its points and its minutes allow."""
    enough = part.enough or UNBOUNDED
    allowance = Allowance(Value("q", enough), time.monotonic() + 60 * minutes)
    trials = part.trials(seed, part.enough)
    results: list[Result] = []
    running: set[Future[Result]] = set()
    with ProcessPoolExecutor(jobs, initializer=give, initargs=(allowance,)) as pool:
        while True:
            tried = sum(each.tried for each in results)
            while len(running) < jobs and _another(allowance, tried + len(running), enough):
                trial = next(trials, None)
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
