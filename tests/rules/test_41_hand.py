"""A deal of 41: its table of phases, what sorting hides, and words of refusal."""

from __future__ import annotations

import pytest

from p2p304.disclosures import Remixed
from p2p304.errors import NotationError, RulesError
from p2p304.randomness import SeededRandomness
from p2p304.rules41.actions import Action, PlaceBid, SortHand
from p2p304.rules41.hand import (
    NEXT,
    Game41,
    Phase,
    State,
)
from p2p304.rules41.rules import Rules41, Variant
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from tests.rules.open_matches import shuffled

GAME = Game41(Rules41(Variant.SYRIAN))


def table_at(phase: Phase, seed: int = 5) -> OpenTable:
    """An open table in `phase`, on the way to it with the first legal action each time."""
    table = OpenTable(GAME, shuffled(GAME, SeededRandomness(seed)), SeededRandomness(seed))
    while table.state.phase is not phase:
        seat = GAME.contributors(table.state)[0]
        actions = GAME.legal_actions(table.view(seat))
        wanted = 0 if phase is Phase.THROWN_IN or not isinstance(actions[0], PlaceBid) else 3
        table.act(seat, actions[wanted])
    return table


def test_every_transition_of_the_table_happens() -> None:
    seen: set[tuple[Phase, type[Action], Phase]] = set()
    for end in (Phase.THROWN_IN, Phase.PLAYED):
        table = table_at(Phase.CUTTING)
        while seats := GAME.contributors(table.state):
            before = table.state.phase
            actions = GAME.legal_actions(table.view(seats[0]))
            bid = 0 if end is Phase.THROWN_IN else 5
            action = actions[bid if isinstance(actions[0], PlaceBid) else 0]
            table.act(seats[0], action)
            seen.add((before, type(action), table.state.phase))
        assert table.state.phase is end
    assert seen == {(phase, kind, to) for (phase, kind), all_to in NEXT.items() for to in all_to}


def test_sorting_may_happen_in_any_order_and_hides_when_cards_were_dealt() -> None:
    ends: list[State] = []
    for order in ((0, 1, 2, 3), (3, 1, 0, 2)):
        state = table_at(Phase.SORTING).state
        for seat in map(Seat, order):
            before = state.hands[seat]
            step = GAME.apply(state, seat, SortHand())
            state = step.state
            assert step.disclosures == (Remixed(seat, before, state.hands[seat]),)
        ends.append(state)
    assert ends[0] == ends[1]
    assert sorted(slot for hand in ends[0].hands for slot in hand) == list(range(52, 104))


def test_an_error_in_notation_names_its_place() -> None:
    with pytest.raises(NotationError, match=r"at character 9"):
        GAME.parse_action("play 61=1C")
    with pytest.raises(NotationError, match=r"at character 8\)"):
        GAME.parse_action("play 61")


def test_a_deal_that_is_not_over_has_no_result() -> None:
    with pytest.raises(RulesError, match="the deal is not over yet"):
        GAME.settle(table_at(Phase.PLAYING).state)
