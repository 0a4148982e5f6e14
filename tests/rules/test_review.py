"""A hand that is over is judged by what each seat knew at the time, and by nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from p2p304.bots.advice import Advice, Considered
from p2p304.bots.players import player_for
from p2p304.bots.review import Asked, costliest, decisions, public_faces, verdict
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.view import View
from tests.rules.open_matches import shuffled


@pytest.mark.parametrize("name", [("304", "pagat"), ("304", "six36"), ("41", "")])
def test_a_decision_is_put_to_a_judge_as_it_was_put_to_its_seat(name: tuple[str, str]) -> None:
    game, seen, hidden = create_game(*name), 0, []
    for seed in range(3):
        chance = SeededRandomness(seed)
        table = OpenTable(game, shuffled(game, chance), chance, dealer=Seat(1), checks=False)
        players = [player_for(game, chance.word(), "steady") for _ in range(game.seats)]
        actions: list[tuple[Seat, Any]] = []
        views: list[View[Any]] = []
        while awaited := game.contributors(table.state):
            seat = awaited[0]
            views.append(table.view(seat))
            actions.append((seat, players[seat].choose(views[-1])))
            table.act(*actions[-1])
        faces = public_faces(game, Seat(1), (), actions)
        for number, seat, asked in decisions(game, Seat(1), (), actions, faces):
            assert actions[number][0] == seat
            if asked is None:
                hidden.append(seat)
                continue
            then = views[asked.number]
            assert (asked.view.seat, asked.done) == actions[asked.number]
            assert asked.view.state == then.state
            assert asked.view.faces.items() <= then.faces.items()
            mixed = then.faces.keys() - asked.view.faces.keys()
            assert not mixed & {slot for hand in then.state.hands for slot in hand}
            assert asked.view.proved == then.proved
            assert list(asked.legal) == list(game.legal_actions(then))
            seen += 1
    assert seen > 30
    assert name[0] == "41" or hidden, "what was bid on was mixed with other cards"


def judged(done: str, best: str, **gains: float) -> Any:
    choices = tuple(Considered(name, 9, gain, None, gain) for name, gain in gains.items())
    expected = gains.get(best)
    asked = Asked(len(done), View(Seat(0), None, {}), tuple(gains), done)
    return verdict(asked, Advice(best, "It did best.", expected, None, choices))


def test_a_decision_costs_what_the_best_was_expected_to_bring_beyond_it() -> None:
    small = judged("seven", "jack", jack=0.5, seven=0.25)
    large = judged("nine", "jack", jack=1.0, nine=-0.5, seven=0.0)
    right = judged("jack", "jack", jack=1.0, nine=-0.5)
    unknown = judged("king", "jack", jack=1.0)
    assert [each.cost for each in (small, large, right, unknown)] == [0.25, 1.5, 0.0, None]
    assert costliest([small, right, unknown, large], 3) == [large, small]
    assert costliest([small, large], 1) == [large]


def test_cards_that_nobody_was_shown_leave_out_the_decisions_made_with_them() -> None:
    game = create_game("304")
    table = OpenTable(game, game.pack, SeededRandomness(1), dealer=Seat(3), checks=False)
    first = table.state.awaiting[0]
    cut = game.legal_actions(table.view(first))[3]
    table.act(first, cut)
    assert table.state.phase is Phase.AUCTION4
    bidder = table.state.awaiting[0]
    bid = game.legal_actions(table.view(bidder))[-1]
    actions = ((first, cut), (bidder, bid))
    found = list(decisions(game, Seat(3), (), actions, public_faces(game, Seat(3), (), actions)))
    assert [(seat, asked is None) for _, seat, asked in found] == [(first, False), (bidder, True)]
