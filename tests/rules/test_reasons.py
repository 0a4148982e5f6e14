"""What is said of decisions: reasons for a card, and reviews of a hand by what a seat knew."""

from __future__ import annotations

from typing import Any

import pytest

from p2p304.bots.advice import Advice, Considered
from p2p304.bots.play41.counting import reason as reason_at_41
from p2p304.bots.play304.prior import reason
from p2p304.bots.players import player_for
from p2p304.bots.review import Asked, costliest, decisions, public_faces, verdict
from p2p304.cards import parse_card
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules41.actions import PlayCard as PlayCard41
from p2p304.rules304.actions import PlayCard, PlayDown
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.view import View
from tests.rules.open_matches import shuffled
from tests.rules.positions_304 import POSITIONS

# --- reasons --------------------------------------------------------------------------------------

# What speaks for a card in words: true, by what the seat may know, and about that card.


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


# --- review ---------------------------------------------------------------------------------------

# A hand that is over is judged by what each seat knew at the time, and by nothing else.


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
