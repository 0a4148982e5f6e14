"""The game of the table tests keeps the interface's promises, with open cards."""

from __future__ import annotations

import random

import pytest

from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from tests.table.tiny_game import TinyGame


class Chance:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def randbelow(self, bound: int) -> int:
        return self.random.randrange(bound)

    def shuffle(self, items: list[object]) -> None:
        self.random.shuffle(items)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_random_hands_hold_with_open_cards(seats: int) -> None:
    game = TinyGame(seats)
    for seed in range(60):
        chance = Chance(seed)
        deck = list(game.pack)
        chance.random.shuffle(deck)
        table = OpenTable(game, deck, chance, dealer=Seat(seed % seats))  # type: ignore[arg-type]
        while awaited := game.contributors(table.state):
            seat = chance.random.choice(awaited)
            action = chance.random.choice(list(game.legal_actions(table.view(seat))))
            assert game.parse_action(game.format_action(action)) == action
            table.act(seat, action)
        assert sum(game.settle(table.state).scores) == 3
