"""What speaks for a card in words: true, by what the seat may know, and about that card."""

from __future__ import annotations

from typing import Any

import pytest

from p2p304.bots.play41.counting import reason as reason_at_41
from p2p304.bots.play304.prior import reason
from p2p304.bots.players import player_for
from p2p304.cards import parse_card
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules41.actions import PlayCard as PlayCard41
from p2p304.rules304.actions import PlayCard, PlayDown
from p2p304.rules304.choosing import legal_actions
from p2p304.simulator import OpenTable
from tests.rules.open_matches import shuffled
from tests.rules.positions_304 import POSITIONS


def said(position: str, card: str) -> str:
    """What speaks for a card at a position."""
    view: Any = next(each for each in POSITIONS if each.name == position).view()
    legal = legal_actions(view)
    plays = [each for each in legal if isinstance(each, PlayCard | PlayDown)]
    play = next(each for each in plays if view.faces[each.slot] == parse_card(card))
    return reason(view, legal, play)


@pytest.mark.parametrize(
    ("position", "card", "why"),
    [
        (
            "ace led with jack and nine out",
            "7H",
            "It gives little away, and higher cards come out.",
        ),
        ("nine led by a strong defender", "JS", "Nobody can have a higher card of spades."),
        ("the maker's ten led while it draws trumps", "JC", "It draws trumps."),
        ("ace face down on the maker's trick", "7H", "It cuts if hearts are trumps."),
        (
            "ace on a trick that was cut",
            "7H",
            "The trick is the others', and it gives little.",
        ),
        (
            "trump on the partner's jack",
            "TH",
            "It brings 10 points to the partner's trick.",
        ),
        ("a rich trick that a low trump wins", "8C", "It cuts, and takes what lies there."),
    ],
)
def test_a_reason_tells_what_a_card_is_for(position: str, card: str, why: str) -> None:
    assert said(position, card) == why


def test_nothing_is_said_for_points_that_are_given_away() -> None:
    assert said("ace led with jack and nine out", "AH") == ""
    assert said("ace on a trick that was cut", "AH") == ""


def test_nothing_but_cards_is_told_of_and_most_of_them_are() -> None:
    told = 0
    for position in POSITIONS:
        view: Any = position.view()
        legal = legal_actions(view)
        for each in legal:
            why = reason(view, legal, each)
            assert why == "" or (why.endswith(".") and isinstance(each, PlayCard | PlayDown))
            told += bool(why)
    assert told > 40


@pytest.mark.parametrize("name", ["400", "304"])
def test_a_player_that_searches_says_why_and_what_it_expects(name: str) -> None:
    game, chance = create_game(name), SeededRandomness(5)
    table = OpenTable(game, shuffled(game, chance), chance, checks=False)
    why = []
    while awaited := game.contributors(table.state):
        advice = player_for(game, 4, "beginner").advice(table.view(awaited[0]))
        if isinstance(advice.action, PlayCard | PlayDown | PlayCard41) and advice.choices:
            why.append(advice.reason)
        table.act(awaited[0], advice.action)
    assert all("It did best in " in each for each in why)
    assert sum(not each.startswith("It did best") for each in why) > len(why) * 2 / 3, (
        "most have words"
    )


def test_a_card_of_41_is_told_by_what_it_does_to_the_trick() -> None:
    game, chance = create_game("41"), SeededRandomness(5)
    table = OpenTable(game, shuffled(game, chance), chance, checks=False)
    told: set[str] = set()
    while awaited := game.contributors(table.state):
        view = table.view(awaited[0])
        legal = game.legal_actions(view)
        told |= {reason_at_41(view, each) for each in legal if isinstance(each, PlayCard41)}
        table.act(awaited[0], player_for(game, 4, "steady").choose(view))
    assert {
        "Nobody has a higher card of that suit.",
        "It wins the trick as it stands.",
        "It wins the trick.",
        "Your partner is winning this trick.",
        "It leaves this trick to the others.",
    } <= told
