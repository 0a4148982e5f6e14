"""What a hand is worth: the two auctions, the indicator, redeals, open or closed.

Four cards are judged by a formula. Its weights are a least-squares fit of the points that the
maker's team takes to what the four cards hold, over 20,000 random deals played out for every trump
suit (see `playout`); what it leaves unexplained spreads by about 54 points. Eight cards are judged
by playing imagined deals out.
"""

from __future__ import annotations

from math import erf, sqrt
from typing import Final, NamedTuple

from p2p304.bots.advice import Advice
from p2p304.bots.four import SEATS, partner
from p2p304.bots.playout import Imagined, play_out
from p2p304.bots.sampling import unseen_by
from p2p304.bots.thinking import Position
from p2p304.cards import Card, Rank, Suit
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import (
    AskPartner,
    DemandRedeal,
    LayIndicator,
    Pass,
    PlaceBid,
)
from p2p304.rules304.bids import Bid, Contract, height
from p2p304.rules304.bits import SUIT_BITS, mask
from p2p304.rules304.choices import Price
from p2p304.rules304.pack import CARD_POINTS, RANKS_HIGH_TO_LOW, STRENGTH
from p2p304.rules304.scoring import price_of
from p2p304.rules304.state import State
from p2p304.seats import Seat

_BASE: Final = 154.0
_LENGTH: Final = (0.0, 0.0, 8.0, 20.0, 34.0)
_IN_TRUMPS: Final = {Rank.JACK: 23.0, Rank.NINE: 13.0, Rank.ACE: 6.0, Rank.TEN: 4.0, Rank.KING: 2.0}
_BESIDE: Final = {Rank.JACK: 20.0, Rank.NINE: 5.0, Rank.ACE: 1.0}
_PER_SUIT_BESIDE: Final = -4.5
_SPREAD: Final = 54.0
_WORTHWHILE: Final = -0.1
"""Tokens that a bid must promise; to defend, or to have nobody play, promises no more."""
_OVER_PARTNER: Final = 1.2
"""Tokens that a bid must promise to go over the partner's."""
_WORTH_IMAGINING: Final = 100
"""Points among eight cards from which a bid of 250 is thought about."""
_MARGIN_OF_EIGHT: Final = 0.3
"""Tokens that an eight-card bid must promise beyond those of the bid that stands."""
_DEFENDING: Final = -0.3
"""Tokens that defenders may expect, roughly."""
_PARTNER_MAKES: Final = 0.75
"""How often the partner makes its bid, roughly."""
_TOPS: Final = 3
"""The highest trumps that a seat must hold to play alone: jack, nine and ace."""
_NEAR_CERTAIN: Final = 40
"""Imagined deals that must all be won before a contract to win every trick is undertaken."""


class Valuation(NamedTuple):
    """What four cards promise with their best suit as trumps."""

    points: float
    trump: Suit


def four_card_points(cards: tuple[Card, ...], trump: Suit) -> float:
    """Return the points that the maker's team may expect with these four cards and this trump."""
    trumps = [card for card in cards if card.suit == trump]
    beside = [card for card in cards if card.suit != trump]
    points = _BASE + _LENGTH[len(trumps)]
    points += sum(_IN_TRUMPS.get(card.rank, 0.0) for card in trumps)
    points += sum(_BESIDE.get(card.rank, 0.0) for card in beside)
    return points + _PER_SUIT_BESIDE * len({card.suit for card in beside})


def valuation(cards: tuple[Card, ...]) -> Valuation:
    """Return the best trump suit for these four cards and what it promises."""
    suits = sorted({card.suit for card in cards})
    return max(Valuation(four_card_points(cards, suit), suit) for suit in suits)


def chance_to_make(expected: float, bid: int) -> float:
    """Return how likely a bid is made by a team that expects so many points."""
    return 0.5 * (1 + erf((expected - bid + 0.5) / (_SPREAD * sqrt(2))))


def tokens_expected(state: State, expected: float, bid: int) -> float:
    """Return the tokens that a bid gains, or loses if below 0, on average."""
    price = price_of(state.profile, bid)
    likely = chance_to_make(expected, bid)
    return likely * price.made - (1 - likely) * price.failed


def own_cards(position: Position) -> tuple[Card, ...]:
    """Return the seat's cards, its indicator on the table included."""
    state, faces = position.view.state, position.view.faces
    slots = state.hands[position.seat]
    if position.seat == state.maker and state.indicator is not None:
        slots = (*slots, state.indicator)
    return tuple(faces[slot] for slot in slots)


