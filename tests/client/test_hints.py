"""A hint names the choice that was advised, and no other one that is possible too."""

from __future__ import annotations

from functools import partial
from textwrap import wrap

import pytest

from cli.front.assistant import advised, hint
from cli.front.writing import Writer
from cli.thinker import Decision, answered
from p2p304.bots.advice import Advice
from p2p304.cards import Slot, parse_card
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import CallCaps, CallSpoilt, PlaceBid, Ready
from p2p304.rules304.state import Phase
from p2p304.sentences import say
from p2p304.simulator import OpenTable
from p2p304.telling import Choice
from tests.long import long

FACES = tuple((Slot(place), parse_card(name)) for place, name in enumerate(("JH", "9H")))
READY = Choice(Ready(), say("go on"))
CAPS = Choice(CallCaps(FACES), say("call caps"), order=(Slot(0), Slot(1)))
SPOILT = Choice(CallSpoilt(), say("call spoilt trumps"))


def test_advice_is_not_taken_for_a_call_of_caps_that_is_listed_before_it() -> None:
    listed = (CAPS, SPOILT, READY)
    assert advised(CallSpoilt(), listed) is SPOILT
    assert advised(Ready(), listed) is READY


@pytest.mark.parametrize("name", [("304", "pagat"), ("41", ""), *long(("304", "six24"))], ids=str)
def test_a_hint_fits_into_two_lines_of_the_smallest_screen(name: tuple[str, str]) -> None:
    game, chance = create_game(*name), SeededRandomness(2)
    writer, said = Writer(game.seats), list[str]()
    deck = list(game.pack)
    chance.shuffle(deck)
    table = OpenTable(game, deck, chance, checks=False)
    while awaited := game.contributors(table.state):
        view = table.view(awaited[0])
        advice = answered(Decision(game, view, 3, "beginner", 0))
        if len(game.legal_actions(view)) > 1:
            said.append(hint(game, view, writer, partial(_known, advice)))
        table.act(awaited[0], advice.action)
    assert len(said) > 15
    assert all(len(wrap(each, 80)) <= 2 for each in said), max(said, key=len)


def _known(advice: Advice, _: Decision) -> Advice:
    return advice


def test_a_hint_says_which_bid_is_made_and_whose_it_is() -> None:
    game, chance = create_game("304", "pagat"), SeededRandomness(2)
    deck = list(game.pack)
    chance.shuffle(deck)
    table = OpenTable(game, deck, chance, checks=False)
    bid = PlaceBid(game.profile.bid_min)
    while table.state.phase is not Phase.TRICK:
        seat = game.contributors(table.state)[0]
        legal = game.legal_actions(table.view(seat))
        table.act(seat, bid if bid in legal else legal[0])
    view = table.view(game.contributors(table.state)[0])
    advice = Advice(game.legal_actions(view)[0], "It did best.", 0.4, 0.7)
    said = hint(game, view, Writer(game.seats), partial(_known, advice))
    whose = Writer(game.seats).seat(table.state.maker)
    assert said.endswith(f"Expected: +0.40 tokens, 160 by {whose} is made in 70%.")


def test_caps_are_advised_in_whatever_order() -> None:
    assert advised(CallCaps(FACES[::-1]), (READY, SPOILT, CAPS)) is CAPS
