"""Plays and calls of 304 that no good player makes, told from what the seat itself may know.

Each is worth a look rather than a verdict: now and then one of them is right. How often a player
makes them, of all decisions of their kind, tells how it plays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Final

from p2p304.bots.play304.asked import Asked, beats, is_last, winning
from p2p304.bots.play304.bidding import valuation
from p2p304.cards import Card, Rank
from p2p304.rules304.actions import (
    Action,
    AskPartner,
    Pass,
    PlaceBid,
    PlayCard,
    PlayDown,
)
from p2p304.rules304.bids import Contract, height
from p2p304.rules304.pack import CARD_POINTS, DealBatches, Deck
from p2p304.rules304.state import Phase, State
from p2p304.view import View

MEAN_HAND: Final = 174.0
"""What the best suit of four random cards promises, by the formula of `bidding`."""
STRONG_HAND: Final = 196.0
WEAK_HAND: Final = 161.0
_HIGH_BID: Final = 200
_DEAR: Final = 10
"""Points that are not given away for nothing."""
_TOP: Final = (Rank.JACK, Rank.NINE)


class Kind(Enum):
    """Of which decisions an oddity is one."""

    LEAD = "leads"
    FOLLOW = "cards to a trick"
    CALL = "calls with four cards"


# ------------------------------------------------------------------------------------------- leads


def _exposed(asked: Asked, card: Card) -> bool:
    """Tell whether jack and nine of the card's suit may both lie with others."""
    top = [Card(card.suit, rank) for rank in _TOP]
    return card.rank in (Rank.ACE, Rank.TEN) and all(each in asked.unseen for each in top)


def _leads_points_under_the_top(asked: Asked) -> bool:
    card = asked.card(asked.action)
    return _exposed(asked, card) and any(not _exposed(asked, each) for each in asked.others)


def _leads_the_nine_under_the_jack(asked: Asked) -> bool:
    card = asked.card(asked.action)
    if card.rank is not Rank.NINE or Card(card.suit, Rank.JACK) not in asked.unseen:
        return False
    return any(CARD_POINTS[each] < _DEAR for each in asked.others)


# ---------------------------------------------------------------------------------------- following


def _throws_the_top(asked: Asked) -> bool:
    """Tell whether a jack or nine goes to a trick that the others win, instead of a cheap card."""
    card, best = asked.card(asked.action), winning(asked)
    if card.rank not in _TOP or best is None or asked.ours(best[0]):
        return False
    cheaper = any(CARD_POINTS[each] < _DEAR for each in asked.others)
    return cheaper and not beats(asked, card, best[1])


def _gives_points(asked: Asked) -> bool:
    """Tell whether ace or ten go to a trick that the others have won, instead of a cheap card.

    While trump is not known a card face down may cut: then only one that cuts as well is instead of
    it.
    """
    card, best = asked.card(asked.action), winning(asked)
    if not is_last(asked) or best is None or asked.ours(best[0]):
        return False
    if card.rank in _TOP or CARD_POINTS[card] < _DEAR or beats(asked, card, best[1]):
        return False
    may_cut = isinstance(asked.action, PlayDown) and asked.trump is None
    return any(
        CARD_POINTS[each] < _DEAR and (each.suit is card.suit or not may_cut)
        for each in asked.others
    )


def _cuts_its_own(asked: Asked) -> bool:
    """Tell whether a trick that its own side has won is cut, with another suit in hand."""
    card, best = asked.card(asked.action), winning(asked)
    if not is_last(asked) or best is None or not asked.ours(best[0]):
        return False
    if card.suit is not asked.trump or best[1].suit is card.suit:
        return False
    return any(each.suit is not card.suit for each in asked.others)


