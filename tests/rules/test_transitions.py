"""The table of transitions: complete, obeyed by every playout, and no wider than it must be."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from random import Random
from typing import get_args

import pytest

from p2p304.errors import RulesError
from p2p304.rules304 import actions as act
from p2p304.rules304.hand import Game304
from p2p304.rules304.machine import DOING, TRANSITIONS
from p2p304.rules304.pack import PACK
from p2p304.rules304.profiles import FOUR_SEATS
from p2p304.rules304.state import Phase, State
from p2p304.rules304.toggles import TOGGLES
from p2p304.seats import FOUR_SEAT_NAMES, Seat
from p2p304.simulator import OpenTable
from tests.rules.playouts_304 import OVERRIDES, Style, agreed, new_table, play_wildly
from tests.vectors.action_examples import EXAMPLES, OTHERS

HANDS = 700
OTHER_PROFILES = ("tamil4", "tamil4", "maharashtra", "maharashtra")
OF_TEAMS = sorted({*TOGGLES} - {"marriages", "last_trick", "divide_by_ten"})
KINDS = get_args(act.Action)


SAMPLES = {type(each): each for each in (*EXAMPLES, *OTHERS)}


def test_every_action_and_every_phase_has_its_place_in_the_table() -> None:
    assert set(DOING) == set(Phase)
    assert {kind for _, kind in TRANSITIONS} == set(KINDS), "every action has its place"
    assert {phase for phase, _ in TRANSITIONS} == set(Phase) - {Phase.OVER}
    assert all(row.leads_to for row in TRANSITIONS.values())


def test_every_phase_leads_to_the_end_and_is_led_to() -> None:
    reached = {Phase.CUT}
    while (
        more := {to for (at, _), row in TRANSITIONS.items() if at in reached for to in row.leads_to}
        - reached
    ):
        reached |= more
    assert reached == set(Phase)
    ending = {Phase.OVER}
    while more := {at for (at, _), row in TRANSITIONS.items() if row.leads_to & ending} - ending:
        ending |= more
    assert ending == set(Phase)


RARE: dict[tuple[Phase, type], set[Phase]] = {
    # All passed, the last seat's partner was asked and cannot bid: needs bid_max below 200.
    (Phase.AUCTION4, act.AskPartner): {Phase.OVER},
    # The last of four contributions shows a card or calls caps, and an earlier one was a claim.
    # Or, in full court, the card that was called is shown after its side lost a trick.
    (Phase.WINDOW, act.ShowCard): {
        Phase.COUNT,
        Phase.CAPS_RESPONSE,
        Phase.SPOILT_INDICATOR,
        Phase.SPOILT_ANSWER,
        Phase.OVER,
    },
    # Or is the last of them itself, in a hand that comes so far.
    (Phase.WINDOW, act.CallDouble): {
        Phase.TRICK,
        Phase.SPOILT_INDICATOR,
        Phase.SPOILT_ANSWER,
        Phase.OVER,
    },
    (Phase.WINDOW, act.DeclareMarriages): {
        Phase.TRICK,
        Phase.SPOILT_INDICATOR,
        Phase.SPOILT_ANSWER,
        Phase.OVER,
    },
    (Phase.WINDOW, act.CallCaps): {Phase.SPOILT_INDICATOR, Phase.SPOILT_ANSWER, Phase.OVER},
    # Every card of every seat has been shown before caps are conceded.
    (Phase.CAPS_RESPONSE, act.AcceptCaps): {Phase.OVER},
    # The maker opens only some of what was handed over to it.
    (Phase.COUNT, act.OpenHandedOver): {Phase.COUNT},
}
"""What the table allows and playouts need not come to, each with what it would take."""


@pytest.fixture(scope="session")
def walked() -> tuple[dict[tuple[Phase, type], set[Phase]], dict[Phase, tuple[OpenTable, State]]]:
    """The transitions of many wild hands, and a state of each phase."""
    found: dict[tuple[Phase, type], set[Phase]] = defaultdict(set)
    states: dict[Phase, tuple[OpenTable, State]] = {}
    last: list[tuple[Phase, type]] = []
    for seed in range(HANDS + 300):
        chance = Random(seed)
        toggles = chance.sample(OF_TEAMS if seed < HANDS else sorted(TOGGLES), chance.randrange(6))
        singles = {
            key: chance.choice(values) for key, values in OVERRIDES.items() if chance.random() < 0.2
        }
        name = chance.choice(list(FOUR_SEATS if seed < HANDS else OTHER_PROFILES))
        if name == "maharashtra":
            toggles = ["marriages", *toggles]
        game = Game304(agreed(name, toggles, singles))
        deck = list(PACK)
        chance.shuffle(deck)
        table = new_table(game, deck, seed, Seat(seed % 4))

        def visit(table: OpenTable, seat: Seat, action: act.Action) -> None:
            if last:
                found[last.pop()].add(table.state.phase)
            states.setdefault(table.state.phase, (table, table.state))
            last.append((table.state.phase, type(action)))

        style = Style(chance.choice((6, 20, 200)), chance.choice((2, 20)), 30)
        play_wildly(table, chance, style, visit)
        found[last.pop()].add(table.state.phase)
        states.setdefault(table.state.phase, (table, table.state))
    return found, states


def test_playouts_never_leave_the_table(
    walked: tuple[dict[tuple[Phase, type], set[Phase]], object],
) -> None:
    for at, following in walked[0].items():
        assert following <= TRANSITIONS[at].leads_to, f"{at[1].__name__} in {at[0].name}"


def test_the_table_allows_little_that_playouts_do_not_do(
    walked: tuple[dict[tuple[Phase, type], set[Phase]], object],
) -> None:
    for at, row in TRANSITIONS.items():
        missing = row.leads_to - walked[0].get(at, set()) - RARE.get(at, set())
        assert not missing, f"{at[1].__name__} in {at[0].name} never led there"


@pytest.mark.parametrize("phase", Phase, ids=lambda phase: phase.name)
def test_an_action_out_of_its_phase_is_refused_with_the_phase(
    walked: tuple[object, dict[Phase, tuple[OpenTable, State]]], phase: Phase
) -> None:
    table, state = walked[1][phase]
    strange = [SAMPLES[kind] for kind in KINDS if (phase, kind) not in TRANSITIONS]
    for action, seat in product(strange, map(Seat, range(4))):
        with pytest.raises(RulesError) as caught:
            table.game.apply(state, seat, action)
        verb = table.game.format_action(action).split()[0]
        said = f'"{verb}" is not possible during {DOING[phase]} (rule 3)'
        assert str(caught.value) == said


@pytest.mark.parametrize("phase", Phase, ids=lambda phase: phase.name)
def test_an_action_of_the_wrong_seat_is_refused_with_the_right_one(
    walked: tuple[object, dict[Phase, tuple[OpenTable, State]]], phase: Phase
) -> None:
    table, state = walked[1][phase]
    for (at, kind), row in TRANSITIONS.items():
        if at is not phase or row.out_of_turn:
            continue
        for seat in map(Seat, (0, 1, 2, 3, 4, -1)):
            if seat in state.awaiting:
                continue
            with pytest.raises(RulesError) as caught:
                table.game.apply(state, seat, SAMPLES[kind])
            who = FOUR_SEAT_NAMES[seat] if seat in range(4) else f"seat {seat}"
            said = str(caught.value)
            assert said.startswith(f"{who} is not to act in {DOING[phase]}; it is for ")
            assert all(FOUR_SEAT_NAMES[each] in said for each in state.awaiting)


def test_out_of_turn_is_for_seats_of_the_table_alone(
    walked: tuple[object, dict[Phase, tuple[OpenTable, State]]],
) -> None:
    for (phase, kind), row in TRANSITIONS.items():
        if not row.out_of_turn:
            continue
        table, state = walked[1][phase]
        for seat in (Seat(4), Seat(-1)):
            with pytest.raises(RulesError, match=f"seat {seat} is not to act"):
                table.game.apply(state, seat, SAMPLES[kind])
