"""Plays hands at debug level, forces errors, and looks for every secret in all that was written.

`make sweep` plays 100 hands in this process's children, each with an error at another point, and
three tables of real processes; `python -m tests.campaigns.sweep.run_sweep --hands 20 --tables 1
--seed 7` others. The table tells what was searched for what. The exit status is 1 if a secret was
anywhere but in a seat's journal and identity (which must be 0600 in directories 0700), or if an
object of ours shows one to whoever prints the locals of a traceback.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tests.campaigns.frame import asked, say
from tests.campaigns.sweep.tables import Swept, fault_of, sweep_hand, sweep_processes


def swept(sweep: Callable[[Path, int], Swept], seed: int) -> Swept:
    """What a sweep finds in a folder of its own, which is gone afterwards."""
    place = Path(tempfile.mkdtemp(prefix="p2p304-sweep-"))
    try:
        return sweep(place, seed)
    finally:
        shutil.rmtree(place)


def report(title: str, found: Swept) -> list[str]:
    """The lines that tell what was found."""
    of = found.counts
    lines = [
        f"{title}: {of['hands']} hands with {of['errors']} errors; {of['secrets']:,} secrets in"
        f" {of['forms']:,} forms; {of['searched']:,} bytes searched, {of['logs']:,} of them logs;"
        f" {of['kept']} journals and identities are 0600;"
        f" {of['intended']} invites printed for the player; {len(found.leaks)} secrets found"
    ]
    leaks = Counter((where, hit.owner, hit.secret, hit.form) for where, hit in found.leaks)
    for (where, owner, secret, form), count in leaks.most_common():
        lines.append(f"  LEAK: {secret} of {owner} as {form} in {where}, {count} times")
    lines += [f"  WRONG: {each}" for each in found.faults]
    shown = Counter((e.function, e.variable, e.kind, e.hit.secret, e.ours) for e in found.locals)
    for (function, variable, kind, secret, ours), count in sorted(shown.items()):
        word = "LEAK" if ours else "plain"
        lines.append(f"  {word}: {function}: {variable} ({kind}) is a {secret}, {count} times")
    return lines


def main() -> int:
    """Sweep as many hands as the command line says."""
    chosen = asked(
        __doc__,
        hands=(100, "hands in one process each"),
        tables=(3, "tables of real processes"),
        seed=(0, "of the first hand"),
        jobs=(os.cpu_count() or 1, "hands at a time"),
    )
    hands, tables = Swept(), Swept()
    seeds = range(chosen.seed, chosen.seed + chosen.hands)
    with ProcessPoolExecutor(chosen.jobs) as pool:
        for seed, found in zip(seeds, pool.map(partial(swept, sweep_hand), seeds), strict=True):
            hands.add(found)
            if not found.clean:
                say(f"seed {seed}, {fault_of(seed)}: not clean")
    for seed in range(chosen.seed, chosen.seed + chosen.tables):
        tables.add(swept(sweep_processes, seed))
    say(*report("in one process", hands), *report("in processes", tables))
    return 0 if hands.clean and tables.clean else 1


if __name__ == "__main__":
    sys.exit(main())
