"""Deals of 304 that a seat imagines during an auction, as likely as the calls so far make them.

First cards are imagined where what seats usually call is known (see `usual_calls`); whole hands are
played out twice, by what each seat may know and by all cards: who sees little plays too badly, who
sees everything too well.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from p2p304.bots.play304.imagined_table import PlayedOut
from p2p304.bots.play304.playout import OWN_HANDS, SEEING_ALL, play_out
from p2p304.bots.play304.sampling import whole
from p2p304.bots.play304.scenes import contract_scene
from p2p304.bots.play304.thinking import Position
from p2p304.bots.play304.usual_calls import fits, heard_in, likely
from p2p304.cards import Card
from p2p304.randomness import Randomness
from p2p304.rules304.bids import Bid, Contract
from p2p304.rules304.bits import BIT, SUIT_BITS, SUITS, bits, mask
from p2p304.rules304.state import State
from p2p304.seats import Seat

_TRIES: Final = 4
"""How many deals are drawn for each that is kept, once somebody has called."""


def first_cards(position: Position, wanted: int) -> list[list[int]]:
    """Return the first cards of all seats so often, imagined as likely as the calls make them; of
    the seat that imagines, all that it holds."""
    state, seat = position.view.state, position.seat
    heard = []
    if fits(state.profile):
        heard = heard_in(state.profile, state.dealer, state.calls, state.auction)
    told = [each for each in heard if each.seat != seat]
    own = mask(position.own_cards)
    unseen = list(bits(whole(state.profile.deck) & ~own))
    found, shares = [], []
    for _ in range(wanted * _TRIES if told else wanted):
        firsts = _drawn(position, own, unseen)
        share = 1.0
        for each in told:
            share *= likely(state.profile, each, firsts[each.seat])
        found.append(firsts)
        shares.append(share)
        if not position.thinking.goes_on():
            break
    if not told:
        return found
    sums = list(accumulate(shares))
    step = sums[-1] / wanted
    # Evenly over the sum, so that few are taken twice; in no order of its own.
    first = position.chance.randbelow(1 << 20) / (1 << 20)
    kept = [
        found[min(bisect(sums, (place + first) * step), len(found) - 1)] for place in range(wanted)
    ]
    position.chance.shuffle(kept)
    return kept


def _drawn(position: Position, own: int, unseen: list[int]) -> list[int]:
    """Return the first cards of all seats, drawn from what the seat has not seen."""
    state = position.view.state
    hands = [own] * state.seats
    last = len(unseen) - 1
    for each in state.everybody:
        if each == position.seat:
            continue
        hand = 0
        for _ in range(state.profile.deal_batches.sizes[0]):
            place = position.chance.randbelow(last + 1)
            unseen[place], unseen[last] = unseen[last], unseen[place]
            hand |= unseen[last]
            last -= 1
        hands[each] = hand
    return hands


def whole_hands(state: State, firsts: Sequence[int], chance: Randomness) -> list[int]:
    """Return whole hands that begin with these cards."""
    rest = list(bits(whole(state.profile.deck) & ~sum(firsts)))
    chance.shuffle(rest)
    hands = []
    for first in firsts:
        missing = state.profile.deal_batches.cards - first.bit_count()
        hands.append(first + sum(rest[:missing]))
        del rest[:missing]
    return hands


def endings(
    state: State, maker: Seat, hands: Sequence[int], trump: int, bid: Bid
) -> list[PlayedOut]:
    """Play whole hands out with a maker, its trump suit and its bid, in both ways."""
    alone = isinstance(bid, Contract)
    laid = 0 if alone else spared(state, hands[maker] & SUIT_BITS[trump], trump)
    scene = contract_scene(state, maker, hands, trump, bid, laid)
    return [play_out(scene, policy=policy) for policy in (OWN_HANDS, SEEING_ALL)]


def spared(state: State, trumps: int, trump: int) -> int:
    """Return the trump that a maker lays down: the highest, and instead of the jack the lowest."""
    highest = 1 << (trumps.bit_length() - 1)
    jack = BIT[Card(SUITS[trump], state.profile.deck.ranks[0])]
    return trumps & -trumps if highest == jack else highest
