"""Learn the tables of 304's bots again, and write them down.

    python -m tests.rules.run_learning --seed 1

Each stage runs in a process of its own, since it rests on what the stages before it have written.
The same seed writes the same bytes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

HOME = Path(__file__).parents[2] / "p2p304" / "bots" / "tables" / "likely304.py"
STAGES = ("worths", "plays", "calls", "calls")
"""In their order; the second time the auction is learned from who has learned it once."""
DEALS, AUCTIONS, HANDS = 40_000, 400, 300
SITUATIONS = {
    "asked": 0.0,
    "nobody stands": 15.0,
    "opponent stands": 20.0,
    "partner stands": 30.0,
    "two passed": 10.0,
}
"""Points beyond the lowest bid with which players begin to bid, before anything is learned."""
ENDS, SUPPORTS, WIDTH = 8, 8, 10
WIDEST = 100
"""Characters of a line."""
HEAD = '''"""What bots of 304 have learned: written by `make likelihoods`, and never by hand."""

from __future__ import annotations

from typing import Final

# fmt: off
'''
TOLD = {
    "WORTHS": "What four cards add in each role (see `promise.Worth`).",
    "BY_PLACE": "What it adds to a maker's points who leads: itself, its right, and so on.",
    "SPREAD": "By how many points the sum is wrong, as a standard deviation.",
    "STRONG": "What the cards must add to a partner's contract of a seat that asks.",
    "BIDS": "How likely a seat bids, by what its cards promise beyond the bid (see `auction`).",
    "ASKS": "How likely a seat that does not bid asks, by what its cards add for a partner.",
    "PLAYS": "How usual each sign of a card is (see `moments`).",
}


def before() -> dict[str, Any]:
    """Return what is taken to be usual before anything is learned."""
    steps = [(place + 0.5) * WIDTH for place in range(-ENDS, ENDS)]
    bids = {
        name: [1 / (1 + 2.0 ** (-(step - beyond) / 4)) for step in steps]
        for name, beyond in SITUATIONS.items()
    }
    asks = [0.02 if place < SUPPORTS // 2 else 0.4 for place in range(SUPPORTS)]
    return {
        "STRONG": 5.0,
        "BIDS": {name: [min(max(each, 0.01), 0.99) for each in row] for name, row in bids.items()},
        "ASKS": {name: asks for name in SITUATIONS if name != "asked"},
    }


def text(value: Any) -> str:
    """Return a value as Python, its numbers rounded."""
    if isinstance(value, float):
        return repr(round(value, 3))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {text(each)}" for key, each in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "(" + ", ".join(map(text, value)) + ("," if len(value) == 1 else "") + ")"
    return repr(value)


def write(tables: Mapping[str, Any]) -> None:
    """Write the module, in the style of all others."""
    parts = [HEAD]
    for name, told in TOLD.items():
        value = fill(text(tables[name]), WIDEST, initial_indent="    ", subsequent_indent="    ")
        parts.append(f"\n{name}: Final = (\n{value}\n)\n{chr(34) * 3}{told}{chr(34) * 3}\n")
    HOME.write_text("".join(parts))


def stage(name: str, seed: int, share: float) -> None:
    """Learn one stage, and write it with what was known."""
    from tests.rules import learning_304 as learning

    if name == "worths":
        found = learning.worths(int(DEALS * share), seed)
        tables = before()
        tables["WORTHS"], tables["BY_PLACE"] = found.roles, found.by_place
        tables["SPREAD"], tables["PLAYS"] = found.spread, [1.0] * learning.SIGNS
        write(tables)
        return
    from p2p304.bots.tables import likely304
    from tests.rules import learned_hands

    tables = {each: getattr(likely304, each) for each in TOLD}
    if name == "calls":
        bids, asks = learned_hands.calls(int(AUCTIONS * share), seed)
        tables["BIDS"] = {**tables["BIDS"], **learning.frequencies(bids, 2 * ENDS, 1.0)}
        tables["ASKS"] = {**tables["ASKS"], **learning.frequencies(asks, SUPPORTS, 1.0)}
    else:
        hands = learned_hands.played(int(HANDS * share), seed)
        tables["PLAYS"] = learning.plays((each.state, each.faces) for each in hands)
        promises = learned_hands.promises(hands)
        tables["BY_PLACE"], tables["SPREAD"] = learning.corrected(promises)
    write(tables)


def main() -> None:
    """Run all stages, or the one that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0, help="of the hands of each stage")
    parser.add_argument("--stage", choices=sorted({*STAGES}))
    given = parser.parse_args()
    if given.stage:
        stage(given.stage, given.seed, given.share)
        return
    for place, name in enumerate(STAGES):
        command = [sys.executable, "-m", "tests.rules.run_learning", "--stage", name]
        command += ["--seed", str(given.seed + place), "--share", str(given.share)]
        sys.stdout.write(f"{name} ...\n")
        sys.stdout.flush()
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
