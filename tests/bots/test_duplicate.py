"""A duplicate match tells two bots apart, and every statement of its hands holds."""

from __future__ import annotations

import pytest

from p2p304.games import GAMES, create_game
from tests.bots.duplicate import gain, gains

TABLES = [(name, profile) for name in GAMES for profile in GAMES[name].profiles or ("",)]


@pytest.mark.parametrize(("name", "profile"), TABLES)
def test_random_players_state_nothing_false_and_gain_nothing_on_themselves(
    name: str, profile: str
) -> None:
    game = create_game(name, profile)
    for seed in range(3):
        assert gain(game, ("random", "random"), seed) == pytest.approx(0)


def test_what_one_bot_gains_the_other_loses() -> None:
    game = create_game("41")
    one = [*gains(game, ("steady", "random"), 4, 7)]
    other = [*gains(game, ("random", "steady"), 4, 7)]
    assert [-each for each in one] == pytest.approx(other)
    assert sum(one) > 0
