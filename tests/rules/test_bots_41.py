"""The bot of 41 and 400: it bids what it can take, so that scores rise and matches end."""

from __future__ import annotations

import pytest

from p2p304.bots.play41.counting import tricks_in
from p2p304.bots.play41.playout import Playout41
from p2p304.bots.play41.worth import chance_to_win, ending_of
from p2p304.bots.players import RandomPlayer, player_for, steady_for
from p2p304.cards import parse_card
from p2p304.randomness import SeededRandomness
from p2p304.rules41.hand import Game41, Outcome41, Phase
from p2p304.rules41.rules import Variant, parse_rules
from p2p304.seats import Seat
from p2p304.simulator import OpenTable, play_out
from tests.rules.open_matches import play_match, shuffled

GAMES = {each.value: Game41(parse_rules(each, "")) for each in Variant}
LONGEST = 60
"""Deals that no match of these seeds needs; those of random bids need all and do not end."""


@pytest.mark.parametrize("name", GAMES)
def test_scores_rise_and_matches_end_within_200_deals(name: str) -> None:
    game = GAMES[name]
    players = [steady_for(game, 1) for _ in range(4)]
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
def test_a_fast_playout_ends_as_the_rules_end_it_with_players_who_count(name: str) -> None:
    """From every bid and every card of a deal: the same choices, so the same tricks and scores."""
    game, compared = GAMES[name], 0
    playout = Playout41(game)
    for seed in range(4):
        chance = SeededRandomness(seed)
        table = OpenTable(game, shuffled(game, chance), chance, dealer=Seat(seed), checks=False)
        wild = RandomPlayer(game, seed)
        counting = [steady_for(game, 1)] * 4
        while awaited := game.contributors(table.state):
            view = table.view(awaited[0])
            found = playout(view, table.state, table.open_view().faces)
            if table.state.phase in (Phase.CUTTING, Phase.SORTING):
                assert found is None
            else:
                other = table.fork(SeededRandomness(0))
                play_out(other, counting)
                outcome = game.settle(other.state)
                assert found == ending_of(game.rules, view, outcome)
                compared += 1
            bids = table.state.phase is Phase.BIDDING and seed
            table.act(awaited[0], (counting[0] if bids else wild).choose(view))
    assert compared > 120


def test_a_deal_is_worth_more_to_who_comes_nearer_to_the_target_with_a_partner_above_zero() -> None:
    rules = parse_rules(Variant.SYRIAN, "")
    assert chance_to_win(rules, (0, 0, 0, 0)) == pytest.approx(0.5)
    assert chance_to_win(rules, (41, 0, 1, 0)) == 1
    assert chance_to_win(rules, (12, 41, 12, 5)) == 0
    assert chance_to_win(rules, (38, 20, 5, 20)) > chance_to_win(rules, (38, 20, -5, 20)) > 0.5
    assert chance_to_win(rules, (30, 10, 10, 10)) > chance_to_win(rules, (20, 10, 10, 10)) > 0.5
    both = chance_to_win(rules, (20, 7, 11, 3)) + chance_to_win(rules, (7, 20, 3, 11))
    assert both == pytest.approx(1)


def test_a_bid_looks_at_the_score_of_the_match() -> None:
    """Who wins the match with the next bid has the deal played; who will hardly win it lets the
    bids fall short of the floor, so that the cards are dealt again."""
    game = GAMES["41"]
    sums = []
    for scores in ((0, 10, 43, 10), (6, 39, 2, 30)):
        bids = 0
        for seed in (10, 15, 16):
            deck = shuffled(game, SeededRandomness(seed))
            table = OpenTable(game, deck, SeededRandomness(3), dealer=Seat(3), scores=scores)
            while table.state.phase is not Phase.BIDDING:
                seat = table.state.awaiting[0]
                table.act(seat, game.legal_actions(table.view(seat))[0])
            bids += player_for(game, 1, "beginner").choose(table.view(Seat(0))).tricks
        sums.append(bids)
    assert sums[0] > sums[1]
