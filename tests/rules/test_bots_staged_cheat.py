"""Seats that play so that one of them comes to lay a card face down, where lies are looked for."""

from __future__ import annotations

from typing import Any

from p2p304.bots.play304.staged_cheat import MAKER, suits_of, toward_a_card_face_down
from p2p304.bots.players import random_player_for
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import KeepClosed, Pass, PlaceBid, PlayDown
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from tests.rules.open_matches import shuffled

CHEAT = Seat(1)
SEEDS = range(12)


def played(seed: int) -> list[tuple[Seat, Any, bool]]:
    """What each seat did in a hand, and whether it was its own choice."""
    game, chance = create_game("304", "pagat"), SeededRandomness(seed)
    table = OpenTable(game, shuffled(game, chance), chance)
    others = [random_player_for(game, seed * 10 + seat) for seat in range(4)]
    done: list[tuple[Seat, Any, bool]] = []
    while awaited := game.contributors(table.state):
        seat = awaited[0]
        view = table.view(seat)
        legal = game.legal_actions(view)
        mine = toward_a_card_face_down(view, legal, table.view(CHEAT), table.view(MAKER))
        assert mine is None or mine in legal
        done.append((seat, mine or others[seat].choose(view), mine is not None))
        table.act(seat, done[-1][1])
    return done


def test_the_maker_outbids_all_keeps_trump_hidden_and_the_cheat_lays_a_card_down() -> None:
    hands = [played(seed) for seed in SEEDS]
    chosen = [[(seat, did) for seat, did, own in hand if own] for hand in hands]
    laid = [hand for hand in chosen if any(isinstance(did, PlayDown) for _, did in hand)]
    assert len(laid) >= len(SEEDS) // 2
    for hand in laid:
        assert {seat for seat, did in hand if isinstance(did, PlaceBid)} == {MAKER}
        assert any(isinstance(did, KeepClosed) for _, did in hand)
        assert any(isinstance(did, Pass) for _, did in hand)


def test_where_a_hand_has_not_begun_for_one_of_them_nothing_is_chosen() -> None:
    game = create_game("304", "pagat")
    table = OpenTable(game, game.pack, SeededRandomness(1))
    seat = game.contributors(table.state)[0]
    view = table.view(seat)
    legal = game.legal_actions(view)
    assert toward_a_card_face_down(view, legal, None, view) is None
    assert toward_a_card_face_down(view, legal, view, None) is None
    assert suits_of(table.view(None)) == frozenset()
