"""A campaign against the judge of caps: the costliest positions that climbing finds.

    python tests/rules/run_caps.py --profile six36 --climbs 24 --steps 300 --seed 1

Each climb starts from other positions; the same seed is the same campaign. Without --profile it
goes through all numbers of seats and of cards. Ends with status 1 if a position costs more nodes
than `BOUND`: then specs/rules.md 11.3 promises more than holds.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path
from random import Random
from time import process_time
from typing import NamedTuple

from p2p304.rules304.caps.search import OutOfNodesError, find_order
from p2p304.rules304.profile import PROFILES
from tests.campaigns.frame import asked, say
from tests.rules.caps_positions import Genes, climb, position
from tests.vectors.information import information_json

BOUND = 500_000  #: More than six times what has been found.
LIMIT = 2 * BOUND  #: A climb ends at a position that costs so many.
SMALLER = (0, 0, 0, 1, 1, 2, 3, 4)  #: How many cards of a hand have been played, by the seed.
#: A profile for each number of seats, of cards and of ranks.
DEALS = ("pagat", "six24", "eight32", "six36", "tamil504", "tamil904")


class Found(NamedTuple):
    """The costliest position of a climb."""

    nodes: int
    profile: str
    seed: int
    size: int  #: Cards of a seat.
    seconds: float  #: Of one core.
    genes: Genes

    def __str__(self) -> str:
        what = f"{self.profile}, seed {self.seed}, {self.size} cards"
        return f"{what}: {self.nodes:,} nodes, {self.seconds:.2f} s"


def one(name: str, seed: int, steps: int) -> Found:
    """Climb once."""
    profile = PROFILES[name]
    size = max(profile.deal_batches.cards - SMALLER[seed % len(SMALLER)], 2)
    genes, nodes = climb(Random(seed), profile, size, steps, limit=LIMIT)
    information = position(genes)
    assert information is not None
    begin = process_time()
    with suppress(OutOfNodesError):
        find_order(information, LIMIT)
    return Found(nodes, name, seed, size, process_time() - begin, genes)


def main() -> int:
    """Climb, and tell the worst."""
    arguments = asked(
        __doc__,
        profile=(str, "climb under this one alone"),
        climbs=(24, "how many for each"),
        steps=(300, "how many changes each tries"),
        seed=(1, "of the first climb"),
        jobs=(1, "how many at once"),
        out=(Path, "write the worst positions there, as JSON"),
    )
    names = [arguments.profile] if arguments.profile else DEALS
    seeds = range(arguments.seed, arguments.seed + arguments.climbs)
    cases = [(name, seed, arguments.steps) for name in names for seed in seeds]
    found: list[Found] = []
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for each in pool.map(one, *zip(*cases, strict=True)):
            found.append(each)
            say(str(each))
    found.sort(key=lambda each: -each.nodes)
    for name in names:
        say(f"worst of {next(each for each in found if each.profile == name)}")
    if arguments.out:
        worst = [position(each.genes) for each in found[:8]]
        rows = [information_json(each) for each in worst if each is not None]
        arguments.out.write_text(json.dumps(rows, indent=1) + "\n", encoding="ascii")
    return int(found[0].nodes > BOUND)


if __name__ == "__main__":
    sys.exit(main())
