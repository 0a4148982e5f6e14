"""The player for called partners: it plays to the end, bids what it makes, and keeps its secret."""

from __future__ import annotations

from p2p304.bots.players import steady_for
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import CallDouble, NameCard, Ready
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from tests.rules.open_matches import shuffled
from tests.rules.test_double import after_five

GAME = create_game("304", "maharashtra")


def test_it_names_the_best_card_that_it_lacks() -> None:
    table = OpenTable(GAME, shuffled(GAME, SeededRandomness(2)), SeededRandomness(2))
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
