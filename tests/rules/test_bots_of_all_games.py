"""Every game has a player that beats chance, and whose matches end."""

from __future__ import annotations

import pytest

from p2p304.bots.players import random_player_for, steady_for
from p2p304.game import AnyGame
from p2p304.games import GAMES, create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules304.choices import CapsModel
from p2p304.rules304.hand import Game304
from p2p304.seats import Seat
from p2p304.simulator import Player
from tests.long import sample
from tests.rules.open_matches import play_match

LONGEST = 150
"""Hands in which every match has ended."""

TABLES = [(name, profile) for name in GAMES for profile in GAMES[name].profiles or ("",)]
KEPT = [
    *(("41", ""), ("400", "")),
    *(("304", name) for name in ("championship", "six24", "maharashtra", "doso_viso")),
]
"""Of each sort of game one; bots end matches of all of them among others who draw their choices."""


def bot(game: AnyGame, seed: int) -> Player:
    """The best bot of a game; where it imagines deals, few of them."""
    return steady_for(game, seed)


def agreed(name: str, profile: str) -> AnyGame:
    """A game under a profile; a short match of 304, without caps where they are long to judge."""
    game = create_game(name, profile)
    if not isinstance(game, Game304) or game.profile.partner_called:
        return game
    judged = game.profile.caps_model is CapsModel.EPISTEMIC
    return create_game(name, f"{profile}; tokens_start = 3{'; caps_model = off' * judged}")


def against_chance(game: AnyGame, seed: int) -> bool:
    """Whether bots in every other seat win a match against players who draw their choices."""
    chance = SeededRandomness(seed)
    good = [(seat + seed) % 2 == 0 for seat in range(game.seats)]
    players = [
        bot(game, chance.word()) if each else random_player_for(game, chance.word())
        for each in good
    ]
    played = play_match(game, players, chance, most_hands=LONGEST, checks=False)
    winner = played.match.winner
    assert winner is not None, f"seed {seed}: nobody has won after {LONGEST} hands"
    (sides, *_) = game.sides(game.start(Seat(0)).state)
    return good[sides[winner][0] if len(sides) > winner else winner]


def test_bots_beat_players_who_draw_their_choices_in_every_game() -> None:
    won = {table: against_chance(agreed(*table), seed) for seed, table in enumerate(TABLES)}
    assert sum(won.values()) >= 0.75 * len(TABLES), won


@pytest.mark.long
@pytest.mark.parametrize(("name", "profile"), TABLES)
def test_bots_win_most_matches_against_chance(name: str, profile: str) -> None:
    game = agreed(name, profile)
    won = sum(against_chance(game, seed) for seed in range(16))
    assert won >= 11, f"bots won {won} of 16 matches"


@pytest.mark.parametrize("table", sample(TABLES, KEPT), ids="-".join)
def test_a_match_among_bots_alone_ends(table: tuple[str, str]) -> None:
    game, chance = agreed(*table), SeededRandomness(4)
    players = [bot(game, chance.word()) for _ in range(game.seats)]
    played = play_match(game, players, chance, most_hands=LONGEST, checks=False)
    assert played.match.winner is not None
