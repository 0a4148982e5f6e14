"""Choices in words, bids by their value: every legal action once, and no word for two."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from cli.front.assistant import duty
from cli.front.choosing import choice_lines, find_choice
from cli.front.writing import Writer
from p2p304.bots.play304.random304 import RandomPlayer304
from p2p304.bots.players import RandomPlayer
from p2p304.cards import Rank, Slot
from p2p304.games import create_game, telling_of
from p2p304.randomness import SeededRandomness
from p2p304.rules41 import actions as actions41
from p2p304.rules304.actions import (
    CallSpoilt,
    Cut,
    LayIndicator,
    PlaceBid,
    PlayCard,
    Ready,
    SortHand,
)
from p2p304.rules304.hand import Game304
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.telling import Choice
from p2p304.view import View
from tests.client.open_hands import shuffled
from tests.long import long

CARD = re.compile(r"(?<![\w-])(?:10|[2-9JQKA])[SHDC](?!\w)")
NUMBERS = (Cut, PlaceBid, actions41.Cut, actions41.PlaceBid)
"""What a number may mean."""
GAMES = (
    ("304", "pagat"),
    ("304", "championship"),
    ("304", "pagat; +half_court; +pre_show"),
    ("304", "wikipedia"),
    ("41", ""),
    ("400", ""),
)


def positions(game_name: str, agreement: str, seed: int) -> Iterator[tuple[OpenTable, Seat]]:
    """Every position of a random hand at which a seat is awaited."""
    game = create_game(game_name, agreement)
    table = shuffled(game, SeededRandomness(seed))
    players = [
        RandomPlayer304(seed + seat) if isinstance(game, Game304) else RandomPlayer(game, seed)
        for seat in range(4)
    ]
    while awaited := game.contributors(table.state):
        for seat in awaited:
            yield table, seat
        table.act(awaited[0], players[awaited[0]].choose(table.view(awaited[0])))


LETTERS = Writer(4, ascii_only=True)


def names_of(view: View[object]) -> set[str]:
    """The cards that the seat knows, as they are written."""
    return {str(card).replace("T", "10") for card in view.faces.values()}


@pytest.mark.parametrize(("game_name", "agreement"), GAMES)
@pytest.mark.parametrize("seed", [0, *long(1, 2)])
def test_every_legal_action_has_words_of_its_own_and_a_number_is_a_bid_or_a_cut(
    game_name: str, agreement: str, seed: int
) -> None:
    for table, seat in positions(game_name, agreement, seed):
        view = table.view(seat)
        legal = list(table.game.legal_actions(view))
        options = telling_of(table.game).choices(view, legal)
        text = " ".join(choice_lines(options, LETTERS, 78))
        for number in range(310):
            option = find_choice(f" {number} ", options, LETTERS)
            assert option is None or isinstance(option.action, NUMBERS), option
        labels = [LETTERS.line(each.label) for each in options]
        assert len(set(labels)) == len(options)
        for option, label in zip(options, labels, strict=True):
            assert label.removeprefix("play ") in text or isinstance(option.action, NUMBERS)
            shared = sum(each.key == option.key for each in options) > 1
            assert not shared or not option.key or find_choice(option.key, options, LETTERS) is None
            for word in (label, *option.typed, *([option.key] * bool(option.key and not shared))):
                assert find_choice(word.upper(), options, LETTERS) is option, word
            assert set(CARD.findall(label)) <= names_of(view)
        assert find_choice("nonsense", options, LETTERS) is None
        assert find_choice("-1", options, LETTERS) is None


def choices(name: str, view: View[Any], legal: Sequence[Any]) -> tuple[Choice, ...]:
    """The choices of the usual game of this name."""
    return telling_of(create_game(name)).choices(view, legal)


def in_a_hand() -> tuple[View[Any], Slot, Slot]:
    """The view of a seat with eight cards of 304, and the slots of two of them, a ten second."""
    table, seat = next(
        (table, seat)
        for table, seat in positions("304", "pagat", 1)
        if len(table.state.hands[seat]) == 8
        and any(table.face(slot).rank is Rank.TEN for slot in table.state.hands[seat])
    )
    slots = table.state.hands[seat]
    ten = next(slot for slot in slots if table.face(slot).rank is Rank.TEN)
    return table.view(seat), next(slot for slot in slots if slot != ten), ten


def test_only_duties_without_a_choice_are_done_without_a_question() -> None:
    view, one, _ = in_a_hand()

    def done(*legal: Any) -> Any:
        found = duty(choices("304", view, legal))
        return None if found is None else found.action

    assert done(SortHand()) == SortHand()
    assert done(PlayCard(one, view.faces[one])) is None
    assert done(LayIndicator(one)) is None
    assert done(Ready(), CallSpoilt()) is None
    assert done() is None
    for name in ("41", "400"):
        for table, seat in positions(name, "", 1):
            here = table.view(seat)
            offered = choices(name, here, table.game.legal_actions(here))
            sorts = table.game.format_action(offered[0].action).startswith("sort")
            assert (duty(offered) is not None) is sorts
