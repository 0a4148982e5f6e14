"""States and views cannot be written to: what one hand shows never leaks into another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Any

import pytest

from p2p304.bots.players import RandomPlayer
from p2p304.cards import Slot, parse_card
from p2p304.games import GAMES, create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules304.bids import Contract
from p2p304.rules304.state import State
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.view import View
from tests.rules.open_matches import shuffled

CARD = parse_card("JC")
HANDS = 6


def mutable(value: Any, where: str) -> Iterator[str]:
    """The places in a value that could be written to."""
    match value:
        case None | int() | str() | bytes():
            return
        case Contract():
            return
        case tuple() | frozenset():
            for place, each in enumerate(value):
                yield from mutable(each, f"{where}[{place}]")
        case MappingProxyType():
            for key, each in value.items():
                yield from mutable((key, each), f"{where}[{key}]")
        case _ if is_dataclass(value) and type(value).__dataclass_params__.frozen:  # type: ignore[attr-defined]  # typeshed hides it
            for each in fields(value):
                yield from mutable(getattr(value, each.name), f"{where}.{each.name}")
        case _ if type(value).__module__ != "builtins" and hasattr(type(value), "__members__"):
            return
        case _:
            yield f"{where}: {type(value).__name__}"


@pytest.mark.parametrize("name", GAMES)
def test_no_part_of_a_state_or_of_a_view_can_be_written_to(name: str) -> None:
    game = create_game(name, "pagat" if name == "304" else "")
    for seed in range(HANDS):
        chance = SeededRandomness(seed)
        table, player = OpenTable(game, shuffled(game, chance), chance), RandomPlayer(game, seed)
        while game.contributors(table.state):
            seat = game.contributors(table.state)[0]
            assert [*mutable(table.state, "state")] == []
            view = table.view(seat)
            assert [*mutable(view.faces, "faces")] == []
            table.act(seat, player.choose(view))
        assert [*mutable(table.state, "state")] == []


def test_what_is_written_to_one_hand_is_in_no_other() -> None:
    game = create_game("304", "pagat")
    before = game.start(Seat(0)).state
    after = before.with_faces((Slot(31), CARD))
    for faces in (before.faces, after.faces):
        with pytest.raises(TypeError):
            faces[Slot(30)] = CARD
    assert after.faces == {31: CARD}
    fresh = game.start(Seat(0)).state
    assert isinstance(fresh, State)
    assert fresh.faces == {}


def test_the_faces_of_a_view_are_read_only_whatever_it_was_made_of() -> None:
    faces = {Slot(3): CARD}
    view = View(Seat(0), None, faces)
    with pytest.raises(TypeError):
        view.faces[Slot(4)] = CARD  # type: ignore[index]  # that is the point
    faces[Slot(4)] = CARD
    assert view.faces == faces