# ---------------------------------------------------------------------------- four cards


def four_card_call(position: Position) -> Advice:
    """Advise a call of the first auction (RULES 5)."""
    state, seat, legal = position.view.state, position.seat, position.legal
    redeal = next((each for each in legal if isinstance(each, DemandRedeal)), None)
    if redeal is not None:
        return Advice(redeal, "Cards that count so little are better thrown in.")
    cards = own_cards(position)
    value = valuation(cards)
    bids = [each.bid for each in legal if isinstance(each, PlaceBid)]
    if Contract.HALF_COURT in bids and _wins_four(cards):
        why = "The four highest cards of one suit win every trick of half court."
        return Advice(PlaceBid(Contract.HALF_COURT), why)
    numbers = [bid for bid in bids if not isinstance(bid, Contract)]
    best = max(
        numbers, key=lambda bid: (tokens_expected(state, value.points, bid), -bid), default=0
    )
    gain = tokens_expected(state, value.points, best) if best else -SEATS
    promise = f"{value.trump.name.lower()} as trumps promise about {value.points:.0f} points"
    if gain > _least_gain(state, seat):
        return Advice(PlaceBid(best), f"With these cards {promise}, enough to bid {best}.")
    return _without_bid(position, promise, min(numbers, default=0))


def _least_gain(state: State, seat: Seat) -> float:
    top_seat = state.auction.top_seat
    return _OVER_PARTNER if top_seat == partner(seat) else _WORTHWHILE


def _without_bid(position: Position, promise: str, lowest: int) -> Advice:
    """Ask the partner while nobody stands, else pass, else make the lowest bid."""
    state, seat, legal = position.view.state, position.seat, position.legal
    fresh = state.auction.top is None and not state.auction.spoken[partner(seat)]
    may_pass = Pass() in legal
    if AskPartner() in legal and (fresh or not may_pass):
        return Advice(AskPartner(), f"Here {promise}, too little; the partner may hold more.")
    if may_pass:
        return Advice(Pass(), f"Here {promise}, too little for a bid.")
    return Advice(PlaceBid(lowest), f"A bid is due, so it is the lowest; {promise}.")


def _wins_four(cards: tuple[Card, ...]) -> bool:
    best = {Rank.JACK, Rank.NINE, Rank.ACE, Rank.TEN}
    return len({card.suit for card in cards}) == 1 and {card.rank for card in cards} == best


def indicator(position: Position) -> Advice:
    """Advise which card goes face down as the indicator (RULES 6 and 7).

    The jack is worth more in the hand, where it can be led; without it a high trump cuts best.
    """
    state, faces = position.view.state, position.view.faces
    hand = state.hands[position.seat]
    cards = own_cards(position)
    assert state.contract is not None
    if len(cards) == SEATS:
        trump = valuation(cards).trump
    else:
        trump, _ = best_of_eight(position, state.contract)
    trumps = sorted(
        (slot for slot in hand if faces[slot].suit == trump),
        key=lambda slot: STRENGTH[faces[slot].rank],
    )
    slot = trumps[-1]
    if faces[slot].rank is Rank.JACK and len(trumps) > 1:
        slot = trumps[0]
    why = f"{trump.name.capitalize()} are the best trumps, and {faces[slot]} is spared most easily."
    return Advice(LayIndicator(slot), why)


# ---------------------------------------------------------------------------- eight cards


class Outlook(NamedTuple):
    """How a contract went in imagined deals."""

    deals: int
    made: int
    swept: int
    """Deals in which every trick was won."""


def imagine(position: Position, cards: int, trump: Suit, bid: Bid, deals: int) -> Outlook:
    """Play `bid` in imagined deals with these eight cards and this trump suit."""
    state, seat = position.view.state, position.seat
    trumps = cards & SUIT_BITS[trump]
    laid = trumps & -trumps
    alone = isinstance(bid, Contract)
    unseen = [each for each in unseen_by(()) if not each & cards]
    leader = seat if alone else (state.dealer + 1) % SEATS
    made = swept = 0
    for _ in range(deals):
        position.chance.shuffle(unseen)
        hands = [0] * SEATS
        for place in range(1, SEATS):
            hands[(seat + place) % SEATS] = sum(unseen[8 * place - 8 : 8 * place])
        hands[seat] = cards if alone else cards ^ laid
        ending = play_out(
            Imagined(
                hands=tuple(hands),
                maker=seat,
                trump=trump,
                turn=leader,
                indicator=0 if alone else laid,
                hidden=not alone,
                first=True,
                opens_after_first=height(bid) >= state.profile.open_after_trick1_from,
                idle=partner(seat) if alone else -1,
            )
        )
        swept += not ending.lost
        made += not ending.lost if alone else ending.points >= height(bid)
    return Outlook(deals, made, swept)


