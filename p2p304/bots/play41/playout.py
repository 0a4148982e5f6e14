"""A deal of 41 or 400 played to its end in a moment, as players who count play it; its worth."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from typing import Final

from p2p304.bots.play41.counting import ALL, Pile, bid_of, choose_card, seat_cards, trick_pile
from p2p304.bots.search.interface import Payoff
from p2p304.cards import Card, Slot
from p2p304.rules41.hand import (
    ALL_SEATS,
    HAND_SIZE,
    SEATS,
    DealPhase,
    DealState,
    Game41,
    Outcome41,
    score_deal,
    thrown_in,
    winning_team,
)
from p2p304.rules41.rules import Rules41
from p2p304.view import View


class Playout41:
    """Plays imagined deals of 41 or 400 to their end by rules of thumb."""

    def __init__(self, game: Game41) -> None:
        """Prepare playouts of deals of `game`."""
        self._game = game

    def __call__(
        self, view: View[DealState], state: DealState, faces: Mapping[Slot, Card]
    ) -> Payoff | None:
        """Return what each seat gets when the deal is played out from `state`, with the card of
        every slot in `faces`. Bids that are missing are made by an estimate of tricks; if all four
        are worth too little then, it is what a deal thrown in brings.

        None before the bidding, and after the deal is over.
        """
        if state.phase is not DealPhase.PLAYING and state.phase is not DealPhase.BIDDING:
            return None
        bids, rules = state.bids, self._game.rules
        for place in range(len(bids), SEATS):
            # Bids go round from dealer's right (PROFILES 4.3).
            seat = (state.dealer + 1 + place) % SEATS
            bids += (bid_of(self._game, [faces[slot] for slot in state.hands[seat]]),)
        if state.phase is DealPhase.BIDDING and sum(map(rules.value, bids)) < state.floor:
            # In the order of speaking: nobody scores, so no bid is looked up by its seat.
            return ending_of(rules, view, thrown_in(bids))
        # Bids are in the order of speaking, from the dealer's right; from here on in seat order.
        spoken = tuple(bids[(seat - state.dealer - 1) % SEATS] for seat in range(SEATS))
        # After the bids the seat that spoke first leads first.
        turn = state.awaiting[0] if state.phase is DealPhase.PLAYING else (state.dealer + 1) % SEATS
        taken = play_out(state, faces, spoken, turn)
        return ending_of(rules, view, score_deal(rules, spoken, taken))


def play_out(
    state: DealState, faces: Mapping[Slot, Card], bids: tuple[int, ...], turn: int
) -> tuple[int, ...]:
    """Return the tricks that each seat has at the end of the deal, in seat order, played by rules
    of thumb.

    `faces` has the card of every unplayed slot; `bids` are in seat order; `turn` is the seat that
    plays next.
    """
    hands = [seat_cards(state, faces, seat) for seat in ALL_SEATS]
    # All that is in no hand has been played.
    seen = ALL & ~sum(hands)
    taken = list(state.tricks_taken)
    trick, seat = trick_pile(state.trick), turn
    # As many cards at most; fewer in a deal that has begun, where the first empty hand ends it.
    for _ in range(HAND_SIZE * SEATS):
        hand = hands[seat]
        if not hand:
            break
        card = choose_card(hand, trick, seen, seat, bids, taken)
        hands[seat] = hand ^ card
        seen |= card
        trick = trick.with_card(seat, card)
        if trick.cards < SEATS:
            seat = (seat + 1) % SEATS
        else:
            seat = trick.winner
            taken[seat] += 1
            trick = Pile()
    return tuple(taken)


# --- what the end of a deal is worth at the score of the match ------------------------------------

# Choices: how well others would do was not kept.
#: Points by which a partner must be ahead of the other before its points alone count.
_EVEN: Final = 6.0
#: Points that a partner should have before the other reaches the target, to be safe above 0.
_POSITIVE: Final = 4
#: What each point less than that costs, in points of the partner who is ahead.
_POINT_BELOW: Final = 0.6
_LEAD: Final = 9.0  #: Points of lead that make a team the favourite by e to 1.


def strength(pair: tuple[int, ...], target: int) -> float:
    """Return how near two partners with the scores `pair` are to winning, in points of the partner
    who is ahead: nearly the higher score, less where the other partner is not safely above 0.

    `target` is the score that wins; the nearer it is, the more a partner near 0 counts.
    """
    one, other = pair
    # A smooth maximum: near the higher score, and more if both partners are close.
    reached = _EVEN * log(exp(one / _EVEN) + exp(other / _EVEN))
    # What the other lacks above 0 matters more, the nearer the first is to the target.
    near = max(0.0, min(1.0, max(pair) / target))
    return reached - near * _POINT_BELOW * max(0, _POSITIVE - min(pair))


def chance_to_win(rules: Rules41, scores: tuple[int, ...]) -> float:
    """Return roughly the chance, from 0 to 1, that seats 0 and 2 win a match that stands at
    these four scores; 1 or 0 where it is over.
    """
    won = winning_team(rules, scores)
    if won is not None:
        # The number of the team: 0 for these seats, 1 for the others.
        return 1.0 - won
    # Partners sit opposite each other: seats 0 and 2, seats 1 and 3.
    pairs = scores[0::2], scores[1::2]
    lead = strength(pairs[0], rules.target) - strength(pairs[1], rules.target)
    return 1 / (1 + exp(-lead / _LEAD))


def ending_of(rules: Rules41, view: View[DealState], outcome: Outcome41) -> Payoff:
    """Return the payoff of a deal: for each seat its pair's chance to win the match afterwards and
    its change of score, and whether the view's seat made its bid (None where the deal was thrown
    in, and for a spectator).

    `view` also has the scores before the deal; without any the match stands at 0.
    """
    # A deal outside a match is judged as the first of one.
    before = view.scores or (0,) * SEATS
    after = tuple(old + new for old, new in zip(before, outcome.scores, strict=True))
    won = outcome.match_won
    likely = chance_to_win(rules, after) if won is None else 1.0 - won
    # Seats alternate between the pairs.
    worth = (likely, 1 - likely) * (SEATS // 2)
    seat = view.seat
    made = None
    if seat is not None and not outcome.thrown_in:
        made = outcome.tricks_taken[seat] >= outcome.bids[seat]
    return Payoff(worth, tuple(map(float, outcome.scores)), made)
