"""The bot of 41 and 400: it bids what it can take, so that scores rise and matches end."""

from __future__ import annotations

import pytest

from p2p304.bots.counting41 import CountingPlayer, tricks_in
from p2p304.bots.players import player_for
from p2p304.cards import parse_card
from p2p304.randomness import SeededRandomness
from p2p304.rules41.actions import PlaceBid
from p2p304.rules41.hand import PACK, Game41, Outcome41
from p2p304.rules41.rules import Variant, parse_rules
from p2p304.seats import Seat
from p2p304.simulator import OpenTable, play_match
from p2p304.view import View

GAMES = {each.value: Game41(parse_rules(each, "")) for each in Variant}
LONGEST = 60
"""Deals that no match of these seeds needs; those of random bids need all and do not end."""


@pytest.mark.parametrize("name", GAMES)
def test_scores_rise_and_matches_end_within_200_deals(name: str) -> None:
    game = GAMES[name]
    players = [player_for(game, seat) for seat in range(4)]
    deals: list[Outcome41] = []
    seed = 0
    while len(deals) < 200:
        seed += 1
        match = play_match(
            game, players, SeededRandomness(seed), most_hands=LONGEST, checks=seed == 1
        )
        assert match.match.winner is not None, seed
        assert sum(match.match.scores) > 0, seed
        deals += [game.settle(hand.state) for hand in match.hands]
    played = [each for each in deals if each.played]
    kept = sum(
        took >= bid for each in played for bid, took in zip(each.bids, each.taken, strict=True)
    )
    assert len(played) > 0.8 * len(deals)
    assert kept > 0.65 * 4 * len(played)
    for seat in range(4):
        assert sum(each.scores[seat] for each in played) > 0


def _hand(text: str) -> float:
    return tricks_in([parse_card(word) for word in text.split()])


def test_high_cards_long_trumps_and_short_suits_are_worth_tricks() -> None:
    poor = _hand("2S 3S 4S 5S 2D 3D 4D 2C 3C 4C 5C 2H 3H")
    assert poor < 1
    assert _hand("AS 3S 4S 5S 2D 3D 4D 2C 3C 4C 5C 2H 3H") > poor + 0.8
    assert _hand("AH KH QH JH 9H 8H 7H 6H 5H AS KS AD AC") > 9
    assert _hand("2S 3S 4S 5S 6S 7S 2D 3D 4D 5D 6D 2H 3H") > poor + 0.4


@pytest.mark.parametrize("name", GAMES)
def test_advice_comes_with_a_reason_and_bids_are_what_a_hand_can_take(name: str) -> None:
    game = GAMES[name]
    deck = list(PACK)
    SeededRandomness(7).shuffle(deck)
    table = OpenTable(game, deck, SeededRandomness(7), dealer=Seat(0))
    player = CountingPlayer(game)
    bids = []
    while awaited := game.contributors(table.state):
        advice = player.advice(table.view(awaited[0]))
        assert advice.reason.endswith(".")
        if isinstance(advice.action, PlaceBid):
            bids.append(advice.action.tricks)
        table.act(awaited[0], advice.action)
    assert len(bids) == 4
    assert max(bids) < 9
    with pytest.raises(ValueError, match="no legal action"):
        player.advice(View(Seat(0), table.state, {}))
