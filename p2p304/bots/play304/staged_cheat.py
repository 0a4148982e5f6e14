"""How seats of 304 play so that one of them, who is to cheat, comes to lay a card face down.

They see each other's cards. One of them outbids everybody and keeps trump hidden, for once trump is
open no card is laid face down any more; the two honest ones win what they can, and lead what the
cheat lacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from p2p304.cards import Suit
from p2p304.rules304.actions import Action, KeepClosed, Pass, PlaceBid, PlayCard, PlayDown, height
from p2p304.rules304.pack import STRENGTH
from p2p304.rules304.state import Phase, State
from p2p304.seats import Seat
from p2p304.view import View

# Always the same seat, so that a staged hand comes out the same at every table.
MAKER: Final = Seat(0)


def suits_of(view: View[State]) -> frozenset[Suit]:
    """Return the suits of the cards in the hand of the view's seat; empty for a spectator."""
    hand = view.state.hands[view.seat] if view.seat is not None else ()
    return frozenset(view.faces[slot].suit for slot in hand if slot in view.faces)


def toward_a_card_face_down(
    view: View[State],
    legal: Sequence[Action],
    cheat: View[State] | None,
    maker: View[State] | None,
) -> Action | None:
    """Return the action by which the view's seat helps the cheat to a turn in which it plays a card
    face down; None where any action will do, and before a hand has begun. The conformance kit
    tries with it whether another program notices such a cheat.

    `cheat` and `maker` are the views of the seat that is to cheat and of the trump maker.
    """
    if cheat is None or maker is None:
        return None  # no hand has begun for one of them
    state, honest, trump = view.state, view.seat != cheat.seat, maker.state.trump_by(maker.faces)
    bids = [each for each in legal if isinstance(each, PlaceBid)]
    if bids and (_outbids(state, view.seat) or Pass() not in legal):
        return min(bids, key=lambda each: height(each.bid))
    # Nobody else bids, and trump stays hidden: open, no card is laid face down any more.
    for calm in (Pass(), KeepClosed()):
        if calm in legal:
            return calm
    # The honest seats play high and the cheat low, so that an honest seat leads the next trick.
    cards = sorted(
        (each for each in legal if isinstance(each, PlayCard)),
        key=lambda each: STRENGTH[each.card.rank],
        reverse=honest,
    )
    if cards and state.plays:
        return cards[0]
    # What the cheat lacks, so that it must lay a card down; else anything but trump.
    for suits in (set(Suit) - suits_of(cheat) - {trump}, set(Suit) - {trump}):
        chosen = [each for each in cards if each.card.suit in suits] if honest else []
        if chosen:
            return chosen[0]
    # No trump, which would cut, and open trump at the end of the trick.
    hidden = [each for each in legal if isinstance(each, PlayDown)]
    return next((each for each in hidden if view.faces[each.slot].suit is not trump), None)


def _outbids(state: State, seat: Seat | None) -> bool:
    """Tell whether `seat` should bid now: it is seat 0, which is to become the trump maker, it
    does not hold the standing bid, and the four-card auction is on.
    """
    # A chained comparison: the seat is MAKER, and MAKER does not stand highest.
    return seat == MAKER != state.auction.top_seat and state.phase is Phase.AUCTION4
