"""Matches: stocks that cannot be, and the draw for the first deal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2p304.cards import Card
from p2p304.rules304.match import TokenMatch, new_match
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.profiles import CHAMPIONSHIP, PAGAT
from p2p304.seats import Seat


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
