"""Matches: tokens under each settlement, luck, the first dealer."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2p304.cards import Card
from p2p304.rules304.choices import Settlement
from p2p304.rules304.match import TokenMatch, new_match
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.profile import Profile
from p2p304.rules304.profiles import CHAMPIONSHIP, PAGAT
from p2p304.rules304.scoring import (
    HandFacts,
    HandOutcome,
    score_hand,
)
from p2p304.rules304.teams import EAST_WEST, NORTH_SOUTH, Team
from p2p304.seats import Seat

LUCK = bytes(32)


def lost_by(profile: Profile, team: Team, bid: int = 250) -> HandOutcome:
    """A hand whose maker's team `team` failed `bid`: 2, 3 or 4 tokens."""
    return score_hand(profile, HandFacts(maker_team=team, bid=bid, points=0))


def at(profile: Profile, north_south: int, east_west: int) -> TokenMatch:
    return TokenMatch(profile, Seat(0), (north_south, east_west))


def test_impossible_stocks_are_refused() -> None:
    for stocks in ((-1, 5), (0, 0)):
        with pytest.raises(ValueError, match="no match stands at"):
            at(PAGAT, *stocks)


def test_the_first_dealer_follows_evenly_from_the_luck() -> None:
    dealers = Counter(new_match(PAGAT, bytes(31) + bytes([byte])).dealer for byte in range(256))
    assert dealers == {0: 64, 1: 64, 2: 64, 3: 64}
    assert new_match(PAGAT, LUCK).draws == ()


def test_too_little_luck_is_refused() -> None:
    for profile in (PAGAT, CHAMPIONSHIP):
        with pytest.raises(ValueError, match="needs 32 bytes of luck, not 31"):
            new_match(profile, bytes(31))


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


SETTLEMENTS = st.sampled_from(Settlement)
HANDS = st.lists(
    st.tuples(st.sampled_from([NORTH_SOUTH, EAST_WEST]), st.sampled_from([160, 200, 250])),
    max_size=60,
)


@given(settlement=SETTLEMENTS, tokens=st.integers(1, 15), hands=HANDS)
def test_tokens_are_conserved_as_the_settlement_says(
    settlement: Settlement, tokens: int, hands: list[tuple[Team, int]]
) -> None:
    profile = replace(PAGAT, settlement=settlement, tokens_start=tokens)
    match = new_match(profile, LUCK)
    bank = 0
    for team, bid in hands:
        if match.winner is not None:
            break
        outcome = lost_by(profile, team, bid)
        changes = match.changes(outcome)
        bank -= changes[0] + changes[1]
        before, match = match, match.after(outcome)
        held = match.stocks[0] + match.stocks[1] + sum(match.gained) + bank
        assert held == 2 * tokens
        assert all(new >= old for new, old in zip(match.gained, before.gained, strict=True))
        assert match.stocks[team] == before.stocks[team] + changes[team]
        others = match.stocks[1 - team] - before.stocks[1 - team]
        assert others == (changes[1 - team] if settlement is Settlement.TRANSFER else 0)
    assert (match.winner is None) == (min(match.stocks) > 0)
