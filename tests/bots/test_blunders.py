"""Blunders of a partner are told from what a seat knows, and players who think make hardly any."""

from __future__ import annotations

import pytest

from p2p304.rules304.actions import PlayCard, PlayDown
from p2p304.rules304.machine import legal_actions
from tests.bots.blunders import BLUNDERS, blunders, counted
from tests.rules.positions_304 import POSITIONS

WON, THROWN, LED, DRAWN = BLUNDERS
MOST = 2  #: Of each in a thousand decisions.


@pytest.mark.parametrize(
    ("name", "blunder"),
    [
        ("nines led with the jacks out", LED),
        ("ace led with jack and nine out", LED),
        ("ace face down on the maker's trick", THROWN),
        ("trump on the partner's jack", WON),
    ],
)
def test_what_is_wrong_at_a_position_is_a_blunder_and_what_is_right_is_none(
    name: str, blunder: str
) -> None:
    position = next(each for each in POSITIONS if each.name == name)
    view = position.view()
    cards = [each for each in legal_actions(view) if isinstance(each, PlayCard | PlayDown)]
    wrong = {each for each in cards if position.wrong(view, each)}
    assert {each for each in cards if blunder in blunders(view, each)} & wrong
    assert any([*blunders(view, each)] == [] for each in cards if each not in wrong)


def test_rules_of_thumb_blunder_hardly_ever_and_players_who_draw_often() -> None:
    thumb, drawn = counted("steady", 1_000, 1), counted("random", 400, 1)
    assert max(thumb.values()) <= MOST, thumb
    assert drawn[THROWN] > 5
    assert drawn[LED] > 10


@pytest.mark.long
def test_the_players_of_tables_blunder_hardly_ever() -> None:
    found = counted("club", 1_000, 1)
    assert max(found.values()) <= MOST, found
