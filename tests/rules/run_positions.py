"""How often each kind of bot does what no good player would: `make positions`.

    python -m tests.rules.run_positions steady club --seeds 20 --json

Each kind is asked at every position of `positions_304` with so many seeds.
"""

from __future__ import annotations

import argparse
import json
import sys

from p2p304.bots.compare.duels import KINDS, kind_called
from p2p304.games import create_game
from tests.rules.positions_304 import POSITIONS, PROFILE

Shares = dict[str, dict[str, float]]
"""For each position, and "all", the share of wrong decisions of each kind."""


def shares(kinds: list[str], seeds: int) -> Shares:
    """Ask each kind at every position."""
    game = create_game("304", PROFILE)
    found: Shares = {}
    for position in POSITIONS:
        view = position.view()
        found[position.name] = {
            kind: sum(
                position.wrong(view, kind_called(kind, game)(game, seed).choose(view))
                for seed in range(seeds)
            )
            / seeds
            for kind in kinds
        }
    found["all"] = {
        kind: sum(each[kind] for each in found.values()) / len(POSITIONS) for kind in kinds
    }
    return found


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=["steady"], metavar="KIND", choices=KINDS)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = shares(given.kinds, given.seeds)
    if given.json:
        sys.stdout.write(f"{json.dumps(found)}\n")
        return
    width = max(map(len, found))
    rows = {"": [f"{kind:>9}" for kind in given.kinds]}
    rows |= {name: [f"{each[kind]:9.0%}" for kind in given.kinds] for name, each in found.items()}
    for name, row in rows.items():
        sys.stdout.write(" ".join((f"{name:{width}}", *row)) + "\n")


if __name__ == "__main__":
    main()
