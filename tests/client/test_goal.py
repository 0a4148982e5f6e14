"""How many hands are to be played: a deal that was refused, or that nobody bid on, is none."""

from __future__ import annotations

import pytest

from cli.seat.options import Goal
from p2p304.rules41.match import thrown_in
from p2p304.rules304.profiles import PAGAT
from p2p304.rules304.scoring import HandFacts, VoidKind, score_hand
from p2p304.rules304.teams import Team
from protocol.seat.session import Session
from tests.table.bus import Table
from tests.table.tiny_game import TinyGame, TinyOutcome, TinyState

NOT_PLAYED = {VoidKind.REDEAL, VoidKind.PASSED_OUT, VoidKind.MISDEAL}


class SometimesRefused(TinyGame):
    """A hand counts as played where the first seat took a trick."""

    def settle(self, state: TinyState) -> TinyOutcome:
        return super().settle(state)._replace(played=state.tricks[0] > 0)


@pytest.fixture(scope="session")
def past() -> Session:
    """A table with five hands behind it, not all of them played."""
    table = Table(SometimesRefused(3, target=100), 5)
    table.confirm()
    table.run(table.all_played(5))
    table_state = table.chairs[0].session.table_state
    told = [each.outcome.played for each in table.hands(0)]
    assert table_state.counted == len(told) == 5
    assert table_state.played == sum(told)
    assert 0 < table_state.played < 5
    return table.chairs[0].session


def test_hands_are_counted_that_were_played(past: Session) -> None:
    assert not Goal().reached(past)
    assert Goal(past.table_state.played).reached(past)
    assert not Goal(past.table_state.played + 1).reached(past)
    assert not Goal(past.table_state.counted).reached(past)
    assert not Goal(None, 1).reached(past)


def test_a_match_is_an_end_too_and_counts_from_the_table_s_beginning() -> None:
    table = Table(TinyGame(3, target=1), 5)
    table.confirm()
    table.run(lambda: bool(table.matches(0)))
    session = table.chairs[0].session
    assert Goal(None, 1).reached(session)
    assert Goal(50, 1).reached(session)
    assert not Goal(50, 2).reached(session)
    table.restart(0)
    assert Goal(None, 1).reached(table.chairs[0].session)


@pytest.mark.parametrize("void", VoidKind)
def test_of_void_hands_only_those_are_played_in_which_cards_were(void: VoidKind) -> None:
    assert score_hand(PAGAT, HandFacts(void=void)).played is (void not in NOT_PLAYED)


def test_a_hand_with_a_bid_is_played_and_one_thrown_in_is_not() -> None:
    assert score_hand(PAGAT, HandFacts(maker_team=Team(0), bid=160, points=170)).played
    assert not thrown_in((2, 2, 2, 2)).played
