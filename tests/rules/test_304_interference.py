"""Non-interference: what one seat is given does not depend on cards that it may not know.

A hand is played; then the same actions over other hidden cards, permuted in ways that leave every
statement true. Which cards a seat may know is told by WhoMayKnow, after the tables of RULES, and
not by the library.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2p304.rules304.actions import Action
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.hand import Game304
from p2p304.rules304.pack import PACK
from p2p304.rules304.profile import Profile
from p2p304.rules304.profiles import FOUR_SEATS
from p2p304.rules304.state import State
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.statements import Statement, holds
from p2p304.view import View
from tests.rules.out_of_turn import calls_out_of_turn
from tests.rules.playouts_304 import (
    STYLES,
    Style,
    WhoMayKnow,
    agreements,
    deal,
    matches,
    new_table,
)


@pytest.mark.parametrize("name", list(FOUR_SEATS))
def test_views_do_not_change_when_hidden_cards_are_permuted(name: str) -> None:
    permuted: Counter[str] = Counter()

    @matches
    @given(profile=agreements(name), seed=st.integers(0, 2**64), style=STYLES)
    def compare(profile: Profile, seed: int, style: Style) -> None:
        chance = Random(seed)
        for _ in range(6):
            moved, unknown = compare_worlds(profile, chance, style)
            permuted["moved"] += moved
            permuted["unknown"] += unknown

    compare()
    assert permuted["moved"] > permuted["unknown"] / 4, f"few cards were permuted: {permuted}"


def compare_worlds(profile: Profile, chance: Random, style: Style) -> tuple[int, int]:
    """Play a hand; then the same actions over other hidden cards, as one seat sees them.

    The hand is cut off at some action. Cards that the seat may not know by then are permuted in all
    ways that leave every statement true. How many were moved, and how many could be.
    """
    game = Game304(profile)
    deck = deal(chance)
    dealer, mix = Seat(chance.randrange(4)), chance.getrandbits(64)
    observer = chance.choice([*map(Seat, range(4)), None])
    table = new_table(game, deck, mix, dealer)
    knowing = WhoMayKnow()
    knowing.start(table.state)
    sights: list[Any] = [sight(table, observer)]
    statements: list[list[Statement]] = [[]]
    may_know = [set(knowing.slots(table.state, observer))]

    def visit(table: OpenTable, seat: Seat, action: Action) -> None:
        step = game.apply(table.state, seat, action)
        statements.append([*statements[-1], *step.statements])

    done: list[tuple[Seat, Action]] = []
    while table.state.awaiting:
        before = table.state
        seat, action = one_action(table, chance, style, visit)
        knowing.note(before, seat, action, table.state)
        may_know.append(set(knowing.slots(table.state, observer)))
        sights.append(sight(table, observer))
        done.append((seat, action))
    until = chance.randrange(len(done) + 1)
    fixed = {table.face(slot) for slot in may_know[until]}
    places = {card: place for place, card in enumerate(deck)}
    unknown = [card for card in deck if card not in fixed]
    other = dict(zip(deck, deck, strict=True))
    faces = table.open_view().faces
    needed = statements[until]
    points = {card: game.points_of(card) for card in PACK}
    for _ in range(40 if len(unknown) > 1 else 0):
        one, two = chance.sample(unknown, 2)
        other[one], other[two] = other[two], other[one]
        swapped = {slot: other[card] for slot, card in faces.items()}
        if not all(holds(each, swapped, points=points) for each in needed):
            other[one], other[two] = other[two], other[one]
    deck_of_other = [other[card] for card in deck]
    assert all(deck_of_other[places[card]] == card for card in fixed)
    world = new_table(game, deck_of_other, mix, dealer)
    assert sight(world, observer) == sights[0]
    for place, (seat, action) in enumerate(done[:until]):
        world.act(seat, action)
        assert sight(world, observer) == sights[place + 1], f"seat {observer} sees a difference"
    return sum(other[card] != card for card in unknown), len(unknown)


def one_action(table: OpenTable, chance: Random, style: Style, visit: Any) -> tuple[Seat, Action]:
    """One action of some awaited seat, taken at `table`."""
    seat = chance.choice(table.state.awaiting)
    action = style.choose(chance, legal_actions(table.view(seat)))
    visit(table, seat, action)
    table.act(seat, action)
    return seat, action


def sight(table: OpenTable, observer: Seat | None) -> tuple[Any, ...]:
    """All that a seat is given: its view, and what it may do."""
    view: View[State] = table.view(observer)
    return (
        view.state,
        dict(view.faces),
        legal_actions(view),
        calls_out_of_turn(view),
    )
