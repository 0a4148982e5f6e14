"""A campaign against the judge of caps: the costliest positions that climbing finds.

    python -m tests.rules.run_caps --climbs 24 --steps 300 --seed 1

Each climb starts from other positions; the same seed is the same campaign. Ends with status 1 if a
position costs more nodes than `BOUND`: then specs/rules.md 11.3 promises more than holds.
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random
from time import process_time

from p2p304.rules304.caps.orders import find_order
from p2p304.rules304.operations import information_json
from tests.rules.hardest_caps import Genes, climb, position

BOUND = 500_000
"""More than ten times what has been found."""
SIZES = (8, 8, 8, 7, 7, 6, 5, 4)


def one(seed: int, steps: int) -> tuple[int, int, int, float, Genes]:
    """One climb: nodes, its seed, cards of a seat, seconds of one core for the worst, the worst."""
    size = SIZES[seed % len(SIZES)]
    genes, nodes = climb(Random(seed), size, steps)
    information = position(genes)
    assert information is not None
    begin = process_time()
    find_order(information)
    return nodes, seed, size, process_time() - begin, genes


def say(line: str) -> None:
    """One line, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    """Climb, and tell the worst."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--climbs", type=int, default=24, help="how many")
    parser.add_argument("--steps", type=int, default=300, help="how many changes each tries")
    parser.add_argument("--seed", type=int, default=1, help="of the first climb")
    parser.add_argument("--jobs", type=int, default=1, help="how many at once")
    parser.add_argument("--out", type=Path, help="write the worst positions there, as JSON")
    arguments = parser.parse_args()
    seeds = range(arguments.seed, arguments.seed + arguments.climbs)
    found = []
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for each in pool.map(one, seeds, [arguments.steps] * len(seeds)):
            found.append(each)
            nodes, seed, size, seconds, _ = each
            say(f"seed {seed}: {size} cards, {nodes:,} nodes, {seconds:.2f} s")
    found.sort(key=lambda each: -each[0])
    nodes, seed, size, seconds, _ = found[0]
    say(f"worst: {nodes:,} nodes, {seconds:.2f} s, {size} cards, seed {seed} (bound {BOUND:,})")
    if arguments.out:
        worst = [position(genes) for *_, genes in found[:8]]
        rows = [information_json(each) for each in worst if each is not None]
        arguments.out.write_text(json.dumps(rows, indent=1) + "\n", encoding="ascii")
    return int(nodes > BOUND)


if __name__ == "__main__":
    sys.exit(main())
