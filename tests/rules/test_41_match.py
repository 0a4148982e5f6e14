"""Matches of 41 and 400: who wins, who deals, and which house rules there are."""

from __future__ import annotations

import pytest

from p2p304.errors import ProfileError, RulesError
from p2p304.games import agreed_game, create_game, full_agreement
from p2p304.rules41.hand import Game41
from p2p304.rules41.match import Match41, Outcome41, score_deal
from p2p304.rules41.rules import Rules41, Variant
from p2p304.seats import Seat

PLAIN = Rules41(Variant.SYRIAN)


def test_thirteen_made_in_400_wins_whatever_the_partner_has() -> None:
    game = Game41(Rules41(Variant.LEBANESE))
    outcome = score_deal(game.rules, (2, 13, 2, 2), (0, 13, 0, 0))
    match = game.after_hand(Match41(Seat(2), (40, 0, 40, -90)), outcome)
    assert match.winner == 1
    assert "East-West win the match" in outcome.summary


def test_a_match_that_is_won_goes_no_further() -> None:
    nothing = Outcome41((1,) * 4, (0,) * 4, (0,) * 4, thrown_in=True)
    with pytest.raises(RulesError, match="the match is over"):
        Game41(PLAIN).after_hand(Match41(Seat(0), (41, 0, 1, 0), winner=0), nothing)


def test_too_little_luck_is_refused() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Game41(PLAIN).new_match(bytes(31))


@pytest.mark.parametrize(
    ("name", "parameters", "says"),
    [
        ("305", "", "no game '305'; there are 304, 41, 400"),
        ("41", "floor_13", "'floor_13' is no house rule of 41"),
        ("400", "floor_12,floor_12", "floor_12 is named twice"),
        ("400", "floor_12,", "'' is no house rule of 400"),
    ],
)
def test_what_does_not_exist_is_refused_in_a_sentence(
    name: str, parameters: str, says: str
) -> None:
    with pytest.raises(ProfileError) as caught:
        create_game(name, parameters)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("304", "pagat; +bank_scoring"), ("304", ""), ("41", ""), ("400", "target_44,floor_12")],
)
def test_a_charter_names_its_game_in_one_text_alone(name: str, parameters: str) -> None:
    full = full_agreement(name, parameters)
    assert agreed_game(name, full).start(Seat(0)) == create_game(name, parameters).start(Seat(0))
    for other in {parameters, "pagat", f"{full}\n", full.partition("\n")[0]} - {full}:
        with pytest.raises(ProfileError):
            agreed_game(name, other)
