"""Learn again what players of 41 and 400 do with which cards, and write it down.

    python -m tests.rules.run_learning41 --deals 120 --seed 1

Players who search sit with players who count, at tables of both games; what they bid and played is
counted, as `p2p304.bots.play41.prior.deeds` tells it. The same seed writes the same bytes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from p2p304.bots.play41.prior import deeds
from p2p304.bots.players import player_for
from p2p304.bots.search.likelihood import counted
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules41.hand import Game41
from p2p304.seats import Seat
from p2p304.simulator import OpenTable, play_out

HOME = Path(__file__).parents[2] / "p2p304" / "bots" / "tables" / "likely41.py"
HEAD = '''\
"""What players of 41 and 400 do with which cards, counted: written by `make signs`."""

from __future__ import annotations

from typing import Final

COUNTS: Final[dict[str, dict[str, int]]] = {
'''
SCORES = ((0, 0, 0, 0), (12, 8, 15, 4), (25, 19, 11, 30), (36, 14, 8, 33))


def observed(name: str, deals: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield each situation of some deals and what was done in it."""
    game, chance = create_game(name), SeededRandomness(seed)
    assert isinstance(game, Game41)
    for number in range(deals):
        deck = list(game.pack)
        chance.shuffle(deck)
        dealer, scores = Seat(number % 4), SCORES[number // 4 % len(SCORES)]
        table = OpenTable(game, deck, chance, dealer=dealer, scores=scores, checks=False)
        levels = ["beginner" if chance.randbelow(3) else "counting" for _ in range(4)]
        play_out(table, [player_for(game, chance.word(), level) for level in levels])
        for _, each in deeds(game, table.state, table.open_view().faces):
            yield each.situation, each.sign


def main() -> None:
    """Play, count, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=120, help="of each game")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    lines = [HEAD]
    for name in ("41", "400"):
        for situation, seen in counted(observed(name, arguments.deals, arguments.seed)).items():
            signs = ", ".join(f'"{sign}": {count}' for sign, count in seen.items())
            lines.append(f'    "{situation}": {{{signs}}},\n')
    HOME.write_text("".join((*lines, "}\n")), encoding="utf-8")


if __name__ == "__main__":
    main()
