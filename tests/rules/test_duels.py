"""Duels of bots: what they count, and how far what they show is to be believed."""

from __future__ import annotations

from itertools import accumulate
from math import sqrt
from typing import Any

import pytest

from p2p304.bots.compare.duels import Deal, Duel, enough_by, kind_called, new_match, play_deal
from p2p304.bots.compare.intervals import FIXED, deviations, mean_of, share_of
from p2p304.errors import ProfileError
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness

SEED = 11


def deal(game: Any, one: str, other: str, *, match: int = 0, both: bool = True) -> Deal:
    kinds = kind_called(one, game), kind_called(other, game)
    state = new_match(game, SEED, match)
    played, _ = play_deal(game, kinds, SEED, state, match=match, number=0, both=both)
    return played


@pytest.mark.parametrize("name", [("304", "pagat"), ("304", "six36"), ("400", "")])
def test_a_kind_gains_nothing_on_itself_where_deals_are_played_both_ways(
    name: tuple[str, str],
) -> None:
    game = create_game(*name)
    once = {deal(game, "random", "random", match=each, both=False).gained for each in range(4)}
    twice = {deal(game, "random", "random", match=each).gained for each in range(4)}
    assert once != {0.0}, "the cards favour somebody"
    assert twice == {0.0}


def test_what_one_kind_gains_the_other_loses() -> None:
    for name in ("304", "41"):
        game = create_game(name)
        kinds = ("steady", "random") if name == "304" else ("counting", "random")
        gains = [deal(game, *kinds, match=each).gained for each in range(3)]
        losses = [deal(game, *kinds[::-1], match=each).gained for each in range(3)]
        assert gains == [-each for each in losses]
        assert sum(gains) > 0


def test_a_kind_that_a_game_does_not_have_is_refused() -> None:
    with pytest.raises(ProfileError, match="41 and 400"):
        kind_called("counting", create_game("304"))


def made_up(count: int) -> list[Deal]:
    """Deals of matches of five, of which the first kind wins two of three."""
    chance = SeededRandomness(3)
    return [
        Deal(
            place // 5,
            place % 5,
            chance.randbelow(7) - 2.5,
            2,
            place % 5 == 4,
            place // 5 % 3 != 0 if place % 5 == 4 else None,
        )
        for place in range(count)
    ]


def test_a_duel_counts_deals_in_the_order_of_their_matches_whenever_they_come() -> None:
    deals = made_up(200)
    in_order, mixed = Duel(160), Duel(160)
    order = list(range(200))
    SeededRandomness(8).shuffle(order)
    for place in range(200):
        if in_order.add(deals[place]):
            break
    for place in order:
        if mixed.add(deals[place]):
            break
    assert (in_order.done, len(in_order.gains), in_order.matches, in_order.won) == (160, 80, 16, 10)
    assert mixed.gains == in_order.gains
    assert (mixed.gained, mixed.rate) == (in_order.gained, in_order.rate)


def test_a_duel_stops_at_the_deal_that_shows_enough_and_not_before_there_are_fifty() -> None:
    def stopped(what: str, width: float | None) -> Duel:
        duel = Duel(8_000, looked=True)
        enough = enough_by(what, width)
        assert any(duel.add(each, enough) for each in made_up(4_000))
        return duel

    by_hands = stopped("hands", None)
    assert by_hands.gain_within is not None
    assert by_hands.gain_within.low > 0
    assert 50 <= len(by_hands.gains) < 4_000
    by_width = stopped("matches", 0.2)
    assert by_width.rate_within is not None
    assert by_width.rate_within.half_width <= 0.2 or by_width.rate_within.excludes(0.5)
    assert by_width.matches >= 50
    even = Duel(200, looked=True)
    same = [each._replace(gained=1.0) for each in made_up(49)]
    assert not any(even.add(each, enough_by("hands", None)) for each in same)


def test_looking_all_the_time_seldom_finds_a_winner_between_equals() -> None:
    chance, most, found, naive = SeededRandomness(1), 400, 0, 0
    for _ in range(400):
        sums = list(accumulate(1 - 2 * chance.randbelow(2) for _ in range(most)))[49:]
        walks = [(abs(each) / sqrt(done), done) for done, each in enumerate(sums, start=50)]
        found += any(far > deviations(done, most) for far, done in walks)
        naive += any(far > FIXED for far, _ in walks)
    assert found <= 0.07 * 400, "one series of twenty, and the luck of 400"
    assert naive > 0.2 * 400


def test_intervals_are_those_of_the_books() -> None:
    mean = mean_of([1.0, 2.0, 3.0, 4.0], FIXED)
    assert mean is not None
    assert mean == pytest.approx((2.5 - 1.2652, 2.5 + 1.2652), abs=1e-4)
    share = share_of(8, 10, FIXED)
    assert share is not None
    assert share == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert share_of(5, 5, FIXED) == pytest.approx((0.5655, 1.0), abs=1e-4)
    assert mean_of([1.0], FIXED) is None
    assert share_of(0, 0, FIXED) is None
