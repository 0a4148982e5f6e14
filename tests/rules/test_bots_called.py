"""The player for called partners: it plays to the end, bids what it makes, and keeps its secret."""

from __future__ import annotations

from p2p304.bots.players import steady_for
from p2p304.bots.random_player import RandomPlayer
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import CallDouble, NameCard, Ready
from p2p304.rules304.running import RunningOutcome
from p2p304.seats import Seat
from p2p304.simulator import OpenTable, play_hand
from tests.rules.open_matches import play_match
from tests.rules.test_double import after_five

GAME = create_game("304", "maharashtra")


def hand(seed: int, players: list[object]) -> RunningOutcome:
    deck = list(GAME.pack)
    SeededRandomness(seed).shuffle(deck)
    played = play_hand(GAME, Seat(seed % 4), players, deck, SeededRandomness(seed))  # type: ignore[arg-type]
    assert isinstance(played.outcome, RunningOutcome)
    return played.outcome


def test_it_makes_most_of_what_it_bids_and_seldom_passes() -> None:
    players: list[object] = [steady_for(GAME, seat) for seat in range(4)]
    outcomes = [hand(seed, players) for seed in range(60)]
    bid = [each for each in outcomes if each.void is None]
    assert len(bid) > 45
    assert sum(each.facts.made for each in bid) > len(bid) / 2


def test_it_beats_players_who_draw_their_choices() -> None:
    scores = [0] * 4
    for seed in range(60):
        ours = (seed % 4, (seed + 1) % 4)
        players: list[object] = [
            steady_for(GAME, seat) if seat in ours else RandomPlayer(GAME, 4 * seed + seat)
            for seat in range(4)
        ]
        for seat, score in enumerate(hand(seed, players).scores):
            scores[0 if seat in ours else 1] += score
    assert scores[0] > 0 > scores[1]


def test_a_match_comes_to_its_end() -> None:
    players = [steady_for(GAME, seat) for seat in range(4)]
    found = play_match(GAME, players, SeededRandomness(5), most_hands=80).match
    assert found.winner is not None
    assert max(found.scores) >= 11


def test_it_names_the_best_card_that_it_lacks() -> None:
    deck = list(GAME.pack)
    SeededRandomness(2).shuffle(deck)
    table = OpenTable(GAME, deck, SeededRandomness(2))
    player = steady_for(GAME, 1)
    named = None
    while named is None:
        seat = table.state.awaiting[0]
        action = player.choose(table.view(seat))
        named = action.card if isinstance(action, NameCard) else None
        table.act(seat, action)
    assert named not in {table.face(slot) for slot in table.state.dealt[table.state.maker]}


def test_the_player_of_tamil_nadu_calls_double_when_nothing_beats_its_cards() -> None:
    found = after_five()
    assert steady_for(found.table.game, 1).choose(found.table.view(Seat(0))) == CallDouble()
    advice = steady_for(found.table.game, 1).advice(found.table.view(Seat(0)))
    assert advice.reason == "No card that is left beats any of yours."
    assert steady_for(found.table.game, 1).choose(found.table.view(Seat(2))) == Ready()
