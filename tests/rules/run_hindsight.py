"""A campaign: what the cards that bots of 304 choose give away by perfect play with open cards.

    python -m tests.rules.run_hindsight --levels steady club --hands 40 --from-trick 2 --json

The first level sits on every seat; the others are asked what they would play where it stands. The
same seed is the same campaign, whatever the number of processes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain

from p2p304.bots.players import PLAYERS, player_for
from p2p304.rules304.hand import Game304
from p2p304.rules304.profiles import PROFILES
from tests.rules.hindsight_304 import MOST_POSITIONS, PlayJudged, given_away, judged_plays

PART = 4
"""Hands that one process plays in a row."""


def one(
    levels: Sequence[str], profile: str, first_trick: int, most: int, seed: int
) -> list[PlayJudged]:
    """Judge what is played in a few hands."""
    game = Game304(PROFILES[profile])
    players = {level: partial(player_for, game, level=level) for level in levels}
    return list(judged_plays(game, players, PART, seed, first_trick=first_trick, most=most))


def main() -> int:
    """Play, judge, and tell points given away for each decision, by trick."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--levels", nargs="+", choices=PLAYERS, default=["steady"], help="the first one plays"
    )
    parser.add_argument("--profile", choices=PROFILES, default="pagat", help="whose rules")
    parser.add_argument("--hands", type=int, default=40, help="how many")
    parser.add_argument("--from-trick", type=int, default=1, help="later ones are quick")
    parser.add_argument("--most", type=int, default=MOST_POSITIONS, help="positions a decision")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--json", action="store_true", help="one object")
    arguments = parser.parse_args()
    task = partial(one, arguments.levels, arguments.profile, arguments.from_trick, arguments.most)
    parts = -(-arguments.hands // PART)
    seeds = [arguments.seed * 1_000_003 + part for part in range(parts)]
    with ProcessPoolExecutor(arguments.jobs) as pool:
        found = given_away(chain.from_iterable(pool.map(task, seeds)))
    if arguments.json:
        told = {
            level: {trick: row._asdict() for trick, row in rows.items()}
            for level, rows in found.items()
        }
        sys.stdout.write(json.dumps(told) + "\n")
        return 0
    for level, rows in found.items():
        sys.stdout.write(f"{level}: points given away a decision (a card drawn at random)\n")
        for trick, row in rows.items():
            where = f"trick {trick}" if trick else "all tricks"
            sys.stdout.write(
                f"  {where:10} {row.given:6.2f} ({row.drawn:.2f}) in {row.decisions:4} decisions,"
                f" {row.given_leading:6.2f} in {row.leads} leads\n"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
