"""Games of the registry: where matches stand, who is fined, and what the guide tells of them."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2p304.cards import Card
from p2p304.errors import ProfileError
from p2p304.game import PenaltyGame
from p2p304.games import GAMES, agreement, create_game, register
from p2p304.rules304.hand import TokenMatch, new_match
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.profile import CHAMPIONSHIP, PAGAT
from p2p304.seats import Seat

LUCK = bytes(range(32))
#: Games, and scores at which a match of each is over.
AGREED = [
    ("304", "pagat", (0, 22)),
    ("304", "championship", (100, 0)),
    ("304", "maharashtra", (11, 3, 0, 0)),
    ("304", "six36", (30, 0)),
    ("41", "", (41, 0, 5, 0)),
    ("400", "", (41, 0, 5, 0)),
]
every_game = pytest.mark.parametrize(("name", "agreed", "over"), AGREED)


@every_game
def test_a_match_goes_on_where_it_stood(name: str, agreed: str, over: tuple[int, ...]) -> None:
    game = create_game(name, agreed)
    start = game.new_match(LUCK)
    again = game.match_at(start.dealer, tuple(start.scores))
    assert (again.dealer, again.scores, again.winner) == (start.dealer, start.scores, None)
    assert game.new_match(LUCK).dealer == start.dealer
    assert tuple(start.scores) != over


@every_game
def test_no_match_stands_at_other_scores_than_it_has_or_where_it_is_over(
    name: str, agreed: str, over: tuple[int, ...]
) -> None:
    game = create_game(name, agreed)
    scores = tuple(game.new_match(LUCK).scores)
    for wrong in (scores[1:], (*scores, 0), over):
        with pytest.raises(ValueError, match=r"score|goes on"):
            game.match_at(Seat(0), wrong)
    with pytest.raises(ValueError, match="luck"):
        game.new_match(LUCK[1:])


def test_a_fine_is_paid_by_one_team_of_a_match_that_goes_on() -> None:
    game = create_game("304", "pagat")
    assert isinstance(game, PenaltyGame)
    match = game.new_match(LUCK)
    between = game.after_penalty(match, 1, in_hand=False)
    assert between.dealer == match.dealer
    assert between.scores[1] < match.scores[1]
    amid = game.after_penalty(match, 1, in_hand=True)
    assert amid.dealer != match.dealer
    for nobody in (-1, 2):
        with pytest.raises(ValueError, match="no such team"):
            game.after_penalty(match, nobody, in_hand=False)
    running = create_game("304", "maharashtra")
    assert isinstance(running, PenaltyGame)
    with pytest.raises(ValueError, match="partners are called"):
        running.after_penalty(running.new_match(LUCK), 0, in_hand=False)


def test_what_is_named_one_by_one_is_an_agreement_or_is_refused() -> None:
    assert agreement("304", None) == "pagat"
    assert agreement("304", "pagat", ["pre_show"], ["tokens_start = 3"]) == (
        "pagat; +pre_show; tokens_start = 3"
    )
    assert agreement("41", None, ["floor_12"]) == "floor_12"
    for named in ({"profile": "pagat"}, {"profile": None, "settings": ["x = 1"]}):
        with pytest.raises(ProfileError, match="house rules only"):
            agreement("41", **named)  # type: ignore[arg-type]
    with pytest.raises(ProfileError, match="there is no game 'chess'"):
        agreement("chess", None)


def test_a_game_on_trial_is_there_for_a_while_and_under_no_taken_name() -> None:
    entry = GAMES["41"]
    with register("trial", entry):
        assert create_game("trial").name == "41"
        with pytest.raises(ValueError, match="already"), register("trial", entry):
            pass
    assert "trial" not in GAMES


# --- match ----------------------------------------------------------------------------------------

# Matches: stocks that cannot be, and the draw for the first deal.


def test_impossible_stocks_are_refused() -> None:
    for stocks in ((-1, 5), (0, 0)):
        with pytest.raises(ValueError, match="no match stands at"):
            TokenMatch(PAGAT, Seat(0), stocks)


@given(luck=st.binary(min_size=32, max_size=64))
def test_draws_are_distinct_cards_and_name_the_dealer(luck: bytes) -> None:
    match = new_match(CHAMPIONSHIP, luck)
    seats = {Seat(seat) for seat in range(4)}
    seen: list[Card] = []
    for each in match.draws:
        assert {draw.seat for draw in each} == seats
        seen += [draw.card for draw in each]
        most = max(CARD_POINTS[draw.card] for draw in each)
        seats = {draw.seat for draw in each if CARD_POINTS[draw.card] == most}
    assert seats == {match.dealer}
    assert len(seen) <= 32
    assert len(set(seen)) == len(seen)
    assert match == new_match(CHAMPIONSHIP, luck)


GUIDE = Path(__file__).resolve().parents[2] / "specs/guide/implementer.md"


def test_the_hand_of_the_guide_is_played_as_it_says() -> None:
    found = doctest.testfile(str(GUIDE), module_relative=False, encoding="utf-8")
    assert found.attempted > 10
    assert not found.failed
