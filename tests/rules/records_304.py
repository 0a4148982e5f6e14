"""Hands of 304 that were played with open cards, as records."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from p2p304.cards import Card, Slot
from p2p304.rules304.dealing import batch_places
from p2p304.rules304.notation import HandRecord, moves_of
from p2p304.rules304.state import Phase, State


def record_hand(state: State, deck: Sequence[Card], face: Callable[[Slot], Card]) -> HandRecord:
    """Return the record of a hand that was played with open cards, as far as it got.

    `deck` is the shuffled deck before the cut; `face` gives the true card of any slot of the hand.
    Raises ValueError while the cut is awaited, because nothing is dealt then.
    """
    if state.phase is Phase.CUT:
        raise ValueError("a hand is told from its deal on")
    hands: list[tuple[Card, ...]] = [()] * state.seats
    for batch in range(len(state.profile.deal_batches.sizes)):
        places = batch_places(state.profile, state.dealer, state.cut, batch)
        for seat in state.everybody:
            hands[seat] += tuple(deck[place] for place in places[seat])
    moves = moves_of(state, face)
    return HandRecord(state.profile, state.dealer, state.cut, tuple(hands), moves)