def _lets_go(asked: Asked) -> bool:
    """Tell whether the last to play leaves a trick of ten points or more to the others that a card
    without points would win."""
    card, best = asked.card(asked.action), winning(asked)
    if not is_last(asked) or best is None or asked.ours(best[0]):
        return False
    faces = asked.view.faces
    worth = sum(CARD_POINTS[faces[play.slot]] for play in asked.state.plays)
    cheap = any(not CARD_POINTS[each] and beats(asked, each, best[1]) for each in asked.others)
    return worth >= _DEAR and cheap and not beats(asked, card, best[1])


# ------------------------------------------------------------------------------------------- calls


def _four(asked: Asked) -> float:
    faces = asked.view.faces
    return valuation(tuple(faces[slot] for slot in asked.state.hands[asked.seat])).points


def _asks_with_nothing(asked: Asked) -> bool:
    return isinstance(asked.action, AskPartner) and _four(asked) < MEAN_HAND


def _passes_strength(asked: Asked) -> bool:
    top = asked.state.auction.top_seat
    if not isinstance(asked.action, Pass) or (top is not None and asked.ours(top)):
        return False
    offered = [each.bid for each in asked.legal if isinstance(each, PlaceBid)]
    numbers = [height(bid) for bid in offered if not isinstance(bid, Contract)]
    # What is asked for is within what the hand promises, with something to spare.
    return bool(numbers) and _four(asked) >= max(STRONG_HAND, min(numbers) + _DEAR)


def _bids_on_nothing(asked: Asked) -> bool:
    if not isinstance(asked.action, PlaceBid) or Pass() not in asked.legal:
        return False
    return not isinstance(asked.action.bid, Contract) and _four(asked) < WEAK_HAND


def _bids_high_on_little(asked: Asked) -> bool:
    if not isinstance(asked.action, PlaceBid) or isinstance(asked.action.bid, Contract):
        return False
    return height(asked.action.bid) >= _HIGH_BID and _four(asked) < MEAN_HAND


ODDITIES: Final[Mapping[str, tuple[Kind, Callable[[Asked], bool]]]] = {
    "leads an ace or ten with jack and nine out": (Kind.LEAD, _leads_points_under_the_top),
    "leads a nine with the jack out": (Kind.LEAD, _leads_the_nine_under_the_jack),
    "throws a jack or nine on the others' trick": (Kind.FOLLOW, _throws_the_top),
    "gives the others ten points or more": (Kind.FOLLOW, _gives_points),
    "cuts a trick of its own side": (Kind.FOLLOW, _cuts_its_own),
    "lets go of a trick that a low card wins": (Kind.FOLLOW, _lets_go),
    "asks the partner with a weak hand": (Kind.CALL, _asks_with_nothing),
    "passes a strong hand": (Kind.CALL, _passes_strength),
    "bids on a weak hand": (Kind.CALL, _bids_on_nothing),
    "bids 200 or more below the mean": (Kind.CALL, _bids_high_on_little),
}
"""By name: of which decisions it is one, and whether a decision is it."""


def kind_of(view: View[State], legal: Sequence[Action]) -> Kind | None:
    """Return of which kind a decision is, of those that are looked at; None for any other."""
    state = view.state
    if len(legal) < 2 or isinstance(state.contract, Contract):
        return None
    if state.phase is Phase.TRICK:
        return Kind.FOLLOW if state.plays else Kind.LEAD
    usual = (state.profile.deck, state.profile.deal_batches)
    called = state.profile.partner_called or usual != (Deck.SEVEN_UP, DealBatches.FOUR_FOUR)
    return Kind.CALL if state.phase is Phase.AUCTION4 and not called else None


def oddities(view: View[State], legal: Sequence[Action], action: Action) -> Iterator[str]:
    """Yield the names of the oddities that an action of the view's seat is."""
    kind = kind_of(view, legal)
    plays = isinstance(action, PlayCard | PlayDown)
    if kind is None or view.seat is None or (kind is not Kind.CALL and not plays):
        return
    asked = Asked(view, view.seat, legal, action)
    for name, (of, is_one) in ODDITIES.items():
        if of is kind and is_one(asked):
            yield name