def _trump_candidates(cards: tuple[Card, ...]) -> list[Suit]:
    """Return suits that may be the best trumps among eight cards: the longest, then the
    strongest."""

    def strength(suit: Suit) -> tuple[int, int]:
        held = [card for card in cards if card.suit == suit]
        return len(held), sum(CARD_POINTS[card] for card in held)

    return sorted({card.suit for card in cards}, key=strength, reverse=True)[:2]


def best_of_eight(position: Position, bid: Bid) -> tuple[Suit, Outlook]:
    """Return the trump suit with which eight cards make `bid` most often, and how often."""
    cards = own_cards(position)
    seed = position.chance.word()
    deals = _NEAR_CERTAIN if isinstance(bid, Contract) else position.thinking.layouts
    outlooks = []
    for suit in _trump_candidates(cards):
        # The same deals for each suit, so that chance does not choose between them.
        same = position._replace(chance=SeededRandomness(seed))
        outlooks.append((suit, imagine(same, mask(cards), suit, bid, deals)))
    return max(outlooks, key=lambda pair: pair[1].made)


def eight_card_call(position: Position) -> Advice:
    """Advise a call of the second auction (RULES 7): a bid only if it gains clearly more than
    passing."""
    profile = position.view.state.profile
    bids = [each.bid for each in position.legal if isinstance(each, PlaceBid)]
    cards = own_cards(position)
    if sum(CARD_POINTS[card] for card in cards) < _WORTH_IMAGINING:
        return Advice(Pass(), "These eight cards count too little for a bid of 250 or more.")
    if Contract.PARTNER_CLOSE_CAPS in bids and _holds_top_trumps(cards):
        suit, outlook = best_of_eight(position, Contract.PARTNER_CLOSE_CAPS)
        if outlook.swept == outlook.deals and _tops(cards, suit) >= _TOPS:
            why = f"Alone, with {suit.name.lower()} as trumps, every imagined deal was won whole."
            return Advice(PlaceBid(Contract.PARTNER_CLOSE_CAPS), why)
    lowest = min((bid for bid in bids if not isinstance(bid, Contract)), default=0)
    if not lowest:
        return Advice(Pass(), "No number above the standing bid is left.")
    suit, outlook = best_of_eight(position, lowest)
    gain = _average(price_of(profile, lowest), outlook)
    told = f"{lowest} was made in {outlook.made} of {outlook.deals} imagined deals"
    if gain > _without_eight(position) + _MARGIN_OF_EIGHT:
        return Advice(PlaceBid(lowest), f"With {suit.name.lower()} as trumps {told}.")
    return Advice(Pass(), f"Even with {suit.name.lower()} as trumps {told}: not enough.")


def _average(price: Price, outlook: Outlook) -> float:
    # One more of each, so that a few lucky deals do not look like certainty.
    likely = (outlook.made + 1) / (outlook.deals + 2)
    return likely * price.made - (1 - likely) * price.failed


def _without_eight(position: Position) -> float:
    """Return the tokens to expect from the bid that stands."""
    state, seat = position.view.state, position.seat
    assert state.contract is not None
    if isinstance(state.contract, Contract) or (state.maker or 0) % 2 != seat % 2:
        return _DEFENDING
    price = price_of(state.profile, state.contract)
    if state.maker != seat or state.indicator is None:
        return _PARTNER_MAKES * price.made - (1 - _PARTNER_MAKES) * price.failed
    trump = position.view.faces[state.indicator].suit
    cards = mask(own_cards(position))
    return _average(
        price, imagine(position, cards, trump, state.contract, position.thinking.layouts)
    )


def _tops(cards: tuple[Card, ...], suit: Suit) -> int:
    """Return how many of the highest cards of a suit are held without a gap."""
    held = {card.rank for card in cards if card.suit == suit}
    tops = 0
    while tops < len(RANKS_HIGH_TO_LOW) and RANKS_HIGH_TO_LOW[tops] in held:
        tops += 1
    return tops


def _holds_top_trumps(cards: tuple[Card, ...]) -> bool:
    return any(_tops(cards, suit) >= _TOPS for suit in Suit)
