"""Windows of 304 in which everybody can see that a seat has nothing to claim."""

from __future__ import annotations

from collections import Counter

import pytest

from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import CallSpoilt, Ready
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.claimable import nothing_to_claim
from p2p304.rules304.hand import Game304
from p2p304.rules304.state import Phase
from p2p304.rules304.telling.options import choices
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from tests.client.open_hands import empty_table, quiet

HANDS = 20


@pytest.mark.parametrize("profile", ["pagat", "tamil4", "maharashtra"])
def test_a_window_is_never_closed_on_a_claim_that_is_right(profile: str) -> None:
    game = Game304(named_profile(profile))
    table = empty_table(profile)
    idle: Counter[bool] = Counter()
    for seed in range(HANDS):
        chance = SeededRandomness(seed)
        cards = list(game.pack)
        chance.shuffle(cards)
        hand = OpenTable(game, cards, chance, dealer=Seat(seed % 4))
        while hand.state.awaiting:
            state, seat = hand.state, hand.state.awaiting[0]
            view = hand.view(seat)
            legal = tuple(legal_actions(view))
            if state.phase is Phase.WINDOW:
                closes = nothing_to_claim(state, seat)
                idle[closes] += 1
                (goes_on,) = [each for each in choices(view, legal) if each.window]
                assert goes_on.idle == closes
                if closes:
                    assert {type(each) for each in legal} <= {Ready, CallSpoilt}
                    assert CallSpoilt() not in legal or not is_spoilt(hand)
            hand.act(seat, quiet(table, legal, chance))
    assert idle[True], idle
    assert idle[False], idle


def is_spoilt(hand: OpenTable) -> bool:
    """Whether the defenders were dealt no trump, by the open cards."""
    state = hand.state
    assert state.maker is not None
    assert state.trump_slot is not None
    trump = hand.face(state.trump_slot).suit
    slots = [slot for seat in state.opponents(state.maker) for slot in state.dealt[seat]]
    return all(hand.face(slot).suit != trump for slot in slots)
