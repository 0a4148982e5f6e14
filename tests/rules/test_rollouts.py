"""A bot for any game: it knows the interface alone, and beats players who draw their choices."""

from __future__ import annotations

from typing import Any

import pytest

from p2p304.bots.players import player_for
from p2p304.bots.random_player import RandomPlayer
from p2p304.bots.rollouts import RolloutPlayer
from p2p304.bots.thinking import QUICK, STEADY
from p2p304.game import AnyGame
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.simulator import OpenTable, play_hand
from tests.client.black_lady.rules import (
    EVERYBODY,
    FIRST,
    BlackLady,
    Give,
    Mix,
    Outcome,
    State,
)
from tests.client.highest_card.rules import Highest
from tests.long import examples


def mean_score(game: AnyGame, hands: int) -> float:
    """What a seat of this bot scores in a hand on average, among players who draw their choices."""
    total, chance = 0, SeededRandomness(9)
    for number in range(hands):
        ours = Seat(number % game.seats)
        players: list[Any] = [RandomPlayer(game, chance.word()) for _ in range(game.seats)]
        players[ours] = RolloutPlayer(game, chance.word(), QUICK)
        deck = list(game.pack)
        chance.shuffle(deck)
        total += play_hand(game, Seat(0), players, deck, chance).outcome.scores[ours]
    return total / hands


@pytest.mark.parametrize(
    ("game", "hands", "least", "most"),
    [(Highest(), 60, 1.5, 4), (BlackLady(), 24, 0, 1.6)],
    ids=["most tricks win", "fewest points win"],
)
def test_it_beats_chance_whether_many_points_win_or_few(
    game: AnyGame, hands: int, least: float, most: float
) -> None:
    """By chance a seat has four tricks of three seats at the one, and seven points at the other."""
    assert least <= mean_score(game, examples(hands)) <= most


def test_a_game_without_a_bot_of_its_own_is_played_by_it() -> None:
    assert isinstance(player_for(BlackLady(), 1), RolloutPlayer)
    assert not isinstance(player_for(create_game("41"), 1), RolloutPlayer)


def test_the_same_seed_and_view_give_the_same_choice_and_a_reason() -> None:
    view = OpenTable(Highest(), Highest.pack, SeededRandomness(1)).view(Seat(1))
    one, other = (RolloutPlayer(Highest(), 5).advice(view) for _ in range(2))
    assert one == other
    assert one.reason == "It ended best in 48 imagined ends of the hand for each choice."
    with pytest.raises(ValueError, match="seat 0 has no legal action"):
        RolloutPlayer(Highest(), 5).choose(
            OpenTable(Highest(), Highest.pack, SeededRandomness(1)).view(Seat(0))
        )


def test_what_it_does_depends_on_nothing_that_it_has_not_seen() -> None:
    """The cards of the others are exchanged among them, and it chooses the same."""
    deck = list(Highest.pack)
    SeededRandomness(3).shuffle(deck)
    choices = set()
    for swapped in (deck, [*deck[8:], *deck[4:8], *deck[:4]]):
        view = OpenTable(Highest(), swapped, SeededRandomness(1)).view(Seat(1))
        choices.add(RolloutPlayer(Highest(), 5, STEADY).choose(view))
    assert len(choices) == 1


def test_a_card_that_it_gave_away_is_somebodys_all_the_same() -> None:
    """It has seen the card, and not where its new owner put it: hands are played out even so."""
    ends: list[State] = []

    class Counting(BlackLady):
        def settle(self, state: State) -> Outcome:
            ends.append(state)
            return super().settle(state)

    given, decided = 0, 0
    for seed in range(12):
        deck = list(BlackLady.pack)
        chance = SeededRandomness(seed)
        chance.shuffle(deck)
        table = OpenTable(BlackLady(), deck, chance)
        for seat in EVERYBODY:
            slots = {table.face(slot): slot for slot in table.state.hands[seat]}
            given += seat == 0 and FIRST in slots
            table.act(seat, Give(slots.get(FIRST, min(slots.values()))))
        for seat in EVERYBODY:
            table.act(seat, Mix())
        while not table.game.is_over(table.state):
            seat = table.state.awaited[0]
            legal = table.game.legal_actions(table.view(seat))
            ends.clear()
            table.act(seat, RolloutPlayer(Counting(), seed, QUICK).choose(table.view(seat)))
            if len(legal) > 1:
                decided += 1
                assert len(ends) >= 0.9 * QUICK.layouts * len(legal), f"seed {seed}"
    assert given
    assert decided > 50
