"""A deal of 41 or 400 played to its end in a moment, as players who count play it."""

from __future__ import annotations

from collections.abc import Mapping

from p2p304.bots.play41.counting import ALL, Pile, bid_of, choose_card, seat_cards, trick_pile
from p2p304.bots.play41.worth import ending_of
from p2p304.bots.search.interface import Payoff
from p2p304.cards import Card, Slot
from p2p304.rules41.hand import ALL_SEATS, HAND_SIZE, DealPhase, DealState, Game41
from p2p304.rules41.match import SEATS, score_deal, thrown_in
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
